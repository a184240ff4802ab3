/* decide.c - what a call of a routine does. Input: the call, and the present table. Output: a step, or the error of a
 * call that must not happen; nothing is changed. */
#include "accdeep_checkpoints.h"
#include "accdeep_queues.h"
#include "inside.h"

#include <errno.h>
#include <stdio.h>

enum { HOST = ACCD__HOST_DEVICE, NO_SUCH_DEVICE = ACCD__NO_SUCH_DEVICE };

/* ------------------------------------------------------------------------- devices, memory -- */

/* Sets *device_p to the device that the OpenMP device number `number` means: HOST, or NO_SUCH_DEVICE if no device has
 * it. Fails for omp_invalid_device. Decides OMP60-api-2. */
static accd_status resolve_device(accd_context *context, const accd__routine_call *call, int64_t number, int *device_p)
{
    assert(device_p);
    if (number == call->invalid)
        return accd__set_error(context, ACCD_ERROR_NO_DEVICE, R_OMP_DEVICE, "omp_invalid_device is not a device");
    *device_p = accd__find_omp_device(number, call->devices, call->usual);
    return ACCD_OK;
}

/* Sets *device_p to the device that the call's OpenMP device number means; HOST: the host. Fails if no device has the
 * number. Decides OMP60-api-2. */
static accd_status require_device(accd_context *context, const accd__routine_call *call, int *device_p)
{
    ACCD_TRY(resolve_device(context, call, call->device, device_p));
    if (*device_p != NO_SUCH_DEVICE)
        return ACCD_OK;
    return accd__set_error(context, ACCD_ERROR_NO_DEVICE, R_OMP_DEVICE,
                           "there is no device %lld; devices are 0 to %d, the host is %d", (long long)call->device,
                           call->devices - 1, call->devices);
}

/* Writes "the host" or "device 1" to `to`, and returns it. */
static const char *format_device(int device, char to[32])
{
    if (device == HOST)
        snprintf(to, 32, "the host");
    else
        snprintf(to, 32, "device %d", device);
    return to;
}

/* Fails if the address belongs to the memory of another device than `device`, or of the host if that is a device. */
static accd_status check_side(accd_context *context, enum accd__rule rule, int device, uint64_t address)
{
    const int owner = accd_device_at(context, address);
    char names[2][32];
    if (owner == device)
        return ACCD_OK;
    const accd_status status = accd__set_error(
        context, device == HOST ? ACCD_ERROR_DEVICE_POINTER_ON_HOST : ACCD_ERROR_HOST_POINTER_ON_DEVICE, rule,
        "this is an address of %s, not of %s", format_device(owner, names[0]), format_device(device, names[1]));
    accd_present_object object;
    if (owner != HOST && accd_present_at(context, owner, address, 1, &object))
        context->error.asked = object.info;
    return status;
}

/* Returns true if a range of bytes is allocated memory of `device`. Of the host, all memory is if the context does not
 * check host memory; otherwise, the range must lie in one live registered range. */
static bool is_allocated(accd_context *context, int device, uint64_t address, uint64_t bytes)
{
    return device == HOST ? accd__is_host_accessible(context, address, bytes)
                          : accd_device_is_allocated(context, device, address, bytes);
}

/* Fails unless a range of bytes is allocated memory of `device`. */
static accd_status check_memory(accd_context *context, enum accd__rule rule, int device, uint64_t address,
                                uint64_t bytes)
{
    ACCD_TRY(check_side(context, rule, device, address));
    if (is_allocated(context, device, address, bytes))
        return ACCD_OK;
    accd_host_range range = {0};
    char name[200] = "", memory[80] = "piece of live host memory";
    if (device != HOST) {
        accd_format_name_at(context, device, address, name, sizeof name);
        snprintf(memory, sizeof memory, "allocated piece of memory of device %d", device);
    } else if (accd_host_at(context, accd__pointer(address), &range) && *range.info.name) {
        const uint64_t offset = address - range.info.host;
        const int n = snprintf(name, sizeof name, "%s", range.info.name);
        if (offset)
            snprintf(name + n, sizeof name - (size_t)n, "+%llu", (unsigned long long)offset);
    }
    const accd_status status =
        accd__set_error(context, ACCD_ERROR_OUT_OF_BOUNDS, rule, "%llu bytes at %s are not all in one %s",
                        (unsigned long long)bytes, *name ? name : "an address", memory);
    context->error.asked = range.info;
    return status;
}

/* ---------------------------------------------------------------------------- data, pointers -- */

/* Decides a call of a data routine: a construct with the range. Nothing is done for null pointers or zero bytes that
 * the rules ignore, or while the host is the device. No pointer is attached. Decides ACC33-gloss-2, ACC33-2.7-7,
 * ACC33-3.2.18-1, ACC33-3.2.18-2, ACC33-3.2.18-3. */
static accd_status decide_data(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const accd_construct_kind kind = (accd_construct_kind)accd__get_routine(call->routine)->kind;
    const accd_rules *rules = &context->rules;
    if (call->current == HOST) {
        step->result = call->address;
        return ACCD_OK;
    }
    if (!call->address && kind != ACCD_KIND_ENTER_DATA && rules->null_routine == ACCD_CHOICE_IGNORE)
        return ACCD_OK;
    if (!call->bytes && kind == ACCD_KIND_ENTER_DATA && rules->zero_map == ACCD_CHOICE_REJECT)
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_MAP_ZERO, "no bytes cannot be mapped");
    if (!call->bytes && kind == ACCD_KIND_UPDATE && rules->zero_update == ACCD_CHOICE_REJECT)
        return accd__set_error(context, ACCD_ERROR_NOT_PRESENT, R_UPDATE_ZERO, "no bytes are never present");
    if (!call->bytes)
        return ACCD_OK;
    if (!call->address)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_DATA_ROUTINE, "a null pointer cannot be mapped");
    step->operation = ACCD__DO_CONSTRUCT;
    step->item = (accd_item){.host = accd__pointer(call->address), .bytes = call->bytes};
    return ACCD_OK;
}

/* Decides a call that attaches or detaches the pointer, or the Fortran descriptor, at the call's address. Decides
 * ACC33-att-5. */
static accd_status decide_attach(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    if (!call->address)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_ATTACH_ROUTINE,
                               "the address of a pointer is needed");
    step->operation = call->current == HOST ? ACCD__DO_NOTHING : ACCD__DO_CONSTRUCT;
    step->item = (accd_item){
        .host = call->slot_bytes ? accd__pointer(call->from) : accd__pointer(call->address),
        .bytes = call->slot_bytes ? call->bytes : sizeof(void *),
        .slot = accd__pointer(call->address),
        .slot_bytes = call->slot_bytes,
    };
    return ACCD_OK;
}

/* --------------------------------------------------------------------------- memory, mapping -- */

/* Decides omp_target_associate_ptr: maps the host memory, unless it is mapped to this device memory already. Decides
 * OMP60-api-10. */
static accd_status decide_associate(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    int device = NO_SUCH_DEVICE;
    ACCD_TRY(resolve_device(context, call, call->device, &device));
    step->result = EINVAL;
    if (device < 0 || !call->address || !call->from || !call->bytes)
        return ACCD_OK;
    const uint64_t dev = call->from + call->to_offset;
    accd_present_object object;
    ACCD_TRY(check_memory(context, R_OMP_ASSOCIATE, HOST, call->address, call->bytes));
    if (accd_present_at(context, device, call->address, 0, &object)) {
        const uint64_t offset = call->address - object.info.host;
        if (object.mapped && object.dev + offset == dev && call->bytes <= object.info.bytes - offset)
            step->result = 0;
        return ACCD_OK;
    }
    ACCD_TRY(check_memory(context, R_OMP_ASSOCIATE, device, dev, call->bytes));
    step->operation = ACCD__DO_MAP;
    step->device = device;
    step->from = dev;
    return ACCD_OK;
}

/* Decides a call that maps device memory of the program to host memory, or ends such a mapping. Decides ACC33-3.2.21-2,
 * OMP60-api-11. */
static accd_status decide_mapping(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    switch (call->routine) {
    case ACCD__ROUTINE_MAP_DATA:
        if (call->current < 0)
            return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                                   "data cannot be mapped while the host is the device: their memory is the same");
        step->operation = ACCD__DO_MAP;
        return ACCD_OK;
    case ACCD__ROUTINE_UNMAP_DATA:
        if (!call->address)
            return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_UNMAP_DATA,
                                   "a null address is mapped to nothing");
        step->operation = call->current < 0 ? ACCD__DO_NOTHING : ACCD__DO_UNMAP;
        return ACCD_OK;
    case ACCD__ROUTINE_OMP_ASSOCIATE_PTR:
        return decide_associate(context, call, step);
    default:
        ACCD_TRY(resolve_device(context, call, call->device, &step->device));
        step->operation = step->device < 0 || !call->address ? ACCD__DO_NOTHING : ACCD__DO_UNMAP;
        step->result = EINVAL;
        return ACCD_OK;
    }
}

/* Decides a call that allocates or frees memory of a device, or of the host. Decides ACC33-3.2.16-1, OMP60-api-3,
 * OMP60-api-4. */
static accd_status decide_memory(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const bool frees = call->routine == ACCD__ROUTINE_FREE || call->routine == ACCD__ROUTINE_OMP_FREE;
    if (call->routine == ACCD__ROUTINE_OMP_FREE)
        ACCD_TRY(require_device(context, call, &step->device));
    else if (call->routine == ACCD__ROUTINE_OMP_ALLOC)
        ACCD_TRY(resolve_device(context, call, call->device, &step->device));
    if (!(frees ? call->address : call->bytes) || step->device == NO_SUCH_DEVICE)
        return ACCD_OK;
    if (frees)
        ACCD_TRY(check_side(context, accd__get_routine_rule(call->routine), step->device, call->address));
    step->operation = frees ? ACCD__DO_FREE : ACCD__DO_ALLOCATE;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ copies -- */

/* Decides acc_memcpy_to_device, acc_memcpy_from_device and acc_memcpy_device. Decides ACC33-3.2.30-1. */
static accd_status decide_memcpy(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    if (!call->bytes)
        return ACCD_OK;
    if (!call->address || !call->from)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_MEMCPY, "a copy has a null address");
    if (call->routine == ACCD__ROUTINE_MEMCPY_FROM_DEVICE)
        step->device = HOST;
    if (call->routine == ACCD__ROUTINE_MEMCPY_TO_DEVICE)
        step->from_device = HOST;
    ACCD_TRY(check_side(context, R_MEMCPY, step->device, call->address));
    ACCD_TRY(check_side(context, R_MEMCPY, step->from_device, call->from));
    step->operation = ACCD__DO_COPY;
    return ACCD_OK;
}

/* Replaces *address_p, a host address, by the device address of its data on device `number`, and sets *device_p to
 * that device. Fails if there is no such device, or if the data are not present there. Decides ACC33-3.2.30-1. */
static accd_status find_present(accd_context *context, const accd__routine_call *call, int64_t number,
                                uint64_t *address_p, int *device_p)
{
    if (number < 0 || number >= call->devices)
        return accd__set_error(context, ACCD_ERROR_NO_DEVICE, R_MEMCPY, "there is no device %lld", (long long)number);
    *device_p = (int)number;
    const void *host = accd__pointer(*address_p);
    const accd_presence presence = accd_get_presence(context, *device_p, host, call->bytes);
    if (presence != ACCD_PRESENCE_FULL)
        return accd__set_error(
            context, presence == ACCD_PRESENCE_PARTIAL ? ACCD_ERROR_PARTIALLY_PRESENT : ACCD_ERROR_NOT_PRESENT,
            R_MEMCPY, "the data are not present on device %d", *device_p);
    *address_p = accd_device_address(context, *device_p, host);
    return ACCD_OK;
}

/* Decides acc_memcpy_d2d, whose addresses are host addresses of data that are present on the two devices. Work of the
 * call's queue is done first, because the copy passes through the host. */
static accd_status decide_memcpy_d2d(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    if (!call->bytes)
        return ACCD_OK;
    if (!call->address || !call->from)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_MEMCPY, "a copy has a null address");
    if (call->queue)
        ACCD_TRY(accd_queue_wait(context, call->current, call->queue));
    ACCD_TRY(find_present(context, call, call->device, &step->address, &step->device));
    ACCD_TRY(find_present(context, call, call->from_device, &step->from, &step->from_device));
    step->operation = ACCD__DO_COPY;
    return ACCD_OK;
}

/* Sets *layout to the layout of a box in one of its arrays; returns false if the box is not inside the array. */
bool accd__lay_out_box(const accd__routine_box *box, const size_t *offsets, const size_t *dimensions,
                       struct accd__box_layout *layout)
{
    assert(box->rank >= 1 && box->rank <= ACCD__MAX_BOX_RANK);
    uint64_t stride = box->element;
    layout->first = 0;
    layout->bytes = box->element;
    for (int64_t i = box->rank - 1; i >= 0; i--) {
        if (box->volume[i] > dimensions[i] || offsets[i] > dimensions[i] - box->volume[i] ||
            dimensions[i] > (uint64_t)INT64_MAX / stride)
            return false;
        layout->strides[i] = stride;
        layout->first += offsets[i] * stride;
        layout->bytes += box->volume[i] ? (box->volume[i] - 1) * stride : 0;
        stride *= dimensions[i] ? dimensions[i] : 1;
    }
    return true;
}

/* Sets address, source and number of bytes of a step that copies a box. Returns 0, or EINVAL if a box has no elements
 * to count, or is not inside of its arrays; step->bytes is 0 for a box without elements. */
static int place_box(const accd__routine_box *box, accd__routine_step *step, uint64_t spans[2])
{
    struct accd__box_layout to, from;
    if (!box->element || box->rank < 1 || box->rank > ACCD__MAX_BOX_RANK ||
        !accd__lay_out_box(box, box->to_offsets, box->to_dimensions, &to) ||
        !accd__lay_out_box(box, box->from_offsets, box->from_dimensions, &from))
        return EINVAL;
    step->bytes = box->element;
    for (int64_t i = 0; i < box->rank; i++)
        step->bytes *= box->volume[i];
    step->address += to.first;
    step->from += from.first;
    spans[0] = to.bytes;
    spans[1] = from.bytes;
    return 0;
}

/* Decides omp_target_memcpy and omp_target_memcpy_rect. Decides OMP60-api-7, OMP60-api-8. */
static accd_status decide_target_memcpy(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const enum accd__rule rule = accd__get_routine_rule(call->routine);
    const bool is_box = call->routine == ACCD__ROUTINE_OMP_MEMCPY_RECT;
    uint64_t spans[2] = {call->bytes, call->bytes};
    if (is_box && !call->address && !call->from) { /* the caller asks for the number of dimensions */
        step->result = ACCD__MAX_BOX_RANK;
        return ACCD_OK;
    }
    ACCD_TRY(resolve_device(context, call, call->device, &step->device));
    ACCD_TRY(resolve_device(context, call, call->from_device, &step->from_device));
    const bool is_null = !call->address || !call->from;
    step->result = EINVAL;
    if (step->device == NO_SUCH_DEVICE || step->from_device == NO_SUCH_DEVICE || (is_null && (is_box || call->bytes)))
        return ACCD_OK;
    if (is_box && place_box(call->box, step, spans))
        return ACCD_OK;
    step->result = 0;
    if (!step->bytes)
        return ACCD_OK;
    step->address += call->to_offset;
    step->from += call->from_offset;
    ACCD_TRY(check_memory(context, rule, step->device, step->address, spans[0]));
    ACCD_TRY(check_memory(context, rule, step->from_device, step->from, spans[1]));
    step->operation = ACCD__DO_COPY;
    return ACCD_OK;
}

/* Decides omp_target_memset. Decides OMP60-api-13. */
static accd_status decide_memset(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    ACCD_TRY(require_device(context, call, &step->device));
    step->result = call->address;
    if (!call->bytes)
        return ACCD_OK;
    if (!call->address)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_OMP_MEMSET,
                               "a null pointer points to no memory to fill");
    ACCD_TRY(check_memory(context, R_OMP_MEMSET, step->device, call->address, call->bytes));
    step->operation = ACCD__DO_FILL;
    step->from_device = HOST;
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- queries -- */

/* Decides a query of OpenMP, whose result is 0 for a null pointer, zero bytes and a number of no device. Decides
 * OMP60-api-5, OMP60-api-6, OMP60-api-12. */
static accd_status decide_target_query(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    int device = NO_SUCH_DEVICE;
    const void *host = accd__pointer(call->address);
    ACCD_TRY(resolve_device(context, call, call->device, &device));
    step->device = device;
    if (device == NO_SUCH_DEVICE || !call->address)
        return ACCD_OK;
    if (call->routine == ACCD__ROUTINE_OMP_IS_PRESENT)
        step->result = (uint64_t)accd__is_range_present(context, device, host, 1);
    else if (call->routine == ACCD__ROUTINE_OMP_GET_MAPPED_PTR)
        step->result = device == HOST ? call->address : accd_device_address(context, device, host);
    else if (call->bytes)
        step->result = accd_device_at(context, call->address) == device &&
                       is_allocated(context, device, call->address, call->bytes);
    return ACCD_OK;
}

/* Decides a query of OpenACC. While the host is the device, everything is present at its own address. Decides
 * ACC33-gloss-2. */
static accd_status decide_query(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const void *host = accd__pointer(call->address);
    if (call->routine == ACCD__ROUTINE_IS_PRESENT)
        step->result = (uint64_t)accd__is_range_present(context, call->current, host, call->bytes);
    else if (call->current < 0 || !call->address)
        step->result = call->address;
    else if (call->routine == ACCD__ROUTINE_DEVICEPTR)
        step->result = accd_device_address(context, call->current, host);
    else
        step->result = accd_host_address(context, call->current, call->address);
    return ACCD_OK;
}

/* Decides which device acc_set_device_num selects: the result. A negative number means the usual device. Decides
 * ACC33-set-1. */
static accd_status decide_device_number(accd_context *context, const accd__routine_call *call, accd__routine_step *step)
{
    const int64_t number = call->device < 0 ? call->usual : call->device;
    step->result = (uint64_t)number;
    if (number >= 0 && number < call->devices)
        return ACCD_OK;
    return accd__set_error(context, ACCD_ERROR_NO_DEVICE, R_DEVICE, "there is no device %lld; devices are 0 to %d",
                           (long long)number, call->devices - 1);
}

/* Decides routines that say how many devices there are, and where the caller runs. Decides ACC33-3.2.1-1,
 * ACC33-3.2.15-1, OMP60-api-1. */
static accd_status decide_where(const accd__routine_call *call, accd__routine_step *step)
{
    const bool in_kernel = call->current >= 0;
    const int type = (int)call->value;
    step->result =
        (uint64_t)(call->routine == ACCD__ROUTINE_GET_NUM_DEVICES
                       ? accd__count_devices(type, in_kernel ? ACCD__DEVICE_NVIDIA : ACCD__DEVICE_HOST, call->devices)
                   : call->routine == ACCD__ROUTINE_ON_DEVICE             ? accd__is_on_device(type, in_kernel)
                   : call->routine == ACCD__ROUTINE_OMP_IS_INITIAL_DEVICE ? !in_kernel
                   : call->routine == ACCD__ROUTINE_OMP_GET_DEVICE_NUM && in_kernel ? call->current
                                                                                    : call->devices);
    return ACCD_OK;
}

/* Decides in *step_p what the call does, or fails with the error of a call that must not happen. */
accd_status accd__decide_routine(accd_context *context, const accd__routine_call *call, accd__routine_step *step_p)
{
    assert(context && call && step_p);
    *step_p = (accd__routine_step){.device = call->current,
                                   .from_device = call->current,
                                   .address = call->address,
                                   .from = call->from,
                                   .bytes = call->bytes};
    switch (call->routine) {
    case ACCD__ROUTINE_ATTACH:
    case ACCD__ROUTINE_DETACH:
    case ACCD__ROUTINE_DETACH_FINALIZE:
        return decide_attach(context, call, step_p);
    case ACCD__ROUTINE_IS_PRESENT:
    case ACCD__ROUTINE_DEVICEPTR:
    case ACCD__ROUTINE_HOSTPTR:
        return decide_query(context, call, step_p);
    case ACCD__ROUTINE_MAP_DATA:
    case ACCD__ROUTINE_UNMAP_DATA:
    case ACCD__ROUTINE_OMP_ASSOCIATE_PTR:
    case ACCD__ROUTINE_OMP_DISASSOCIATE_PTR:
        return decide_mapping(context, call, step_p);
    case ACCD__ROUTINE_MALLOC:
    case ACCD__ROUTINE_FREE:
    case ACCD__ROUTINE_OMP_ALLOC:
    case ACCD__ROUTINE_OMP_FREE:
        return decide_memory(context, call, step_p);
    case ACCD__ROUTINE_MEMCPY_TO_DEVICE:
    case ACCD__ROUTINE_MEMCPY_FROM_DEVICE:
    case ACCD__ROUTINE_MEMCPY_DEVICE:
        return decide_memcpy(context, call, step_p);
    case ACCD__ROUTINE_MEMCPY_D2D:
        return decide_memcpy_d2d(context, call, step_p);
    case ACCD__ROUTINE_SET_DEVICE_NUM:
        return decide_device_number(context, call, step_p);
    case ACCD__ROUTINE_OMP_SET_DEFAULT_DEVICE:
        ACCD_TRY(require_device(context, call, &step_p->device));
        step_p->result = (uint64_t)(step_p->device == HOST ? call->devices : step_p->device);
        return ACCD_OK;
    case ACCD__ROUTINE_GET_NUM_DEVICES:
    case ACCD__ROUTINE_ON_DEVICE:
    case ACCD__ROUTINE_OMP_GET_NUM_DEVICES:
    case ACCD__ROUTINE_OMP_GET_DEVICE_NUM:
    case ACCD__ROUTINE_OMP_IS_INITIAL_DEVICE:
        return decide_where(call, step_p);
    case ACCD__ROUTINE_OMP_MEMCPY:
    case ACCD__ROUTINE_OMP_MEMCPY_RECT:
        return decide_target_memcpy(context, call, step_p);
    case ACCD__ROUTINE_OMP_MEMSET:
        return decide_memset(context, call, step_p);
    case ACCD__ROUTINE_OMP_IS_PRESENT:
    case ACCD__ROUTINE_OMP_IS_ACCESSIBLE:
    case ACCD__ROUTINE_OMP_GET_MAPPED_PTR:
        return decide_target_query(context, call, step_p);
    default:
        if (accd__routine_runs_construct(call->routine))
            return decide_data(context, call, step_p);
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "no call of this routine is decided here");
    }
}
