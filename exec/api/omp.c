/* omp.c - OpenMP's routines for device information and device memory, as the compiler's omp.h declares them; and the
 * helpers of target.h for directives. The host's device number is the number of devices. Wrong arguments give the
 * results that the standard requires; use of device memory that is not allocated ends the program. */
#include "diag/errors.h"
#include "diag/label.h"
#include "rt/lifecycle.h"
#include "routine_steps.h"
#include "next_function.h"
#include "target.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Declarations as in omp.h, which belongs to the program's compiler. */
#define ROUTINES(X)                                                                                                    \
    X(int, omp_get_num_devices, (void))                                                                                \
    X(int, omp_get_num_devices_, (void))                                                                               \
    X(int, omp_get_initial_device, (void))                                                                             \
    X(int, omp_get_initial_device_, (void))                                                                            \
    X(int, omp_get_device_num, (void))                                                                                 \
    X(int, omp_get_device_num_, (void))                                                                                \
    X(int, omp_is_initial_device, (void))                                                                              \
    X(int, omp_is_initial_device_, (void))                                                                             \
    X(const char *, omp_get_uid_from_device, (int device))                                                             \
    X(int, omp_get_device_from_uid, (const char *uid))                                                                 \
    X(void *, omp_target_alloc, (size_t bytes, int device))                                                            \
    X(void, omp_target_free, (void *pointer, int device))                                                              \
    X(int, omp_target_is_present, (const void *pointer, int device))                                                   \
    X(int, omp_target_is_accessible, (const void *pointer, size_t bytes, int device))                                  \
    X(void *, omp_get_mapped_ptr, (const void *pointer, int device))                                                   \
    X(int, omp_target_memcpy,                                                                                          \
      (void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset, int to_device,                  \
       int from_device))                                                                                               \
    X(int, omp_target_memcpy_rect,                                                                                     \
      (void *to, const void *from, size_t element, int rank, const size_t *volume, const size_t *to_offsets,           \
       const size_t *from_offsets, const size_t *to_dimensions, const size_t *from_dimensions, int to_device,          \
       int from_device))                                                                                               \
    X(void *, omp_target_memset, (void *pointer, int value, size_t bytes, int device))                                 \
    X(int, omp_target_associate_ptr, (const void *host, const void *pointer, size_t bytes, size_t offset, int device)) \
    X(int, omp_target_disassociate_ptr, (const void *host, int device))
#define DECLARE(type, name, parameters) type name parameters;
ROUTINES(DECLARE)

/* Returns the address of the site (struct rt_site) of the program's call of the routine that uses this macro. */
#define HERE ((const struct rt_site[]){rt_caller_site(__func__)})

/* ----------------------------------------------------------------------------------- devices -- */

/* Returns the number of devices for OpenMP; starts the runtime if necessary. */
int rt_get_target_device_count(void)
{
    if (!rt.options.rules)
        rt.starts_with_openmp = true;
    rt_ensure_started(); /* sets rt.options, which have the number */
    return rt.options.targets;
}

/* Returns the device on which the caller runs; -1: the host. In a target region the thread's default device is
 * RT_TARGET_DEVICE_BASE plus the number of the region's device. */
static int get_current_device(void)
{
    const int number = RT_NEXT(omp_get_default_device)();
    return number >= RT_TARGET_DEVICE_BASE ? number - RT_TARGET_DEVICE_BASE : -1;
}

/* Reports that the call at `site` names the device `number`, which does not exist, and ends the program. */
static _Noreturn void refuse_device(const struct rt_site *site, int number)
{
    const int devices = rt_get_target_device_count();
    rt_reject_call(site, "no-device", "names device %d; devices are 0 to %d, the host is %d", number, devices - 1,
                   devices);
}

/* Returns the device that `number` means in a directive; -1: the host. Ends the program if no device has the number, or
 * inside of a target region. */
int rt_resolve_target_device(int number, const struct rt_site *site)
{
    enum { DEFAULT = -1, HOST = -2 }; /* numbers that compilers pass in directives */
    const int devices = rt_can_use_fast_path() ? rt.options.targets : rt_get_target_device_count();
    if (number == ACCD__OMP_DEFAULT_DEVICE)
        number = DEFAULT;
    if (number == HOST || (number == DEFAULT && !devices))
        return -1;
    if (number == DEFAULT)
        number = RT_NEXT(omp_get_default_device)();
    if (number >= RT_TARGET_DEVICE_BASE)
        rt_reject_nested_call(site, "target");
    if (devices && (number < 0 || number > devices))
        refuse_device(site, number);
    return number < devices ? number : -1;
}

/* Begins a call in which `device` is the thread's device; a negative `device` keeps the thread's own. */
struct rt_target_call rt_target_enter(const struct rt_site *site, int device)
{
    assert(site);
    struct rt_target_call call = {.self = rt_enter(site)};
    call.before = call.self->device;
    if (device >= 0)
        call.self->device = device;
    return call;
}

/* Ends a call that rt_target_enter began, and restores the thread's device. */
void rt_target_leave(const struct rt_target_call *call)
{
    assert(call->self);
    call->self->device = call->before;
    rt_leave();
}

/* Returns the number of devices, without the host. */
int omp_get_num_devices(void)
{
    return rt_get_target_device_count();
}
int omp_get_num_devices_(void) /* returns the number of devices, for Fortran */
{
    return rt_get_target_device_count();
}
/* Returns the host's device number, which equals the number of devices. */
int omp_get_initial_device(void)
{
    return rt_get_target_device_count();
}
int omp_get_initial_device_(void) /* returns the host's number, for Fortran */
{
    return rt_get_target_device_count();
}
/* Returns 1 if the caller runs on the host, otherwise 0. */
int omp_is_initial_device(void)
{
    return get_current_device() < 0;
}
int omp_is_initial_device_(void) /* returns 1 on the host, for Fortran */
{
    return get_current_device() < 0;
}

/* Returns the number of the device on which the caller runs; on the host, the host's device number. */
int omp_get_device_num(void)
{
    const int device = get_current_device();
    return device < 0 ? rt_get_target_device_count() : device;
}

/* Returns the number of the device on which the caller runs, for Fortran. */
int omp_get_device_num_(void)
{
    return omp_get_device_num();
}

/* Returns the device that omp_default_device means, if that is `number` or `other`; otherwise 0. */
static int get_default_device(int number, int other)
{
    if (number != ACCD__OMP_DEFAULT_DEVICE && other != ACCD__OMP_DEFAULT_DEVICE)
        return 0;
    return rt_get_target_device_count() ? RT_NEXT(omp_get_default_device)() : ACCD__OMP_INITIAL_DEVICE;
}

/* Returns omp_invalid_device of the program's compiler: -2 for libomp, -4 for libgomp. */
static int get_invalid_device(void)
{
    static atomic_int number; /* 0: not yet known */
    if (!number)
        number = dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num") ? -2 : ACCD__OMP_INVALID_DEVICE;
    return number;
}

/* Returns the unique name of the device `number`, the same in each run; NULL if the number belongs to no device. */
const char *omp_get_uid_from_device(int number)
{
    static char names[64][24];
    const int devices = rt_get_target_device_count();
    const int device = accd__find_omp_device(number, devices, get_default_device(number, 0));
    if (device == ACCD__HOST_DEVICE)
        return "accdeep-host";
    if (device < 0 || device >= (int)(sizeof names / sizeof names[0]))
        return NULL;
    snprintf(names[device], sizeof names[0], "accdeep-device-%d", device);
    return names[device];
}

/* Returns the number of the device with this name; the compiler's omp_invalid_device if no device has it. */
int omp_get_device_from_uid(const char *uid)
{
    const int devices = rt_get_target_device_count();
    for (int device = 0; uid && device <= devices; device++) {
        const char *name = omp_get_uid_from_device(device);
        if (name && !strcmp(uid, name))
            return device;
    }
    return get_invalid_device();
}

/* Returns true if the caller runs in a target region of a device, by the value of its default device. */
bool rt_is_in_target(void)
{
    return get_current_device() >= 0;
}

/* --------------------------------------------------------------------------------- the calls -- */

/* Decides and does a call at `site`, on the device that it names. Arguments of `call` that depend on the program's
 * runtime are set here. Returns the result of the routine. A call that must not happen ends the program. */
static uint64_t run_routine(const struct rt_site *site, accd__routine_call call)
{
    assert(site);
    call.devices = rt_get_target_device_count();
    call.usual = get_default_device((int)call.device, (int)call.from_device);
    call.invalid = get_invalid_device();
    const struct rt_target_call target_call = rt_target_enter(site, -1);
    accd__routine_step step = rt_decide_routine(&call);
    if (step.device >= 0) /* the labels and reports of the call are about this device */
        target_call.self->device = step.device;
    accd_item item = {.host = (const void *)(uintptr_t)step.address, .bytes = step.bytes};
    if (step.operation == ACCD__DO_MAP) {
        rt_label_item_at_site(&item);
        call.label = item.label;
    }
    rt_perform_routine(&call, &step);
    if (call.routine == ACCD__ROUTINE_OMP_IS_PRESENT && step.device >= 0)
        RT_CALL_HOOKS(query, step.device, (const void *)(uintptr_t)call.address);
    if (call.routine == ACCD__ROUTINE_OMP_GET_MAPPED_PTR && step.device >= 0)
        RT_CALL_HOOKS(expose, step.result);
    rt_target_leave(&target_call);
    return step.result;
}

/* Runs the routine `name` (ACCD__ROUTINE_OMP_name), called at `site`, with the arguments `...`, fields of
 * accd__routine_call. Returns its result. */
#define RUN(site, name, ...) run_routine(site, (accd__routine_call){.routine = ACCD__ROUTINE_OMP_##name, __VA_ARGS__})
#define ADDRESS(pointer) ((uintptr_t)(pointer))

/* Allocates `bytes` bytes of the device's memory, or of the host's if `device` is the host. Returns NULL if memory is
 * exhausted, for 0 bytes, or if the number `device` belongs to no device. */
void *omp_target_alloc(size_t bytes, int device)
{
    return (void *)(uintptr_t)RUN(HERE, ALLOC, .bytes = bytes, .device = device);
}

/* Frees memory of omp_target_alloc. Ends the program if the memory at `pointer` is not allocated on the device, or if
 * the number `device` belongs to no device. */
void omp_target_free(void *pointer, int device)
{
    (void)RUN(HERE, FREE, .address = ADDRESS(pointer), .device = device);
}

/* Returns 1 if the byte at `pointer` is present on the device, or the device is the host; otherwise 0. */
int omp_target_is_present(const void *pointer, int device)
{
    return (int)RUN(HERE, IS_PRESENT, .address = ADDRESS(pointer), .device = device);
}

/* Returns 1 if the `bytes` bytes at `pointer` are allocated memory of `device`, otherwise 0. The host's memory is all
 * that belongs to no device. */
int omp_target_is_accessible(const void *pointer, size_t bytes, int device)
{
    return (int)RUN(HERE, IS_ACCESSIBLE, .address = ADDRESS(pointer), .bytes = bytes, .device = device);
}

/* Returns the device address of the data at the host address `pointer`; NULL if they are absent, or if no device has
 * the number `device`. Returns `pointer` if `device` is the host. */
void *omp_get_mapped_ptr(const void *pointer, int device)
{
    return (void *)(uintptr_t)RUN(HERE, GET_MAPPED_PTR, .address = ADDRESS(pointer), .device = device);
}

/* Maps the `bytes` bytes at `host` to device memory that the program has allocated, at `pointer` plus `offset`. Returns
 * 0, also if they are mapped so already; EINVAL for null pointers, and for data that are present elsewhere. */
int omp_target_associate_ptr(const void *host, const void *pointer, size_t bytes, size_t offset, int device)
{
    return (int)RUN(HERE, ASSOCIATE_PTR, .address = ADDRESS(host), .from = ADDRESS(pointer), .bytes = bytes,
                    .to_offset = offset, .device = device);
}

/* Unmaps data that omp_target_associate_ptr has mapped. Returns 0, or EINVAL for other data, and data in use. */
int omp_target_disassociate_ptr(const void *host, int device)
{
    return (int)RUN(HERE, DISASSOCIATE_PTR, .address = ADDRESS(host), .device = device);
}

/* ------------------------------------------------------------------------------------ copies -- */

/* Copies `bytes` bytes from `from` + `from_offset` to `to` + `to_offset`, for a call at `site`. Returns 0, or EINVAL
 * for a NULL pointer or a number that belongs to no device. A failed copy ends the program. */
int rt_target_copy(const struct rt_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                   size_t from_offset, int to_device, int from_device)
{
    return (int)RUN(site, MEMCPY, .address = ADDRESS(to), .from = ADDRESS(from), .bytes = bytes, .to_offset = to_offset,
                    .from_offset = from_offset, .device = to_device, .from_device = from_device);
}

/* Copies bytes between devices; returns 0, or EINVAL for invalid arguments. */
int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset, int to_device,
                      int from_device)
{
    return rt_target_copy(HERE, to, from, bytes, to_offset, from_offset, to_device, from_device);
}

/* Copies a part of an array of `rank` dimensions between devices, for a call at `site`. Returns 0, EINVAL for invalid
 * arguments, or the largest number of dimensions if `to` and `from` are NULL. A failed copy ends the program. */
int rt_target_copy_rows(const struct rt_site *site, void *to, const void *from, size_t element, int rank,
                        const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                        const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device)
{
    const accd__routine_box box = {element, rank, volume, to_offsets, from_offsets, to_dimensions, from_dimensions};
    return (int)RUN(site, MEMCPY_RECT, .address = ADDRESS(to), .from = ADDRESS(from), .device = to_device,
                    .from_device = from_device, .box = &box);
}

/* Copies a part of an array between devices. Returns 0, EINVAL for invalid arguments, or the largest number of
 * dimensions if `to` and `from` are NULL. */
int omp_target_memcpy_rect(void *to, const void *from, size_t element, int rank, const size_t *volume,
                           const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                           const size_t *from_dimensions, int to_device, int from_device)
{
    return rt_target_copy_rows(HERE, to, from, element, rank, volume, to_offsets, from_offsets, to_dimensions,
                               from_dimensions, to_device, from_device);
}

/* Sets `bytes` bytes at `pointer`, in memory of `device` or of the host, to `value`; returns `pointer`. Ends the
 * program for a NULL pointer, a number of no device, and memory that is not allocated. */
void *rt_target_memset(const struct rt_site *site, void *pointer, int value, size_t bytes, int device)
{
    return (void *)(uintptr_t)RUN(site, MEMSET, .address = ADDRESS(pointer), .value = value, .bytes = bytes,
                                  .device = device);
}

/* Sets `bytes` bytes of a device or of the host to `value`; returns `pointer`. */
void *omp_target_memset(void *pointer, int value, size_t bytes, int device)
{
    return rt_target_memset(HERE, pointer, value, bytes, device);
}
