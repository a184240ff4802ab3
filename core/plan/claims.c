/* claims.c - from items to claims, and from claims to moves. Nothing here changes anything but the
 * plan: a construct that must fail fails before it touches the device, a counter or the host. */
#include "core.h"
#include "device/written.h"

#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------ names -- */

const struct accd_source *accd_claim_source(const struct accd_plan *plan,
                                            const struct accd_claim *claim)
{
    return claim->source & ACCD_CLAIM_WALKED ? NULL : &plan->sources[claim->source];
}

void accd_name_claim(const struct accd_plan *plan, const struct accd_claim *claim, char *to,
                     size_t room)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (source)
        accd_name_source(source, claim->host, claim->bytes, to, room);
    else
        accd_name_section(plan->walk, claim->source & ~ACCD_CLAIM_WALKED, to, room);
}

void accd_name_claim_slot(const struct accd_plan *plan, const struct accd_claim *claim, char *to,
                          size_t room)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (source)
        accd_name_pointer(source->label, source->index, to, room);
    else
        accd_name_row_slot(plan->walk, claim->source & ~ACCD_CLAIM_WALKED, to, room);
}

accd_status accd_claim_error(const struct accd_plan *plan, const struct accd_claim *claim,
                             const struct accd_object *other, accd_status status,
                             enum accd_rule rule, const char *format, ...)
{
    accd_error *error = &plan->context->error;
    char text[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    accd_object_info in_the_way = {0};
    if (other)
        accd_describe_object(plan->dir, other, &in_the_way);
    accd_fail(plan->context, status, rule, "%s", text);
    error->other = in_the_way;
    if (!claim)
        return status;
    accd_name_claim(plan, claim, error->asked.name, sizeof error->asked.name);
    error->asked.host = claim->host;
    error->asked.bytes = claim->bytes;
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (source) {
        error->item = claim->source;
    } else {
        size_t segment, row;
        const struct accd_walk *walk = plan->walk;
        accd_walk_locate(walk, claim->source & ~ACCD_CLAIM_WALKED, &segment, &row);
        error->item = walk->roots[accd_section_root(walk, &walk->segments[segment])].item;
    }
    return status;
}

size_t accd_section_root(const struct accd_walk *walk, const struct accd_segment *segment)
{
    return walk->rowsets[segment->rowset].root;
}

/* ----------------------------------------------------------------------------------- claims -- */

accd_status accd_plan_no_memory(accd_context *context)
{
    return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to plan a construct");
}

/* Whether the memory of an item may be read: what a walk or a move would otherwise fault on. */
static accd_status check_item(const struct accd_plan *plan, struct accd_claim *claim,
                              const accd_item *item)
{
    accd_context *context = plan->context;
    const struct accd_demand *demand = &accd_demands[claim->action];
    if (!claim->host) {
        if (context->rules.null_pointer == ACCD_REJECT)
            return accd_claim_error(plan, claim, NULL, ACCD_NULL_POINTER, R_NULL,
                                    "the section has %llu bytes, but its base is a null pointer",
                                    (unsigned long long)claim->bytes);
        claim->state = ACCD_CLAIM_SKIP;
        return ACCD_OK;
    }
    if (claim->host + claim->bytes < claim->host || claim->bytes >> (ACCD_SIZE_BITS - 1))
        return accd_claim_error(plan, claim, NULL, ACCD_INVALID_SECTION, R_SECTION,
                                "the section does not fit into memory");
    bool touches = demand->in || demand->out || demand->creates || item->program;
    if (!context->config.check_host || !touches ||
        accd_host_covers(context, claim->host, claim->bytes))
        return ACCD_OK;
    if (accd_device_of(context, claim->host) >= 0)
        return accd_claim_error(plan, claim, NULL, ACCD_DEVICE_POINTER_ON_HOST, R_HOST_BOUNDS,
                                "its base is a device address");
    accd_status status = accd_claim_error(plan, claim, NULL, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                          "it does not lie in live host memory");
    accd_host_range known;
    if (accd_host_at(context, accd_pointer(claim->host), &known)) {
        context->error.other = known.info;
        if (!known.live)
            snprintf(context->error.message, sizeof context->error.message,
                     "its host memory was freed");
    }
    return status;
}

/* A null pointer counts as present, with length zero (ACC33-gloss-2): a data clause comes down to what it does
 * about the pointer itself (ACC33-att-4). */
static bool leads_nowhere(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return !claim->host && claim->slot && plan->context->rules.null_pointer == ACCD_IGNORE &&
           plan->construct->kind != ACCD_UPDATE &&
           accd_host_usable(plan->context, claim->slot, sizeof(void *)) &&
           !accd_load_pointer(claim->slot);
}

/* Where constructs count, a section of no elements stands for the present object at its address, of which it moves
 * nothing (OMP60-map-10); otherwise it asks for nothing (TR14-4.3-14). */
static __attribute__((noinline)) accd_status resolve_empty(const struct accd_plan *plan,
                                                           struct accd_claim *claim)
{
    struct accd_object *object = NULL;
    if (plan->context->rules.counting == ACCD_COUNT_CONSTRUCTS && claim->host)
        ACCD_TRY(accd_find(plan->dir, claim->host, &object));
    claim->state = object ? ACCD_CLAIM_PRESENT : ACCD_CLAIM_SKIP;
    claim->object = object;
    return ACCD_OK;
}

/* Apart, so that constructs of flat data have little code to run through. */
static __attribute__((noinline)) accd_status walk_items(struct accd_plan *plan)
{
    struct accd_walk *before = accd_group_before(plan->dir, plan->construct);
    if (before)
        accd_walk_retain(before); /* missing memory may cost the directory its retired group */
    accd_status status = accd_walk_new(plan->context, plan->construct, before, &plan->walk);
    accd_walk_release(before);
    return status;
}

accd_status accd_plan_begin(struct accd_plan *plan, struct accd_directory *dir,
                            const accd_construct *construct)
{
    accd_context *context = dir->context;
    size_t n = construct->nitems;
    *plan = (struct accd_plan){.context = context,
                               .dir = dir,
                               .construct = construct,
                               .queue = accd_queue_of(dir, construct->queue)};
    plan->claims =
        accd_scratch_take(&context->scratch, n * (sizeof plan->claims[0] + sizeof plan->sources[0] +
                                                  sizeof plan->moves[0]));
    if (!plan->claims)
        return accd_plan_no_memory(context);
    plan->sources = (struct accd_source *)(plan->claims + n);
    plan->moves = (struct accd_move *)(plan->sources + n);
    plan->moves_room = n; /* flat data want no more */
    int walked = 0;
    unsigned gaps = 0;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        plan->sources[i] = (struct accd_source){
            .label = item->label,
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .start = item->start,
            .slot_bytes = item->slot_bytes,
            .base = context->rules.extended_range
                        ? accd_address(item->frame ? item->frame : item->base) : 0,
            .root = accd_item_walks(item) ? walked++ : -1,
        };
        memcpy(plan->sources[i].index, item->index, sizeof item->index);
        plan->item_flags |= item->flags;
        gaps |= item->ndims;
        plan->claims[i] = (struct accd_claim){
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .slot = accd_address(item->slot),
            .source = (uint32_t)i,
            .action = accd_effective(item->action, item->flags & ACCD_ITEM_INIT, ACCD_INHERIT),
            .flags = item->flags,
        };
    }
    plan->nclaims = plan->claims_room = n;
    if (plan->item_flags & ACCD_ITEM_MUST)
        ACCD_TRY(accd_plan_required(plan, 0)); /* before all other errors */
    for (size_t i = 0; i < n; i++) {
        struct accd_claim *claim = &plan->claims[i];
        if (plan->sources[i].slot_bytes % sizeof(void *) ||
            plan->sources[i].slot_bytes > ACCD_SLOT_MOST)
            return accd_claim_error(plan, claim, NULL, ACCD_MISUSE, R_MISUSE,
                                    "no descriptor has %u bytes", plan->sources[i].slot_bytes);
        if (claim->action == ACCD_ATTACH || claim->action == ACCD_DETACH)
            continue;
        if (leads_nowhere(plan, claim))
            claim->action = construct->kind == ACCD_EXIT_DATA ? ACCD_DETACH : ACCD_ATTACH;
        else if (!claim->bytes)
            ACCD_TRY(resolve_empty(plan, claim));
        else
            ACCD_TRY(check_item(plan, claim, &construct->items[i]));
    }
    if (gaps)
        ACCD_TRY(accd_plan_gaps(plan));
    return walked ? walk_items(plan) : ACCD_OK;
}

void accd_plan_end(struct accd_plan *plan)
{
    accd_walk_release(plan->walk);
    plan->walk = NULL;
    accd_directory_settle(plan->dir);
    accd_scratch_reset(&plan->context->scratch);
}

bool accd_plan_counts_pointer(const struct accd_plan *plan, struct accd_claim *claim)
{
    if (plan->context->rules.member == ACCD_MEMBER_UNCOUNTED &&
        accd_object_bytes(claim->object) > claim->bytes)
        claim->flags |= ACCD_ITEM_UNCOUNTED;
    return !(claim->flags & ACCD_ITEM_UNCOUNTED);
}

/* The claim of one section; returns how many it is, 0 or 1. */
static size_t section_claim(const struct accd_plan *plan, const struct accd_segment *segment,
                            size_t row, struct accd_claim *claim)
{
    uint64_t bytes = accd_section_bytes(segment, row);
    if (!accd_segment_maps(segment) || !bytes)
        return 0;
    size_t item = plan->walk->roots[accd_section_root(plan->walk, segment)].item;
    uint16_t flags = (plan->claims[item].flags & ACCD_ITEM_TRY) | segment->flags;
    *claim = (struct accd_claim){
        .host = segment->host[row],
        .bytes = bytes,
        .slot = accd_section_slot(plan->walk, segment, row),
        .source = (uint32_t)(segment->first + row) | ACCD_CLAIM_WALKED,
        .action = segment->action,
        .flags = segment->field->in_place ? flags | ACCD_ITEM_UNCOUNTED : flags,
    };
    return 1;
}

/* Element by element, as a person would list them. */
accd_status accd_plan_sections(struct accd_plan *plan)
{
    const struct accd_walk *walk = plan->walk;
    size_t more = 0;
    for (size_t i = 0; i < walk->nsegments; i++)
        if (accd_segment_maps(&walk->segments[i]))
            more += walk->segments[i].applied;
    struct accd_claim *claims =
        accd_scratch_take(&plan->context->scratch, (plan->nclaims + more) * sizeof *claims);
    if (!claims)
        return accd_plan_no_memory(plan->context);
    const size_t items = plan->nclaims;
    size_t n = items;
    memcpy(claims, plan->claims, n * sizeof *claims);
    for (size_t i = 0; i < walk->nrowsets; i++)
        for (size_t row = 0; row < walk->rowsets[i].rows; row++)
            for (size_t f = 0; f < walk->rowsets[i].nsegments; f++)
                n += section_claim(plan, &walk->segments[walk->rowsets[i].segments + f], row,
                                   &claims[n]);
    plan->claims = claims;
    plan->claims_room = items + more;
    plan->nclaims = n;
    return plan->leaving ? ACCD_OK : accd_plan_required(plan, items);
}

/* Whether another item names bytes of elements that are walked, or a pointer in them: they are then not
 * the group's alone to write or to keep. */
static bool roots_shared(const struct accd_plan *plan)
{
    enum { PAIRS_MOST = 1 << 16 };
    size_t n = plan->construct->nitems;
    if (plan->walk->nroots * n > PAIRS_MOST)
        return true;
    for (size_t i = 0; i < plan->walk->nroots; i++) {
        const struct accd_walk_root *root = &plan->walk->roots[i];
        for (size_t k = 0; k < n; k++) {
            const struct accd_claim *claim = &plan->claims[k];
            if (k != root->item && claim->bytes && claim->host < root->host + root->bytes &&
                root->host < claim->host + claim->bytes)
                return true;
            if (claim->slot && claim->slot < root->host + root->bytes &&
                root->host < claim->slot + sizeof(void *))
                return true;
        }
    }
    return false;
}

bool accd_plan_touches(const struct accd_plan *plan, const struct accd_group *group)
{
    if (roots_shared(plan))
        return true;
    for (size_t i = 0; i < plan->construct->nitems; i++) {
        const struct accd_claim *claim = &plan->claims[i];
        if (claim->bytes && accd_group_meets(group, claim->host, claim->host + claim->bytes))
            return true;
        if (!claim->slot)
            continue;
        if (!claim->bytes && claim->host && /* what is at its address, or ends there */
            accd_group_meets(group, claim->host - 1, claim->host + 1))
            return true;
        uint64_t end = claim->slot + (claim->source & ACCD_CLAIM_WALKED
                                          ? sizeof(void *)
                                          : plan->sources[i].slot_bytes + sizeof(void *));
        if (accd_group_meets(group, claim->slot, end) ||
            (claim->slot < group->slot_high && group->slot_low < end))
            return true;
        if (claim->action == ACCD_ATTACH) {
            if (!accd_host_usable(plan->context, claim->slot, sizeof(void *)))
                return true;
            uint64_t target = accd_load_pointer(claim->slot);
            if (accd_group_meets(group, target, target + 1))
                return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------ moves -- */

/* Arrays that grow in scratch space; what they outgrow goes with it. */
bool accd_plan_room(struct accd_plan *plan, void **array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return true;
    size_t more = *room ? 2 * *room : 8;
    void *grown = accd_scratch_take(&plan->context->scratch, more * size);
    if (!grown)
        return false;
    memcpy(grown, *array ? *array : grown, n * size);
    *array = grown;
    *room = more;
    return true;
}

accd_status accd_plan_move(struct accd_plan *plan, const struct accd_move *move)
{
    if (!accd_plan_room(plan, (void **)&plan->moves, plan->nmoves, &plan->moves_room,
                      sizeof plan->moves[0]))
        return accd_plan_no_memory(plan->context);
    plan->moves[plan->nmoves++] = *move;
    return ACCD_OK;
}

static accd_status add_word(struct accd_plan *plan, const struct accd_word *word)
{
    if (!accd_plan_room(plan, (void **)&plan->words, plan->nwords, &plan->words_room,
                      sizeof plan->words[0]))
        return accd_plan_no_memory(plan->context);
    plan->words[plan->nwords++] = *word;
    return ACCD_OK;
}

accd_status accd_plan_word(struct accd_plan *plan, uint64_t dev, uint64_t value)
{
    return add_word(plan, &(struct accd_word){dev, value, sizeof value});
}

accd_status accd_plan_fill(struct accd_plan *plan, uint64_t dev, uint64_t bytes, uint8_t value)
{
    struct accd_word word = {.bytes = sizeof word.value};
    memset(&word.value, value, sizeof word.value);
    for (uint64_t at = 0; at < bytes; at += word.bytes) {
        word.dev = dev + at;
        if (bytes - at < word.bytes)
            word.bytes = (uint32_t)(bytes - at);
        ACCD_TRY(add_word(plan, &word));
    }
    return ACCD_OK;
}

accd_status accd_plan_pointer(struct accd_plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                              const void *rest, uint32_t bytes)
{
    if (!rest)
        return accd_plan_word(plan, dev, value);
    const struct accd_attach *inner = accd_attach_inside(plan->dir, slot, bytes);
    if (!accd_plan_room(plan, (void **)&plan->rests, plan->nrests, &plan->rests_room,
                        sizeof plan->rests[0]))
        return accd_plan_no_memory(plan->context);
    plan->rests[plan->nrests++] =
        (struct accd_rest){dev, value, rest, bytes - (uint32_t)sizeof value};
    return inner && inner->count ? accd_plan_word(plan, dev + (inner->slot - slot), inner->dev)
                                 : ACCD_OK;
}

uint32_t accd_claim_slot_bytes(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (source)
        return source->slot_bytes;
    size_t segment, row;
    accd_walk_locate(plan->walk, claim->source & ~ACCD_CLAIM_WALKED, &segment, &row);
    return plan->walk->segments[segment].field->slot_bytes;
}

static uint64_t claim_dev(const struct accd_claim *claim, uint64_t host)
{
    return claim->object->dev + (host - claim->object->host);
}

static accd_status pieces_of_rows(struct accd_plan *plan, uint32_t index,
                                  const struct accd_rowset *set, size_t from, size_t to, bool out)
{
    const struct accd_claim *claim = &plan->claims[index];
    const accd_program_spec *spec = &set->program->spec;
    const accd_untranslated way = plan->context->rules.untranslated;
    bool update = plan->construct->kind == ACCD_UPDATE;
    for (size_t row = from; row < to; row++) {
        uint64_t at = accd_row_address(set, row);
        for (size_t p = 0; p < spec->npieces; p++) {
            const accd_piece *piece = &spec->pieces[p];
            uint64_t host = at + piece->offset, end = host + piece->bytes;
            if (host < claim->host) /* a claim may be a part of its item */
                host = claim->host;
            if (end > claim->host + claim->bytes)
                end = claim->host + claim->bytes;
            if (host >= end)
                continue;
            uint64_t dev = claim_dev(claim, host);
            const struct accd_demand *demand =
                &accd_demands[accd_effective(piece->action, piece->init, claim->action)];
            if (piece->entry_only && (out || update))
                continue;
            if (piece->action != ACCD_INHERIT && accd_claim_refreshes(claim) &&
                !(claim->flags & ACCD_ITEM_ALWAYS_IN))
                continue; /* that is not what it asks for */
            if (piece->entry_only && way != ACCD_AS_HOST) { /* TR14-4.3-15 */
                ACCD_TRY(accd_plan_fill(plan, dev, end - host, way == ACCD_AS_NULL ? 0 : ACCD_POISON));
                continue;
            }
            if (out ? !demand->out : !demand->in)
                continue;
            ACCD_TRY(accd_plan_move(
                plan, &(struct accd_move){host, dev, end - host, index, (uint32_t)p,
                                          (uint32_t)row, out}));
        }
    }
    return ACCD_OK;
}

/* The elements of a claim that is walked, or NULL. */
const struct accd_rowset *accd_elements_of(const struct accd_plan *plan,
                                           const struct accd_claim *claim, size_t *from,
                                           size_t *to)
{
    const struct accd_walk *walk = plan->walk;
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (!walk || (source && source->root < 0))
        return NULL;
    size_t segment = 0, row = 0;
    if (!source) {
        accd_walk_locate(walk, claim->source & ~ACCD_CLAIM_WALKED, &segment, &row);
        if (!walk->segments[segment].field->child)
            return NULL;
    }
    const struct accd_rowset *set =
        &walk->rowsets[source ? walk->roots[source->root].rowset
                              : (size_t)walk->segments[segment].elements];
    *from = set->owner ? 0 : row * set->per;
    *to = *from + set->per;
    if (set->owner) {
        for (size_t end = set->rows; *from < end;) { /* owners ascend */
            size_t middle = *from + (end - *from) / 2;
            if (set->owner[middle] < row)
                *from = middle + 1;
            else
                end = middle;
        }
        for (*to = *from; *to < set->rows && set->owner[*to] == row;)
            ++*to;
    }
    return set;
}

accd_status accd_plan_own_bytes(struct accd_plan *plan, uint32_t index, bool out)
{
    const struct accd_claim *claim = &plan->claims[index];
    size_t from = 0, to = 0;
    if (claim->flags & ACCD_CLAIM_STILL || !claim->bytes)
        return ACCD_OK;
    const struct accd_rowset *set =
        plan->walk ? accd_elements_of(plan, claim, &from, &to) : NULL;
    if (set && !accd_moves_whole(set->program, claim->action, out))
        return pieces_of_rows(plan, index, set, from, to, out);
    const struct accd_demand *demand = &accd_demands[claim->action];
    struct accd_grid grid;
    if (out ? !demand->out : !demand->in)
        return ACCD_OK;
    if (accd_claim_grid(plan, claim, &grid))
        return accd_plan_grid(plan, index, &grid, out);
    return accd_plan_move(plan, &(struct accd_move){claim->host, claim_dev(claim, claim->host),
                                                    claim->bytes, index, ACCD_WHOLE, 0, out});
}

/* -------------------------------------------------------------------------------- transfers -- */

/* Stores fetched bytes, but no attached pointer (TR14-4.1-05). */
static void store(struct accd_directory *dir, const struct accd_move *move, const char *from)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    uint64_t at = move->host, end = move->host + move->bytes;
    if (accd_first_attach(dir, at, end, &cursor, &attach) != ACCD_OK)
        attach = NULL; /* already indexed by the plan */
    for (; attach; attach = accd_next_attach(&cursor, end)) {
        if (attach->slot > at)
            memcpy(accd_pointer(at), from + (at - move->host), attach->slot - at);
        if (accd_attach_end(attach) > at)
            at = accd_attach_end(attach);
    }
    if (at < end)
        memcpy(accd_pointer(at), from + (at - move->host), end - at);
}

static void run_copies(const struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; plan->fusion && i < plan->fusion->ncopies; i++) {
        const struct accd_copy *copy = &plan->fusion->copies[i];
        dir->stats.moved_bytes[2] += copy->bytes;
        dir->ops->copy(dir->device, copy->to, copy->from, copy->bytes);
    }
}

/* Whether attached pointers are left out when fetched bytes are stored. */
static bool is_guarded(const struct accd_plan *plan)
{
    const accd_rules *rules = &plan->context->rules;
    return plan->dir->slots.count && rules->update == ACCD_UPDATE_REVERSE &&
           rules->attached == ACCD_ATTACHED_KEPT;
}

/* Whether all that is moved is one large range, which goes straight to where it belongs. */
static bool is_received(const struct accd_plan *plan, const struct accd_traffic *traffic)
{
    return plan->dir->ops->receive && plan->nmoves == 1 && traffic->out == 1 && !traffic->in &&
           !traffic->within && plan->moves[0].out && plan->moves[0].bytes >= ACCD_SEND_LEAST &&
           !is_guarded(plan);
}

/* Whether the move is announced as one from where it lies. */
static bool is_sent(const struct accd_plan *plan, const struct accd_move *move,
                    const struct accd_traffic *traffic)
{
    return plan->dir->ops->send && !traffic->out && move->bytes >= ACCD_SEND_LEAST;
}

/* Tells the device, to which bytes travel, what run_moves and the bulk are going to ask for. */
static accd_status announce(const struct accd_plan *plan, const struct accd_traffic *traffic)
{
    const accd_backend *ops = plan->dir->ops;
    void *device = plan->dir->device;
    if (!ops->announce)
        return ACCD_OK;
    const bool received = is_received(plan, traffic);
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        if (received)
            ops->receive(device, move->dev, accd_pointer(move->host), move->bytes);
        else if (is_sent(plan, move, traffic))
            ops->send(device, move->dev, accd_pointer(move->host), move->bytes);
        else
            ops->announce(device, move->dev, move->bytes, move->out);
    }
    for (size_t i = 0; i < plan->nrests; i++)
        ops->announce(device, plan->rests[i].dev, sizeof plan->rests[i].value + plan->rests[i].bytes,
                      false);
    for (size_t i = 0; i < plan->nwords; i++)
        ops->announce(device, plan->words[i].dev, plan->words[i].bytes, false);
    if (plan->bulk)
        accd_bulk_announce(plan->bulk, traffic);
    return ops->ready(device);
}

static void run_moves(struct accd_plan *plan, const struct accd_traffic *traffic)
{
    struct accd_directory *dir = plan->dir;
    const accd_backend *ops = dir->ops;
    const bool guarded = is_guarded(plan), received = is_received(plan, traffic);
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        dir->stats.moved_bytes[move->out] += move->bytes;
        if (received || is_sent(plan, move, traffic))
            continue;
        if (!move->out) {
            memcpy(ops->stage(dir->device, move->dev, move->bytes), accd_pointer(move->host),
                   move->bytes);
            continue;
        }
        const char *from = ops->fetch(dir->device, move->dev, move->bytes);
        if (guarded)
            store(dir, move, from);
        else
            memcpy(accd_pointer(move->host), from, move->bytes);
    }
    for (size_t i = 0; i < plan->nrests; i++) {
        const struct accd_rest *rest = &plan->rests[i];
        char *to = ops->stage(dir->device, rest->dev, sizeof rest->value + rest->bytes);
        memcpy(to, &rest->value, sizeof rest->value);
        memcpy(to + sizeof rest->value, rest->from, rest->bytes);
    }
    for (size_t i = 0; i < plan->nwords; i++)
        memcpy(ops->stage(dir->device, plan->words[i].dev, plan->words[i].bytes),
               &plan->words[i].value, plan->words[i].bytes);
}

/* Host memory may have been freed since the entry that asked for the move. */
static accd_status check_targets(const struct accd_plan *plan)
{
    for (size_t i = 0; plan->context->config.check_host && i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        if (move->out && !accd_host_covers(plan->context, move->host, move->bytes))
            return accd_claim_error(plan, &plan->claims[move->claim],
                                    plan->claims[move->claim].object, ACCD_OUT_OF_BOUNDS,
                                    R_HOST_BOUNDS,
                                    "it does not lie in live host memory any more");
    }
    return ACCD_OK;
}

accd_status accd_plan_commit(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    struct accd_bulk *bulk = plan->bulk;
    ACCD_TRY(check_targets(plan));
    if (plan->queue)
        return accd_queue_plan(plan);
    ACCD_TRY(accd_order_plan(plan));
    struct accd_traffic traffic = {.in = plan->nwords + plan->nrests,
                                   .within = plan->fusion ? plan->fusion->ncopies : 0};
    for (size_t i = 0; i < plan->nmoves; i++)
        *(plan->moves[i].out ? &traffic.out : &traffic.in) += 1;
    if (bulk)
        accd_bulk_count(bulk, &traffic);
    if (!traffic.in && !traffic.out && !traffic.within)
        return ACCD_OK;
    accd_status status = dir->ops->begin(dir->device, &traffic);
    if (status == ACCD_OK) {
        run_copies(plan);
        status = announce(plan, &traffic);
    }
    if (status == ACCD_OK) {
        run_moves(plan, &traffic);
        if (bulk)
            accd_bulk_run(bulk);
        status = dir->ops->end(dir->device);
    }
    if (status != ACCD_OK)
        return accd_copy_failed(dir, status);
    dir->stats.transfers[0] += traffic.in;
    dir->stats.transfers[1] += traffic.out;
    dir->stats.transfers[2] += traffic.within;
    return ACCD_OK;
}
