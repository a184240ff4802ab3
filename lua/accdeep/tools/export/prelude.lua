-- prelude.lua - fixed text of exported C programs: how to compile them, and the functions that check.

local prelude = {}

prelude.head = [[
/* Made by accdeep export from %s.
   Case: %s
   Rules: %s
   %s */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <%s>

]]

prelude.compile = {
  openacc = "Compile it with gcc -g -fopenacc -foffload=disable, and run it under accdeep exec.",
  openmp = "Compile it with clang -g -fopenmp -fopenmp-version=51 -fopenmp-targets=x86_64-pc-linux-gnu.",
}
prelude.include = { openacc = "openacc.h", openmp = "omp.h" }

-- Functions that check values. Each check prints a line: "check 2, line 7: x = 3", and the expected value if it
-- differs.
prelude.checks = [[
static int check_count, check_failed, check_differs;
static char check_wanted[1 << 16];

void check_print(char *to, size_t room, long double value)
{
    snprintf(to, room, value < 1e18L && value > -1e18L && value == (long long)value ? " %.0Lf" : " %.9Lg", value);
}

void check_begin(int line, const char *what)
{
    check_differs = 0;
    check_wanted[0] = '\0';
    printf("check %d, line %d: %s =", ++check_count, line, what);
}

void check_number(long double found, long double wanted)
{
    char text[64];
    size_t length = strlen(check_wanted);
    check_print(text, sizeof text, found);
    printf("%s", text);
    check_print(check_wanted + length, sizeof check_wanted - length, wanted);
    if (found != wanted && found != (float)wanted && (found == found || wanted == wanted))
        check_differs = 1;
}

void check_end(void)
{
    if (check_differs)
        printf(", not%s", check_wanted);
    check_failed |= check_differs;
    printf("\n");
    fflush(stdout);
}

void check(int line, const char *what, long double found, long double wanted)
{
    check_begin(line, what);
    check_number(found, wanted);
    check_end();
}

int check_result(void)
{
    printf("%d check%s, %s\n", check_count, check_count == 1 ? "" : "s", check_failed ? "some differ" : "all hold");
    return check_failed;
}
]]

prelude.failing = [[

/* An error ends the program. */
void check_fails(int line, const char *code)
{
    printf("check %d, line %d: fails (%s)\n", ++check_count, line, code);
    fflush(stdout);
}

int check_survived(void)
{
    printf("check %d: nothing failed\n", check_count);
    return 1;
}
]]

prelude.presence = {
  openacc = [[

int check_present(const void *address, size_t bytes)
{
    return acc_is_present((void *)address, bytes) != 0;
}
]],
  openmp = [[

/* The standard asks for one address: here for the first and the last one. */
int check_present(const void *address, size_t bytes)
{
    int device = omp_get_default_device();
    const char *last = (const char *)address + (bytes > 0 ? bytes - 1 : 0);
    return omp_target_is_present(address, device) && omp_target_is_present(last, device);
}
]],
}

prelude.pointer = [[

/* The device's copy of a pointer, NULL where it has none. */
void *check_pointer(void *address)
{
    void *there = acc_deviceptr(address), *value = NULL;
    if (there)
        acc_memcpy_from_device(&value, there, sizeof value);
    return value;
}

/* Whether a pointer's copy on the device points to the copy of what it points to on the host. */
int check_attached(void *pointer, const void *target)
{
    void *there = acc_deviceptr((void *)target);
    return there != NULL && check_pointer(pointer) == there;
}
]]

prelude.device = {
  openacc = [[

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
    } value = { .i = 0 };
    void *there = acc_deviceptr((void *)address);
    if (there)
        acc_memcpy_from_device(&value, there, bytes);
    switch (kind) {
    case 'f': return value.f;
    case 'd': return value.d;
    case 'l': return value.l;
    case 'u': return (unsigned long long)value.i;
    default: return bytes == 1 ? value.c : bytes == 2 ? value.s : bytes == 4 ? value.w : value.i;
    }
}
#define check_on_device(x) check_device(&(x), sizeof(x), _Generic((x), float: 'f', double: 'd', long double: 'l', \
    bool: 'u', unsigned char: 'u', unsigned short: 'u', unsigned: 'u', unsigned long: 'u', unsigned long long: 'u', \
    default: 'i'))
]],
}

return prelude
