/* protection_map.h - the protection map: which memory a guarded kernel must not touch; protects and unprotects it. */
#ifndef RT_PROTECTION_MAP_H
#define RT_PROTECTION_MAP_H

#include "lib/arena.h"

#include <stdbool.h>
#include <sys/syscall.h>

/* Addresses from `start` to `end`, without `end`. */
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

/* Protection map: lists of what is protected and what stays open. */
struct rt_protection_map {
    /* Intervals of the loaded modules, listed again when modules were loaded or unloaded. */
    struct rt_interval_list system;   /* images of the system's libraries (libc, libgfortran, ...), in whole pages */
    struct rt_interval_list constant; /* parts of all other images that any code may read: the linker's tables,
                                       * variables of the system's libraries that lie in the program */
    unsigned long long nloaded, nunloaded; /* numbers of modules ever loaded and unloaded, at the last listing */
    /* Lists of one run. */
    char *text; /* content of /proc/self/maps, read if Linux has no query for mappings (before 6.11) */
    size_t text_capacity;
    struct rt_interval_list exempt;  /* whole pages that stay open, sorted and disjoint */
    struct rt_interval_list allowed; /* ranges that the caller keeps accessible, of any length, sorted and disjoint */
    struct rt_range *pages;          /* pages of the arena */
    size_t pages_capacity;
    struct rt_protected_range *protected; /* ranges to protect, sorted and disjoint */
    size_t nprotected, protected_capacity;
    /* true if a list was moved to new memory while the map was built: then the arena may have a new mapping,
     * and the map is built again */
    bool has_grown;
};

/* Makes a system call, and returns its result, or -errno on failure. Does not change the variable errno, which belongs
 * to the interrupted kernel. The system call is never dispatched to the guard's handler. */
long rt_raw_syscall(long number, long a, long b, long c, long d, long e, long f);
/* Sets the protection (PROT_* bits) of the whole pages from `start` to `end`. Returns 0, or -errno on failure. A change
 * that divides a mapping can fail. Changing it back joins the parts and cannot, so the result is not tested there. */
static inline long rt_protect_pages(uint64_t start, uint64_t end, int protection)
{
    return rt_raw_syscall(SYS_mprotect, (long)start, (long)(end - start), protection, 0, 0, 0);
}

/* Lists the loaded modules again if modules were loaded or unloaded. Takes locks of the C library, unlike the functions
 * below. Returns false without memory; the next call lists them again then. */
bool rt_protection_scan_modules(struct rt_protection_map *protections);
/* Lists the ranges to protect: all private writable memory that is not exempt. Exempt are the system's
 * libraries, the arena, the ranges `own_ranges` (whole pages) and `open`, and the control blocks of the
 * threads whose thread pointers are in `threads`. Returns false, with an empty list, without memory or if the
 * mappings cannot be read. */
bool rt_protection_build(struct rt_protection_map *protections, const struct rt_range *open, size_t nopen,
                         const struct rt_range *own_ranges, size_t nown, const uint64_t *threads, size_t nthreads);
/* Protects all listed ranges; removes ranges from the list that the operating system refuses to protect. */
void rt_protection_apply(struct rt_protection_map *protections);
/* Gives all listed ranges the protection again that the program has set. */
void rt_protection_lift(const struct rt_protection_map *protections);
/* Frees all lists, which must not be used afterwards. */
void rt_protection_free(struct rt_protection_map *protections);

/* Returns the listed range that contains an address; NULL if the address is not protected. */
const struct rt_protected_range *rt_find_protected_range(const struct rt_protection_map *protections, uint64_t address);
/* Returns true if an address is in a range that the caller keeps accessible (`open` of rt_protection_build), or in
 * `constant`. */
bool rt_is_unrestricted(const struct rt_protection_map *protections, uint64_t address);
/* Returns true if an address is in the image of a system library. */
bool rt_is_system_library_address(const struct rt_protection_map *protections, uint64_t address);

/* Returns true if a private writable mapping begins at `start` and contains `address`. False also if the mappings
 * cannot be read. */
bool rt_is_private_mapping(struct rt_protection_map *protections, uint64_t start, uint64_t address);

#endif
