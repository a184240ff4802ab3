/* check.h - programs compiled for checking: what holds of each byte of mapped data, on both sides.
 * The rooms above report what they do with data; the library in core/abi/checked, what the program
 * does. */
#ifndef GOACC_CHECK_H
#define GOACC_CHECK_H

#include "abi/program/base/runtime.h"

/* Whether the program was compiled for checking. */
bool goacc_check_is_there(void);
/* With the context; before it goes, with what is left to report. */
void goacc_check_open(void);
void goacc_objects_look(void); /* at the modules that are loaded */
void goacc_check_end(void);
void goacc_check_close(void);

/* Something of the core was done: on_event. */
void goacc_check_event(const accd_event *event);
/* Device memory got what lies at host, or NULL: what the runtime itself has written there:
 * on_write. */
void goacc_check_initial(int device, const char *host, const char *initial, uint64_t bytes);
void goacc_check_written(int device, uint64_t dev, const void *host, uint64_t bytes);

/* The same by routines of the program. */
void goacc_check_copied(uint64_t to, uint64_t from, uint64_t bytes);
void goacc_check_allocated(uint64_t dev, uint64_t bytes);
void goacc_check_freed(uint64_t dev);
void goacc_check_mapped(const void *host, uint64_t bytes);
void goacc_check_unmapped(int device, const void *host); /* before */
/* The program gets an address of device memory: libraries may use the data. */
void goacc_check_exposed(uint64_t dev);
/* The program asks whether data are present, or a construct other than the end of data is about to find them so: they are
 * of use, though nothing may read them. */
void goacc_check_found(int device, const void *host);
void goacc_check_named(int device, const accd_item *items, size_t nitems);
static inline void goacc_expose(const void *device)
{
    if (__builtin_expect(goacc.options.check, 0))
        goacc_check_exposed((uintptr_t)device);
}

/* The calling thread runs a kernel from the first to the second. */
void goacc_check_enter(const struct goacc_site *site, int device);
void goacc_check_leave(void);

#endif
