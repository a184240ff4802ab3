/* memory.c - public functions about addresses and memory of devices, for the program's own kernels. */
#include "embed.h"

#include <lauxlib.h>

/* Returns the number of the device of the kernel in progress (-1: it runs on the host); without a kernel, that of the
 * session's current device. */
static int current_device(const accd_session *a)
{
    return a->kernel ? a->kernel->device : a->device;
}

/* Returns ACCD_OK if a call may inspect the current device. Otherwise fills the error detail and returns its status,
 * such as ACCD_ERROR_NO_DEVICE if the kernel in progress runs on the host. */
static accd_status check_inspection(accd_session *a, struct accd__caller caller)
{
    accd_status status = accd__check_inspection(a, caller);
    if (status == ACCD_OK && current_device(a) < 0)
        status = accd__reject_call(a, ACCD_ERROR_NO_DEVICE, "HOUSE-device", "the kernel runs on the host");
    return status;
}

/* Returns the device address of the present data at the host address `host`; NULL if the call fails or no data are
 * present there. */
void *accd_deviceptr(accd_session *a, const void *host)
{
    if (check_inspection(a, ACCD_HERE) != ACCD_OK)
        return NULL;
    return (void *)(uintptr_t)accd_device_address(a->core, current_device(a), host);
}

/* Returns the host address of the present data at the device address `device`; NULL if the call fails or no data have
 * this address. */
void *accd_hostptr(accd_session *a, const void *device)
{
    if (check_inspection(a, ACCD_HERE) != ACCD_OK)
        return NULL;
    return (void *)(uintptr_t)accd_host_address(a->core, current_device(a), (uintptr_t)device);
}

/* Returns 1 if a host range is present in one object; 0 otherwise, also if the call fails. */
int accd_is_present(accd_session *a, const void *host, size_t bytes)
{
    return check_inspection(a, ACCD_HERE) == ACCD_OK &&
           accd_get_presence(a->core, current_device(a), host, bytes) == ACCD_PRESENCE_FULL;
}

/* Returns ACCD_OK if a call may copy `bytes` bytes from or to `host`, which may be NULL only if `bytes` is 0. Otherwise
 * fills the error detail and returns its status. */
static accd_status check_host_range(accd_session *a, struct accd__caller caller, const void *host, size_t bytes)
{
    accd_status status = check_inspection(a, caller);
    if (status == ACCD_OK && !host && bytes)
        status = accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse", "an argument is missing");
    return status;
}

/* Returns `status`, the result of a function of the core. If it is not ACCD_OK, first fills the error detail with the
 * core's error. */
static accd_status finish_inspection(accd_session *a, accd_status status)
{
    return status == ACCD_OK ? ACCD_OK : accd__report_core_error(a, status);
}

/* Copies host bytes to a device address. Fails if an address is wrong, but makes no other check of a kernel. */
accd_status accd_memcpy_to_device(accd_session *a, void *device, const void *host, size_t bytes)
{
    accd_status status = check_host_range(a, ACCD_HERE, host, bytes);
    if (status != ACCD_OK)
        return status;
    return finish_inspection(a, accd_copy_to_device(a->core, current_device(a), (uintptr_t)device, host, bytes));
}

/* Copies bytes from a device address to the host. Fails if an address is wrong; bytes that were never written are not
 * reported. */
accd_status accd_memcpy_from_device(accd_session *a, void *host, const void *device, size_t bytes)
{
    accd_status status = check_host_range(a, ACCD_HERE, host, bytes);
    if (status != ACCD_OK)
        return status;
    return finish_inspection(a, accd_copy_from_device(a->core, current_device(a), host, (uintptr_t)device, bytes));
}

/* Reads device bytes as a kernel would: fails for bytes out of bounds, never written, or in excluded members. */
accd_status accd_kernel_read(accd_session *a, void *to, const void *device, size_t bytes)
{
    accd_status status = check_host_range(a, ACCD_HERE, to, bytes);
    if (status != ACCD_OK)
        return status;
    return finish_inspection(a, accd_device_read(a->core, current_device(a), (uintptr_t)device, to, bytes));
}

/* Writes device bytes as a kernel would: fails for bytes out of bounds or in excluded members, and for attached
 * pointers. */
accd_status accd_kernel_write(accd_session *a, void *device, const void *from, size_t bytes)
{
    accd_status status = check_host_range(a, ACCD_HERE, from, bytes);
    if (status != ACCD_OK)
        return status;
    return finish_inspection(a, accd_device_write(a->core, current_device(a), (uintptr_t)device, from, bytes));
}

/* --------------------------------------------------------------------------------------- devices -- */

/* Argument of set_session_device. */
struct choice {
    accd_session *a;
    int device;
};

/* Lua function (struct choice): selects the device in the Lua session. Raises if no device has the number. */
static int set_session_device(lua_State *L)
{
    const struct choice *choice = lua_touserdata(L, 1);
    accd__push_method(L, choice->a, "set_device");
    lua_pushinteger(L, choice->device);
    lua_call(L, 2, 0);
    return 0;
}

/* Selects the current device of the session. Fails if no device has the number. */
accd_status accd_set_device(accd_session *a, int device)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    struct choice choice = {a, device};
    status = accd__call_protected(a, set_session_device, &choice);
    if (status == ACCD_OK)
        a->device = device;
    return accd__end_call(a, status);
}

/* Returns the number of the current device; -1 if the kernel in progress runs on the host, or the call is refused. */
int accd_get_device(accd_session *a)
{
    return accd__check_inspection(a, ACCD_HERE) == ACCD_OK ? current_device(a) : -1;
}

/* Returns the core's context of the session; NULL if the call is refused: no session, another thread's, or one in a
 * call. */
accd_context *accd_get_context(accd_session *a)
{
    return accd__check_inspection(a, ACCD_HERE) == ACCD_OK ? a->core : NULL;
}
