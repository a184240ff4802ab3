/* protection_map.h - finds the memory that a watched kernel must not touch, and closes and opens it. */
#ifndef RT_PROTECTION_MAP_H
#define RT_PROTECTION_MAP_H

#include "abi/program/base/arena.h"

#include <stdbool.h>

struct rt_interval {
    uint64_t start, end;
};

struct rt_interval_list {
    struct rt_interval *at;
    size_t n, capacity;
};

struct rt_protected_range {
    uint64_t start, end;
    int protection; /* as the program has it */
};

struct rt_protection_map {
    /* Of the loaded modules, listed anew when some were loaded or unloaded. */
    struct rt_interval_list system;   /* whole images of the system's runtime libraries */
    struct rt_interval_list constant; /* in the program's: the linker's tables, the system's variables */
    unsigned long long loaded, unloaded;
    /* Of one run. */
    char *text; /* /proc/self/maps, where the operating system has no other way */
    size_t text_capacity;
    struct rt_interval_list exempt;  /* whole pages that stay open, ascending */
    struct rt_interval_list allowed; /* what the caller gave, ascending */
    struct rt_range *pages;
    size_t pages_capacity;
    struct rt_protected_range *protected; /* ascending */
    size_t nprotected, protected_capacity;
    bool grown; /* memory was mapped since the list was begun */
};

/* The system call itself: errno belongs to the kernel that was interrupted. It never comes to the
 * watch's handler. */
long rt_raw_syscall(long number, long a, long b, long c, long d, long e, long f);

/* Lists the loaded modules, if some came or went. Takes locks of the C library; the others take
 * none. */
bool rt_protection_scan_modules(struct rt_protection_map *protections);
/* Lists what to close: all private writable memory but that of the system's libraries, of the
 * arena, own (whole pages) and open, and the control blocks of nthreads threads. False: no memory.
 */
bool rt_protection_build(struct rt_protection_map *protections, const struct rt_range *open, size_t nopen,
                         const struct rt_range *own, size_t nown, const uint64_t *threads, size_t nthreads);
void rt_protection_apply(struct rt_protection_map *protections);
void rt_protection_lift(const struct rt_protection_map *protections);
void rt_protection_free(struct rt_protection_map *protections);

/* Look-ups, which change nothing. */
const struct rt_protected_range *rt_find_protected_range(const struct rt_protection_map *protections, uint64_t address);
bool rt_is_unrestricted(const struct rt_protection_map *protections, uint64_t address);
bool rt_is_system_library_address(const struct rt_protection_map *protections, uint64_t address);

/* Whether a private writable mapping starts at start and holds address. */
bool rt_is_private_mapping(struct rt_protection_map *protections, uint64_t start, uint64_t address);

#endif
