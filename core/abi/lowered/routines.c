/* routines.c - routines of OpenACC that move data, for lowered programs: each is a construct with one item. */
#include "lowered.h"

#include <string.h>

static const struct {
    const char *name;
    accd_kind kind;
    accd_action action;
} routines[] = {
    {"copyin", ACCD_ENTER_DATA, ACCD_COPYIN},
    {"pcopyin", ACCD_ENTER_DATA, ACCD_COPYIN},
    {"present_or_copyin", ACCD_ENTER_DATA, ACCD_COPYIN},
    {"create", ACCD_ENTER_DATA, ACCD_CREATE},
    {"pcreate", ACCD_ENTER_DATA, ACCD_CREATE},
    {"present_or_create", ACCD_ENTER_DATA, ACCD_CREATE},
    {"copyout", ACCD_EXIT_DATA, ACCD_COPYOUT},
    {"delete", ACCD_EXIT_DATA, ACCD_DELETE},
    {"update_device", ACCD_UPDATE, ACCD_UPDATE_DEVICE},
    {"update_self", ACCD_UPDATE, ACCD_UPDATE_SELF},
    {"update_host", ACCD_UPDATE, ACCD_UPDATE_SELF},
};

/* The routine that the calling thread is about to call. */
static _Thread_local accd_lowered place;
static _Thread_local const char *called;

/* Takes a word off the end of a name of n characters. */
static bool ends_with(const char *name, size_t *n, const char *word)
{
    const size_t length = strlen(word);
    if (*n < length || memcmp(name + *n - length, word, length) != 0)
        return false;
    *n -= length;
    return true;
}

static void *routine(void *host, unsigned long bytes, ...)
{
    size_t n = strlen(called), i = 0;
    struct plan plan = {.name = called};
    ends_with(called, &n, "_async");
    plan.finalize = ends_with(called, &n, "_finalize");
    while (strncmp(called + 4, routines[i].name, n - 4) != 0 || routines[i].name[n - 4])
        if (++i == sizeof routines / sizeof routines[0])
            lowered_die(&place, "unsupported", "HOUSE-lower", called);
    plan.kind = routines[i].kind;
    return lowered_move(&place, &plan, routines[i].action, host, bytes);
}

accd_lowered_routine *accd_lowered_at(const char *file, int line, const char *name)
{
    place.file = file;
    place.line = line;
    called = name;
    return routine;
}

int accd_lowered_wait(int queue, ...)
{
    (void)queue;
    return 1;
}

int accd_lowered_wait_all(void) { return 1; }
