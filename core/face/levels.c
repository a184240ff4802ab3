/* levels.c - the lists of a level (DIR-4.1-02): its clauses, and what there is after fusion.
 *
 * The lists of outer levels are not kept anywhere: where an object lay when a level was the innermost one
 * is the last place it took before the next level was opened. */
#include "ops/ops.h"
#include "table/name.h"
#include "table/tuples.h"

/* A list stands for the serials of constructs in [from, to]: those of the level itself, or of enter data
 * in the floor above it. */
struct span {
    uint64_t from, to;
};

/* Where an object lay at a serial. fused NULL: alone. */
struct placed {
    const struct accd_share *share;
    const struct accd_fused *fused;
    uint64_t dev, serial;
};

struct listing {
    struct accd_directory *dir;
    struct accd_scratch *scratch;
    accd_tuple_fn fn;
    void *ud;
    struct span span;
    const struct accd_original **originals; /* of the list's clauses, in their order */
    size_t noriginals;
    struct placed *places; /* of what was present, by host address */
    size_t nplaces;
};

/* The region of a level, of which the outermost is number 0; NULL: there is no such level. */
static const struct accd_region *region_at(const struct accd_directory *dir, int64_t level)
{
    const struct accd_region *region = level < (int64_t)dir->levels.depth ? dir->levels.top : NULL;
    for (int64_t i = (int64_t)dir->levels.depth - 1; region && i > level; i--)
        region = region->below;
    return region;
}

static struct span span_of(const struct accd_directory *dir, int64_t level, bool floor)
{
    bool last = level + 1 == (int64_t)dir->levels.depth;
    uint64_t serial = level < 0 ? 0 : region_at(dir, level)->serial;
    if (!floor)
        return (struct span){serial, serial};
    return (struct span){serial + 1, last ? UINT64_MAX : region_at(dir, level + 1)->serial - 1};
}

/* --------------------------------------------------------------------------------- originals -- */

/* Decides DIR-4.1-03. */
static void describe_original(const struct listing *listing,
                              const struct accd_original *original, accd_object_info *info)
{
    *info = accd_info_of(original->source.label, original->host, original->bytes);
    accd_name_original(listing->dir, original, info->name, sizeof info->name);
}

/* Sorts by what key_of gives for an element; what is equal stays in order. */
static bool sort_originals(struct listing *listing, uint64_t (*key_of)(const struct accd_original *original))
{
    size_t n = listing->noriginals;
    struct accd_pair *pairs = accd_scratch_take(listing->scratch, 2 * (n + 1) * sizeof *pairs);
    if (!pairs)
        return false;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){key_of(listing->originals[i]),
                                      accd_address(listing->originals[i])};
    const struct accd_pair *sorted = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        listing->originals[i] = accd_pointer(sorted[i].value);
    return true;
}

static uint64_t host_of(const struct accd_original *original) { return original->host; }
static uint64_t order_of(const struct accd_original *original) { return original->order; }
static uint64_t serial_of(const struct accd_original *original) { return original->serial; }

/* The clauses that belong to a list: in the order of their directives, pieces of one by address. */
static accd_status list_originals(struct listing *listing, bool dynamic)
{
    bool ok = true;
    size_t room = 0;
    ACCD_EACH(const struct accd_share, share, &listing->dir->tuples.shares, 0)
        for (const struct accd_original *o = share->originals; o && ok; o = o->next) {
            if (o->dynamic != dynamic || o->dropped || o->serial < listing->span.from || o->serial > listing->span.to)
                continue;
            ok = accd_scratch_room(listing->scratch, (void **)&listing->originals, listing->noriginals, &room,
                                   sizeof listing->originals[0]);
            if (ok)
                listing->originals[listing->noriginals++] = o;
        }
    ok = ok && sort_originals(listing, order_of) && sort_originals(listing, serial_of);
    return ok ? ACCD_OK : accd_out_of_memory(listing->dir->context, "to list tuples");
}

static void tell_originals(const struct listing *listing)
{
    for (size_t i = 0; i < listing->noriginals; i++) {
        const struct accd_original *original = listing->originals[i];
        accd_tuple tuple = {.base = original->base,
                            .action = (accd_action)original->action,
                            .flags = original->flags};
        describe_original(listing, original, &tuple.info);
        listing->fn(listing->ud, &tuple);
    }
}

/* -------------------------------------------------------------------------------- artificial -- */

static bool place_at(const struct accd_share *share, uint64_t serial, struct placed *place)
{
    *place = (struct placed){share, share->fused, share->object->dev, share->serial};
    const struct accd_former *former = share->former;
    if (place->serial > serial) {
        while (former && former->serial > serial)
            former = former->jump && former->jump->serial > serial ? former->jump : former->below;
        if (former)
            *place = (struct placed){share, former->fused, former->dev, former->serial};
    }
    if (place->fused && place->fused->serial > serial) /* its parts are held together since later */
        place->fused = NULL;
    return place->serial <= serial;
}

static accd_status list_places(struct listing *listing)
{
    struct accd_range *shares = &listing->dir->tuples.shares;
    listing->places = accd_scratch_take(listing->scratch, (shares->count + 1) * sizeof listing->places[0]);
    if (!listing->places)
        return accd_out_of_memory(listing->dir->context, "to list tuples");
    ACCD_EACH(const struct accd_share, share, shares, 0)
        listing->nplaces += place_at(share, listing->span.to, &listing->places[listing->nplaces]);
    return ACCD_OK;
}

/* The objects of a tuple follow one another: tuples never reach into each other. */
static bool together(const struct placed *a, const struct placed *b)
{
    return a->fused && a->fused == b->fused;
}

static void describe_places(const struct listing *listing, const struct placed *first,
                            const struct placed *last, accd_object_info *info)
{
    const struct accd_object *object = first->share->object;
    uint64_t bytes = accd_object_end(last->share->object) - object->host;
    accd_describe_object(listing->dir, object, info);
    accd_name_range(listing->dir, object, 0, bytes, info->name, sizeof info->name);
    info->bytes = bytes;
}

/* What a tuple was made of: clauses of the list, and tuples of the list before it (DIR-4.2-07).
 * Decides DIR-4.2-07. */
static size_t list_ancestors(const struct listing *listing, size_t first, size_t end,
                             size_t *original, accd_object_info *to)
{
    const struct placed *places = listing->places;
    uint64_t stop = accd_object_end(places[end - 1].share->object);
    size_t n = 0, i = first;
    for (;;) {
        struct placed from = {0}, last = {0}, next;
        while (i < end && !place_at(places[i].share, listing->span.from - 1, &from))
            i++;
        uint64_t host = i < end ? from.share->object->host : stop;
        for (; *original < listing->noriginals && listing->originals[*original]->host <= host &&
               listing->originals[*original]->host < stop;
             ++*original)
            describe_original(listing, listing->originals[*original], &to[n++]);
        if (i == end)
            return n;
        for (last = from; ++i < end;) {
            if (!place_at(places[i].share, listing->span.from - 1, &next))
                continue;
            if (!together(&from, &next))
                break;
            last = next;
        }
        describe_places(listing, &from, &last, &to[n++]);
    }
}

static accd_status tell_artificial(struct listing *listing)
{
    struct placed *places = listing->places;
    size_t original = 0, end;
    accd_object_info *ancestors = accd_scratch_take(
        listing->scratch, (listing->nplaces + listing->noriginals + 1) * sizeof *ancestors);
    if (!ancestors || !sort_originals(listing, host_of))
        return accd_out_of_memory(listing->dir->context, "to list tuples");
    for (size_t i = 0; i < listing->nplaces; i = end) {
        for (end = i + 1; end < listing->nplaces && together(&places[i], &places[end]);)
            end++;
        uint64_t serial = places[i].fused ? places[i].fused->serial : places[i].serial;
        accd_tuple tuple = {.dev = places[i].dev,
                            .alloc = serial >= listing->span.from,
                            .ancestors = ancestors};
        describe_places(listing, &places[i], &places[end - 1], &tuple.info);
        tuple.nancestors = list_ancestors(listing, i, end, &original, ancestors);
        listing->fn(listing->ud, &tuple);
    }
    return ACCD_OK;
}

static void describe_claim(const struct accd_region *region, const struct accd_claim *claim,
                           accd_object_info *info)
{
    const struct accd_given given = {.walk = region->walk, .sources = region->items};
    *info = (accd_object_info){
        .host = claim->host, .bytes = claim->bytes, .file = region->file, .line = region->line};
    accd_name_claim(&given, claim, info->name, sizeof info->name);
}

/* Where nothing is fused by itself, a level has its clauses alone. */
static void tell_claims(const struct listing *listing, const struct accd_region *region)
{
    for (size_t i = 0; i < region->nclaims; i++) {
        const struct accd_claim *claim = &region->claims[i];
        accd_tuple tuple = {
            .base = claim->host,
            .dev = claim->object ? claim->object->dev + (claim->host - claim->object->host) : 0,
            .action = (accd_action)claim->action,
            .flags = claim->flags,
            .alloc = claim->state == ACCD_CLAIM_NEW,
        };
        describe_claim(region, claim, &tuple.info);
        listing->fn(listing->ud, &tuple);
    }
}

accd_status accd_each_tuple(accd_context *context, int device, int64_t level, accd_list list,
                            accd_tuple_fn fn, void *ud)
{
    ACCD_ON_DEVICE(dir, context, device);
    bool floor = list == ACCD_DYNAMIC || list == ACCD_FLOOR;
    ACCD_GIVEN(context, fn);
    if ((unsigned)list > ACCD_FLOOR)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "there is no such list of tuples");
    if (level >= (int64_t)dir->levels.depth || level < -1 || (level < 0 && !floor))
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "there is no level %lld", (long long)level);
    struct accd_scratch scratch = {.mem = &context->mem}; /* a construct may be under way */
    struct listing listing = {.dir = dir,
                              .scratch = &scratch,
                              .fn = fn,
                              .ud = ud,
                              .span = span_of(dir, level, floor)};
    if (!context->rules.fusion) {
        if (!floor)
            tell_claims(&listing, region_at(dir, level));
        return ACCD_OK;
    }
    accd_status status = list_originals(&listing, floor);
    if (status == ACCD_OK && (list == ACCD_ORIGINAL || list == ACCD_DYNAMIC))
        tell_originals(&listing);
    else if (status == ACCD_OK)
        status = list_places(&listing) == ACCD_OK ? tell_artificial(&listing) : ACCD_OUT_OF_MEMORY;
    accd_scratch_close(&scratch);
    return status;
}

/* Decides DIR-4.1-02. */
int accd_level_at(accd_context *context, int device, size_t index, accd_level *level_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_region *region = dir ? region_at(dir, (int64_t)index) : NULL;
    if (!region || !level_p)
        return 0;
    *level_p = (accd_level){region->kind, region->name, region->file, region->line, region->nclaims};
    return 1;
}

int accd_level_clause(accd_context *context, int device, size_t index, size_t clause, accd_clause *clause_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_region *region = dir ? region_at(dir, (int64_t)index) : NULL;
    if (!region || !clause_p || clause >= region->nclaims)
        return 0;
    const struct accd_claim *claim = &region->claims[clause];
    *clause_p = (accd_clause){.action = claim->action, .created = claim->state == ACCD_CLAIM_NEW};
    describe_claim(region, claim, &clause_p->info);
    return 1;
}
