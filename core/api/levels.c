/* levels.c - the lists of tuples of a level (DIR-4.1-02), which is an open region. They are the clauses of the level
 * (originals), and its tuples after fusion: clauses whose data share one block of device memory.
 *
 * The lists of outer levels are not stored. They are computed from the serials (numbers of constructs) at which objects
 * were moved. While a level was the innermost one, an object lay where the last move before the next level put it. */
#include "accdeep_present.h"
#include "ops/ops.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/tuples.h"

#include <assert.h>

/* The serials (numbers of constructs), from `from` to `to`, that a list covers. It is the serial of the level itself;
 * or those of enter data while the level was the innermost one (its base level). */
struct serial_range {
    uint64_t from, to;
};

/* Location of an object at an earlier serial: device address `dev`, in the tuple `fused` (NULL: in no tuple). `serial`:
 * number of the construct that moved the object there. */
struct past_location {
    const struct accd__placement *placement;
    const struct accd__fused_tuple *fused;
    uint64_t dev, serial;
};

/* State of one call of accd_for_each_tuple. */
struct listing {
    struct accd__device_env *env;
    struct accd__scratch *scratch;
    accd_tuple_fn fn;
    void *ud;
    struct serial_range serial_range;
    const struct accd__original **originals; /* clauses of the list, in the order of the list */
    size_t noriginals;
    struct past_location *locations; /* locations of the objects present at serial serial_range.to, by host address */
    size_t nlocations;
};

/* Returns the region that opened level `level`, from 0; level 0 is the outermost. NULL: there is no such level. */
static const struct accd_region *find_region(const struct accd__device_env *env, int64_t level)
{
    const struct accd_region *region = level < (int64_t)env->levels.depth ? env->levels.top : NULL;
    for (int64_t i = (int64_t)env->levels.depth - 1; region && i > level; i--)
        region = region->below;
    return region;
}

/* Returns the serials that a list of level `level` covers; level -1 is outside of all levels. `dynamic` false: the
 * serial of the level. `dynamic` true: the serials of enter data after the level was opened and before the next level
 * was. */
static struct serial_range get_serial_range(const struct accd__device_env *env, int64_t level, bool dynamic)
{
    assert(level >= -1);
    bool last = level + 1 == (int64_t)env->levels.depth;
    uint64_t serial = level < 0 ? 0 : find_region(env, level)->serial;
    if (!dynamic)
        return (struct serial_range){serial, serial};
    return (struct serial_range){serial + 1, last ? UINT64_MAX : find_region(env, level + 1)->serial - 1};
}

/* --------------------------------------------------------------------------------- originals -- */

/* Fills *info with the name and range of an original (a clause or a piece of one, table/tuples.h). Decides DIR-4.1-03.
 */
static void describe_original(const struct listing *listing, const struct accd__original *original,
                              accd_object_info *info)
{
    *info = accd__make_object_info(original->source.label, original->host, original->bytes);
    accd__format_original(listing->env, original, info->name, sizeof info->name);
}

/* Sorts listing->originals by ascending key_of(original); equal keys keep their order. Returns true, or false without
 * memory. */
static bool sort_originals(struct listing *listing, uint64_t (*key_of)(const struct accd__original *original))
{
    size_t n = listing->noriginals;
    struct accd__pair *pairs = accd__scratch_alloc(listing->scratch, 2 * (n + 1) * sizeof *pairs);
    if (!pairs)
        return false;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){key_of(listing->originals[i]), accd__address(listing->originals[i])};
    const struct accd__pair *sorted = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        listing->originals[i] = accd__pointer(sorted[i].value);
    return true;
}

/* Returns the host address of an original: a key for sort_originals. */
static uint64_t original_host(const struct accd__original *original)
{
    return original->host;
}
/* Returns the position of an original's clause in its directive: a key for sort_originals. */
static uint64_t original_order(const struct accd__original *original)
{
    return original->order;
}
/* Returns the number of the construct of an original: a key for sort_originals. */
static uint64_t original_serial(const struct accd__original *original)
{
    return original->serial;
}

/* Sets listing->originals to the originals whose serials are in listing->serial_range, in the order of their directives
 * and clauses. `dynamic`: those of enter data; otherwise those of regions. Fails only without memory. */
static accd_status list_originals(struct listing *listing, bool dynamic)
{
    bool ok = true;
    size_t capacity = 0;
    ACCD_FOR_EACH(const struct accd__placement, placement, &listing->env->tuples.placements, 0)
    for (const struct accd__original *o = placement->originals; o && ok; o = o->next) {
        if (o->dynamic != dynamic || o->dropped || o->serial < listing->serial_range.from ||
            o->serial > listing->serial_range.to)
            continue;
        ok = accd__scratch_grow_array(listing->scratch, (void **)&listing->originals, listing->noriginals, &capacity,
                                      sizeof listing->originals[0]);
        if (ok)
            listing->originals[listing->noriginals++] = o;
    }
    ok = ok && sort_originals(listing, original_order) && sort_originals(listing, original_serial);
    return ok ? ACCD_OK : accd__report_out_of_memory(listing->env->context, "to list tuples");
}

/* Calls listing->fn for each original of the list. */
static void report_originals(const struct listing *listing)
{
    for (size_t i = 0; i < listing->noriginals; i++) {
        const struct accd__original *original = listing->originals[i];
        accd_tuple tuple = {.base = original->base, .action = (accd_action)original->action, .flags = original->flags};
        describe_original(listing, original, &tuple.info);
        listing->fn(listing->ud, &tuple);
    }
}

/* -------------------------------------------------------------------------------- artificial -- */

/* Sets *place to the location that the object of `placement` had at `serial`, and returns true. Returns false, with
 * *place undefined, if the object was not yet present then. */
static bool get_location_at(const struct accd__placement *placement, uint64_t serial, struct past_location *place)
{
    assert(place);
    *place = (struct past_location){placement, placement->fused, placement->object->dev, placement->serial};
    const struct accd__vacated_slot *vacated = placement->vacated;
    if (place->serial > serial) {
        while (vacated && vacated->serial > serial)
            vacated = vacated->jump && vacated->jump->serial > serial ? vacated->jump : vacated->below;
        if (vacated)
            *place = (struct past_location){placement, vacated->fused, vacated->dev, vacated->serial};
    }
    if (place->fused &&
        place->fused->serial > serial) /* the tuple did not exist at `serial`, so the object was in none */
        place->fused = NULL;
    return place->serial <= serial;
}

/* Sets listing->locations to the locations of all objects that were present at serial_range.to, the last serial of the
 * list. Fails only without memory. */
static accd_status list_locations(struct listing *listing)
{
    struct accd__btree *placements = &listing->env->tuples.placements;
    listing->locations = accd__scratch_alloc(listing->scratch, (placements->count + 1) * sizeof listing->locations[0]);
    if (!listing->locations)
        return accd__report_out_of_memory(listing->env->context, "to list tuples");
    ACCD_FOR_EACH(const struct accd__placement, placement, placements, 0)
    listing->nlocations +=
        get_location_at(placement, listing->serial_range.to, &listing->locations[listing->nlocations]);
    return ACCD_OK;
}

/* Returns true if two locations are in one fused tuple. The objects of a tuple are adjacent in the list, because tuples
 * never overlap. */
static bool is_same_tuple(const struct past_location *a, const struct past_location *b)
{
    return a->fused && a->fused == b->fused;
}

/* Fills *info with the name and range of a tuple: from the object at location `first` to the object at `last`. */
static void describe_locations(const struct listing *listing, const struct past_location *first,
                               const struct past_location *last, accd_object_info *info)
{
    assert(first->placement && last->placement);
    const struct accd__object *object = first->placement->object;
    uint64_t bytes = accd__object_end(last->placement->object) - object->host;
    accd__describe_object(listing->env, object, info);
    accd__format_range(listing->env, object, 0, bytes, info->name, sizeof info->name);
    info->bytes = bytes;
}

/* Writes the ancestors of the tuple with locations [first, end), by host address, to `to`, and returns their number.
 * Ancestors are the clauses of the list, and the tuples of earlier serials, that were fused into the tuple. *original:
 * index of the next clause, which the call advances. `to` must have space for all. Decides DIR-4.2-07. */
static size_t list_ancestors(const struct listing *listing, size_t first, size_t end, size_t *original,
                             accd_object_info *to)
{
    assert(first < end && end <= listing->nlocations && listing->serial_range.from);
    const struct past_location *locations = listing->locations;
    uint64_t stop = accd__object_end(locations[end - 1].placement->object);
    size_t n = 0, i = first;
    for (;;) {
        struct past_location from = {0}, last = {0}, next;
        while (i < end && !get_location_at(locations[i].placement, listing->serial_range.from - 1, &from))
            i++;
        uint64_t host = i < end ? from.placement->object->host : stop;
        for (; *original < listing->noriginals && listing->originals[*original]->host <= host &&
               listing->originals[*original]->host < stop;
             ++*original)
            describe_original(listing, listing->originals[*original], &to[n++]);
        if (i == end)
            return n;
        for (last = from; ++i < end;) {
            if (!get_location_at(locations[i].placement, listing->serial_range.from - 1, &next))
                continue;
            if (!is_same_tuple(&from, &next))
                break;
            last = next;
        }
        describe_locations(listing, &from, &last, &to[n++]);
    }
}

/* Calls listing->fn for each tuple after fusion, with its ancestors (tuples fused into it). Fails only without memory.
 */
static accd_status report_artificial(struct listing *listing)
{
    struct past_location *locations = listing->locations;
    size_t original = 0, end;
    accd_object_info *ancestors =
        accd__scratch_alloc(listing->scratch, (listing->nlocations + listing->noriginals + 1) * sizeof *ancestors);
    if (!ancestors || !sort_originals(listing, original_host))
        return accd__report_out_of_memory(listing->env->context, "to list tuples");
    for (size_t i = 0; i < listing->nlocations; i = end) {
        for (end = i + 1; end < listing->nlocations && is_same_tuple(&locations[i], &locations[end]);)
            end++;
        uint64_t serial = locations[i].fused ? locations[i].fused->serial : locations[i].serial;
        accd_tuple tuple = {
            .dev = locations[i].dev, .alloc = serial >= listing->serial_range.from, .ancestors = ancestors};
        describe_locations(listing, &locations[i], &locations[end - 1], &tuple.info);
        tuple.nancestors = list_ancestors(listing, i, end, &original, ancestors);
        listing->fn(listing->ud, &tuple);
    }
    return ACCD_OK;
}

/* Fills *info with name and range of a request (one range that a clause names) of an open region. */
static void describe_request(const struct accd_region *region, const struct accd__request *request,
                             accd_object_info *info)
{
    const struct accd__plan_input input = {.walk = region->walk, .sources = region->items};
    *info =
        (accd_object_info){.host = request->host, .bytes = request->bytes, .file = region->file, .line = region->line};
    accd__format_request(&input, request, info->name, sizeof info->name);
}

/* Calls listing->fn for each request of a region: without fusion in the rules, the requests are the tuples. */
static void report_requests(const struct listing *listing, const struct accd_region *region)
{
    for (size_t i = 0; i < region->nrequests; i++) {
        const struct accd__request *request = &region->requests[i];
        accd_tuple tuple = {
            .base = request->host,
            .dev = request->object ? request->object->dev + (request->host - request->object->host) : 0,
            .action = (accd_action)request->action,
            .flags = request->flags,
            .alloc = request->state == ACCD_REQUEST_NEW,
        };
        describe_request(region, request, &tuple.info);
        listing->fn(listing->ud, &tuple);
    }
}

/* Calls fn(ud, tuple) for each tuple of a list of level `level`, or of enter data outside of all levels (-1). Without
 * fusion in the rules, lists the clauses of the level; lists of base levels are then empty. ACCD_ERROR_MISUSE: there is
 * no such level or list. */
accd_status accd_for_each_tuple(accd_context *context, int device, int64_t level, accd_tuple_list list,
                                accd_tuple_fn fn, void *ud)
{
    ACCD_ON_DEVICE(env, context, device);
    bool dynamic = list == ACCD_LIST_DYNAMIC || list == ACCD_LIST_BASE_LEVEL;
    ACCD_REQUIRE_ARGUMENT(context, fn);
    if ((unsigned)list > ACCD_LIST_BASE_LEVEL)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "there is no such list of tuples");
    if (level >= (int64_t)env->levels.depth || level < -1 || (level < 0 && !dynamic))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "there is no level %lld", (long long)level);
    /* uses its own scratch space, because a construct may be using that of the context */
    struct accd__scratch scratch = {.mem = &context->mem};
    struct listing listing = {
        .env = env, .scratch = &scratch, .fn = fn, .ud = ud, .serial_range = get_serial_range(env, level, dynamic)};
    if (!context->rules.fusion) {
        if (!dynamic)
            report_requests(&listing, find_region(env, level));
        return ACCD_OK;
    }
    accd_status status = list_originals(&listing, dynamic);
    if (status == ACCD_OK && (list == ACCD_LIST_ORIGINAL || list == ACCD_LIST_DYNAMIC))
        report_originals(&listing);
    else if (status == ACCD_OK)
        status = list_locations(&listing) == ACCD_OK ? report_artificial(&listing) : ACCD_ERROR_OUT_OF_MEMORY;
    accd__scratch_free(&scratch);
    return status;
}

/* Describes in *level_p level `index`, from 0, of the device's stack of data environments. Returns 1, or 0 if there is
 * no such level. Decides DIR-4.1-02. */
int accd_level_get(accd_context *context, int device, size_t index, accd_level *level_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd_region *region = env ? find_region(env, (int64_t)index) : NULL;
    if (!region || !level_p)
        return 0;
    *level_p = (accd_level){region->kind, region->name, region->file, region->line, region->nrequests};
    return 1;
}

/* Describes in *clause_p clause number `clause`, from 0, of level `index`. Returns 1, or 0 if there is no such level or
 * clause. */
int accd_level_get_clause(accd_context *context, int device, size_t index, size_t clause, accd_clause *clause_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd_region *region = env ? find_region(env, (int64_t)index) : NULL;
    if (!region || !clause_p || clause >= region->nrequests)
        return 0;
    const struct accd__request *request = &region->requests[clause];
    *clause_p = (accd_clause){.action = request->action, .created = request->state == ACCD_REQUEST_NEW};
    describe_request(region, request, &clause_p->info);
    return 1;
}
