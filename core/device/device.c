/* device.c - the devices of a context, and what is said when one of them fails. */
#include "core.h"

#include <stdio.h>

accd_status accd_say_why(struct accd_directory *dir, accd_status status)
{
    accd_error *error = &dir->context->error;
    const char *why = dir->ops->why ? dir->ops->why(dir->device) : "";
    size_t used = strlen(error->message);
    if (*why)
        snprintf(error->message + used, sizeof error->message - used, ": %s", why);
    return status;
}

accd_status accd_copy_failed(struct accd_directory *dir, accd_status status)
{
    bool silent = !dir->ops->why || !*dir->ops->why(dir->device);
    accd_fail(dir->context, status, R_DEVICE_FAILED, "device %d failed to copy%s", dir->number,
              silent ? "; nothing was changed" : "");
    return accd_say_why(dir, status);
}

struct accd_directory *accd_directory_of(accd_context *context, int device)
{
    if (!context)
        return NULL;
    if (device >= 0 && device < context->ndirs)
        return &context->dirs[device];
    accd_fail(context, ACCD_NO_DEVICE, R_DEVICE, "there is no device %d; devices are 0 to %d",
              device, context->ndirs - 1);
    return NULL;
}

int accd_device_of(accd_context *context, uint64_t address)
{
    if (!context)
        return -1;
    for (int i = 0; i < context->ndirs && context->ndirs > 1; i++) /* devices of one GPU lie side by side */
        if (context->dirs[i].ops->allocated(context->dirs[i].device, address, 1))
            return i;
    for (int i = 0; i < context->ndirs; i++)
        if (context->dirs[i].ops->owns(context->dirs[i].device, address))
            return i;
    for (int i = 0; i < context->ndirs && context->config.check_host; i++) {
        const struct accd_host_block *known = accd_host_block_at(context, address);
        if (context->dirs[i].ops->before && context->dirs[i].ops->before(context->dirs[i].device, address) &&
            (!known || address - known->start >= known->bytes))
            return i;
    }
    return -1;
}

accd_status accd_kernel_access(struct accd_directory *dir, accd_status status)
{
    if (status == ACCD_OK)
        return ACCD_OK;
    return accd_say_why(dir, accd_fail(dir->context, status, R_DEVICE_FAILED,
                                       "device %d failed in an access to its memory", dir->number));
}

accd_status accd_kernel_failed(struct accd_directory *dir, accd_status status)
{
    return accd_say_why(dir, accd_fail(dir->context, status, R_DEVICE_FAILED, "device %d failed in a kernel",
                                       dir->number));
}
