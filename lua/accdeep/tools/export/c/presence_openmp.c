#include <omp.h>
#include <stddef.h>

/* The standard asks for one address: here for the first and the last one. */
int check_present(const void *address, size_t bytes)
{
    int device = omp_get_default_device();
    const char *last = (const char *)address + (bytes > 0 ? bytes - 1 : 0);
    return omp_target_is_present(address, device) && omp_target_is_present(last, device);
}
