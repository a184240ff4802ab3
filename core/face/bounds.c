/* bounds.c - bounds that a walk of one item found, kept to be compared with those that hold later (TR14-4.3-04). */
#include "ops/ops.h"
#include "table/name.h"

accd_status accd_bounds_new(accd_context *context, const accd_item *item, accd_bounds **bounds_p)
{
    if (!context || !item)
        return accd_not_given(context, __func__, "item");
    ACCD_GIVEN(context, bounds_p);
    *bounds_p = NULL;
    ACCD_TRY(accd_idle(context));
    const accd_program *program = item->program;
    if (program && (program->inherited || (program->spec.params && !item->params)))
        return accd_fail(context, ACCD_MISUSE, R_MISUSE,
                         "the program of the item needs parameters or an enclosing element");
    if (!accd_item_walks(item) || program->reaches_calls)
        return ACCD_OK;
    context->busy = true;
    accd_status status =
        accd_walk_items(context, &(accd_construct){.items = item, .nitems = 1}, NULL, bounds_p);
    accd_scratch_reset(&context->scratch);
    context->busy = false;
    return status;
}

/* The same pointer points to another section: its start or its length is another one. */
static bool moved(const struct accd_segment *then, const struct accd_segment *now, size_t row)
{
    uint64_t bytes = accd_section_bytes(then, row), unit = then->field->unit;
    int64_t start = accd_section_start(then, row), other = accd_section_start(now, row);
    if (bytes == accd_section_bytes(now, row) && (start == other || !bytes))
        return false;
    uint64_t pointer = then->host[row] - (uint64_t)start * unit;
    return !then->host[row] || !now->host[row] || pointer == now->host[row] - (uint64_t)other * unit;
}

/* Decides TR14-4.3-04. */
int accd_bounds_changed(const accd_bounds *then, const accd_bounds *now, accd_bounds_change *change_p)
{
    if (!then || !now || !change_p)
        return 0;
    for (size_t i = 0; i < then->nsegments && i < now->nsegments; i++) {
        const struct accd_segment *a = &then->segments[i], *b = &now->segments[i];
        if (a->rows != b->rows || a->rowset != b->rowset || a->field->offset != b->field->offset ||
            a->field->unit != b->field->unit)
            return 0; /* other pointers, and what they point to, cannot be compared */
        for (size_t row = 0; row < a->rows; row++) {
            if (!moved(a, b, row))
                continue;
            accd_name_section(then, a->first + row, change_p->then, sizeof change_p->then);
            accd_name_section(now, b->first + row, change_p->now, sizeof change_p->now);
            return 1;
        }
    }
    return 0;
}

void accd_bounds_free(accd_bounds *bounds) { accd_walk_release(bounds); }
