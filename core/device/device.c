/* device.c - the devices of a context, and what is said when one of them fails. */
#include "device/device.h"

#include <stdio.h>

accd_status accd_say_why(struct accd_device *device, accd_status status)
{
    accd_error *error = &device->context->error;
    const char *why = device->ops->why ? device->ops->why(device->handle) : "";
    size_t used = strlen(error->message);
    if (*why)
        snprintf(error->message + used, sizeof error->message - used, ": %s", why);
    return status;
}

accd_status accd_device_result(struct accd_device *device, accd_status status, const char *what)
{
    if (status == ACCD_OK)
        return ACCD_OK;
    accd_fail(device->context, status, R_DEVICE_FAILED, "device %d failed %s", device->number, what);
    return accd_say_why(device, status);
}

accd_status accd_copy_failed(struct accd_device *device, accd_status status)
{
    bool silent = !device->ops->why || !*device->ops->why(device->handle);
    return accd_device_result(device, status, silent ? "to copy; nothing was changed" : "to copy");
}

int accd_device_of(accd_context *context, uint64_t address)
{
    const struct accd_device *first = context ? context->devices : NULL, *device;
    for (device = first; device && first->next; device = device->next) /* those of one GPU lie side by side */
        if (device->ops->allocated(device->handle, address, 1))
            return device->number;
    for (device = first; device; device = device->next)
        if (device->ops->owns(device->handle, address))
            return device->number;
    for (device = first; device && context->config.check_host; device = device->next)
        if (device->ops->before && device->ops->before(device->handle, address) &&
            !accd_host_block_around(context, address))
            return device->number;
    return -1;
}
