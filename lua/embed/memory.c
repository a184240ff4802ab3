/* memory.c - addresses and memory of devices, for the program's own kernels. */
#include "embed.h"

#include <lauxlib.h>

/* The device of the kernel that runs, which may be none, or the current one. */
static int here(const accd *a)
{
    return a->kernel ? a->kernel->device : a->device;
}

/* Begins a call that looks at a device. */
static accd_status look(accd *a, struct caller caller)
{
    accd_status status = accd_look(a, caller);
    if (status == ACCD_OK && here(a) < 0)
        status = accd_refuse(a, ACCD_NO_DEVICE, "HOUSE-device", "the kernel runs on the host");
    return status;
}

void *accd_deviceptr(accd *a, const void *host)
{
    if (look(a, ACCD_HERE) != ACCD_OK)
        return NULL;
    return (void *)(uintptr_t)accd_device_address(a->core, here(a), host);
}

void *accd_hostptr(accd *a, const void *device)
{
    if (look(a, ACCD_HERE) != ACCD_OK)
        return NULL;
    return (void *)(uintptr_t)accd_host_address(a->core, here(a), (uintptr_t)device);
}

int accd_is_present(accd *a, const void *host, size_t bytes)
{
    return look(a, ACCD_HERE) == ACCD_OK &&
           accd_presence_of(a->core, here(a), host, bytes) == ACCD_WHOLLY;
}

/* Begins a call that copies bytes of the host. */
static accd_status look_with(accd *a, struct caller caller, const void *host, size_t bytes)
{
    accd_status status = look(a, caller);
    if (status == ACCD_OK && !host && bytes)
        status = accd_refuse(a, ACCD_MISUSE, "HOUSE-misuse", "an argument is missing");
    return status;
}

static accd_status result(accd *a, accd_status status)
{
    return status == ACCD_OK ? ACCD_OK : accd_fail_core(a, status);
}

accd_status accd_memcpy_to_device(accd *a, void *device, const void *host, size_t bytes)
{
    accd_status status = look_with(a, ACCD_HERE, host, bytes);
    if (status != ACCD_OK)
        return status;
    return result(a, accd_to_device(a->core, here(a), (uintptr_t)device, host, bytes));
}

accd_status accd_memcpy_from_device(accd *a, void *host, const void *device, size_t bytes)
{
    accd_status status = look_with(a, ACCD_HERE, host, bytes);
    if (status != ACCD_OK)
        return status;
    return result(a, accd_from_device(a->core, here(a), host, (uintptr_t)device, bytes));
}

accd_status accd_kernel_read(accd *a, void *to, const void *device, size_t bytes)
{
    accd_status status = look_with(a, ACCD_HERE, to, bytes);
    if (status != ACCD_OK)
        return status;
    return result(a, accd_device_read(a->core, here(a), (uintptr_t)device, to, bytes));
}

accd_status accd_kernel_write(accd *a, void *device, const void *from, size_t bytes)
{
    accd_status status = look_with(a, ACCD_HERE, from, bytes);
    if (status != ACCD_OK)
        return status;
    return result(a, accd_device_write(a->core, here(a), (uintptr_t)device, from, bytes));
}

/* --------------------------------------------------------------------------------------- devices -- */

struct choice {
    accd *a;
    int device;
};

static int choose(lua_State *L)
{
    const struct choice *choice = lua_touserdata(L, 1);
    accd_push_method(L, choice->a, "set_device");
    lua_pushinteger(L, choice->device);
    lua_call(L, 2, 0);
    return 0;
}

accd_status accd_set_device(accd *a, int device)
{
    accd_status status = accd_begin(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    struct choice choice = {a, device};
    status = accd_protected(a, choose, &choice);
    if (status == ACCD_OK)
        a->device = device;
    return accd_leave(a, status);
}

int accd_get_device(accd *a)
{
    return accd_look(a, ACCD_HERE) == ACCD_OK ? here(a) : -1;
}

accd_context *accd_get_context(accd *a)
{
    return accd_look(a, ACCD_HERE) == ACCD_OK ? a->core : NULL;
}
