/* fortran.c - the functions of accdeep_lowered.h for units of Fortran, as gfortran calls external procedures: arguments by
 * reference, the lengths of texts behind them. Addresses are integers. */
#include "lowered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a directive stands for gfortran: a variable of the unit, 0 at first, that holds it; its plan, whose lines end with
 * semicolons; its place. */
#define DIRECTIVE int64_t *variable, const char *plan, const char *file, const int32_t *line
#define LENGTHS size_t nplan, size_t nfile
#define ARGUMENTS variable, plan, file, line, nplan, nfile

void accd_lowered_run_(DIRECTIVE, const int64_t *given, LENGTHS);
void accd_lowered_enter_(int64_t *region, DIRECTIVE, const int64_t *given, LENGTHS);
void accd_lowered_leave_(const int64_t *region);
int64_t accd_lowered_pointer_(const int64_t *region, const int32_t *item, const int64_t *own);
int64_t accd_lowered_use_device_(const int64_t *own, const char *file, const int32_t *line, size_t nfile);
/* Ends the process: elements of what is named do not lie together (ACC33-2.7.1-4). */
_Noreturn void accd_lowered_gaps_(const char *name, const char *file, const int32_t *line, size_t nname, size_t nfile);

static void *some(void *made)
{
    if (made)
        return made;
    fputs("accdeep: there is no memory for a directive\n", stderr);
    exit(EXIT_FAILURE);
}

static char *copied(const char *text, size_t n) { return some(strndup(text, n)); }

/* The directive that a variable of the unit holds. Threads that meet it first at one time may each make one: the last one
 * stays, and works as well as the others. */
static accd_lowered *directive_in(DIRECTIVE, LENGTHS)
{
    accd_lowered *made = (accd_lowered *)(intptr_t)__atomic_load_n(variable, __ATOMIC_ACQUIRE);
    if (made)
        return made;
    char *text = copied(plan, nplan);
    for (char *c = text; *c; c++)
        if (*c == ';')
            *c = '\n';
    made = some(malloc(sizeof *made));
    *made = (accd_lowered){.plan = text, .file = copied(file, nfile), .line = *line};
    __atomic_store_n(variable, (int64_t)(intptr_t)made, __ATOMIC_RELEASE);
    return made;
}

static const void *const *pointers(const int64_t *given) { return (const void *const *)(const void *)given; }

void accd_lowered_run_(DIRECTIVE, const int64_t *given, LENGTHS)
{
    accd_lowered_run(directive_in(ARGUMENTS), pointers(given));
}

void accd_lowered_enter_(int64_t *region, DIRECTIVE, const int64_t *given, LENGTHS)
{
    *region = (int64_t)(intptr_t)accd_lowered_enter(directive_in(ARGUMENTS), pointers(given));
}

static accd_lowered_region *region_of(const int64_t *region) { return (accd_lowered_region *)(intptr_t)*region; }

void accd_lowered_leave_(const int64_t *region) { accd_lowered_leave(region_of(region)); }

int64_t accd_lowered_pointer_(const int64_t *region, const int32_t *item, const int64_t *own)
{
    return (int64_t)(intptr_t)accd_lowered_pointer(region_of(region), *item, (const void *)(intptr_t)*own);
}

int64_t accd_lowered_use_device_(const int64_t *own, const char *file, const int32_t *line, size_t nfile)
{
    char *place = nfile ? copied(file, nfile) : NULL;
    void *device = accd_lowered_use_device((const void *)(intptr_t)*own, place, *line);
    free(place);
    return (int64_t)(intptr_t)device;
}

void accd_lowered_gaps_(const char *name, const char *file, const int32_t *line, size_t nname, size_t nfile)
{
    char message[300];
    const accd_lowered place = {.file = copied(file, nfile), .line = *line};
    snprintf(message, sizeof message, "%.*s is not contiguous", (int)(nname < 250 ? nname : 250), name);
    lowered_lock();
    lowered_die(&place, "invalid-section", "ACC33-2.7.1-4", message);
}
