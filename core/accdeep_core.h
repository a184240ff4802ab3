/* accdeep_core.h - the core's public interface: present data, attached pointers and deep copy to the memory of an
 * accelerator.
 *
 *     accd_context_config config;
 *     accd_context_config_init(&config);
 *     accd_context *context = NULL;
 *     accd_context_new(&context, &config);
 *     accd_item item = {.host = data, .bytes = sizeof data, .action = ACCD_ACTION_COPY};
 *     accd_construct construct = {.kind = ACCD_KIND_REGION, .items = &item, .nitems = 1};
 *     accd_region *region = NULL;
 *     accd_run_construct(context, &construct, &region);
 *     uint64_t device_address = accd_device_address(context, 0, data);
 *     accd_region_end(region);
 *     accd_context_free(context);
 *
 * The construct maps `data` and copies them to the device. The end of its region copies them back and unmaps them.
 *
 * All data movement is expressed as constructs. A construct has a kind, a device and a vector of items. The core plans
 * a construct without changing anything, and reserves the memory it needs. It then copies the bytes in one batch,
 * attaches pointers, and finally changes counters and levels. A construct that fails leaves the device, the counters
 * and the host unchanged.
 *
 * This header includes the others, which need no Lua:
 *
 *      accdeep_rules.h        rule profiles
 *      accdeep_context.h      errors, contexts, events, devices
 *      accdeep_programs.h     labels of data, mapping programs
 *      accdeep_constructs.h   constructs and their items, regions, recorded bounds
 *      accdeep_memory.h       device memory and descriptors in single steps
 *      accdeep_queues.h       activity queues, kernels on the device
 *      accdeep_present.h      inspection: present objects, attached pointers, levels, tuples
 *      accdeep_checkpoints.h  registered host memory, saved states, statistics
 *
 * Terms are those of OpenACC: data environment, present table, structured and dynamic reference counter, attach
 * counter, section. Others are:
 * - object: one range of host memory in the present table, with its device memory.
 * - item: one range that a clause of a construct names, with its action.
 * - level: an open region on the stack of data environments of a device.
 * - tuple: what the document DIR calls the record of a clause's data in a level.
 * - slot: the place in memory that holds a pointer, or the descriptor that begins with the pointer.
 * - label: the text from which the name of an object is formatted.
 * Rule ids, in parentheses, are those of spec/rules.
 *
 * Ownership. An object returned through a pointer to pointer belongs to the caller, until the matching close or
 * release; exceptions are stated. Destructors accept NULL. Output arguments come last, and are written on success only,
 * unless a function says otherwise.
 *
 * Threads. One thread at a time uses a context. Contexts share nothing. The library prints nothing, never exits and has
 * no global variables.
 *
 * Units. Sizes are in bytes; counts and indices of elements are called so. Device addresses are uint64_t; 0 is not an
 * address.
 *
 * Errors that are not listed at each function: ACCD_ERROR_NO_DEVICE for an invalid device number,
 * ACCD_ERROR_OUT_OF_MEMORY of the host, and ACCD_ERROR_MISUSE. ACCD_ERROR_MISUSE is a call from within a callback, a
 * null pointer where an object is needed, or an invalid enumerator or number. After such an error, functions that do
 * not return a status return 0 or NULL. */
#ifndef ACCDEEP_CORE_H
#define ACCDEEP_CORE_H

#include "accdeep_checkpoints.h"
#include "accdeep_constructs.h"
#include "accdeep_context.h"
#include "accdeep_memory.h"
#include "accdeep_present.h"
#include "accdeep_programs.h"
#include "accdeep_queues.h"
#include "accdeep_rules.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACCD_VERSION_MAJOR 0
#define ACCD_VERSION_MINOR 1
#define ACCD_VERSION_PATCH 0
#define ACCD_VERSION "0.1.0"

/* Returns the version of the loaded library; ACCD_VERSION is the version of this header. */
ACCD_API const char *accd_version(void);

#ifdef __cplusplus
}
#endif

#endif
