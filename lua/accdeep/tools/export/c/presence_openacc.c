#include <openacc.h>
#include <stddef.h>

int check_present(const void *address, size_t bytes)
{
    return acc_is_present((void *)address, bytes) != 0;
}
