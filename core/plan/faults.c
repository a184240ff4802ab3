/* faults.c - walks the items of a construct (runs their mapping programs to find sections), and turns the fault of a
 * walk into an error. A fault is the reason for which a section could not be computed, such as a pointer to memory that
 * is not live. Called by begin.c. */
#include "accdeep_checkpoints.h"
#include "plan/inside.h"
#include "table/name.h"

#include <assert.h>

/* Records the error for the fault of `walk`, which has failed, and returns its status. The error names the section that
 * could not be computed and its host range, unless a function of the program failed (ACCD_ERROR_CALLBACK). */
static accd_status report_walk_fault(const struct accd_walk *walk)
{
    assert(walk->nroots);
    const struct accd__walk_fault *fault = &walk->fault;
    accd_context *context = walk->context;
    size_t row;
    const struct accd__segment *segment = accd__find_segment(walk, fault->section, &row);
    accd_status status = accd__report_fault(context, fault->kind, true, fault->value);
    if (status == ACCD_ERROR_CALLBACK)
        return status;
    accd_error *error = &context->error;
    /* roots (items with elements) are walked one after the other until a fault, so that the last root has the fault */
    error->item = walk->roots[walk->nroots - 1].item;
    accd__format_row_slot(walk, fault->section, error->asked.name, sizeof error->asked.name);
    if (fault->kind == ACCD_FAULT_NOT_LIVE) {
        uint64_t pointer = accd__field_target(&walk->rowsets[segment->rowset], segment->field, row);
        error->asked.host = pointer;
        error->asked.bytes = (uint64_t)fault->value * segment->field->unit;
        accd_host_range host_range;
        if (accd_host_at(context, accd__pointer(pointer), &host_range))
            error->other = host_range.info;
    }
    return accd__insert_object_name(context);
}

/* Runs the mapping programs of the items of a construct and sets *walk_p to the walk with the sections found. If a
 * section cannot be computed, records and returns an error that names the section, and leaves *walk_p unchanged.
 * `before`: earlier walk that is probably equal, or NULL. */
accd_status accd__walk_items(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                             struct accd_walk **walk_p)
{
    struct accd_walk *walk = NULL;
    accd_status status = accd__walk_new(context, construct, before, &walk);
    if (status != ACCD_OK && walk) {
        status = report_walk_fault(walk);
        accd__walk_release(walk);
        return status;
    }
    *walk_p = walk;
    return status;
}
