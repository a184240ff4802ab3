/* release.c - attachments that end although no exit ends them, and the type records that they hold: with the
 * construct on the way, and before what it does itself. */
#include "ops/leave.h"
#include "plan/fusion.h"

struct accd_release {
    accd_construct construct;
    struct accd_plan plan;
    struct leave leave;
};

/* The references that a construct is about to add, so that nothing goes for want of them. */
static accd_status expect_references(struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->found.nclaims; i++) {
        const struct accd_claim *claim = &plan->found.claims[i];
        if (!claim->object || !accd_claim_counts(plan, claim))
            continue;
        struct accd_object_change *change;
        ACCD_TRY(accd_note_object(plan, claim->object, &change));
        change->coming = true;
    }
    return ACCD_OK;
}

static accd_status release_now(struct accd_release *release, struct accd_plan *plan,
                               struct accd_attach *const *ends, size_t n)
{
    struct leave *leave = &release->leave;
    ACCD_TRY(accd_index_all(plan->dir));
    ACCD_TRY(accd_unfuse_begin(&release->plan));
    for (size_t i = 0; i < n; i++)
        if (accd_attach_left(&release->plan, ends[i])) /* not named twice */
            ACCD_TRY(accd_end_attachment(leave, ends[i]));
    ACCD_TRY(accd_release_records(leave));
    ACCD_TRY(accd_end_attachments(leave));
    struct accd_fusion *fusion = release->plan.found.fusion;
    if (fusion)
        ACCD_TRY(accd_unfuse_plan(&release->plan, leave->dying.at, leave->dying.n));
    bool fused = fusion && fusion->regroups.n;
    for (size_t i = 0; i < leave->removed.n; i++)
        fused |= leave->removed.at[i]->record && accd_fuse_covers(plan, leave->removed.at[i]->record->host);
    if (fused) /* one construct does not put together and take apart */
        return accd_fail(plan->context, ACCD_LIMIT, R_LIMIT,
                         "a type record that goes with this construct lies among fused data; detach "
                         "its descriptor first");
    ACCD_TRY(accd_leave_words(leave));
    for (size_t i = 0; i < release->plan.result.words.n; i++) { /* all words behind the others, as they come */
        const struct accd_word *word = &release->plan.result.words.at[i];
        ACCD_TRY(accd_plan_pointer(&release->plan, 0, word->dev, word->value, word, sizeof(void *)));
    }
    return ACCD_OK;
}

accd_status accd_release_plan(struct accd_plan *plan, struct accd_attach *const *ends, size_t n,
                              struct accd_release **release_p)
{
    struct accd_release *release;
    ACCD_TAKE(plan->context, release, 1);
    *release = (struct accd_release){
        .construct = {.device = plan->given.construct->device,
                      .kind = ACCD_EXIT_DATA,
                      .file = plan->given.construct->file,
                      .line = plan->given.construct->line},
        .plan = {.context = plan->context, .dir = plan->dir, .given = {.construct = &release->construct}},
        .leave = {.plan = &release->plan, .dynamic = true}};
    accd_status status = expect_references(plan);
    release->plan.result.ledger = plan->result.ledger;
    if (status == ACCD_OK)
        status = release_now(release, plan, ends, n);
    plan->result.ledger = release->plan.result.ledger;
    if (status != ACCD_OK) {
        accd_leave_undo(&release->leave);
        return status;
    }
    plan->result.rests = release->plan.result.rests; /* the first ones: what is attached anew comes over them */
    *release_p = release;
    return ACCD_OK;
}

void accd_release_undo(struct accd_release *release) { accd_leave_undo(&release->leave); }

void accd_release_commit(struct accd_release *release)
{
    accd_ledger_apply(&release->plan); /* with what the construct on the way noted */
    accd_tell_exit(&release->leave);
    accd_leave_finish(&release->leave);
}

/* Whether a descriptor that is attached again still points to the type record that its attachment holds. */
static bool keeps(const struct accd_link *link, const struct accd_attach *typed)
{
    return typed != link->attach && link->pointer && link->descriptor &&
           accd_attach_end(typed) <= link->attach->slot + link->descriptor->bytes &&
           accd_load_pointer(typed->slot) == typed->target;
}

/* Nothing of a construct may lie in what it lets go. */
static accd_status check_released(const struct accd_links *links)
{
    struct accd_plan *plan = links->plan;
    for (size_t i = 0; i < plan->found.nclaims + links->n; i++) {
        const struct accd_link *link = i < plan->found.nclaims ? NULL : &links->at[i - plan->found.nclaims];
        const struct accd_claim *claim = &plan->found.claims[link ? link->claim : i];
        const struct accd_object *used[] = {link ? link->holder : claim->object,
                                            link ? link->target : NULL};
        for (int k = 0; k < 2; k++)
            if (used[k] && accd_object_goes(plan, used[k]))
                return accd_claim_error(plan, claim, used[k], ACCD_STILL_ATTACHED, R_STILL_ATTACHED,
                                        ACCD_ASKED " lies in a type record that goes with this construct");
    }
    return ACCD_OK;
}

accd_status accd_links_release(const struct accd_links *links, struct accd_release **release_p)
{
    struct accd_plan *plan = links->plan;
    struct accd_directory *dir = plan->dir;
    size_t n = 0;
    if (!links->anew || !dir->attached.nrecords)
        return ACCD_OK;
    struct accd_attach **ends;
    ACCD_TAKE(plan->context, ends, links->anew);
    for (size_t i = 0; i < links->n; i++) {
        const struct accd_link *link = &links->at[i];
        if (!link->attach || link->counts)
            continue;
        struct accd_attach *typed =
            link->attach->holds_record ? link->attach : accd_attach_record(dir, link->attach);
        if (typed && !keeps(link, typed))
            ends[n++] = typed;
    }
    if (!n)
        return ACCD_OK;
    ACCD_TRY(accd_release_plan(plan, ends, n, release_p));
    return check_released(links);
}
