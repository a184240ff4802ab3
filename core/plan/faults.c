/* faults.c - sections that a walk could not compute, as errors. */
#include "plan/inside.h"

static accd_status fault_error(const struct accd_walk *walk)
{
    const struct accd_walk_fault *fault = &walk->fault;
    accd_context *context = walk->context;
    size_t row;
    const struct accd_segment *segment = accd_walk_locate(walk, fault->section, &row);
    char name[160];
    accd_name_row_slot(walk, fault->section, name, sizeof name);
    accd_status status;
    switch (fault->kind) {
    case ACCD_NEGATIVE:
        status = accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                           "the section of %s has a negative length, %lld", name,
                           (long long)fault->value);
        break;
    case ACCD_TOO_LARGE:
        status = accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                           "the section of %s has a bound that cannot be computed or is too large",
                           name);
        break;
    case ACCD_NULL_BASE:
        status = accd_fail(context, ACCD_NULL_POINTER, R_NULL,
                           "%s is a null pointer, but its section has %lld elements", name,
                           (long long)fault->value);
        break;
    case ACCD_OUTSIDE:
        status = accd_fail(context, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                           "the section of %s, %lld elements, is not inside live host memory", name,
                           (long long)fault->value);
        break;
    case ACCD_NOT_CONTIGUOUS:
        status = accd_fail(context, ACCD_INVALID_SECTION, R_CONTIGUOUS,
                           "the section of %s is not contiguous: it takes a part of several rows",
                           name);
        break;
    case ACCD_OUTSIDE_ROW:
        status = accd_fail(context, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                           "the section of %s is outside of a row of the array", name);
        break;
    case ACCD_DIVIDES_BY_ZERO:
    case ACCD_OVERFLOWS:
    case ACCD_SHIFTS_OUT:
        status = accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                           "a bound of the section of %s %s", name,
                           accd_fault_text(fault->kind));
        break;
    case ACCD_LEAVES_ELEMENT:
        status = accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                           "the section of %s, %lld elements, leaves the structure it is a part of", name,
                           (long long)fault->value);
        break;
    case ACCD_CALL_FAILED:
        return accd_fail(context, ACCD_CALLBACK, R_CALLBACK,
                         "a function called for a section bound failed");
    default:
        status = accd_fail(context, ACCD_NULL_POINTER, R_NULL,
                           "a bound follows a pointer that is null or does not point into live "
                           "host memory");
        break;
    }
    accd_error *error = &context->error;
    error->item = walk->roots[walk->nroots - 1].item; /* roots are walked one after the other */
    memcpy(error->asked.name, name, sizeof name);
    if (fault->kind == ACCD_OUTSIDE) {
        uint64_t pointer = accd_field_base(&walk->rowsets[segment->rowset], segment->field, row);
        error->asked.host = pointer;
        error->asked.bytes = (uint64_t)fault->value * segment->field->unit;
        accd_host_range known;
        if (accd_host_at(context, accd_pointer(pointer), &known))
            error->other = known.info;
    }
    return status;
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
