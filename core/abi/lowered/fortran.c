/* fortran.c - the functions of accdeep_lowered.h for units of Fortran, as gfortran calls external procedures.
 *
 * Arguments are passed by reference. Texts are constants of the unit that end with a zero byte. The hidden lengths of
 * texts, after the arguments, are ignored. Addresses are integers. */
#include "lowered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Parameters of functions that execute a directive, and the arguments to pass them on. variable: a variable of the
 * unit, 0 at first, which will hold the address of the directive's accd_lowered. plan, file, line: members of the
 * accd_lowered. */
#define DIRECTIVE int64_t *variable, const char *plan, const char *file, const int32_t *line
#define ARGUMENTS variable, plan, file, line

/* Do what the functions without _ at the end of their names do. Regions and pointers are passed as integers. */
void accd_lowered_run_(DIRECTIVE, const int64_t *arguments);
void accd_lowered_enter_(int64_t *region, DIRECTIVE, const int64_t *arguments);
void accd_lowered_leave_(const int64_t *region);
int64_t accd_lowered_pointer_(const int64_t *region, const int32_t *item, const int64_t *own);
/* Returns the device address of the pointer *own of host_data, as accd_lowered_use_device does; an empty `file`
 * stands for NULL. */
int64_t accd_lowered_use_device_(const int64_t *own, const char *file, const int32_t *line);
/* Ends the process with an error: the elements of what `name` designates are not contiguous (ACC33-2.7.1-4). */
_Noreturn void accd_lowered_gaps_(const char *name, const char *file, const int32_t *line);

/* Returns the directive that a variable of the unit holds, or makes one. Threads that arrive at the same time may each
 * make one: the last one stays in the variable, and the others work as well. Ends the process without memory. */
static accd_lowered *get_directive(DIRECTIVE)
{
    assert(variable && plan && file && line);
    accd_lowered *directive = (accd_lowered *)(intptr_t)__atomic_load_n(variable, __ATOMIC_ACQUIRE);
    if (directive)
        return directive;
    const accd_lowered fresh = {.plan = plan, .file = file, .line = *line};
    directive = malloc(sizeof *directive);
    if (!directive) {
        accd__lowered_lock();
        accd__lowered_end_with_error(&fresh, "out-of-memory", "HOUSE-memory", "there is no memory for a directive");
    }
    *directive = fresh;
    __atomic_store_n(variable, (int64_t)(intptr_t)directive, __ATOMIC_RELEASE);
    return directive;
}

/* Returns the integers `arguments` as the pointers that the functions for C take. */
static const void *const *to_pointers(const int64_t *arguments)
{
    return (const void *const *)(const void *)arguments;
}

/* Executes enter data, exit data or update. */
void accd_lowered_run_(DIRECTIVE, const int64_t *arguments)
{
    accd_lowered_run(get_directive(ARGUMENTS), to_pointers(arguments));
}

/* Opens the region of a data or compute construct, and sets *region to its address. */
void accd_lowered_enter_(int64_t *region, DIRECTIVE, const int64_t *arguments)
{
    *region = (int64_t)(intptr_t)accd_lowered_enter(get_directive(ARGUMENTS), to_pointers(arguments));
}

/* Returns the region whose address the variable *region holds. */
static accd_lowered_region *to_region(const int64_t *region)
{
    return (accd_lowered_region *)(intptr_t)*region;
}

/* Ends the region at address *region. */
void accd_lowered_leave_(const int64_t *region)
{
    accd_lowered_leave(to_region(region));
}

/* Returns the address that the pointer *own has in the kernel of a region. */
int64_t accd_lowered_pointer_(const int64_t *region, const int32_t *item, const int64_t *own)
{
    return (int64_t)(intptr_t)accd_lowered_pointer(to_region(region), *item, (const void *)(intptr_t)*own);
}

/* Returns the device address of the pointer *own of host_data. */
int64_t accd_lowered_use_device_(const int64_t *own, const char *file, const int32_t *line)
{
    return (int64_t)(intptr_t)accd_lowered_use_device((const void *)(intptr_t)*own, *file ? file : NULL, *line);
}

/* Ends the process with the error that `name` is not contiguous. */
void accd_lowered_gaps_(const char *name, const char *file, const int32_t *line)
{
    char message[300];
    const accd_lowered place = {.file = file, .line = *line};
    snprintf(message, sizeof message, "%.250s is not contiguous", name);
    accd__lowered_lock();
    accd__lowered_end_with_error(&place, "invalid-section", "ACC33-2.7.1-4", message);
}
