#include "probe.h"

#include <debug.h>
#include <tap.h>

static struct accd__debug_info *debug;

static struct accd__debug_info *the_debug(void)
{
    if (!debug)
        must((debug = accd__debug_open()), "libdw.so.1 is loaded");
    return debug;
}

/* The frame is this function's: the caller's frame pointer, return address, the caller's stack. */
#define CALL()                                                                                     \
    {                                                                                              \
        .pc = (uintptr_t)__builtin_return_address(0),                                              \
        .sp = (uintptr_t)__builtin_frame_address(0) + 16,                                          \
        .bp = *(uintptr_t *)__builtin_frame_address(0),                                            \
    }

static void print_name(char *to, size_t room, int known, uint64_t bytes,
                       const struct accd__debug_name *name)
{
    if (!known)
        snprintf(to, room, "?");
    else if (name->section)
        snprintf(to, room, "%s[%lld:%llu] of %llu", name->name, (long long)name->start,
                 (unsigned long long)(bytes / name->unit), (unsigned long long)name->unit);
    else if (name->unit)
        snprintf(to, room, "%s of %llu", name->name, (unsigned long long)name->unit);
    else
        snprintf(to, room, "%s", name->name);
}

__attribute__((noinline)) void names(void *address, size_t bytes, const char *wanted)
{
    struct accd__debug_call_frame call = CALL();
    struct accd__debug_name name;
    char found[256];
    for (int again = 0; again < 2; again++) { /* what is cached is the same */
        int known = accd__debug_find_name(the_debug(), &call, (uintptr_t)address, bytes, &name);
        print_name(found, sizeof found, known, bytes, &name);
        is_text(found, wanted, "%zu bytes are called %s", bytes, wanted);
    }
}

__attribute__((noinline)) void element(void *address, size_t bytes, void *inside, const char *wanted)
{
    struct accd__debug_call_frame call = CALL();
    struct accd__debug_name name, element = {.name = ""};
    const int64_t at = (int64_t)((uintptr_t)inside - (uintptr_t)address);
    if (!accd__debug_find_element(the_debug(), &call, (uintptr_t)address, bytes, at, &name, &element))
        snprintf(element.name, sizeof element.name, "?");
    is_text(element.name, wanted, "byte %lld of %zu is in %s", (long long)at, bytes, wanted);
}

__attribute__((noinline)) void names_beyond(void *address, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    (void)address, (void)bytes;
#else
    struct accd__debug_call_frame call = CALL();
    struct accd__debug_name name;
    ok(!accd__debug_find_name(the_debug(), &call, (uintptr_t)address, bytes, &name),
       "what lies behind a block has no name");
#endif
}

static const char *wanted_entries;

void directive(const char *wanted)
{
    wanted_entries = wanted;
}

/* What gcc calls for a directive. Entries that lead a structure, and those that tell where a
 * descriptor points, are not objects. */
void GOACC_enter_data(int flags, size_t count, void **addresses, size_t *sizes,
                      unsigned short *kinds, int async, int waits, ...);
__attribute__((noinline)) void GOACC_enter_data(int flags, size_t count, void **addresses,
                                                size_t *sizes, unsigned short *kinds, int async,
                                                int waits, ...)
{
    enum { KIND = 0xff, POINTER = 0x04, STRUCT = 0x1c, ATTACH = 0x50 };
    struct accd__debug_call_frame call = CALL();
    char found[1024] = "";
    (void)flags, (void)async, (void)waits;
    for (size_t i = 0; i < count; i++) {
        unsigned kind = kinds[i] & KIND;
        size_t used = strlen(found), bytes = kind == ATTACH ? sizeof(void *) : sizes[i];
        struct accd__debug_name name;
        if (kind == POINTER || kind == STRUCT)
            continue;
        if (used)
            used += (size_t)snprintf(found + used, sizeof found - used, ", ");
        int known = accd__debug_find_name(the_debug(), &call, (uintptr_t)addresses[i], bytes, &name);
        print_name(found + used, sizeof found - used, known, bytes, &name);
    }
    is_text(found, wanted_entries, "%zu entries", count);
}

__attribute__((noinline)) void stands_at(const char *file, int line, const char *function)
{
    struct accd__debug_call_frame call = CALL();
    const char *found_file = NULL, *found_function = NULL;
    int found_line = 0;
    ok(accd__debug_find_line(the_debug(), call.pc, &found_file, &found_line, &found_function),
       "a line of %s is known", file);
    const char *end = found_file ? strrchr(found_file, '/') : NULL;
    is_text(end ? end + 1 : "?", file, "file");
    is_number(found_line, line, "line in %s", function);
    is_text(found_function ? found_function : "?", function, "function");
}

__attribute__((noinline)) void stands_nowhere(void)
{
    struct accd__debug_call_frame call = CALL();
    const char *file, *function;
    int line;
    ok(!accd__debug_find_line(the_debug(), call.pc, &file, &line, &function), "no line is known");
    ok(!file && !line && !function, "nothing else is");
}

int probe_done(void)
{
    accd__debug_close(debug);
    return done();
}
