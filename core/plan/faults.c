/* faults.c - sections that a walk could not compute, as errors. */
#include "plan/inside.h"
#include "table/name.h"

static accd_status fault_error(const struct accd_walk *walk)
{
    const struct accd_walk_fault *fault = &walk->fault;
    accd_context *context = walk->context;
    size_t row;
    const struct accd_segment *segment = accd_walk_locate(walk, fault->section, &row);
    accd_status status = accd_fault_error(context, fault->kind, true, fault->value);
    if (status == ACCD_CALLBACK)
        return status;
    accd_error *error = &context->error;
    error->item = walk->roots[walk->nroots - 1].item; /* roots are walked one after the other */
    accd_name_row_slot(walk, fault->section, error->asked.name, sizeof error->asked.name);
    if (fault->kind == ACCD_OUTSIDE) {
        uint64_t pointer = accd_field_base(&walk->rowsets[segment->rowset], segment->field, row);
        error->asked.host = pointer;
        error->asked.bytes = (uint64_t)fault->value * segment->field->unit;
        accd_host_range known;
        if (accd_host_at(context, accd_pointer(pointer), &known))
            error->other = known.info;
    }
    return accd_name_asked(context);
}

accd_status accd_walk_items(accd_context *context, const accd_construct *construct,
                            const struct accd_walk *before, struct accd_walk **walk_p)
{
    struct accd_walk *walk = NULL;
    accd_status status = accd_walk_new(context, construct, before, &walk);
    if (status != ACCD_OK && walk) {
        status = fault_error(walk);
        accd_walk_release(walk);
        return status;
    }
    *walk_p = walk;
    return status;
}
