/* omp.c - OpenMP's routines for device information and device memory, as the compiler's omp.h declares them; and the
 * helpers of target.h for directives. The host's device number is the number of devices. Wrong arguments give the
 * results that the standard requires; use of device memory that is not allocated ends the program. */
#include "diag/errors.h"
#include "diag/label.h"
#include "rt/lifecycle.h"
#include "device_memory.h"
#include "next_function.h"
#include "target.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

enum { OMP_DEFAULT_DEVICE = -5 }; /* omp_default_device of OpenMP 6.0: stands for default-device-var */

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
    if (number == OMP_DEFAULT_DEVICE)
        number = DEFAULT;
    if (number == HOST || (number == DEFAULT && !devices))
        return -1;
    if (number == DEFAULT)
        number = RT_NEXT(omp_get_default_device)();
    if (number >= RT_TARGET_DEVICE_BASE)
        rt_reject_call(site, "misuse", "was encountered inside a target region");
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

/* Resolves the device number that a routine gets; *device_p becomes the device, -1 for the host. Returns false if
 * `number` belongs to no device (OMP60-api-2). */
static bool is_device(int number, int *device_p)
{
    assert(device_p);
    enum { INITIAL = -1 };
    const int devices = rt_get_target_device_count();
    if (number == OMP_DEFAULT_DEVICE)
        number = devices ? RT_NEXT(omp_get_default_device)() : INITIAL;
    *device_p = number == devices ? INITIAL : number;
    return number >= INITIAL && number <= devices;
}

/* Returns the unique name of the device `number`, the same in each run; NULL if the number belongs to no device. */
const char *omp_get_uid_from_device(int number)
{
    static char names[64][24];
    int device;
    if (!is_device(number, &device) || device >= (int)(sizeof names / sizeof names[0]))
        return NULL;
    if (device < 0)
        return "accdeep-host";
    snprintf(names[device], sizeof names[0], "accdeep-device-%d", device);
    return names[device];
}

/* Returns the number of the device with this name; the compiler's omp_invalid_device if no device has it. */
int omp_get_device_from_uid(const char *uid)
{
    /* Value of omp_invalid_device in omp.h: -2 for libomp, -4 for libgomp. */
    const int devices = rt_get_target_device_count();
    const int invalid = dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num") ? -2 : -4;
    for (int device = 0; uid && device <= devices; device++) {
        const char *name = omp_get_uid_from_device(device);
        if (name && !strcmp(uid, name))
            return device;
    }
    return invalid;
}

/* Returns true if the caller runs in a target region of a device, by the value of its default device. */
bool rt_is_in_target(void)
{
    return get_current_device() >= 0;
}

/* ------------------------------------------------------------------------------------ memory -- */

/* Allocates `bytes` bytes of the device's memory, or of the host's if `device` is the host. Returns NULL if memory is
 * exhausted, for 0 bytes, or if the number `device` belongs to no device. */
void *omp_target_alloc(size_t bytes, int device)
{
    if (!is_device(device, &device) || !bytes)
        return NULL;
    if (device < 0)
        return malloc(bytes);
    const struct rt_target_call call = rt_target_enter(HERE, device);
    void *const pointer = rt_alloc_device_memory(device, bytes); /* NULL without memory (OMP60-api-3) */
    rt_target_leave(&call);
    return pointer;
}

/* Frees memory of omp_target_alloc. Ends the program if the device memory at `pointer` is not allocated, or if the
 * number `device` belongs to no device. */
void omp_target_free(void *pointer, int device)
{
    if (!is_device(device, &device))
        refuse_device(HERE, device);
    if (device < 0) {
        free(pointer);
        return;
    }
    const struct rt_target_call call = rt_target_enter(HERE, device);
    rt_free_device_memory(device, pointer);
    rt_target_leave(&call);
}

/* Returns 1 if the byte at `pointer` is present on the device, or the device is the host; otherwise 0. */
int omp_target_is_present(const void *pointer, int device)
{
    if (!is_device(device, &device) || !pointer)
        return 0;
    if (device < 0)
        return 1;
    const struct rt_target_call call = rt_target_enter(HERE, device);
    const bool present = accd_get_presence(rt.context, device, pointer, 1) == ACCD_PRESENCE_FULL;
    RT_CALL_HOOKS(query, device, pointer);
    rt_target_leave(&call);
    return present;
}

/* Returns 1 if the first and the last of the `bytes` bytes at `pointer` belong to memory of `device`, otherwise 0. The
 * host's memory is all that belongs to no device. */
int omp_target_is_accessible(const void *pointer, size_t bytes, int device)
{
    if (!is_device(device, &device) || !pointer || !bytes)
        return 0;
    const struct rt_target_call call = rt_target_enter(HERE, device);
    const int owner = accd_device_at(rt.context, (uintptr_t)pointer);
    const int last = accd_device_at(rt.context, (uintptr_t)pointer + bytes - 1);
    rt_target_leave(&call);
    return owner == device && last == device;
}

/* Returns the device address of the data at the host address `pointer`; NULL if they are absent, or if no device has
 * the number `device`. Returns `pointer` if `device` is the host. */
void *omp_get_mapped_ptr(const void *pointer, int device)
{
    if (!is_device(device, &device) || !pointer)
        return NULL;
    if (device < 0)
        return (void *)(uintptr_t)pointer;
    const struct rt_target_call call = rt_target_enter(HERE, device);
    const uint64_t address = accd_device_address(rt.context, device, pointer);
    RT_CALL_HOOKS(expose, address);
    rt_target_leave(&call);
    return (void *)(uintptr_t)address;
}

/* Maps the `bytes` bytes at `host` to device memory that the program has allocated, at `pointer` plus `offset`. Returns
 * 0, also if they are mapped so already; EINVAL for invalid arguments, and for data that are present elsewhere. */
int omp_target_associate_ptr(const void *host, const void *pointer, size_t bytes, size_t offset, int device)
{
    if (!is_device(device, &device) || device < 0 || !host || !pointer)
        return EINVAL;
    const uint64_t dev_address = (uintptr_t)pointer + offset;
    const struct rt_target_call call = rt_target_enter(HERE, device);
    accd_item item = {.host = host, .bytes = bytes};
    accd_present_object object;
    rt_label_item_at_site(&item);
    bool success = false;
    if (accd_present_at(rt.context, device, (uintptr_t)host, 0, &object)) /* repeating an association does nothing */
        success = object.mapped && object.info.host == (uintptr_t)host && object.info.bytes == bytes &&
                  object.dev == dev_address;
    else
        success = accd_map_data(rt.context, device, host, dev_address, bytes, item.label) == ACCD_OK;
    if (success)
        RT_CALL_HOOKS(map, host, bytes);
    rt_target_leave(&call);
    return success ? 0 : EINVAL;
}

/* Unmaps data that omp_target_associate_ptr has mapped. Returns 0, or EINVAL for invalid arguments or other data. */
int omp_target_disassociate_ptr(const void *host, int device)
{
    if (!is_device(device, &device) || device < 0 || !host)
        return EINVAL;
    const struct rt_target_call call = rt_target_enter(HERE, device);
    RT_CALL_HOOKS(unmap, device, host);
    const bool success = accd_unmap_data(rt.context, device, host) == ACCD_OK;
    rt_target_leave(&call);
    return success ? 0 : EINVAL;
}

/* ------------------------------------------------------------------------------------ copies -- */

/* Copies `bytes` bytes from `from` + `from_offset` to `to` + `to_offset`, for a call at `site`. Returns 0, or EINVAL
 * for a NULL pointer or a number that belongs to no device. A failed copy ends the program. */
int rt_target_copy(const struct rt_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                   size_t from_offset, int to_device, int from_device)
{
    if (!is_device(to_device, &to_device) || !is_device(from_device, &from_device))
        return EINVAL;
    if (!bytes)
        return 0;
    if (!to || !from)
        return EINVAL;
    const struct rt_target_call call = rt_target_enter(site, -1);
    rt_copy_device_memory((char *)to + to_offset, (const char *)from + from_offset, bytes, to_device, from_device);
    rt_target_leave(&call);
    return 0;
}

/* Copies bytes between devices; returns 0, or EINVAL for invalid arguments. */
int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset, int to_device,
                      int from_device)
{
    return rt_target_copy(HERE, to, from, bytes, to_offset, from_offset, to_device, from_device);
}

/* Returns the offset in bytes of the first element to copy, which has the index offsets[i] in dimension i. Stores in
 * strides[i] the distance in bytes between elements of dimension i; dimensions[i]: its number of elements. */
static size_t compute_first_offset(int rank, const size_t *offsets, const size_t *dimensions, size_t element,
                                   size_t *strides)
{
    size_t stride = element, first = 0;
    assert(rank > 0);
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        first += offsets[i] * stride;
        stride *= dimensions[i];
    }
    return first;
}

/* Copies volume[0] * ... * volume[rank - 1] elements row by row: only elements of the last dimension are contiguous.
 * Calls itself for each dimension. A failed copy ends the program. */
static void copy_rows(char *to, const char *from, int rank, const size_t *volume, const size_t *to_strides,
                      const size_t *from_strides, int to_device, int from_device)
{
    assert(rank > 0);
    if (rank == 1)
        rt_copy_device_memory(to, from, volume[0] * to_strides[0], to_device, from_device);
    else
        for (size_t i = 0; i < volume[0]; i++)
            copy_rows(to + i * to_strides[0], from + i * from_strides[0], rank - 1, volume + 1, to_strides + 1,
                      from_strides + 1, to_device, from_device);
}

/* Copies a part of an array of `rank` dimensions between devices, for a call at `site`. Returns 0, EINVAL for invalid
 * arguments, or the largest number of dimensions if `to` and `from` are NULL. A failed copy ends the program. */
int rt_target_copy_rows(const struct rt_site *site, void *to, const void *from, size_t element, int rank,
                        const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                        const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device)
{
    enum { RANKS = 32 };
    size_t to_strides[RANKS], from_strides[RANKS];
    if (!to && !from) /* the number of possible dimensions is requested (OMP60-api-8) */
        return RANKS;
    if (!is_device(to_device, &to_device) || !is_device(from_device, &from_device) || !to || !from || !element ||
        rank < 1 || rank > RANKS)
        return EINVAL;
    for (int i = 0; i < rank; i++)
        if (!volume[i])
            return 0;
    to = (char *)to + compute_first_offset(rank, to_offsets, to_dimensions, element, to_strides);
    from = (const char *)from + compute_first_offset(rank, from_offsets, from_dimensions, element, from_strides);
    const struct rt_target_call call = rt_target_enter(site, -1);
    copy_rows(to, from, rank, volume, to_strides, from_strides, to_device, from_device);
    rt_target_leave(&call);
    return 0;
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

/* Sets `bytes` bytes at `pointer`, in memory of `device` or of the host, to `value`; returns `pointer`. Device memory
 * is set by copies of up to 4096 bytes from the host. Does nothing for a NULL pointer or a number of no device. */
void *rt_target_memset(const struct rt_site *site, void *pointer, int value, size_t bytes, int device)
{
    char buffer[4096];
    if (!is_device(device, &device) || !pointer)
        return pointer;
    if (device < 0)
        return memset(pointer, value, bytes);
    memset(buffer, value, sizeof buffer);
    const struct rt_target_call call = rt_target_enter(site, device);
    for (size_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < sizeof buffer ? bytes - at : sizeof buffer;
        rt_copy_device_memory((char *)pointer + at, buffer, n, device, -1);
    }
    rt_target_leave(&call);
    return pointer;
}

/* Sets `bytes` bytes of a device or of the host to `value`; returns `pointer`. */
void *omp_target_memset(void *pointer, int value, size_t bytes, int device)
{
    return rt_target_memset(HERE, pointer, value, bytes, device);
}
