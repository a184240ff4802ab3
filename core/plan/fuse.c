/* fuse.c - putting data together: which ranges of a new data environment share a device block, where
 * they lie, and what moves there (DIR 4.2, Figure 2). Planned and reserved before anything is touched. */
#include "base/sort.h"
#include "plan/inside.h"
#include "plan/fusion.h"
#include "plan/ledger.h"
#include "table/name.h"

/* --------------------------------------------------------------------------------- 1. ranges -- */

/* Grows a range so that it cuts no tuple. */
static void close_range(struct accd_directory *dir, struct accd_fused_range *range)
{
    for (int upper = 0; upper < 2; upper++) {
        uint64_t at = upper ? range->end - 1 : range->host, low = range->host, high = range->end;
        const struct accd_fused *fused = accd_fused_at(dir, at);
        const struct accd_object *object = fused ? NULL : accd_range_floor(&dir->present.objects, at);
        if (fused) {
            low = fused->host;
            high = fused->end;
        } else if (object && at < accd_object_end(object)) {
            low = object->host;
            high = accd_object_end(object);
        }
        range->host = low < range->host ? low : range->host;
        range->end = high > range->end ? high : range->end;
    }
}

/* Fusion 1: a range for all that have one base, with what is present of it (DIR-4.2-08).
 * Decides DIR-4.2-08. */
static accd_status ranges_by_base(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    const bool bases = plan->context->rules.fusion;
    size_t n = fusion->ncandidates;
    struct accd_pair *pairs = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof *pairs);
    fusion->ranges = accd_scratch_take(&plan->context->scratch, n * sizeof fusion->ranges[0]);
    if (!pairs || !fusion->ranges)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){fusion->candidates[i].base, i};
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct accd_candidate *candidate = &fusion->candidates[pairs[i].value];
        uint64_t host = candidate->host, end = host + candidate->bytes;
        struct accd_fused_range *range = &fusion->ranges[fusion->nranges];
        bool first = !i || !bases || pairs[i].key != pairs[i - 1].key;
        if (first) {
            *range = (struct accd_fused_range){.host = host, .end = end};
            fusion->nranges++;
            const struct accd_original *other =
                bases ? accd_range_floor(&dir->tuples.bases, candidate->base) : NULL;
            if (other && other->base == candidate->base) {
                host = other->share->object->host;
                end = accd_object_end(other->share->object);
            }
        } else {
            range--;
        }
        if (candidate->split)
            range->reason = ACCD_BY_PIECES;
        else if (range->reason == ACCD_BY_RANGE && (host < range->host || end > range->end))
            range->reason = ACCD_BY_BASE;
        range->host = host < range->host ? host : range->host;
        range->end = end > range->end ? end : range->end;
    }
    return ACCD_OK;
}

/* Fusion 2: ranges that intersect are one (DIR-4.2-10). None of them cuts a tuple, so one pass does.
 * Decides DIR-4.2-10, DIR-2-04. */
static accd_status join_ranges(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    size_t n = fusion->nranges, kept = 0;
    struct accd_fused_range *ranges = accd_scratch_take(&plan->context->scratch, n * sizeof *ranges);
    struct accd_pair *pairs = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof *pairs);
    if (!ranges || !pairs)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < n; i++) {
        close_range(plan->dir, &fusion->ranges[i]);
        pairs[i] = (struct accd_pair){fusion->ranges[i].host, i};
    }
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct accd_fused_range *next = &fusion->ranges[pairs[i].value];
        struct accd_fused_range *last = kept ? &ranges[kept - 1] : NULL;
        if (!last || next->host >= last->end) {
            ranges[kept++] = *next;
            continue;
        }
        last->end = next->end > last->end ? next->end : last->end;
        last->reason = next->reason > last->reason ? next->reason : last->reason;
    }
    fusion->ranges = ranges;
    fusion->nranges = kept;
    return ACCD_OK;
}

/* Keeps the ranges that are more than one object: those that a tuple covers have a home there
 * (ALIAS), the others get memory (ALLOC): DIR-4.2-11.
 * Decides DIR-4.2-11, DIR-4.2-12. */
static void keep_ranges(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    size_t kept = 0;
    for (size_t i = 0; i < fusion->nranges; i++) {
        struct accd_fused_range range = fusion->ranges[i];
        struct accd_range_cursor cursor;
        range.home = accd_fused_at(plan->dir, range.host);
        if (range.home && range.end > range.home->end)
            range.home = NULL;
        const struct accd_object *object = accd_first_behind(plan->dir, range.host, &cursor);
        const struct accd_claim *claim = accd_fresh_in(plan, range.host, range.end - range.host);
        bool alone = object && object->host < range.end
                         ? accd_object_end(object) >= range.end && object->host <= range.host
                         : claim && claim->host == range.host && claim->host + claim->bytes == range.end;
        if (range.home || !alone)
            fusion->ranges[kept++] = range;
    }
    fusion->nranges = kept;
}

/* Decides DIR-2-01, DIR-2-02, DIR-4.2-09, DIR-4.2-18, DIR-6-02. */
accd_status accd_fuse_plan(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    size_t kept = 0;
    for (size_t i = 0; i < fusion->ncandidates; i++)
        if (plan->found.claims[fusion->candidates[i].claim].state != ACCD_CLAIM_SKIP)
            fusion->candidates[kept++] = fusion->candidates[i];
    fusion->ncandidates = kept;
    if (!kept)
        return ACCD_OK;
    if (kept > 1)
        ACCD_TRY(accd_compare_clauses(plan));
    ACCD_TRY(ranges_by_base(plan));
    ACCD_TRY(join_ranges(plan));
    keep_ranges(plan);
    return ACCD_OK;
}

/* -------------------------------------------------------------------------------- 2. reserve -- */

/* What enter data moves out of places of its own floor leaves nothing behind: no object goes back there. */
static bool leaves_for_good(const struct accd_plan *plan, const struct accd_share *share,
                            const struct accd_object *object)
{
    const struct accd_region *top = plan->dir->levels.top;
    return plan->given.construct->kind == ACCD_ENTER_DATA && share &&
           !(object->size & ACCD_OBJECT_MAPPED) && (!top || top->serial < share->serial);
}

static accd_status list_shifts(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    struct accd_range_cursor cursor;
    for (size_t i = 0; i < fusion->nranges; i++) {
        const struct accd_fused_range *range = &fusion->ranges[i];
        struct accd_object *object = range->home ? NULL : accd_first_behind(dir, range->host, &cursor);
        for (; object && object->host < range->end; object = accd_range_next(&cursor)) {
            struct accd_share *share = accd_share_of(dir, object);
            const struct accd_fused *fused = share ? share->fused : NULL;
            bool kept = !leaves_for_good(plan, share, object);
            uint64_t left = !fused ? accd_object_bytes(object)
                            : object->host == fused->host ? fused->end - fused->host : 0;
            ACCD_ADD(plan->context, &fusion->shifts,
                     (struct accd_shift){.object = object,
                                         .share = share,
                                         .range = (uint32_t)i,
                                         .from = object->dev,
                                         .size = object->size,
                                         .left = kept ? 0 : left,
                                         .kept = kept});
        }
    }
    return ACCD_OK;
}

accd_status accd_fuse_pending(const struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    if (!dir->queues.ntasks)
        return ACCD_OK;
    accd_pending_begin(dir, plan->given.queue);
    for (size_t i = 0; i < plan->found.fusion->shifts.n; i++) {
        const struct accd_shift *shift = &plan->found.fusion->shifts.at[i];
        ACCD_TRY(accd_pending_check(dir, shift->object, shift->from, accd_object_bytes(shift->object),
                                    "moved within the device"));
    }
    return ACCD_OK;
}

accd_status accd_fuse_reserve(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    size_t formers = 0;
    ACCD_TRY(list_shifts(plan));
    ACCD_TRY(accd_fuse_pending(plan));
    for (size_t i = 0; i < fusion->ncandidates; i++)
        fusion->noriginals += 1 + fusion->candidates[i].nmore;
    for (size_t i = 0; i < fusion->nranges; i++)
        fusion->blocks += !fusion->ranges[i].home;
    size_t tuples = fusion->blocks;
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        formers += fusion->shifts.at[i].kept;
        fusion->blocks += fusion->shifts.at[i].kept && !(fusion->shifts.at[i].size & ACCD_OBJECT_SHARED);
    }
    size_t shares = plan->found.nfresh + fusion->shifts.n + fusion->noriginals;
    bool ok = accd_pool_reserve(&dir->tuples.share_pool, shares) &&
              accd_range_reserve(&dir->tuples.shares, shares) &&
              accd_pool_reserve(&dir->tuples.original_pool, fusion->noriginals) &&
              accd_range_reserve(&dir->tuples.bases, fusion->noriginals) &&
              accd_pool_reserve(&dir->tuples.former_pool, formers) &&
              accd_pool_reserve(&dir->tuples.fused_pool, tuples) &&
              accd_range_reserve(&dir->tuples.fused, tuples);
    ok = ok && (!dir->present.device_order ||
                accd_range_reserve(&dir->present.by_device, fusion->shifts.n + plan->found.nfresh));
    return ok ? ACCD_OK : accd_plan_no_memory(plan->context);
}

/* Memory for the ranges, and new places in it for objects that are there. Alignment stays that of the host.
 * Decides DIR-4.1-04, DIR-4.1-05, DIR-4.2-13. */
accd_status accd_fuse_place(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; i < fusion->nranges; i++, fusion->nplaced++) {
        struct accd_fused_range *range = &fusion->ranges[i];
        if (range->home) {
            range->dev = accd_fused_dev(range->home) + (range->host - range->home->host);
            continue;
        }
        uint64_t ahead = range->host & 15;
        range->bytes = ahead + (range->end - range->host);
        accd_status status = accd_alloc_memory(dir, range->bytes, &range->place);
        if (accd_is_of_queue(status))
            return status;
        if (status != ACCD_OK) {
            size_t k = 0;
            while (fusion->candidates[k].host - range->host >= range->end - range->host)
                k++; /* a clause of the range */
            accd_claim_error(plan, &plan->found.claims[fusion->candidates[k].claim], NULL, status, R_ALLOCATE,
                             "device %d has no %llu bytes of memory left for " ACCD_ASKED " and what it is fused with",
                             dir->device.number, (unsigned long long)range->bytes);
            return accd_say_why(&dir->device, status);
        }
        range->dev = range->place + ahead;
    }
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        struct accd_shift *shift = &fusion->shifts.at[i];
        const struct accd_fused_range *range = &fusion->ranges[shift->range];
        struct accd_object_change *change;
        ACCD_TRY(accd_note_object(plan, shift->object, &change));
        change->dev = shift->to = range->dev + (shift->object->host - range->host);
        change->shared = true;
    }
    return ACCD_OK;
}

static const struct accd_fused_range *range_of(const struct accd_plan *plan, uint64_t host)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    size_t i = ACCD_FIRST_ABOVE(fusion->ranges, end, fusion->nranges, host);
    return i < fusion->nranges && fusion->ranges[i].host <= host ? &fusion->ranges[i] : NULL;
}

uint64_t accd_fuse_dev(const struct accd_plan *plan, uint64_t host)
{
    const struct accd_fused_range *range = range_of(plan, host);
    return range ? range->dev + (host - range->host) : 0;
}

/* ---------------------------------------------------------------------------------- 3. moves -- */

/* Bytes of present data that come from the host all the same (update_and_copy), by host address.
 * Decides DIR-6-04. */
static accd_status refreshed(struct accd_plan *plan, struct accd_pair **pairs_p, size_t *n_p)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->found.nclaims; i++)
        n += accd_claim_refreshes(&plan->found.claims[i]);
    *n_p = n;
    if (!n)
        return ACCD_OK;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * n);
    n = 0;
    for (size_t i = 0; i < plan->found.nclaims; i++) {
        const struct accd_claim *claim = &plan->found.claims[i];
        size_t from, to;
        struct accd_grid grid;
        const struct accd_rowset *set =
            accd_claim_refreshes(claim) ? accd_elements_of(plan, claim, &from, &to) : NULL;
        if (accd_claim_refreshes(claim) &&
            (!set || accd_moves_whole(set->program, claim->action, false)) &&
            !accd_claim_grid(plan, claim, &grid)) /* gaps come with the rest */
            pairs[n++] = (struct accd_pair){claim->host, i};
    }
    *n_p = n;
    *pairs_p = accd_sort_pairs(pairs, pairs + n, n);
    return ACCD_OK;
}

/* Whether a copy continues where the last one ends, and both lie in one allocation at either end. */
static bool goes_on(const struct accd_directory *dir, const struct accd_copy *last, const struct accd_copy *copy)
{
    const uint64_t bytes = last->bytes + copy->bytes;
    return last->host + last->bytes == copy->host && last->from + last->bytes == copy->from &&
           last->to + last->bytes == copy->to &&
           (last->object == copy->object || (dir->device.ops->allocated(dir->device.handle, last->from, bytes) &&
                                             dir->device.ops->allocated(dir->device.handle, last->to, bytes)));
}

/* Adds a copy, or lengthens the last one. */
static accd_status add_copy(struct accd_plan *plan, const struct accd_shift *shift, uint64_t host,
                            uint64_t end)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_copy copy = {
        .from = shift->from + (host - shift->object->host),
        .to = shift->to + (host - shift->object->host),
        .host = host,
        .bytes = end - host,
        .object = shift->object,
    };
    struct accd_copy *last = fusion->copies.n ? &fusion->copies.at[fusion->copies.n - 1] : NULL;
    if (host >= end)
        return ACCD_OK;
    if (last && goes_on(plan->dir, last, &copy)) {
        last->bytes += copy.bytes;
        last->object = copy.object;
        return ACCD_OK;
    }
    ACCD_ADD(plan->context, &fusion->copies, copy);
    return ACCD_OK;
}

/* Decides DIR-4.2-14, DIR-4.2-15. */
accd_status accd_fuse_copies(struct accd_plan *plan, const struct accd_pair *cut, size_t ncut)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    size_t k = 0;
    for (size_t i = 0; i < fusion->shifts.n; i++) { /* in host order, as the claims */
        const struct accd_shift *shift = &fusion->shifts.at[i];
        uint64_t at = shift->object->host, end = accd_object_end(shift->object);
        for (; k < ncut && cut[k].key < end; k++) {
            const struct accd_claim *claim = &plan->found.claims[cut[k].value];
            if (claim->host < shift->object->host)
                continue;
            ACCD_TRY(add_copy(plan, shift, at, claim->host));
            if (claim->host + claim->bytes > at)
                at = claim->host + claim->bytes;
        }
        ACCD_TRY(add_copy(plan, shift, at, end));
    }
    return ACCD_OK;
}

accd_status accd_fuse_pointers(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    ACCD_LIST(const struct accd_object *) pinned = {0};
    const struct accd_pair *targets;
    size_t n;
    if (fusion->shifts.n && dir->groups.npending_attach)
        ACCD_TRY(accd_index_pointers(dir, 0, UINT64_MAX));
    for (size_t i = 0; i < fusion->shifts.n; i++)
        if (fusion->shifts.at[i].object->pins)
            ACCD_ADD(plan->context, &pinned, fusion->shifts.at[i].object);
    if (!pinned.n)
        return ACCD_OK;
    ACCD_TRY(accd_targets_of(dir, pinned.at, pinned.n, &targets, &n));
    for (size_t i = 0; i < n; i++) {
        struct accd_attach *attach = accd_pointer(targets[i].value);
        struct accd_object *target, *holder;
        if (!accd_attach_left(plan, attach))
            continue;
        ACCD_TRY(accd_find(dir, attach->base, &target));
        if (!target || accd_object_goes(plan, target))
            continue;
        uint64_t dev = accd_object_dev(plan, target) + (attach->target - target->host);
        if (dev == attach->dev)
            continue;
        struct accd_attach_change *change;
        ACCD_TRY(accd_note_attach(plan, attach, &change));
        change->dev = dev;
        ACCD_TRY(accd_find(dir, attach->slot, &holder));
        if (holder && !accd_object_goes(plan, holder))
            ACCD_TRY(accd_plan_word(plan, accd_object_dev(plan, holder) + (attach->slot - holder->host), dev));
    }
    return ACCD_OK;
}

/* Pointers that a transfer from the host leaves out are not copied with the rest, either. */
static accd_status keep_refreshed_pointers(struct accd_plan *plan, const struct accd_pair *pairs, size_t n)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    for (size_t i = 0; i < n; i++) {
        const struct accd_claim *claim = &plan->found.claims[pairs[i].value];
        uint64_t end = claim->host + claim->bytes;
        ACCD_TRY(accd_first_attach(plan->dir, claim->host, end, &cursor, &attach));
        for (; attach; attach = accd_next_attach(&cursor, end)) {
            if (attach->slot - claim->object->host >= accd_object_bytes(claim->object))
                continue;
            ACCD_TRY(accd_plan_attached(plan, attach, accd_claim_dev(plan, claim, attach->slot)));
        }
    }
    return ACCD_OK;
}

accd_status accd_fuse_moves(struct accd_plan *plan)
{
    struct accd_pair *pairs = NULL;
    size_t n;
    ACCD_TRY(refreshed(plan, &pairs, &n));
    ACCD_TRY(accd_fuse_copies(plan, pairs, n));
    ACCD_TRY(accd_fuse_pointers(plan));
    return keep_refreshed_pointers(plan, pairs, n);
}

/* --------------------------------------------------------------------------------- 4. commit -- */

static struct accd_share *share_for(struct accd_directory *dir, struct accd_object *object, uint64_t serial)
{
    struct accd_share *share = accd_share_of(dir, object);
    if (share)
        return share;
    share = accd_pool_take(&dir->tuples.share_pool);
    *share = (struct accd_share){.object = object, .serial = serial};
    accd_range_insert(&dir->tuples.shares, object->host, share);
    dir->eventful++;
    return share;
}

/* The memory an object leaves becomes a block of its own, if it was not in one. */
static struct accd_block *block_left(struct accd_directory *dir, const struct accd_shift *shift)
{
    if (shift->size & ACCD_OBJECT_SHARED)
        return accd_range_floor(&dir->present.blocks, shift->from);
    return accd_insert_block(dir, &(struct accd_block){
                                      .dev = shift->from,
                                      .bytes = accd_object_bytes(shift->object),
                                      .live = 1,
                                      .host = shift->object->host,
                                      .borrowed = shift->size & ACCD_OBJECT_MAPPED,
                                  });
}

/* Jumps are those of a skew-binary list: from depth to depth in O(log n) steps. */
static void set_jump(struct accd_former *former)
{
    struct accd_former *below = former->below, *jump = below ? below->jump : NULL;
    bool far = jump && jump->jump && below->depth - jump->depth == jump->depth - jump->jump->depth;
    former->depth = below ? below->depth + 1 : 0;
    former->jump = far ? jump->jump : below;
}

/* Decides DIR-4.2-16. */
static void leave_place(struct accd_directory *dir, const struct accd_shift *shift, struct accd_share *share)
{
    if (shift->kept) {
        struct accd_former *former = accd_pool_take(&dir->tuples.former_pool);
        *former = (struct accd_former){
            .below = share->former,
            .fused = share->fused,
            .dev = shift->from,
            .serial = share->serial,
            .shared = shift->size & ACCD_OBJECT_SHARED || !(shift->size & ACCD_OBJECT_MAPPED),
        };
        set_jump(former);
        share->former = former;
        block_left(dir, shift)->former++;
        return;
    }
    accd_fused_release(dir, share->fused);
    if (shift->size & ACCD_OBJECT_SHARED)
        accd_release_block(dir, accd_range_floor(&dir->present.blocks, shift->from), 1);
    else
        accd_free_memory(dir, shift->from, accd_object_bytes(shift->object));
}

/* Tuples that lose their objects to new ones are not the current ones any more. */
static void shadow_tuples(struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->found.fusion->shifts.n; i++) {
        const struct accd_share *share = plan->found.fusion->shifts.at[i].share;
        if (!share || !share->fused || !share->fused->current)
            continue;
        accd_range_erase(&plan->dir->tuples.fused, share->fused->host);
        share->fused->current = false;
    }
}

void accd_fuse_device_order(struct accd_plan *plan)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    if (!dir->present.device_order)
        return;
    for (size_t i = 0; i < fusion->shifts.n; i++)
        accd_range_erase(&dir->present.by_device, fusion->shifts.at[i].from);
    for (size_t i = 0; i < fusion->shifts.n; i++)
        accd_range_insert(&dir->present.by_device, fusion->shifts.at[i].to, fusion->shifts.at[i].object);
}

static void sit_down(struct accd_share *share, struct accd_fused *fused)
{
    share->fused = fused;
    fused->places++;
    fused->block->live++;
}

/* Whether a clause names no bytes of an object: it asks for storage, or for what is there of a held object, and holes
 * are among that. */
static bool is_idle(const struct accd_plan *plan, const struct accd_original *original,
                    const struct accd_object *object, const struct accd_claim *claim)
{
    uint64_t end = original->host + original->bytes, last = accd_object_end(object);
    if (!(object->size & ACCD_OBJECT_HELD) || original->action == ACCD_HOLD)
        return original->action == ACCD_HOLD;
    return (claim->state == ACCD_CLAIM_PRESENT || !accd_demands[original->action].creates) &&
           accd_named(plan->dir, object, original->host, (end < last ? end : last) - original->host) != ACCD_INSIDE;
}

static struct accd_original *add_original(struct accd_plan *plan, const struct accd_original *like,
                                          const struct accd_claim *claim)
{
    struct accd_directory *dir = plan->dir;
    struct accd_original *original = accd_pool_take(&dir->tuples.original_pool);
    struct accd_object *object = NULL;
    *original = *like;
    (void)accd_find(dir, original->host, &object); /* present: nothing is indexed any more */
    original->idle = is_idle(plan, like, object, claim);
    original->share = share_for(dir, object, original->serial);
    original->next = original->share->originals;
    if (original->next)
        original->next->prev = original;
    original->share->originals = original;
    original->left = original->right = original;
    if (!plan->context->rules.fusion)
        return original;
    struct accd_original *other = accd_range_floor(&dir->tuples.bases, original->base);
    if (!other || other->base != original->base) {
        accd_range_insert(&dir->tuples.bases, original->base, original);
        return original;
    }
    original->right = other->right;
    original->left = other;
    other->right->left = original;
    other->right = original;
    return original;
}

/* The clauses of this construct become originals.
 * Decides DIR-4.2-05, DIR-4.2-06. */
static void add_originals(struct accd_plan *plan, struct accd_region *region, uint64_t serial)
{
    struct accd_fusion *fusion = plan->found.fusion;
    bool dynamic = plan->given.construct->kind == ACCD_ENTER_DATA;
    for (size_t i = 0; i < fusion->ncandidates; i++) {
        const struct accd_candidate *candidate = &fusion->candidates[i];
        const struct accd_claim *claim = &plan->found.claims[candidate->claim];
        const struct accd_source *source = accd_claim_source(&plan->given, claim);
        struct accd_original like = {
            .base = candidate->base,
            .host = candidate->host,
            .bytes = candidate->bytes,
            .slot = claim->slot,
            .whole = candidate->host,
            .length = candidate->bytes,
            .serial = serial,
            .order = (uint32_t)i,
            .action = claim->action,
            .flags = candidate->flags,
            .dynamic = dynamic,
            .dropped = candidate->dropped,
        };
        if (source) {
            like.source = *source;
        } else {
            size_t row;
            const struct accd_segment *segment = accd_claim_segment(&plan->given, claim, &row);
            like.source = (struct accd_source){.label = segment->field->label,
                                               .host = candidate->host,
                                               .bytes = candidate->bytes,
                                               .start = accd_section_start(segment, row),
                                               .root = -1};
        }
        struct accd_original *first = NULL;
        for (size_t k = 0; k <= candidate->nmore; k++) {
            if (candidate->split) {
                claim = &plan->found.claims[k ? candidate->more + k - 1 : candidate->claim];
                like.host = claim->host;
                like.bytes = claim->bytes;
            }
            struct accd_original *original = add_original(plan, &like, claim);
            if (region) {
                original->home = &region->originals[region->noriginals++];
                *original->home = original;
            }
            if (first) {
                original->piece = first->piece;
                first->piece = original;
            } else {
                first = original;
            }
            original->head = first;
            if (!plan->context->rules.fusion) /* by base only pieces of a clause know each other */
                original->base = accd_address(first);
        }
    }
}

void accd_fuse_commit(struct accd_plan *plan, struct accd_region *region, uint64_t serial)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    shadow_tuples(plan);
    for (size_t i = 0; i < fusion->nranges; i++) {
        struct accd_fused_range *range = &fusion->ranges[i];
        if (range->home)
            continue;
        struct accd_block *block =
            accd_insert_block(dir, &(struct accd_block){.dev = range->place,
                                                        .bytes = range->bytes,
                                                        .host = range->host - (range->host & 15),
                                                        .ahead = range->host & 15});
        range->fused = accd_pool_take(&dir->tuples.fused_pool);
        *range->fused = (struct accd_fused){.host = range->host,
                                          .end = range->end,
                                          .serial = serial,
                                          .support = serial,
                                          .block = block,
                                          .current = true};
        accd_range_insert(&dir->tuples.fused, range->host, range->fused);
    }
    accd_fuse_device_order(plan);
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        const struct accd_shift *shift = &fusion->shifts.at[i];
        struct accd_share *share = share_for(dir, shift->object, 0);
        leave_place(dir, shift, share);
        sit_down(share, fusion->ranges[shift->range].fused);
        share->serial = serial;
    }
    for (size_t i = 0; i < plan->found.nfresh; i++) {
        struct accd_object *object = plan->found.claims[plan->found.fresh[i]].object;
        const struct accd_fused_range *range = range_of(plan, object->host);
        if (!range && !plan->context->rules.fusion)
            continue;
        struct accd_share *share = share_for(dir, object, serial);
        if (!range)
            continue;
        sit_down(share, range->home ? range->home : range->fused);
    }
    add_originals(plan, region, serial);
}

void accd_fuse_undo(struct accd_plan *plan)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    for (size_t i = 0; i < fusion->nplaced; i++)
        if (!fusion->ranges[i].home)
            accd_free_memory(plan->dir, fusion->ranges[i].place, fusion->ranges[i].bytes);
}
