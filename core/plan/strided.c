/* strided.c - sections with gaps: for example every other element of an array. A grid (struct accd__grid) gives the
 * positions of the elements. All bytes from the first to the last element are present, so that addresses and strides
 * have the same meaning on both sides. Only the bytes of the elements move (ACC33-upd-2). Used by begin.c and bytes.c.
 */
#include "plan/inside.h"

#include <assert.h>

/* Returns true and sets *grid to the elements of a walked request, if its section has a descriptor (pointer with
 * bounds) with gaps between elements. If that descriptor cannot be used now, for example because its memory was freed,
 * uses the copy saved at the attach. Otherwise returns false; *grid must then not be used. */
static bool section_request_grid(const struct accd__plan *plan, const struct accd__request *request,
                                 struct accd__grid *grid)
{
    size_t row;
    const struct accd__segment *segment = accd__request_segment(&plan->input, request, &row);
    const uint32_t slot_bytes = segment->field->slot_bytes;
    if (!slot_bytes)
        return false;
    const uint64_t slot = accd__section_slot(plan->input.walk, segment, row);
    if (accd__is_host_accessible(plan->context, slot, slot_bytes) &&
        accd__section_grid(plan->input.walk, segment, row, grid))
        return true;
    const struct accd__attachment *attach =
        plan->env->attached.slots.count ? accd__btree_floor(&plan->env->attached.slots, slot) : NULL;
    return attach && attach->slot == slot && attach->descriptor && attach->descriptor->bytes == slot_bytes &&
           accd__descriptor_grid(plan->context, attach->target, attach->descriptor->rest, slot_bytes,
                                 segment->host[row], accd__section_bytes(segment, row), grid);
}

/* Sets *grid to the elements of `request` and returns true if they have gaps between them; otherwise returns false. */
bool accd__request_grid(const struct accd__plan *plan, const struct accd__request *request, struct accd__grid *grid)
{
    if (request->source & ACCD_SOURCE_WALKED)
        return section_request_grid(plan, request, grid);
    const struct accd__item_grid *gaps = plan->input.gaps;
    const size_t grid_end = gaps ? ACCD_UPPER_BOUND(gaps, item, plan->input.ngaps, request->source) : 0;
    const bool found = grid_end && gaps[grid_end - 1].item == request->source;
    if (found)
        *grid = gaps[grid_end - 1].grid;
    return found;
}

/* Sets plan->input.gaps to the grids of all items that have gaps (ndims is not 0), sorted by item. Returns
 * ACCD_ERROR_MISUSE if elements of a grid overlap, lie outside of the item or only in part in it, or fails without
 * memory. */
accd_status accd__plan_item_grids(struct accd__plan *plan)
{
    const accd_construct *construct = plan->input.construct;
    size_t n = 0;
    for (size_t i = 0; i < construct->nitems; i++)
        n += construct->items[i].ndims != 0;
    ACCD_SCRATCH_ALLOC(plan->context, plan->input.gaps, n);
    for (uint32_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!item->ndims)
            continue;
        if (!accd__item_grid_fits(item))
            return accd__report_request_error(plan, &plan->resolved.requests[i], NULL, ACCD_ERROR_MISUSE, R_MISUSE,
                                              "elements of " ACCD_NAME_PLACEHOLDER
                                              " lie outside of it, in part, or over one another");
        struct accd__item_grid *gaps = &plan->input.gaps[plan->input.ngaps++];
        gaps->item = i;
        accd__item_get_grid(item, &gaps->grid);
    }
    return ACCD_OK;
}

/* Plans one move for each element of `grid` that lies in the range of request `index`. `out`: device to host. Fails
 * only without memory. */
accd_status accd__plan_grid_moves(struct accd__plan *plan, uint32_t index, const struct accd__grid *grid, bool out)
{
    assert(index < plan->resolved.nrequests && grid);
    const struct accd__request *request = &plan->resolved.requests[index];
    const uint64_t low = request->host, high = request->host + request->bytes;
    uint64_t at[ACCD_MAX_RANK] = {0}, offset = 0;
    do {
        uint64_t host = grid->host + offset, end = host + grid->run;
        host = host < low ? low : host; /* limits the element to the request, which may be a part of its item */
        end = end > high ? high : end;
        if (host < end)
            ACCD_TRY(accd__plan_add_move(plan, &(struct accd__move){host, accd__request_dev(plan, request, host),
                                                                    end - host, index, ACCD_GRID_ELEMENT, 0, out}));
    } while (accd__grid_next(grid, at, &offset));
    return ACCD_OK;
}
