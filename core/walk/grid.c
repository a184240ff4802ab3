/* grid.c - elements with gaps between them, as runs of bytes at equal distances: those of an item, those of a
 * descriptor. */
#include "walk/inside.h"

/* Bytes from the first run to the end of the last one; UINT64_MAX: there is no such thing, or runs overlap. */
static uint64_t reach(uint64_t run, const accd_dim *dims, unsigned n)
{
    uint64_t bytes = run, all = run, span;
    bool good = run > 0;
    for (unsigned i = 0; good && i < n; i++)
        good = dims[i].count && (dims[i].count == 1 || dims[i].step >= run) &&
               !__builtin_mul_overflow(dims[i].count - 1, dims[i].step, &span) &&
               !__builtin_add_overflow(bytes, span, &bytes) &&
               !__builtin_mul_overflow(all, dims[i].count, &all);
    return good && all <= bytes ? bytes : UINT64_MAX;
}

bool accd_item_grid_fits(const accd_item *item)
{
    const accd_program *program = item->program;
    return item->ndims <= ACCD_RANK_MOST &&
           reach(item->run, item->dims, item->ndims) <= item->bytes &&
           (!program || item->run % program->spec.stride == 0);
}

bool accd_grid_next(const struct accd_grid *grid, uint64_t *index, uint64_t *offset)
{
    for (unsigned i = grid->n; i-- > 0;) {
        *offset += grid->dim[i].step;
        if (++index[i] < grid->dim[i].count)
            return true;
        *offset -= grid->dim[i].step * grid->dim[i].count;
        index[i] = 0;
    }
    return false;
}

uint64_t accd_grid_rows(const struct accd_grid *grid, uint64_t unit)
{
    uint64_t rows = grid->run / unit;
    for (unsigned i = 0; i < grid->n; i++)
        rows *= grid->dim[i].count;
    return rows;
}

void accd_grid_addresses(const struct accd_grid *grid, uint64_t unit, uint64_t *to)
{
    uint64_t index[ACCD_RANK_MOST] = {0}, offset = 0;
    do
        for (uint64_t k = 0; k < grid->run; k += unit)
            *to++ = grid->host + offset + k;
    while (accd_grid_next(grid, index, &offset));
}

void accd_item_grid(const accd_item *item, struct accd_grid *grid)
{
    *grid = (struct accd_grid){.host = accd_address(item->host), .run = item->run, .n = item->ndims};
    memcpy(grid->dim, item->dims, item->ndims * sizeof grid->dim[0]);
}

/* Large steps first, and dimensions whose elements touch as one; true if gaps are left. */
static bool order_dims(struct accd_grid *grid)
{
    for (unsigned i = 1; i < grid->n; i++)
        for (unsigned k = i; k > 0 && grid->dim[k].step > grid->dim[k - 1].step; k--) {
            accd_dim swap = grid->dim[k];
            grid->dim[k] = grid->dim[k - 1];
            grid->dim[k - 1] = swap;
        }
    while (grid->n && grid->dim[grid->n - 1].step == grid->run)
        grid->run *= grid->dim[--grid->n].count;
    return grid->n > 0;
}

bool accd_descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                          uint64_t host, uint64_t bytes, struct accd_grid *grid)
{
    struct accd_shape shape;
    uint64_t low = base;
    if (!accd_descriptor_shape(context, rest, slot_bytes, &shape))
        return false;
    *grid = (struct accd_grid){.host = host, .run = shape.element};
    for (unsigned i = 0; i < shape.rank; i++) {
        const uint64_t count = (uint64_t)shape.count[i], step = (uint64_t)shape.step[i];
        if (shape.count[i] < 1)
            return false;
        if (shape.step[i] < 0) /* first in memory is its last element */
            low += (count - 1) * step;
        if (count > 1)
            grid->dim[grid->n++] = (accd_dim){count, shape.step[i] < 0 ? 0 - step : step};
    }
    return low == host && reach(grid->run, grid->dim, grid->n) == bytes && order_dims(grid);
}

bool accd_section_grid(const struct accd_walk *walk, const struct accd_segment *segment, size_t row,
                       struct accd_grid *grid)
{
    const uint64_t slot = accd_section_slot(walk, segment, row), bytes = accd_section_bytes(segment, row);
    return bytes && accd_descriptor_grid(walk->context, accd_load_pointer(slot),
                                         (const char *)accd_pointer(slot) + sizeof(void *),
                                         segment->field->slot_bytes, segment->host[row], bytes, grid);
}

bool accd_segment_gaps(const struct accd_walk *walk, const struct accd_segment *segment)
{
    struct accd_grid grid;
    bool found = false;
    for (size_t row = 0; segment->field->slot_bytes && row < segment->rows && !found; row++)
        found = accd_section_grid(walk, segment, row, &grid);
    return found;
}

bool accd_walk_gaps(const struct accd_walk *walk)
{
    const bool cfi = walk->context->config.descriptors != ACCD_DESCRIPTOR_GFORTRAN;
    bool found = walk->gaps;
    for (size_t i = 0; i < walk->nsegments && !found; i++)
        found = (walk->segments[i].apart || !cfi) && accd_segment_gaps(walk, &walk->segments[i]);
    return found;
}
