/* grid.c - grids: sections with gaps, as runs of bytes at equal distances. An item with accd_item.dims describes a
 * grid, and so does a Fortran descriptor with its dimensions. walk.c and core/plan use grids. */
#include "walk/inside.h"

/* Returns the bytes from the beginning of the first run to the end of the last run of a grid with runs of `run` bytes
 * and n dimensions. Returns UINT64_MAX if runs are empty or overlap, a dimension has no elements, or the number
 * overflows. */
static uint64_t grid_extent_bytes(uint64_t run, const accd_stride *dims, unsigned n)
{
    uint64_t bytes = run, all = run, span;
    bool is_valid = run > 0;
    for (unsigned i = 0; is_valid && i < n; i++)
        is_valid = dims[i].count && (dims[i].count == 1 || dims[i].step >= run) &&
                   !__builtin_mul_overflow(dims[i].count - 1, dims[i].step, &span) &&
                   !__builtin_add_overflow(bytes, span, &bytes) && !__builtin_mul_overflow(all, dims[i].count, &all);
    return is_valid && all <= bytes ? bytes : UINT64_MAX;
}

/* Returns true if the item has at most 15 dimensions, and its runs lie in its bytes, do not overlap, and hold whole
 * elements of its program, if any. */
bool accd__item_grid_fits(const accd_item *item)
{
    const accd_program *program = item->program;
    return item->ndims <= ACCD_MAX_RANK && grid_extent_bytes(item->run, item->dims, item->ndims) <= item->bytes &&
           (!program || item->run % program->spec.stride == 0);
}

/* Advances to the next run: counts `index` up like the digits of a number, the last one fastest, and updates *offset.
 * Returns false after the last run. */
bool accd__grid_next(const struct accd__grid *grid, uint64_t *index, uint64_t *offset)
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

/* Returns the number of elements of `unit` bytes in all runs of a grid. */
uint64_t accd__grid_element_count(const struct accd__grid *grid, uint64_t unit)
{
    assert(unit > 0);
    uint64_t rows = grid->run / unit;
    for (unsigned i = 0; i < grid->n; i++)
        rows *= grid->dim[i].count;
    return rows;
}

/* Writes the host addresses of the elements of `unit` bytes in a grid to `to`, run by run. */
void accd__grid_list_addresses(const struct accd__grid *grid, uint64_t unit, uint64_t *to)
{
    uint64_t index[ACCD_MAX_RANK] = {0}, offset = 0;
    do
        for (uint64_t k = 0; k < grid->run; k += unit)
            *to++ = grid->host + offset + k;
    while (accd__grid_next(grid, index, &offset));
}

/* Writes the grid of an item with dimensions: its host address, run and dimensions. */
void accd__item_get_grid(const accd_item *item, struct accd__grid *grid)
{
    *grid = (struct accd__grid){.host = accd__address(item->host), .run = item->run, .n = item->ndims};
    memcpy(grid->dim, item->dims, item->ndims * sizeof grid->dim[0]);
}

/* Sorts the dimensions of a grid by descending steps, and merges dimensions without gaps into the run. Returns true if
 * gaps remain, false if the grid is one run. */
static bool normalize_dims(struct accd__grid *grid)
{
    for (unsigned i = 1; i < grid->n; i++)
        for (unsigned k = i; k > 0 && grid->dim[k].step > grid->dim[k - 1].step; k--) {
            accd_stride swap = grid->dim[k];
            grid->dim[k] = grid->dim[k - 1];
            grid->dim[k - 1] = swap;
        }
    while (grid->n && grid->dim[grid->n - 1].step == grid->run)
        grid->run *= grid->dim[--grid->n].count;
    return grid->n > 0;
}

/* Writes the grid of a descriptor of `slot_bytes` bytes, with the address of data `base` and the further bytes `rest`,
 * to *grid. Returns true if its elements have gaps between them, begin at `host` and end at host + bytes; otherwise
 * false. */
bool accd__descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                           uint64_t host, uint64_t bytes, struct accd__grid *grid)
{
    struct accd__array_shape shape;
    uint64_t low = base;
    if (!accd__read_array_shape(context, rest, slot_bytes, &shape))
        return false;
    *grid = (struct accd__grid){.host = host, .run = shape.element};
    for (unsigned i = 0; i < shape.rank; i++) {
        const uint64_t count = (uint64_t)shape.count[i], step = (uint64_t)shape.step[i];
        if (shape.count[i] < 1)
            return false;
        if (shape.step[i] < 0) /* the last element is first in memory, so that the data begin before `base` */
            low += (count - 1) * step;
        if (count > 1)
            grid->dim[grid->n++] = (accd_stride){count, shape.step[i] < 0 ? 0 - step : step};
    }
    return low == host && grid_extent_bytes(grid->run, grid->dim, grid->n) == bytes && normalize_dims(grid);
}

/* Writes the grid of the section in a row, from the contents that its descriptor has on the host now. Returns false if
 * the section is empty or has no gaps, or the descriptor no longer describes the section. */
bool accd__section_grid(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                        struct accd__grid *grid)
{
    const uint64_t slot = accd__section_slot(walk, segment, row), bytes = accd__section_bytes(segment, row);
    return bytes && accd__descriptor_grid(walk->context, accd__load_pointer(slot),
                                          (const char *)accd__pointer(slot) + sizeof(void *),
                                          segment->field->slot_bytes, segment->host[row], bytes, grid);
}

/* Returns true if the descriptor of some section of the segment describes gaps. */
bool accd__segment_has_gaps(const struct accd_walk *walk, const struct accd__segment *segment)
{
    struct accd__grid grid;
    bool found = false;
    for (size_t row = 0; segment->field->slot_bytes && row < segment->rows && !found; row++)
        found = accd__section_grid(walk, segment, row, &grid);
    return found;
}

/* Returns true if an item or a section of the walk has gaps between its elements. Reads the descriptors of segments
 * with the flag may_have_gaps; with gfortran's layout, for which that flag has no meaning, the descriptors of all
 * segments. */
bool accd__walk_has_gaps(const struct accd_walk *walk)
{
    const bool cfi = walk->context->config.descriptors != ACCD_DESCRIPTOR_GFORTRAN;
    bool found = walk->gaps;
    for (size_t i = 0; i < walk->nsegments && !found; i++)
        found = (walk->segments[i].may_have_gaps || !cfi) && accd__segment_has_gaps(walk, &walk->segments[i]);
    return found;
}
