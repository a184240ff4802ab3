/* unfuse.c - taking data apart: what an exit leaves of the tuples that lose something, and where their
 * objects go (DIR 4.3, Figure 3). Nothing here asks the device for memory, so that an exit cannot fail for
 * want of it: parts that nothing connects any more go back where they came from, or stay where they are. */
#include "plan/inside.h"
#include "plan/fusion.h"
#include "plan/ledger.h"

accd_status accd_unfuse_begin(struct accd_plan *plan)
{
    struct accd_tuples *tuples = &plan->dir->tuples;
    const bool either = plan->context->rules.counting != ACCD_COUNT_CLAUSES;
    tuples->unowned = tuples->shares.count && (tuples->unowned || either);
    if (!tuples->shares.count)
        return ACCD_OK;
    ACCD_TAKE(plan->context, plan->found.fusion, 1);
    *plan->found.fusion = (struct accd_fusion){0};
    tuples->exit++;
    return ACCD_OK;
}

static accd_status end_one(struct accd_plan *plan, struct accd_original *original)
{
    if (accd_original_ends(&plan->dir->tuples, original))
        return ACCD_OK;
    ACCD_ADD(plan->context, &plan->found.fusion->ending, original);
    original->ends = plan->dir->tuples.exit;
    original->whole_ends = false;
    return ACCD_OK;
}

accd_status accd_unfuse_original(struct accd_plan *plan, struct accd_original *original)
{
    for (original = original->head; original; original = original->piece) {
        ACCD_TRY(end_one(plan, original));
        original->whole_ends = true;
    }
    return ACCD_OK;
}

accd_status accd_unfuse_opened(struct accd_plan *plan, const struct accd_object *object)
{
    const struct accd_share *share = accd_share_of(plan->dir, object);
    plan->dir->tuples.unowned = true;
    for (struct accd_original *original = share ? share->originals : NULL; original;
         original = original->next)
        if (original->dynamic)
            ACCD_TRY(accd_unfuse_original(plan, original));
    return ACCD_OK;
}

/* -------------------------------------------------------------------------- which lose something -- */

static accd_status add_regroup(struct accd_plan *plan, struct accd_fused *fused, uint64_t serial)
{
    struct accd_fusion *fusion = plan->found.fusion;
    if (fused->loses != plan->dir->tuples.exit) {
        ACCD_ADD(plan->context, &fusion->regroups, (struct accd_regroup){.fused = fused, .least = serial});
        fused->loses = plan->dir->tuples.exit;
        fused->regroup = fusion->regroups.n - 1;
    }
    struct accd_regroup *regroup = &fusion->regroups.at[fused->regroup];
    regroup->least = serial < regroup->least ? serial : regroup->least;
    return ACCD_OK;
}

/* Where references are taken off without their originals, data go before these end: originals that reach from data
 * that stay into data that go end, too. */
static accd_status end_reaching(struct accd_plan *plan, struct accd_object *const *dying, size_t ndying)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * ndying);
    for (size_t i = 0; i < ndying; i++)
        pairs[i] = (struct accd_pair){dying[i]->host, i};
    pairs = accd_sort_pairs(pairs, pairs + ndying, ndying);
    for (size_t i = 0; i < fusion->regroups.n; i++) {
        const struct accd_fused *fused = fusion->regroups.at[i].fused;
        struct accd_range_cursor cursor;
        const struct accd_share *share = accd_range_seek(&plan->dir->tuples.shares, fused->host, &cursor);
        for (; share && share->object->host < fused->end; share = accd_range_next(&cursor))
            for (struct accd_original *o = share->originals; o; o = o->next) {
                const size_t next = ACCD_FIRST_ABOVE(pairs, key, ndying, o->host);
                if (next < ndying && pairs[next].key - o->host < o->bytes)
                    ACCD_TRY(end_one(plan, o));
            }
    }
    return ACCD_OK;
}

static accd_status find_regroups(struct accd_plan *plan, struct accd_object *const *dying, size_t ndying)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    for (size_t i = 0; i < ndying; i++) {
        const struct accd_object *object = dying[i];
        const struct accd_share *share = accd_share_of(plan->dir, object);
        if (!share)
            continue;
        for (struct accd_original *original = share->originals; original;
             original = original->next)
            ACCD_TRY(end_one(plan, original));
        struct accd_fused *fused = share->fused;
        if (fused && (plan->dir->tuples.unowned || share->serial <= fused->serial || object->host == fused->host ||
                      accd_object_end(object) == fused->end))
            ACCD_TRY(add_regroup(plan, fused, share->serial));
    }
    if (plan->dir->tuples.unowned && ndying)
        ACCD_TRY(end_reaching(plan, dying, ndying));
    for (size_t i = 0; i < fusion->ending.n; i++) {
        const struct accd_original *original = fusion->ending.at[i];
        struct accd_fused *fused = original->share->fused;
        /* what joined a tuple later does not hold it together, unless others went before */
        if (fused && original->serial <= fused->support)
            ACCD_TRY(add_regroup(plan, fused, original->serial));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- parts -- */

static uint32_t root_of(struct accd_occupant *members, uint32_t i)
{
    while (members[i].up != i)
        i = members[i].up = members[members[i].up].up;
    return i;
}

static void unite(struct accd_occupant *members, uint32_t a, uint32_t b)
{
    a = root_of(members, a);
    b = root_of(members, b);
    members[a > b ? a : b].up = a > b ? b : a;
}

static void unite_equal(struct accd_occupant *members, struct accd_pair *pairs, size_t n)
{
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 1; i < n; i++)
        if (pairs[i].key == pairs[i - 1].key)
            unite(members, (uint32_t)pairs[i].value, (uint32_t)pairs[i - 1].value);
}

/* A tuple that objects were in, or are. */
struct layer {
    uint64_t serial, above;     /* of the tuple, and of the place an object took after it */
    uint32_t member;
    bool last;                  /* that place is the present one */
    struct accd_former *former; /* NULL: it is the present one itself */
};

static bool counts(const struct accd_plan *plan, const struct accd_original *original, uint64_t serial)
{
    return original->serial <= serial && !accd_original_ends(&plan->dir->tuples, original);
}

/* Unites the objects of a layer that originals up to a serial connect: by one base, or because their
 * ranges, holes included, intersect. Roots of more than one part are marked.
 * Decides DIR-6-02. */
static accd_status connect(struct accd_plan *plan, struct accd_occupant *members,
                           const struct layer *layers, size_t n, uint64_t serial)
{
    size_t most = n, npairs = 0, roots = 0;
    for (size_t k = 0; k < n; k++)
        for (const struct accd_original *o = members[layers[k].member].share->originals; o; o = o->next)
            most += counts(plan, o, serial);
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * most);
    for (size_t k = 0; k < n; k++) {
        struct accd_occupant *member = &members[layers[k].member];
        member->before = root_of(members, layers[k].member);
        for (const struct accd_original *o = member->share->originals; o; o = o->next)
            if (counts(plan, o, serial))
                pairs[npairs++] = (struct accd_pair){o->base, layers[k].member};
    }
    unite_equal(members, pairs, npairs);
    for (size_t k = 0; k < n; k++) {
        struct accd_occupant *root = &members[root_of(members, layers[k].member)];
        root->low = UINT64_MAX;
        root->high = 0;
    }
    for (size_t k = 0; k < n; k++) {
        const struct accd_share *share = members[layers[k].member].share;
        struct accd_occupant *root = &members[root_of(members, layers[k].member)];
        uint64_t high = accd_object_end(share->object);
        for (const struct accd_original *o = share->originals; o; o = o->next)
            if (counts(plan, o, serial) && o->host + o->bytes > high)
                high = o->host + o->bytes;
        if (!root->high)
            pairs[roots++].value = (uint64_t)(root - members);
        root->low = share->object->host < root->low ? share->object->host : root->low;
        root->high = high > root->high ? high : root->high;
    }
    for (size_t k = 0; k < roots; k++)
        pairs[k].key = members[pairs[k].value].low;
    pairs = accd_sort_pairs(pairs, pairs + most, roots);
    uint64_t end = 0;
    for (size_t k = 0; k < roots; k++) {
        const struct accd_occupant *root = &members[pairs[k].value];
        uint64_t high = root->high;
        if (root->low < end)
            unite(members, (uint32_t)pairs[k].value, (uint32_t)pairs[k - 1].value);
        end = high > end ? high : end;
    }
    for (size_t k = 0; k < n; k++)
        members[root_of(members, layers[k].member)].count = 0;
    for (size_t k = 0; k < n; k++) {
        struct accd_occupant *root = &members[root_of(members, layers[k].member)];
        uint32_t before = members[layers[k].member].before;
        if (!root->count++) {
            root->first = before;
            root->several = false;
        }
        root->several |= before != root->first;
    }
    return ACCD_OK;
}

static bool may_fall_apart(const struct accd_regroup *regroup, const struct accd_fused *fused)
{
    return fused->support >= regroup->least;
}

/* Parts that older tuples hold together are united; the tuples in which that is not sure are listed, the
 * oldest first. */
static accd_status list_layers(struct accd_plan *plan, struct accd_regroup *regroup,
                               struct layer **layers_p, size_t *n_p)
{
    struct accd_occupant *members = regroup->members;
    size_t most = regroup->n, n = 0, sure = 0;
    for (uint32_t i = 0; i < regroup->n; i++)
        for (const struct accd_former *f = members[i].share->former;
             f && (!f->fused || may_fall_apart(regroup, f->fused)); f = f->below)
            most++;
    struct layer *layers = accd_scratch_take(&plan->context->scratch, 2 * most * sizeof *layers);
    struct accd_pair *pairs = accd_scratch_take(&plan->context->scratch, 2 * most * sizeof *pairs);
    if (!layers || !pairs)
        return accd_plan_no_memory(plan->context);
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd_share *share = members[i].share;
        uint64_t above = share->serial;
        for (struct accd_former *f = share->former; f; above = f->serial, f = f->below) {
            if (!f->fused)
                continue;
            if (!may_fall_apart(regroup, f->fused)) {
                pairs[sure++] = (struct accd_pair){accd_address(f->fused), i};
                break;
            }
            layers[most + n++] = (struct layer){
                f->fused->serial, above, i, f == share->former, f};
        }
    }
    unite_equal(members, pairs, sure);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){accd_address(layers[most + i].former->fused), i};
    struct accd_pair *sorted = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        sorted[i].key = layers[most + sorted[i].value].serial;
    sorted = accd_sort_pairs(sorted, sorted == pairs ? pairs + n : pairs, n);
    for (size_t i = 0; i < n; i++)
        layers[i] = layers[most + sorted[i].value];
    *layers_p = layers;
    *n_p = n;
    return ACCD_OK;
}

static bool is_worth(const struct accd_directory *dir, const struct accd_former *former, enum accd_worth worth)
{
    return former->weighed == dir->tuples.exit && former->worth == worth;
}

static struct accd_former *still_there(const struct accd_directory *dir, struct accd_former *former)
{
    while (former && is_worth(dir, former, ACCD_GOES))
        former = former->below;
    return former;
}

/* Which former places are still worth going back to. What was mapped before objects moved on to another
 * tuple holds theirs together; if that tuple ends, whatever there is does. */
static accd_status weigh_layers(struct accd_plan *plan, struct accd_occupant *members,
                                const struct layer *layers, size_t n, bool ends)
{
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t serial = UINT64_MAX;
        const struct accd_fused *fused = layers[i].former->fused;
        for (end = i; end < n && layers[end].former->fused == fused; end++)
            if (!(layers[end].last && ends) && layers[end].above <= serial)
                serial = layers[end].above - 1;
        ACCD_TRY(connect(plan, members, layers + i, end - i, serial));
        for (size_t k = i; k < end; k++) {
            struct accd_former *former = layers[k].former;
            bool holds = members[root_of(members, layers[k].member)].several;
            former->weighed = plan->dir->tuples.exit;
            former->worth = holds                                       ? ACCD_HOLDS
                            : still_there(plan->dir, former->below) ? ACCD_GOES
                                                                    : ACCD_ALONE;
        }
    }
    return ACCD_OK;
}

/* The last original that objects' level, with the floor above it, can have: those of the next level that
 * stays open are behind it. */
static uint64_t last_of_level(const struct accd_plan *plan, const struct accd_regroup *regroup)
{
    uint64_t serial = 0, next = 0;
    for (uint32_t i = 0; i < regroup->n; i++)
        if (regroup->members[i].share->serial > serial)
            serial = regroup->members[i].share->serial;
    const struct accd_region *region = plan->dir->levels.top;
    for (; region && region->serial > serial; region = region->below)
        if (region != plan->given.leaving)
            next = region->serial;
    return next - 1; /* no next one: all */
}

/* The oldest original behind a level: it holds a tuple together when those of the level do not any more. */
static uint64_t oldest_behind(const struct accd_plan *plan, const struct accd_regroup *regroup, uint64_t serial)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < regroup->n; i++)
        for (const struct accd_original *o = regroup->members[i].share->originals; o; o = o->next)
            if (counts(plan, o, UINT64_MAX) && o->serial > serial && o->serial < first)
                first = o->serial;
    return first;
}

/* Which objects stay together where they are. */
static accd_status weigh_present(struct accd_plan *plan, struct accd_regroup *regroup, bool *any_p)
{
    struct accd_occupant *members = regroup->members;
    const uint64_t last = last_of_level(plan, regroup), younger = oldest_behind(plan, regroup, last);
    struct layer *layers;
    ACCD_TAKE(plan->context, layers, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        layers[i] = (struct layer){.member = i};
    ACCD_TRY(connect(plan, members, layers, regroup->n, last));
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].older = members[root_of(members, i)].several;
    ACCD_TRY(connect(plan, members, layers, regroup->n, UINT64_MAX));
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd_occupant *root = &members[root_of(members, i)];
        root->held = root->several ? younger : 0;
    }
    *any_p = false;
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd_occupant *root = &members[root_of(members, i)];
        if (members[i].older) {
            root->several = true;
            root->held = 0;
        }
        *any_p |= root->several;
    }
    return ACCD_OK;
}

/* Tried first: that the tuple ends, and its objects are where they were before. */
static accd_status find_parts(struct accd_plan *plan, struct accd_regroup *regroup)
{
    struct accd_occupant *members = regroup->members;
    struct layer *layers = NULL;
    size_t n = 0;
    bool stays = false;
    ACCD_TRY(list_layers(plan, regroup, &layers, &n));
    uint32_t *sure;
    ACCD_TAKE(plan->context, sure, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        sure[i] = members[i].up;
    ACCD_TRY(weigh_layers(plan, members, layers, n, true));
    ACCD_TRY(weigh_present(plan, regroup, &stays));
    if (!stays || !n)
        return ACCD_OK;
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].up = sure[i];
    ACCD_TRY(weigh_layers(plan, members, layers, n, false));
    return weigh_present(plan, regroup, &stays);
}

static bool stays(struct accd_regroup *regroup, uint32_t i)
{
    return regroup->members[root_of(regroup->members, i)].several;
}

static accd_status list_members(struct accd_plan *plan, struct accd_regroup *regroup)
{
    struct accd_range_cursor cursor;
    const struct accd_fused *fused = regroup->fused;
    ACCD_LIST(struct accd_occupant) members = {0};
    struct accd_share *share = accd_range_seek(&plan->dir->tuples.shares, fused->host, &cursor);
    for (; share && share->object->host < fused->end; share = accd_range_next(&cursor))
        if (share->fused == fused && !accd_object_goes(plan, share->object))
            ACCD_ADD(plan->context, &members, (struct accd_occupant){.share = share, .up = (uint32_t)members.n});
    regroup->members = members.at;
    regroup->n = (uint32_t)members.n;
    return ACCD_OK;
}

/* Decides DIR-4.3-03. */
static accd_status list_shifts(struct accd_plan *plan, struct accd_regroup *regroup)
{
    struct accd_fusion *fusion = plan->found.fusion;
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd_share *share = regroup->members[i].share;
        const struct accd_former *former = stays(regroup, i) ? NULL : still_there(plan->dir, share->former);
        if (!former)
            continue;
        ACCD_ADD(plan->context, &fusion->shifts,
                 (struct accd_shift){.object = share->object,
                                     .share = share,
                                     .from = share->object->dev,
                                     .to = former->dev,
                                     .size = share->object->size,
                                     .kept = former->shared});
    }
    return ACCD_OK;
}

/* Decides DIR-4.3-01, DIR-6-05. */
accd_status accd_unfuse_plan(struct accd_plan *plan, struct accd_object *const *dying, size_t ndying)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    size_t members = 0;
    ACCD_TRY(find_regroups(plan, dying, ndying));
    for (size_t i = 0; i < fusion->regroups.n; i++) {
        struct accd_regroup *regroup = &fusion->regroups.at[i];
        ACCD_TRY(list_members(plan, regroup));
        if (regroup->n)
            ACCD_TRY(find_parts(plan, regroup));
        ACCD_TRY(list_shifts(plan, regroup));
        members += regroup->n;
    }
    if (!members)
        return ACCD_OK;
    /* a group of two objects at least is a tuple */
    if (!accd_pool_reserve(&dir->tuples.fused_pool, members / 2) ||
        !accd_range_reserve(&dir->tuples.fused, members / 2) ||
        (dir->present.device_order && !accd_range_reserve(&dir->present.by_device, fusion->shifts.n)))
        return accd_plan_no_memory(plan->context);
    dir->promised.objects += fusion->shifts.n;
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        const struct accd_shift *shift = &fusion->shifts.at[i];
        struct accd_object_change *change;
        ACCD_TRY(accd_note_object(plan, shift->object, &change));
        change->dev = shift->to;
        change->shared = shift->kept;
    }
    ACCD_TRY(accd_fuse_copies(plan, NULL, 0));
    return accd_fuse_pointers(plan);
}

/* ------------------------------------------------------------------------------------ commit -- */

/* A piece goes, and others of its clause stay. */
static void leave_clause(struct accd_original *original)
{
    struct accd_original *head = original->head == original ? original->piece : original->head;
    for (struct accd_original *piece = original->head; piece; piece = piece->piece) {
        piece->head = head;
        if (piece->piece == original)
            piece->piece = original->piece;
    }
}

static void remove_original(struct accd_directory *dir, struct accd_original *original)
{
    if (!(accd_original_ends(&dir->tuples, original) && original->whole_ends) && original->head)
        leave_clause(original);
    if (original->prev)
        original->prev->next = original->next;
    else
        original->share->originals = original->next;
    if (original->next)
        original->next->prev = original->prev;
    const struct accd_original *known = accd_range_floor(&dir->tuples.bases, original->base);
    if (known == original) {
        accd_range_erase(&dir->tuples.bases, original->base);
        if (original->right != original)
            accd_range_insert(&dir->tuples.bases, original->base, original->right);
    }
    original->right->left = original->left;
    original->left->right = original->right;
    if (original->home)
        *original->home = NULL;
    accd_pool_give(&dir->tuples.original_pool, original);
}

/* A former place ends: its object went back there (taken), or will not. */
static void end_former(struct accd_directory *dir, const struct accd_object *object,
                       struct accd_former *former, bool taken)
{
    struct accd_block *block = accd_range_floor(&dir->present.blocks, former->dev);
    block->former--;
    if (!taken) {
        accd_forget_bytes(dir, former->dev, accd_object_bytes(object));
        accd_fused_release(dir, former->fused);
    }
    if (!taken || !former->shared)
        accd_release_block(dir, block, 1);
    accd_pool_give(&dir->tuples.former_pool, former);
}

static void forget_gone(struct accd_directory *dir, struct accd_share *share)
{
    bool any = false;
    for (const struct accd_former *former = share->former; former && !any; former = former->below)
        any = is_worth(dir, former, ACCD_GOES);
    for (struct accd_former **at = &share->former; *at;) {
        struct accd_former *former = *at;
        if (is_worth(dir, former, ACCD_HOLDS))
            former->fused->support = dir->levels.serial;
        if (is_worth(dir, former, ACCD_ALONE)) {
            accd_fused_release(dir, former->fused);
            former->fused = NULL;
        }
        if (!is_worth(dir, former, ACCD_GOES)) {
            at = &former->below;
            continue;
        }
        *at = former->below;
        end_former(dir, share->object, former, false);
    }
    for (struct accd_former *former = any ? share->former : NULL; former; former = former->below)
        former->jump = former->below; /* theirs may have pointed to what is gone */
}

static void go_back(struct accd_directory *dir, struct accd_share *share)
{
    struct accd_former *former = share->former;
    struct accd_block *left = share->fused->block;
    uint64_t from = left->dev + (share->object->host - left->host);
    accd_forget_bytes(dir, from, accd_object_bytes(share->object));
    accd_fused_release(dir, share->fused);
    share->former = former->below;
    share->fused = former->fused;
    share->serial = former->serial;
    end_former(dir, share->object, former, true);
    accd_release_block(dir, left, 1);
}

/* Objects that are together are a tuple: the one they are in, or a part of it. */
static void name_tuples(struct accd_directory *dir, struct accd_regroup *regroup, uint64_t serial)
{
    struct accd_occupant *members = regroup->members;
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].count = 0;
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd_object *object = members[i].share->object;
        struct accd_occupant *root = &members[root_of(members, i)];
        root->low = root->count ? root->low : object->host;
        root->high = accd_object_end(object);
        root->count++;
    }
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd_share *share = members[i].share;
        uint32_t r = root_of(members, i);
        struct accd_occupant *root = &members[r];
        struct accd_fused *fused = share->fused;
        if (root->count == 1) {
            share->fused = NULL;
            accd_fused_release(dir, fused);
        } else if (r == i) { /* the first of them */
            bool present = fused->block == regroup->fused->block;
            if (fused->current) {
                struct accd_fused *part = accd_pool_take(&dir->tuples.fused_pool);
                *part = *fused;
                part->places = 1;
                fused->places--;
                share->fused = fused = part;
            }
            if (present) /* those that went back are as old as they were */
                fused->serial = root->held ? root->held : serial;
            fused->current = true;
            fused->host = root->low;
            fused->end = root->high;
            accd_range_insert(&dir->tuples.fused, fused->host, fused);
        } else if (root->share->fused != fused) {
            share->fused = root->share->fused;
            share->fused->places++;
            accd_fused_release(dir, fused);
        }
    }
}

static void commit_regroup(struct accd_directory *dir, struct accd_regroup *regroup)
{
    struct accd_fused *fused = regroup->fused;
    accd_range_erase(&dir->tuples.fused, fused->host);
    const uint64_t serial = fused->serial;
    fused->current = false;
    fused->support = dir->levels.serial;
    fused->places++; /* so that it lives until here */
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd_share *share = regroup->members[i].share;
        forget_gone(dir, share);
        if (!stays(regroup, i) && share->former)
            go_back(dir, share);
    }
    name_tuples(dir, regroup, serial);
    accd_fused_release(dir, fused);
}

/* Where nothing is fused by itself, only what is in a tuple has a share. */
static void forget_idle_shares(struct accd_directory *dir, struct accd_regroup *regroup)
{
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd_share *share = regroup->members[i].share;
        if (!share->fused && !share->former && !share->originals)
            accd_share_free(dir, share->object);
    }
}

/* What a clause filled of a held object is a hole again, but for what others name, and attached pointers.
 * Decides DIR-4.2-17. */
static void empty_holes(const struct accd_plan *plan, const struct accd_original *original)
{
    struct accd_directory *dir = plan->dir;
    const struct accd_object *object = original->share->object;
    if (!(object->size & ACCD_OBJECT_HELD) || accd_object_goes(plan, object) || original->idle)
        return;
    uint64_t stop = original->host + original->bytes, last = accd_object_end(object);
    stop = stop < last ? stop : last;
    for (uint64_t at = original->host, end = stop; at < end; at = stop) {
        struct accd_range_cursor cursor;
        struct accd_attach *attach = NULL;
        stop = end;
        if (accd_named_at(dir, object, at, &stop))
            continue;
        (void)accd_first_attach(dir, at, stop, &cursor, &attach); /* nothing is indexed any more */
        uint64_t from = at;
        for (; attach; attach = accd_next_attach(&cursor, stop)) {
            if (attach->slot > from)
                accd_forget_bytes(dir, object->dev + (from - object->host), attach->slot - from);
            from = accd_attach_end(attach);
        }
        if (from < stop)
            accd_forget_bytes(dir, object->dev + (from - object->host), stop - from);
    }
}

/* Decides DIR-4.3-04. */
void accd_unfuse_commit(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_directory *dir = plan->dir;
    accd_fuse_device_order(plan);
    for (size_t i = 0; i < fusion->ending.n; i++)
        empty_holes(plan, fusion->ending.at[i]);
    for (size_t i = 0; i < fusion->ending.n; i++)
        remove_original(dir, fusion->ending.at[i]);
    for (size_t i = 0; i < fusion->regroups.n; i++)
        commit_regroup(dir, &fusion->regroups.at[i]);
    if (!plan->context->rules.fusion)
        for (size_t i = 0; i < fusion->regroups.n; i++)
            forget_idle_shares(dir, &fusion->regroups.at[i]);
}

void accd_unfuse_undo(struct accd_plan *plan) { plan->dir->tuples.exit++; }

void accd_share_free(struct accd_directory *dir, const struct accd_object *object)
{
    struct accd_share *share = accd_share_of(dir, object);
    if (!share)
        return;
    while (share->originals)
        remove_original(dir, share->originals);
    while (share->former) {
        struct accd_former *former = share->former;
        share->former = former->below;
        end_former(dir, object, former, false);
    }
    accd_fused_release(dir, share->fused);
    accd_range_erase(&dir->tuples.shares, object->host);
    dir->eventful--;
    accd_pool_give(&dir->tuples.share_pool, share);
}
