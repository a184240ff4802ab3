#include <openacc.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of the device where the host has one. */
long double check_device(const void *address, size_t bytes, char kind)
{
    union {
        float f;
        double d;
        long double l;
        signed char c;
        short s;
        int w;
        long long i;
    } value = {.i = 0};
    void *there = acc_deviceptr((void *)address);
    if (there)
        acc_memcpy_from_device(&value, there, bytes);
    switch (kind) {
    case 'f':
        return value.f;
    case 'd':
        return value.d;
    case 'l':
        return value.l;
    case 'u':
        return (unsigned long long)value.i;
    default:
        return bytes == 1 ? value.c : bytes == 2 ? value.s : bytes == 4 ? value.w : value.i;
    }
}
#define check_on_device(x)                          \
    check_device(&(x), sizeof(x),                   \
                 _Generic((x), float                \
                          : 'f', double             \
                          : 'd', long double        \
                          : 'l', bool               \
                          : 'u', unsigned char      \
                          : 'u', unsigned short     \
                          : 'u', unsigned           \
                          : 'u', unsigned long      \
                          : 'u', unsigned long long \
                          : 'u', default            \
                          : 'i'))
