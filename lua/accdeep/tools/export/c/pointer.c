#include <openacc.h>
#include <stddef.h>

/* The device's copy of a pointer, NULL where it has none. */
void *check_pointer(void *address)
{
    void *there = acc_deviceptr(address), *value = NULL;
    if (there)
        acc_memcpy_from_device(&value, there, sizeof value);
    return value;
}

/* Returns 1 if a pointer's copy on the device points to the copy of what it points to on the host. */
int check_attached(void *pointer, const void *target)
{
    void *there = acc_deviceptr((void *)target);
    return there != NULL && check_pointer(pointer) == there;
}
