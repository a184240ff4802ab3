/* accdeep_memory.h - device memory and descriptors in single steps, as the acc_* routines need them. accdeep_core.h
 * includes this header and has the conventions. */
#ifndef ACCDEEP_MEMORY_H
#define ACCDEEP_MEMORY_H

#include "accdeep_programs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maps `bytes` bytes of host memory at `host` to a device address `dev` that the caller owns (acc_map_data), under the
 * name of `label`. The dynamic counter becomes 1; nothing is copied. ACCD_ERROR_NULL_POINTER;
 * ACCD_ERROR_INVALID_SECTION: bytes = 0; ACCD_ERROR_ALREADY_PRESENT: some of the bytes are present already
 * (ACC33-3.2.21-1). */
ACCD_API accd_status accd_map_data(accd_context *context, int device, const void *host, uint64_t dev, uint64_t bytes,
                                   const accd_label *label);
/* Ends a mapping of accd_map_data (acc_unmap_data); nothing is copied. ACCD_ERROR_NOT_PRESENT: accd_map_data did not
 * map `host`. ACCD_ERROR_ALREADY_PRESENT: a region uses the data. ACCD_ERROR_STILL_ATTACHED: an attached pointer lies
 * in the data or points to them. A use by a region or a pointer is no error if the rules have unmap_used =
 * ACCD_CHOICE_IGNORE (ACC33-3.2.21-2). */
ACCD_API accd_status accd_unmap_data(accd_context *context, int device, const void *host);
/* Allocates device memory without host data, which belongs to the caller until accd_device_free or the end of the
 * context. bytes = 0: *dev_p becomes 0. ACCD_ERROR_OUT_OF_DEVICE_MEMORY (ACC33-3.2.16-1). */
ACCD_API accd_status accd_device_alloc(accd_context *context, int device, uint64_t bytes, uint64_t *dev_p);
/* Frees memory of accd_device_alloc; dev = 0 does nothing. ACCD_ERROR_MISUSE: accd_device_alloc did not return `dev`;
 * ACCD_ERROR_ALREADY_PRESENT: host data are mapped to the memory (ACC33-3.2.16-1). */
ACCD_API accd_status accd_device_free(accd_context *context, int device, uint64_t dev);
/* Copies `bytes` bytes from host memory at `host` to device address `dev`, whether or not data are present there.
 * ACCD_ERROR_HOST_POINTER_ON_DEVICE: `dev` is not a device address. ACCD_ERROR_OUT_OF_BOUNDS: the range runs off
 * allocated device memory, or, with check_host, registered host memory. ACCD_ERROR_DEVICE (ACC33-3.2.30-1). */
ACCD_API accd_status accd_copy_to_device(accd_context *context, int device, uint64_t dev, const void *host,
                                         uint64_t bytes);
/* Copies `bytes` bytes from device address `dev` to host memory at `host`. Returns the errors of accd_copy_to_device.
 */
ACCD_API accd_status accd_copy_from_device(accd_context *context, int device, void *host, uint64_t dev, uint64_t bytes);
/* Copies `bytes` bytes from device address `from` to `to`, on one device. Returns the errors of accd_copy_to_device. */
ACCD_API accd_status accd_copy_within_device(accd_context *context, int device, uint64_t to, uint64_t from,
                                             uint64_t bytes);

/* Direction of a copy between host and device memory. */
typedef enum accd_direction {
    ACCD_DIRECTION_TO_DEVICE,
    ACCD_DIRECTION_FROM_DEVICE,
    ACCD_DIRECTION_WITHIN_DEVICE
} accd_direction;
/* Adds a copy of `bytes` bytes to `queue`; 0: copies at once. `way` is the direction of the copy, which says whether
 * `to` and `from` are host or device addresses. `file` and `line` are the source location of the call in the program;
 * NULL and 0: not known. Returns the errors of accd_copy_to_device (ACC33-async-1). */
ACCD_API accd_status accd_copy_async(accd_context *context, int device, unsigned queue, accd_direction way, uint64_t to,
                                     uint64_t from, uint64_t bytes, const char *file, int line);

/* Attaches the descriptor of a Fortran variable to the device copy of a section: `size` bytes that begin `offset` bytes
 * after `data` (FLANG-api-2 to FLANG-api-6). Does nothing unless both the section and the descriptor are present. For a
 * scalar, `offset` is 0 and `size` the scalar's size. An empty section counts as present if its first byte is present.
 * - If the descriptor is as it was at the last attach, its attach counter is incremented.
 * - Otherwise the descriptor is copied to the device, and its counter becomes 1. The copy has the device address of
 *   the section, less `offset`, so that indices keep their meaning. `data` must be the address in the descriptor;
 * otherwise ACCD_ERROR_POINTER_CHANGED.
 * - A null address copies the host's null descriptor to the device and ends the attachment (ACC33-att-4,
 *   ACC33-gloss-2). This is ACCD_ERROR_POINTER_CHANGED if the rules let no attached pointer change. It does nothing if
 *   the knob attach_null of the rules is `reject`.
 * - A descriptor of Flang may end with an addendum, whose first word points to a type record (the description of the
 *   derived type). The record's first 8 bytes are its size. The call maps the record with one dynamic reference, and
 *   attaches the pointer to it. Each step that ends the descriptor's attachment also removes this reference. Such steps
 *   are a detach, an exit of data or descriptor, the end of a region, a null pointer, and an attach with another type
 * record (FLANG-api-7). */
ACCD_API accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor, const void *data,
                                            uint64_t offset, uint64_t size, const char *file, int line);
/* Decrements the attach counter of a descriptor, or sets it to 0 if `finalize` is not 0. At 0 the whole host descriptor
 * is copied to the device. The type record (description of a Fortran type) to which its addendum points then loses the
 * attachment's reference, and is unmapped with its last reference (FLANG-todo-1). */
ACCD_API accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor, int finalize,
                                            const char *file, int line);
/* Returns the size in bytes of a descriptor, including its dimensions and addendum; 0 if the descriptor's rank is not 0
 * to 15. */
ACCD_API uint32_t accd_descriptor_bytes(const accd_context *context, const void *descriptor);

#ifdef __cplusplus
}
#endif

#endif
