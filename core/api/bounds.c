/* bounds.c - records the bounds of the sections that the mapping program of one item reaches, and compares them with
 * later bounds (TR14-4.3-04). */
#include "accdeep_constructs.h"
#include "ops/ops.h"
#include "table/name.h"

#include <assert.h>

/* Records in *bounds_p the bounds of all sections that the mapping program of an item reaches now through pointers.
 * *bounds_p becomes NULL if there is nothing to follow, or the program calls functions of the host program. Returns
 * ACCD_ERROR_MISUSE for an invalid item or while a construct is under way, or the error of an invalid section. */
accd_status accd_bounds_new(accd_context *context, const accd_item *item, accd_bounds **bounds_p)
{
    if (!context || !item)
        return accd__report_missing_argument(context, __func__, "item");
    ACCD_REQUIRE_ARGUMENT(context, bounds_p);
    *bounds_p = NULL;
    ACCD_TRY(accd__check_not_busy(context));
    const accd_program *program = item->program;
    if (item->ndims > ACCD_MAX_RANK || (item->ndims && !item->dims) || item->action >= ACCD_ACTION_COUNT)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the item has an invalid action or dimensions");
    if (program && (program->inherited || (program->spec.params && !item->params)))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                               "the program of the item needs parameters or an enclosing element");
    if (!accd__item_has_elements(item) || program->reaches_calls)
        return ACCD_OK;
    context->busy = true;
    accd_status status = accd__walk_items(context, &(accd_construct){.items = item, .nitems = 1}, NULL, bounds_p);
    accd__scratch_reset(&context->scratch);
    context->busy = false;
    return status;
}

/* Compares row `row` of two segments, the recorded sections of one pointer field. Returns true if the pointer has the
 * same value in both, but start or length of its section differs. Returns false if both sections are empty, or if the
 * pointer itself has changed. */
static bool has_moved(const struct accd__segment *earlier, const struct accd__segment *later, size_t row)
{
    assert(row < earlier->rows && row < later->rows);
    uint64_t bytes = accd__section_bytes(earlier, row), unit = earlier->field->unit;
    int64_t start = accd__section_start(earlier, row), other = accd__section_start(later, row);
    if (bytes == accd__section_bytes(later, row) && (start == other || !bytes))
        return false;
    uint64_t pointer = earlier->host[row] - (uint64_t)start * unit;
    return !earlier->host[row] || !later->host[row] || pointer == later->host[row] - (uint64_t)other * unit;
}

/* Compares two records of accd_bounds_new. Returns 1 if a section has changed, and sets *change_p to the names of the
 * first such section. Returns 0 if none has changed, an argument is NULL, or the records have different pointers.
 * Decides TR14-4.3-04. */
int accd_bounds_changed(const accd_bounds *earlier, const accd_bounds *later, accd_bounds_change *change_p)
{
    if (!earlier || !later || !change_p)
        return 0;
    for (size_t i = 0; i < earlier->nsegments && i < later->nsegments; i++) {
        const struct accd__segment *a = &earlier->segments[i], *b = &later->segments[i];
        if (a->rows != b->rows || a->rowset != b->rowset || a->field->offset != b->field->offset ||
            a->field->unit != b->field->unit)
            return 0; /* the records have different pointers, whose sections cannot be compared */
        for (size_t row = 0; row < a->rows; row++) {
            if (!has_moved(a, b, row))
                continue;
            accd__format_section(earlier, a->first + row, change_p->then, sizeof change_p->then);
            accd__format_section(later, b->first + row, change_p->now, sizeof change_p->now);
            return 1;
        }
    }
    return 0;
}

/* Frees recorded bounds; NULL does nothing. */
void accd_bounds_free(accd_bounds *bounds)
{
    accd__walk_release(bounds);
}
