/* closing.h - finds the memory that a watched kernel must not touch, and closes and opens it. */
#ifndef GOACC_CLOSING_H
#define GOACC_CLOSING_H

#include "abi/program/base/arena.h"

#include <stdbool.h>

struct goacc_span {
    uint64_t start, end;
};

struct goacc_spans {
    struct goacc_span *at;
    size_t n, room;
};

struct goacc_closed {
    uint64_t start, end;
    int protection; /* as the program has it */
};

struct goacc_closing {
    /* Of the loaded modules, listed anew when some were loaded or unloaded. */
    struct goacc_spans system;   /* whole images of the system's runtime libraries */
    struct goacc_spans constant; /* in the program's: the linker's tables, the system's variables */
    unsigned long long loaded, unloaded;
    /* Of one run. */
    char *text; /* /proc/self/maps, where the operating system has no other way */
    size_t text_room;
    struct goacc_spans keep; /* whole pages that stay open, ascending */
    struct goacc_spans open; /* what the caller gave, ascending */
    struct goacc_range *pages;
    size_t pages_room;
    struct goacc_closed *closed; /* ascending */
    size_t nclosed, closed_room;
    bool grown; /* memory was mapped since the list was begun */
};

/* The system call itself: errno belongs to the kernel that was interrupted. It never comes to the
 * watch's handler. */
long goacc_system(long number, long a, long b, long c, long d, long e, long f);

/* Lists the loaded modules, if some came or went. Takes locks of the C library; the others take
 * none. */
bool goacc_closing_modules(struct goacc_closing *closing);
/* Lists what to close: all private writable memory but that of the system's libraries, of the
 * arena, own (whole pages) and open, and the control blocks of nthreads threads. False: no memory.
 */
bool goacc_closing_list(struct goacc_closing *closing, const struct goacc_range *open, size_t nopen,
                        const struct goacc_range *own, size_t nown, const uint64_t *threads,
                        size_t nthreads);
void goacc_closing_close(struct goacc_closing *closing);
void goacc_closing_open(const struct goacc_closing *closing);
void goacc_closing_free(struct goacc_closing *closing);

/* Look-ups, which change nothing. */
const struct goacc_closed *goacc_closed_at(const struct goacc_closing *closing, uint64_t address);
bool goacc_everyone_may(const struct goacc_closing *closing, uint64_t address);
bool goacc_is_system(const struct goacc_closing *closing, uint64_t address);

/* Whether a private writable mapping starts at start and holds address. */
bool goacc_is_mapping(struct goacc_closing *closing, uint64_t start, uint64_t address);

#endif
