/* perform.c - does the steps that decide.c has decided. */
#include "accdeep_constructs.h"
#include "accdeep_internal.h"
#include "inside.h"

#include <errno.h>
#include <string.h>

enum { FILL_BYTES = 4096 }; /* bytes of a piece that fills memory */

/* Makes the last error, of `status`, cite the rule of the routine, if that has one. An error that the routine does not
 * cause keeps its rule: a queue still needs memory. Returns `status`. */
static accd_status cite_routine(accd_context *context, accd__routine routine, accd_status status)
{
    const enum accd__rule rule = accd__get_routine_rule(routine);
    if (status != ACCD_OK && status != ACCD_ERROR_MISSING_WAIT && rule != R_NONE)
        context->error.rule = accd__rule_id(&context->rules, rule);
    return status;
}

/* Copies a piece from one device to another, through memory of the host. */
static accd_status copy_between_devices(accd_context *context, const accd__piece *piece)
{
    void *buffer = accd__mem_alloc(&context->mem, piece->bytes);
    if (!buffer)
        return accd__report_out_of_memory(context, "for a copy between two devices");
    accd_status status = accd__copy_unregistered(context, piece->from_device, ACCD_DIRECTION_FROM_DEVICE,
                                                 accd__address(buffer), piece->from, piece->bytes);
    if (status == ACCD_OK)
        status = accd__copy_unregistered(context, piece->to_device, ACCD_DIRECTION_TO_DEVICE, piece->to,
                                         accd__address(buffer), piece->bytes);
    accd__mem_free(&context->mem, buffer, piece->bytes);
    return status;
}

/* Copies a piece at once. Returns the error of the core, under the rule of the routine. */
accd_status accd__copy_piece(accd_context *context, accd__routine routine, const accd__piece *piece)
{
    assert(context && piece->bytes);
    accd_status status = ACCD_OK;
    if (piece->to_device < 0 && piece->from_device < 0)
        memmove(accd__pointer(piece->to), accd__pointer(piece->from), piece->bytes);
    else if (routine == ACCD__ROUTINE_OMP_MEMSET) /* fills with bytes of the core */
        status = accd__copy_unregistered(context, piece->to_device, ACCD_DIRECTION_TO_DEVICE, piece->to, piece->from,
                                         piece->bytes);
    else if (piece->from_device < 0)
        status = accd_copy_to_device(context, piece->to_device, piece->to, accd__pointer(piece->from), piece->bytes);
    else if (piece->to_device < 0)
        status =
            accd_copy_from_device(context, piece->from_device, accd__pointer(piece->to), piece->from, piece->bytes);
    else if (piece->to_device == piece->from_device)
        status = accd_copy_within_device(context, piece->to_device, piece->to, piece->from, piece->bytes);
    else
        status = copy_between_devices(context, piece);
    return cite_routine(context, routine, status);
}

/* Calls fn for each row of a box: elements of the last dimension, which are contiguous. */
static accd_status for_each_row(const accd__routine_box *box, accd__piece piece, accd__piece_fn *fn, void *ud)
{
    struct accd__box_layout to, from;
    size_t index[ACCD__MAX_BOX_RANK] = {0};
    const int64_t last = box->rank - 1;
    if (!accd__lay_out_box(box, box->to_offsets, box->to_dimensions, &to) ||
        !accd__lay_out_box(box, box->from_offsets, box->from_dimensions, &from))
        return ACCD_ERROR_MISUSE;
    piece.bytes = box->volume[last] * box->element;
    for (;;) {
        accd_status status = fn(ud, &piece);
        int64_t i = last - 1;
        for (; i >= 0 && index[i] == box->volume[i] - 1; i--) {
            piece.to -= index[i] * to.strides[i];
            piece.from -= index[i] * from.strides[i];
            index[i] = 0;
        }
        if (status != ACCD_OK || i < 0)
            return status;
        index[i]++;
        piece.to += to.strides[i];
        piece.from += from.strides[i];
    }
}

/* Calls fn for each piece of memory that a step fills with copies of a byte. */
static accd_status for_each_fill(int value, accd__piece piece, accd__piece_fn *fn, void *ud)
{
    char source[FILL_BYTES];
    memset(source, value, sizeof source);
    const uint64_t end = piece.to + piece.bytes;
    piece.from = accd__address(source);
    for (; piece.to < end; piece.to += piece.bytes) {
        piece.bytes = end - piece.to < sizeof source ? end - piece.to : sizeof source;
        ACCD_TRY(fn(ud, &piece));
    }
    return ACCD_OK;
}

/* Calls fn(ud, piece) for each piece of a step that copies or fills; stops at the first error. */
accd_status accd__for_each_piece(const accd__routine_call *call, const accd__routine_step *step, accd__piece_fn *fn,
                                 void *ud)
{
    assert(step->operation == ACCD__DO_COPY || step->operation == ACCD__DO_FILL);
    const accd__piece piece = {step->address, step->from, step->bytes, step->device, step->from_device};
    if (step->operation == ACCD__DO_FILL)
        return for_each_fill((int)(call->value & 0xff), piece, fn, ud);
    return call->box ? for_each_row(call->box, piece, fn, ud) : fn(ud, &piece);
}

/* Context and routine of a copy in pieces. */
struct copy {
    accd_context *context;
    accd__routine routine;
};

/* Copies a piece for `ud`, a struct copy (an accd__piece_fn). */
static accd_status copy_piece(void *ud, const accd__piece *piece)
{
    const struct copy *copy = ud;
    return accd__copy_piece(copy->context, copy->routine, piece);
}

/* Copies or fills memory, at once or in the call's queue. */
static accd_status perform_copy(accd_context *context, const accd__routine_call *call, const accd__routine_step *step)
{
    struct copy copy = {context, call->routine};
    if (!call->queue || call->routine == ACCD__ROUTINE_MEMCPY_D2D)
        return accd__for_each_piece(call, step, copy_piece, &copy);
    const accd_direction direction = step->device < 0        ? ACCD_DIRECTION_FROM_DEVICE
                                     : step->from_device < 0 ? ACCD_DIRECTION_TO_DEVICE
                                                             : ACCD_DIRECTION_WITHIN_DEVICE;
    return accd_copy_async(context, call->current, call->queue, direction, step->address, step->from, step->bytes,
                           call->label ? call->label->file : NULL, call->label ? call->label->line : 0);
}

/* Runs the construct of the routine. For enter data, the result is the device address of the data. */
static accd_status perform_construct(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const accd__routine_info *routine = accd__get_routine(call->routine);
    step->item.action = routine->action;
    step->item.label = call->label;
    const accd_construct construct = {
        .kind = (accd_construct_kind)routine->kind,
        .device = step->device,
        .finalize = routine->finalize,
        .items = &step->item,
        .nitems = 1,
        .file = call->label ? call->label->file : NULL,
        .line = call->label ? call->label->line : 0,
        .queue = call->queue,
    };
    ACCD_TRY(accd_run_construct(context, &construct, NULL));
    if (routine->kind == ACCD_KIND_ENTER_DATA && !step->item.slot)
        step->result = accd_device_address(context, step->device, step->item.host);
    return ACCD_OK;
}

/* Ends a mapping. omp_target_disassociate_ptr has the result EINVAL if there is none, or if it is in use. */
static accd_status perform_unmap(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const accd_status status = accd_unmap_data(context, step->device, accd__pointer(step->address));
    if (call->routine == ACCD__ROUTINE_OMP_DISASSOCIATE_PTR) {
        step->result = status == ACCD_OK ? 0 : EINVAL;
        if (status == ACCD_ERROR_NOT_PRESENT || status == ACCD_ERROR_ALREADY_PRESENT ||
            status == ACCD_ERROR_STILL_ATTACHED)
            return ACCD_OK;
    }
    return status;
}

/* Maps device memory of the program. omp_target_associate_ptr has the result EINVAL if the memory is in use. */
static accd_status perform_map(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const accd_status status =
        accd_map_data(context, step->device, accd__pointer(step->address), step->from, step->bytes, call->label);
    if (call->routine == ACCD__ROUTINE_OMP_ASSOCIATE_PTR) {
        step->result = status == ACCD_OK ? 0 : EINVAL;
        if (status == ACCD_ERROR_ALREADY_PRESENT)
            return ACCD_OK;
    }
    return status;
}

/* Allocates or frees memory of a device. Without memory of the device the result is 0, and no error. An address that is
 * no allocation's is out of bounds, as where the program frees memory of the host. */
static accd_status perform_memory(accd_context *context, accd__routine_step *step)
{
    assert(step->device >= 0);
    if (step->operation == ACCD__DO_FREE) {
        const accd_status status = accd_device_free(context, step->device, step->address);
        if (status != ACCD_ERROR_MISUSE || context->busy)
            return status;
        return context->error.status = ACCD_ERROR_OUT_OF_BOUNDS;
    }
    const accd_status status = accd_device_alloc(context, step->device, step->bytes, &step->result);
    return status == ACCD_ERROR_OUT_OF_DEVICE_MEMORY ? ACCD_OK : status;
}

/* Does a step, and sets its result. */
accd_status accd__perform_routine(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    assert(context && call && step);
    switch (step->operation) {
    case ACCD__DO_CONSTRUCT:
        return perform_construct(context, call, step);
    case ACCD__DO_MAP:
        return cite_routine(context, call->routine, perform_map(context, call, step));
    case ACCD__DO_UNMAP:
        return cite_routine(context, call->routine, perform_unmap(context, call, step));
    case ACCD__DO_ALLOCATE:
    case ACCD__DO_FREE:
        return cite_routine(context, call->routine, perform_memory(context, step));
    case ACCD__DO_COPY:
    case ACCD__DO_FILL:
        return perform_copy(context, call, step);
    default:
        return ACCD_OK;
    }
}
