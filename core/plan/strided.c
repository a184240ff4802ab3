/* strided.c - sections with gaps: every other element that a pointer points to, or a part of an array that is
 * updated. All bytes from the first to the last element are present and have memory, so that addresses and
 * strides mean the same on both sides; those of the elements alone move (ACC33-upd-2). */
#include "plan/inside.h"

/* The elements of a walked claim. Where its descriptor is another one now, they are those of when it was
 * attached. */
static bool walked_grid(const struct accd_plan *plan, const struct accd_claim *claim, struct accd_grid *grid)
{
    size_t row;
    const struct accd_segment *segment = accd_claim_segment(&plan->given, claim, &row);
    const uint32_t slot_bytes = segment->field->slot_bytes;
    if (!slot_bytes)
        return false;
    const uint64_t slot = accd_section_slot(plan->given.walk, segment, row);
    if (accd_host_usable(plan->context, slot, slot_bytes) &&
        accd_section_grid(plan->given.walk, segment, row, grid))
        return true;
    const struct accd_attach *attach =
        plan->dir->attached.slots.count ? accd_range_floor(&plan->dir->attached.slots, slot) : NULL;
    return attach && attach->slot == slot && attach->descriptor && attach->descriptor->bytes == slot_bytes &&
           accd_descriptor_grid(plan->context, attach->target, attach->descriptor->rest, slot_bytes,
                                segment->host[row], accd_section_bytes(segment, row), grid);
}

bool accd_claim_grid(const struct accd_plan *plan, const struct accd_claim *claim, struct accd_grid *grid)
{
    if (claim->source & ACCD_CLAIM_WALKED)
        return walked_grid(plan, claim, grid);
    const struct accd_gaps *gaps = plan->given.gaps;
    const size_t behind = gaps ? ACCD_FIRST_ABOVE(gaps, item, plan->given.ngaps, claim->source) : 0;
    const bool found = behind && gaps[behind - 1].item == claim->source;
    if (found)
        *grid = gaps[behind - 1].grid;
    return found;
}

accd_status accd_plan_gaps(struct accd_plan *plan)
{
    const accd_construct *construct = plan->given.construct;
    size_t n = 0;
    for (size_t i = 0; i < construct->nitems; i++)
        n += construct->items[i].ndims != 0;
    ACCD_TAKE(plan->context, plan->given.gaps, n);
    for (uint32_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!item->ndims)
            continue;
        if (!accd_item_grid_fits(item))
            return accd_claim_error(plan, &plan->found.claims[i], NULL, ACCD_MISUSE, R_MISUSE,
                                    "elements of " ACCD_ASKED " lie outside of it, in part, or over one another");
        struct accd_gaps *gaps = &plan->given.gaps[plan->given.ngaps++];
        gaps->item = i;
        accd_item_grid(item, &gaps->grid);
    }
    return ACCD_OK;
}

accd_status accd_plan_grid(struct accd_plan *plan, uint32_t index, const struct accd_grid *grid, bool out)
{
    const struct accd_claim *claim = &plan->found.claims[index];
    const uint64_t low = claim->host, high = claim->host + claim->bytes;
    uint64_t at[ACCD_RANK_MOST] = {0}, offset = 0;
    do {
        uint64_t host = grid->host + offset, end = host + grid->run;
        host = host < low ? low : host; /* a claim may be a part of its item */
        end = end > high ? high : end;
        if (host < end)
            ACCD_TRY(accd_plan_move(
                plan, &(struct accd_move){host, accd_claim_dev(plan, claim, host),
                                          end - host, index, ACCD_ONE_OF_RUN, 0, out}));
    } while (accd_grid_next(grid, at, &offset));
    return ACCD_OK;
}
