/* device_gcc.c - what the driver of programs asks the runtime of gcc.
 *
 * begin() starts the runtime. device_of() returns the device address of a byte, or NULL if the byte is not present.
 * from_device() copies bytes from the device. driver.c calls them. */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <omp.h>
#include <openacc.h>
static void begin(void)
{
    acc_init(acc_device_nvidia);
}
static char *device_of(void *host)
{
    return acc_is_present(host, 1) ? acc_deviceptr(host) : NULL;
}
static void from_device(void *to, void *from, size_t bytes)
{
    acc_memcpy_from_device(to, from, bytes);
}
