/* protection_map.h - the protection map: which memory a guarded kernel must not touch; protects and unprotects it. */
#ifndef RT_PROTECTION_MAP_H
#define RT_PROTECTION_MAP_H

#include "abi/program/base/arena.h"

#include <stdbool.h>

/* Addresses from start on, before end. */
struct rt_interval {
    uint64_t start, end;
};

/* A growing array of intervals in the arena. */
struct rt_interval_list {
    struct rt_interval *at;
    size_t n, capacity;
};

/* Range of whole pages that is protected while a kernel runs. */
struct rt_protected_range {
    uint64_t start, end;
    int protection; /* PROT_* bits that the program has set */
};

struct rt_protection_map {
    /* Intervals of the loaded modules, listed again when some were loaded or unloaded. */
    struct rt_interval_list system;   /* whole images of the system's libraries */
    struct rt_interval_list constant; /* parts of other images: the linker's tables, variables of the system's
                                       * libraries */
    unsigned long long loaded, unloaded;
    /* Lists of one run. */
    char *text; /* content of /proc/self/maps, if the operating system has no query for mappings */
    size_t text_capacity;
    struct rt_interval_list exempt;  /* whole pages that stay open, sorted and disjoint */
    struct rt_interval_list allowed; /* ranges of the caller, sorted and disjoint */
    struct rt_range *pages;
    size_t pages_capacity;
    struct rt_protected_range *protected; /* ranges to protect, sorted and disjoint */
    size_t nprotected, protected_capacity;
    bool grown; /* a list was moved to new memory, since the lists were begun */
};

/* Makes a system call, and returns its result or -errno. Leaves errno alone, which belongs to the interrupted kernel,
 * and is never dispatched to the guard's handler. */
long rt_raw_syscall(long number, long a, long b, long c, long d, long e, long f);

/* Lists the loaded modules again if some were loaded or unloaded. Takes locks of the C library; the functions below
 * take none. Returns false without memory. */
bool rt_protection_scan_modules(struct rt_protection_map *protections);
/* Lists what to protect: all private writable memory except the system's libraries, the arena, own (whole pages), open,
 * and the control blocks of nthreads threads. Returns false without memory, with an empty list. */
bool rt_protection_build(struct rt_protection_map *protections, const struct rt_range *open, size_t nopen,
                         const struct rt_range *own, size_t nown, const uint64_t *threads, size_t nthreads);
/* Protects all listed ranges; drops those that the operating system refuses to protect. */
void rt_protection_apply(struct rt_protection_map *protections);
/* Gives all listed ranges the program's protection again. */
void rt_protection_lift(const struct rt_protection_map *protections);
void rt_protection_free(struct rt_protection_map *protections);

/* Look-ups. True or non-NULL: the address is protected; is in a range of the caller or a table of the linker; is in a
 * system library. */
const struct rt_protected_range *rt_find_protected_range(const struct rt_protection_map *protections, uint64_t address);
bool rt_is_unrestricted(const struct rt_protection_map *protections, uint64_t address);
bool rt_is_system_library_address(const struct rt_protection_map *protections, uint64_t address);

/* True if a private writable mapping begins at start and contains address. */
bool rt_is_private_mapping(struct rt_protection_map *protections, uint64_t start, uint64_t address);

#endif
