/* check.h - the checks of programs compiled for checking (`accdeep cc`). The shadow (shadow.h) has states of each byte
 * of mapped data, on the host and on the device. Higher layers of the runtime call these functions when they map, move
 * or free data. The program's own loads and stores arrive elsewhere: the library in exec/checked calls the
 * callbacks in rt_shadow (checked.h). */
#ifndef RT_CHECK_H
#define RT_CHECK_H

#include "base/runtime.h"

/* Returns true if the program was compiled for checking, that is, linked with the library in exec/checked. */
bool rt_is_instrumented(void);
/* Allocates the shadow and the access history, and lists the object files that were not compiled for checking. Called
 * when the context is made. Ends the program without memory. */
void rt_check_init(void);
/* Records loaded libraries with directives that were not compiled for checking. A library is recorded once. */
void rt_scan_modules(void);
/* Reports unused data and uninstrumented object files, at the end of the program; called before rt_check_free. */
void rt_check_finish(void);
/* Frees the shadow and the access history; called before the context is freed. */
void rt_check_free(void);

/* Changes the shadow states for an event of the core (allocation, free, transfer, attach, detach). Needs the lock. */
void rt_check_event(const accd_event *event);
/* Prepares a transfer or copy between the two sides of mapped data. Old bytes of `from` that equal newer bytes of `to`
 * become valid: overwriting these is no loss. Does nothing for other copies. */
void rt_check_begin_transfer(uint64_t to, uint64_t from, uint64_t bytes);
/* Handles that a variable of a declare directive, at `host`, is mapped with the device bytes `initial`. initial NULL:
 * the variable is unmapped. Without memory for the shadow, accesses to the variable are not checked. */
void rt_check_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
/* Handles that the runtime itself wrote `bytes` bytes of device memory at `dev` (hook `write`): these bytes count as
 * valid, and as not newer than the host's. `device` and `host` are not used. */
void rt_check_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);

/* Handles a routine that copies bytes between two addresses that are not the two sides of one object: records both
 * accesses, changes the states of the target, and reports races. */
void rt_check_copy(uint64_t to, uint64_t from, uint64_t bytes);
/* Handles a new block of device memory: its bytes count as present and never written. */
void rt_check_device_alloc(uint64_t dev, uint64_t bytes);
/* Handles the free of the block of device memory at `dev`: accesses to its bytes are reported from now on. */
void rt_check_device_free(uint64_t dev);
/* Handles acc_map_data of the data at `host`. Without memory for the shadow, accesses to the data are not checked. */
void rt_check_map(const void *host, uint64_t bytes);
/* Handles acc_unmap_data of the data at `host`; called before the data are unmapped. Does nothing if they are not
 * present. */
void rt_check_unmap(int device, const void *host);
/* Records that the program gets the device address `dev`, for example from acc_deviceptr. Libraries may use the object
 * at this address, so it is not reported as unused. Does nothing outside of present data, or without memory. */
void rt_check_expose(uint64_t dev);
/* Records that the program asks whether the data at `host` are present, so that they count as used even if nothing
 * reads them. Does nothing if they are not present. */
void rt_check_mark_used(int device, const void *host);
/* Records that a construct finds the data of its items present, so that they count as used. Ignored are items that
 * attach or detach, base pointers of other items, and absent data. */
void rt_check_mark_items_used(int device, const accd_item *items, size_t nitems);

/* Begins a kernel of the construct `site` on the calling thread: its accesses are checked as those of the device. */
void rt_check_begin_kernel(const struct rt_site *site, int device);
/* Ends the kernel of the calling thread. */
void rt_check_end_kernel(void);

#endif
