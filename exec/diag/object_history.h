/* object_history.h - what is known about absent data: which object contained them before, and which present object is
 * nearest. Unmapped objects are recorded in strict and instrumented runs only. The lock must be held. */
#ifndef RT_OBJECT_HISTORY_H
#define RT_OBJECT_HISTORY_H

#include "base/runtime.h"
#include "diagnostics.h"

#include <stdbool.h>
#include <stdint.h>

/* Object that was unmapped. */
struct rt_unmapped_object {
    accd_object_info info; /* host range, name, and the location that mapped the object */
    uint64_t dev;          /* address of the device memory that it had */
    uintptr_t pc;          /* return address of the call that unmapped it; 0: unknown */
    int device;
};

/* Records the present object that contains the host address `host`, which the current call unmaps, in place of the
 * oldest record. Does nothing if the address is absent. */
void rt_record_unmapped_object(int device, uint64_t host);
void rt_forget_unmapped_objects(void); /* called before the context is freed, which owns the names of files */
/* Returns the object, unmapped last of all, that contained a byte of the `bytes` bytes at `host`; one that contained
 * all of them takes precedence. NULL: none was recorded. */
const struct rt_unmapped_object *rt_find_unmapped_object(int device, uint64_t host, uint64_t bytes);
/* Returns the object, unmapped last of all, whose device memory contained `address` and was not used again since.
 * NULL: none was recorded. */
const struct rt_unmapped_object *rt_find_unmapped_memory(uint64_t address);
/* Returns true if the object contained all of the `bytes` bytes at `host`. */
bool rt_contained_range(const struct rt_unmapped_object *object, uint64_t host, uint64_t bytes);
/* Appends a line to `lines`, the further lines of a finding: what the object was, where it was mapped and unmapped.
 * Makes the two locations related locations of the finding: `other`, and the first of `further`. */
void rt_add_object_history(struct rt_diagnostic *diagnostic, struct rt_text_buffer *lines,
                           const struct rt_unmapped_object *object);
/* Returns the location where the object was unmapped; file NULL: unknown. */
struct rt_related_location rt_get_unmapped_location(const struct rt_unmapped_object *object);

/* Present object that resembles absent data, with its name as the current call sees it. */
struct rt_nearest_object {
    accd_present_object object;
    int device;
    char name[160];
};
/* Finds the present object nearest to the absent data `absent`, called `name` at the site. First choice: an object of
 * another device that contains them. Second: the nearest part of the same variable. Third: an object that was mapped
 * under the variable's name. former: object that contained the data before, whose name is the variable's, too; NULL:
 * unknown. Returns false if there is none. */
bool rt_find_nearest_object(const struct rt_site *site, const accd_object_info *absent, const char *name,
                            const struct rt_unmapped_object *former, struct rt_nearest_object *nearest);
/* Appends a line of text: the nearest object, and where it was mapped. */
void rt_append_nearest_object(struct rt_text_buffer *text, const struct rt_nearest_object *nearest);

#endif
