/* allocatable.c - keeps the contents of Fortran's allocatable variables in declare directives present. Called by
 * declared.c, and by lifecycle.c at the begin of each call on the slow path.
 *
 * The contents are the memory that the statement `allocate` reserves. It also creates the device's copy, and
 * `deallocate` deletes it (ACC33-dec-1). gcc 12 makes no call for either, but lists the variable in the program's file.
 * The runtime therefore reads each variable at the begin of each call, maps new contents and unmaps old ones. Two cases
 * cannot be recognised. An array allocated again with the same address and size keeps the device's values; a pointer
 * variable that points to absent data counts as allocated. Strings of deferred length are ignored.
 *
 *      host variable  --data-->  contents        mapped: the range that the device has
 *           |                       |            differs from the contents: unmap, then map again
 *      device copy    --------->  device copy    attached, with the host's bounds */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "lib/arena.h"
#include "lib/descriptor.h"
#include "lib/vector.h"
#include "allocatable.h"

#include <assert.h>
#include <string.h>

/* Allocatable declared variable. */
struct allocatable {
    char *host;             /* variable: a descriptor, or the pointer to a scalar */
    uint64_t bytes;         /* size of the variable */
    uint64_t scalar;        /* size in bytes of the scalar that the pointer points to; 0: unknown */
    bool scalar_is_known;   /* true once `scalar` was looked up in debug information */
    bool is_copyin;         /* true for declare copyin */
    struct rt_range mapped; /* contents that are mapped; 0 bytes: no contents */
    int device;             /* device of `mapped` */
    bool is_owned;          /* true if the contents were mapped for this variable: its deallocation unmaps them */
    bool is_inherited;      /* true if the contents were mapped for another variable, which has passed them on
                               (move_alloc) */
};
static struct allocatable *variables;
static size_t nvariables, variables_capacity;
static bool in_kernel; /* true while declared variables hold the device's values, because a kernel runs */

/* Adds the declared variable of `bytes` bytes at `host`, if its size is that of a pointer or Fortran descriptor. Ends
 * the program without memory. */
void rt_allocatable_add(char *host, uint64_t bytes)
{
    assert(host);
    if (bytes != sizeof(void *) && !rt_has_descriptor_size(bytes))
        return;
    if (!RT_RESERVE(rt_heap_realloc, variables, nvariables, variables_capacity))
        rt_fatal("out-of-memory", "no memory for the list of declared variables");
    variables[nvariables++] = (struct allocatable){.host = host, .bytes = bytes};
}

/* Removes the variable at `host` from the list, if it was added. */
void rt_allocatable_remove(const char *host)
{
    for (size_t i = nvariables; i-- > 0;)
        if (variables[i].host == host)
            variables[i] = variables[--nvariables];
}

/* Forgets which contents are mapped, after all device data ended. */
void rt_allocatable_clear(void)
{
    for (size_t i = 0; i < nvariables; i++)
        variables[i].mapped.bytes = 0;
}

/* Marks the variable at `host`, if it was added, as one of declare copyin: new contents are then copied to the device.
 */
void rt_allocatable_set_copyin(const void *host)
{
    for (size_t i = 0; i < nvariables; i++)
        variables[i].is_copyin |= variables[i].host == host;
}

/* Returns true if an allocatable variable with mapped contents, or these contents, begin at `host`. */
bool rt_is_allocatable_data(uint64_t host)
{
    for (size_t i = 0; i < nvariables; i++)
        if (variables[i].mapped.bytes && (variables[i].mapped.start == host || (uintptr_t)variables[i].host == host))
            return true;
    return false;
}

/* Records that declared variables now hold the device's values; at the next call, that they hold the host's again. */
void rt_allocatable_swap(void)
{
    in_kernel = !in_kernel;
}

/* ---------------------------------------------------------------------------------- contents -- */

/* Returns the host range of the elements that the variable's gfortran descriptor describes. 0 bytes: the array is not
 * allocated, is empty or not contiguous, or the variable is not a descriptor after all. */
static struct rt_range get_descriptor_elements(const struct allocatable *variable)
{
    assert(rt_has_descriptor_size(variable->bytes));
    const struct rt_gfortran_descriptor *array = (const struct rt_gfortran_descriptor *)(const void *)variable->host;
    const uint64_t bytes_of_rank = rt_descriptor_bytes(array->rank);
    uint64_t bytes = array->element;
    if (!array->data || array->version || array->rank < 1 || bytes_of_rank != variable->bytes)
        return (struct rt_range){0};
    for (int i = 0; i < array->rank; i++) {
        const int64_t extent = array->dim[i].upper - array->dim[i].lower + 1;
        if (extent <= 0 || (uint64_t)array->dim[i].stride * array->element != bytes ||
            __builtin_mul_overflow(bytes, (uint64_t)extent, &bytes))
            return (struct rt_range){0};
    }
    return (struct rt_range){(uintptr_t)array->data, bytes};
}

/* Returns the range of a variable's contents on the host: an array by its descriptor, a scalar by debug information. 0
 * bytes: the variable is not allocated, its array is not contiguous, or its size is not known. */
static struct rt_range read_contents(struct allocatable *variable)
{
    enum { LEAST = 4096, ADDRESS_BITS = 47 };
    if (variable->bytes != sizeof(void *))
        return get_descriptor_elements(variable);
    const uintptr_t data = rt_load_word(variable->host);
    if (data < LEAST || data >> ADDRESS_BITS)
        return (struct rt_range){0};
    if (!variable->scalar_is_known) {
        variable->scalar_is_known = true;
        variable->scalar = rt_find_pointee_bytes((uintptr_t)variable->host);
    }
    return (struct rt_range){data, variable->scalar};
}

/* Returns true if two ranges are equal; any two ranges of 0 bytes are equal. */
static bool is_same_range(struct rt_range a, struct rt_range b)
{
    return a.bytes == b.bytes && (!a.bytes || a.start == b.start);
}

/* ------------------------------------------------------------------------------------ changes --
 */

/* Runs a construct of `kind` with one item on the variable's device. Traces name it "deallocate" for exit data,
 * otherwise "allocate". Failure ends the program. */
static void run_item(struct allocatable *variable, accd_construct_kind kind, const accd_item *item)
{
    rt_check_status(
        accd_run_construct(rt.context,
                           &(accd_construct){.device = variable->device,
                                             .kind = kind,
                                             .finalize = kind == ACCD_KIND_EXIT_DATA,
                                             .items = item,
                                             .nitems = 1,
                                             .name = kind == ACCD_KIND_EXIT_DATA ? "deallocate" : "allocate"},
                           NULL));
}

/* Attaches the device copy of the variable to its contents, or detaches it, as `action` says. Failure ends the program.
 */
static void attach_or_detach(struct allocatable *variable, accd_action action)
{
    accd_item item = {
        .host = variable->host, .bytes = sizeof(void *), .slot = variable->host, .action = (uint8_t)action};
    rt_label_item_at_site(&item);
    run_item(variable, action == ACCD_ACTION_ATTACH ? ACCD_KIND_ENTER_DATA : ACCD_KIND_EXIT_DATA, &item);
}

/* Unmaps the old contents of a variable; it is only detached from contents that were not mapped for it. If another
 * variable has taken over the contents (move_alloc), they stay present and that variable inherits them. Ends the
 * program with a report if a data region still uses the contents. */
static void unmap_contents(struct allocatable *variable)
{
    assert(variable->mapped.bytes > 0 && !in_kernel);
    const void *data = (const void *)(uintptr_t)variable->mapped.start;
    accd_item item = {.host = data, .bytes = variable->mapped.bytes, .action = ACCD_ACTION_DELETE};
    accd_present_object object;
    bool is_owned = variable->is_owned;
    for (size_t i = 0; i < nvariables && is_owned; i++)
        if (is_same_range(read_contents(&variables[i]), variable->mapped) &&
            !is_same_range(variables[i].mapped, variable->mapped)) {
            variables[i].is_inherited = true;
            is_owned = false;
        }
    if (is_owned && accd_present_at(rt.context, variable->device, variable->mapped.start, 0, &object) &&
        object.structured) {
        char name[160];
        rt_format_name(rt.site, (uintptr_t)variable->host, 0, name, sizeof name);
        rt_report("error", "region-nesting", "ACC33-dec-1", rt.site->call.pc,
                  "%s was deallocated, or allocated again, while a data region holds it", name);
        rt_exit_with_error();
    }
    rt_label_item_at_site(&item);
    if (is_owned)
        run_item(variable, ACCD_KIND_EXIT_DATA, &item);
    else
        attach_or_detach(variable, ACCD_ACTION_DETACH);
    variable->mapped.bytes = 0;
}

/* Maps `contents`, the new contents of a variable, on the thread's device, and attaches the variable to them. Contents
 * that are present already are only attached. Failure ends the program. */
static void map_contents(const struct rt_thread *self, struct allocatable *variable, struct rt_range contents)
{
    assert(contents.bytes > 0 && !variable->mapped.bytes);
    const void *data = (const void *)(uintptr_t)contents.start;
    accd_item item = {.host = data,
                      .bytes = contents.bytes,
                      .slot = variable->host,
                      .action = variable->is_copyin ? ACCD_ACTION_COPYIN : ACCD_ACTION_CREATE};
    variable->device = self->device;
    const bool present = accd_get_presence(rt.context, self->device, data, contents.bytes) == ACCD_PRESENCE_FULL;
    rt_label_item_at_site(&item);
    if (present)
        attach_or_detach(variable, ACCD_ACTION_ATTACH);
    else
        run_item(variable, ACCD_KIND_ENTER_DATA, &item);
    variable->is_owned = !present || variable->is_inherited;
    variable->is_inherited = false;
    variable->mapped = contents;
}

/* Makes the device copy of a variable point to the mapped contents (attaches it, if it is not attached) and copies the
 * host's bounds of an array to it. Does nothing if the variable or its contents are absent. */
static void update_pointer(struct allocatable *variable)
{
    const size_t pointer = sizeof(void *), rest = variable->bytes - pointer;
    const void *data = (const void *)(uintptr_t)variable->mapped.start;
    const uint64_t device = accd_device_address(rt.context, variable->device, variable->host);
    accd_attachment attachment;
    if (!device || !accd_device_address(rt.context, variable->device, data))
        return;
    if (!accd_attachment_at(rt.context, variable->device, variable->host, &attachment))
        attach_or_detach(variable, ACCD_ACTION_ATTACH);
    if (rest && memcmp(variable->host + pointer, (const char *)(uintptr_t)device + pointer, rest) != 0)
        rt_write_device(variable->device, device + pointer, variable->host + pointer, rest);
}

/* Updates the contents of all variables: unmaps all old contents first, then maps new ones on the thread's device,
 * because new contents may lie at old addresses. Does nothing while a kernel runs, or in programs whose first call was
 * one of OpenMP. */
void rt_allocatable_sync(const struct rt_thread *self)
{
    assert(rt.context);
    if (in_kernel || rt.starts_with_openmp)
        return;
    for (size_t i = 0; i < nvariables; i++)
        if (variables[i].mapped.bytes && !is_same_range(read_contents(&variables[i]), variables[i].mapped))
            unmap_contents(&variables[i]);
    for (size_t i = 0; i < nvariables; i++) {
        const struct rt_range contents = read_contents(&variables[i]);
        if (contents.bytes && !variables[i].mapped.bytes)
            map_contents(self, &variables[i], contents);
        if (contents.bytes)
            update_pointer(&variables[i]);
    }
}
