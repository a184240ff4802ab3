/* driver.c - loads the system's CUDA driver at run time, so that one program runs with and without a GPU. */
#include "driver.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Writes the address of a symbol of `library` to the pointer at `entry`. If there is no such symbol, writes NULL and
 * returns false. */
bool accd__cuda_find_symbol(void *library, const char *symbol, void *entry)
{
    void *found = dlsym(library, symbol);
    memcpy(entry, &found, sizeof found); /* ISO C has no conversion from object to function pointers */
    return found != NULL;
}

/* Loads libcuda.so.1, fills *driver and starts the driver. Returns 0; or another number, with the reason in `why`
 * (`capacity` bytes). */
int accd__cuda_load_driver(struct cuda_driver *driver, char *why, size_t capacity)
{
    static const char library[] = "libcuda.so.1";
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    *driver = (struct cuda_driver){0};
    if (!handle) {
        const char *problem = dlerror();
        snprintf(why, capacity, "no CUDA driver: %s", problem ? problem : library);
        return -1;
    }
#define X(symbol, parameters)                                                  \
    if (!accd__cuda_find_symbol(handle, #symbol, &driver->symbol)) {           \
        snprintf(why, capacity, "the CUDA driver is too old: no %s", #symbol); \
        return -1;                                                             \
    }
    ACCD_CUDA_REQUIRED(X)
#undef X
#define X(symbol, parameters) accd__cuda_find_symbol(handle, #symbol, &driver->symbol);
    ACCD_CUDA_OPTIONAL(X)
#undef X
    cu_result result = driver->cuInit(0);
    if (result == CU_OK)
        result = driver->cuDriverGetVersion(&driver->installed);
    if (result == CU_NO_DEVICE) {
        snprintf(why, capacity, "the CUDA driver finds no device");
    } else if (result != CU_OK) {
        size_t used = (size_t)snprintf(why, capacity, "the CUDA driver does not start: ");
        accd__cuda_format_error(driver, result, "cuInit", why + used, capacity - used);
    }
    return result;
}

/* Writes the driver's name and text of `error`, and the name of the failed function `call`, to `to` (`capacity`
 * bytes). */
void accd__cuda_format_error(const struct cuda_driver *driver, cu_result error, const char *call, char *to,
                             size_t capacity)
{
    assert(error != CU_OK);
    const char *name = NULL, *text = NULL;
    driver->cuGetErrorName(error, &name);
    driver->cuGetErrorString(error, &text);
    if (name && text)
        snprintf(to, capacity, "%s (%s) in %s", name, text, call);
    else
        snprintf(to, capacity, "CUDA error %d in %s", error, call);
}

/* Returns true if every later call in the context fails with `error`, too; false for unknown errors. */
bool accd__cuda_is_sticky(cu_result error)
{
    switch (error) {
#define X(name, value, sticky) \
    case value:                \
        return sticky;
        ACCD_CUDA_RESULTS(X)
#undef X
    default:
        return false;
    }
}
