/* device.c - the devices of a context: which of them owns an address, and reports of their failures. */
#include "accdeep_queues.h"
#include "device/device.h"

#include <stdio.h>

/* Appends the driver's message about its last failure to the last error; returns `status`. */
accd_status accd__append_driver_error(struct accd__device *device, accd_status status)
{
    accd_error *error = &device->context->error;
    const char *why = device->ops->last_error ? device->ops->last_error(device->handle) : "";
    size_t used = strlen(error->message);
    if (*why)
        snprintf(error->message + used, sizeof error->message - used, ": %s", why);
    return status;
}

/* Returns `status`, the result of a call to the device. Unless it is ACCD_OK, sets the last error: the device failed in
 * `operation` ("in a kernel"), with the driver's message. */
accd_status accd__check_device_status(struct accd__device *device, accd_status status, const char *operation)
{
    assert(operation);
    if (status == ACCD_OK)
        return ACCD_OK;
    accd__set_error(device->context, status, R_DEVICE_FAILED, "device %d failed %s", device->number, operation);
    return accd__append_driver_error(device, status);
}

/* Sets the last error for failed transfers of a construct; returns `status`. Without a message of the driver, the error
 * says that nothing was changed. */
accd_status accd__report_copy_failure(struct accd__device *device, accd_status status)
{
    bool silent = !device->ops->last_error || !*device->ops->last_error(device->handle);
    return accd__check_device_status(device, status, silent ? "to copy; nothing was changed" : "to copy");
}

/* Returns the number of the device to which an address belongs, or near whose start a section's base points; -1: none.
 */
int accd_device_at(accd_context *context, uint64_t address)
{
    const struct accd__device *first = context ? context->devices : NULL, *device;
    /* asks first which device has allocated the address: several devices may share a GPU, so that each of them owns it
     */
    for (device = first; device && first->next; device = device->next)
        if (device->ops->is_allocated(device->handle, address, 1))
            return device->number;
    for (device = first; device; device = device->next)
        if (device->ops->owns(device->handle, address))
            return device->number;
    for (device = first; device && context->config.check_host; device = device->next)
        if (device->ops->is_before && device->ops->is_before(device->handle, address) &&
            !accd__host_block_at(context, address))
            return device->number;
    return -1;
}
