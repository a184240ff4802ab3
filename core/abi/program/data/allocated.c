/* allocated.c - what allocatable variables of declare directives hold.
 *
 * An allocate statement makes the device's copy, and deallocate ends it (ACC33-dec-1). gcc 12 makes
 * no call for either, but it lists the variable. So the runtime reads the variable at the beginning
 * of each call: data that are new are mapped, data that are gone are unmapped. gcc does not tell
 * two things, and no one can know them: an array that was allocated again with the same address and
 * size keeps the device's values; a pointer that points to absent data counts as allocated. Strings
 * of deferred length are left out. */
#include "abi/program/base/arena.h"
#include "abi/program/base/runtime.h"

#include <stdlib.h>
#include <string.h>

struct allocatable {
    char *host; /* the variable: a descriptor, or the pointer to a scalar */
    uint64_t bytes;
    uint64_t scalar;         /* bytes of the scalar; 0: it is none */
    bool asked;              /* for these */
    bool copies;             /* declare copyin */
    struct goacc_range held; /* what the device has of its contents; 0 bytes: nothing */
    int device;              /* where */
    bool owned;              /* its allocation mapped them */
    bool inherits;           /* what it holds now was owned by another one: move_alloc */
};
static struct allocatable *variables;
static size_t nvariables, variables_room;
static bool in_kernel; /* declared variables have the device's values */

void goacc_allocated_add(char *host, uint64_t bytes)
{
    if (bytes != sizeof(void *) && !goacc_has_descriptor_size(bytes))
        return;
    if (nvariables == variables_room) {
        const size_t room = variables_room ? 2 * variables_room : 16;
        struct allocatable *grown = realloc(variables, room * sizeof *grown);
        if (!grown)
            goacc_die("out-of-memory", "no memory for the list of declared variables");
        variables = grown;
        variables_room = room;
    }
    variables[nvariables++] = (struct allocatable){.host = host, .bytes = bytes};
}

void goacc_allocated_forget(const char *host)
{
    for (size_t i = nvariables; i-- > 0;)
        if (variables[i].host == host)
            variables[i] = variables[--nvariables];
}

void goacc_allocated_close(void)
{
    for (size_t i = 0; i < nvariables; i++)
        variables[i].held.bytes = 0;
}

void goacc_allocated_copies(const void *host)
{
    for (size_t i = 0; i < nvariables; i++)
        variables[i].copies |= variables[i].host == host;
}

bool goacc_allocated_has(uint64_t host)
{
    for (size_t i = 0; i < nvariables; i++)
        if (variables[i].held.bytes &&
            (variables[i].held.start == host || (uintptr_t)variables[i].host == host))
            return true;
    return false;
}

void goacc_allocated_swap(void)
{
    in_kernel = !in_kernel;
}

/* ---------------------------------------------------------------------------------- contents -- */

/* The data of a descriptor, if they are contiguous; 0 bytes: there are none, or it is no
 * descriptor. */
static struct goacc_range elements_of(const struct allocatable *variable)
{
    const struct goacc_descriptor *array = (const struct goacc_descriptor *)(const void *)variable->host;
    const uint64_t bytes_of_rank = goacc_descriptor_bytes(array->rank);
    uint64_t bytes = array->element;
    if (!array->data || array->version || array->rank < 1 || bytes_of_rank != variable->bytes)
        return (struct goacc_range){0};
    for (int i = 0; i < array->rank; i++) {
        const int64_t extent = array->dim[i].upper - array->dim[i].lower + 1;
        if (extent <= 0 || (uint64_t)array->dim[i].stride * array->element != bytes ||
            __builtin_mul_overflow(bytes, (uint64_t)extent, &bytes))
            return (struct goacc_range){0};
    }
    return (struct goacc_range){(uintptr_t)array->data, bytes};
}

/* What a variable holds on the host. */
static struct goacc_range contents(struct allocatable *variable)
{
    enum { LEAST = 4096, ADDRESS_BITS = 47 };
    if (variable->bytes != sizeof(void *))
        return elements_of(variable);
    const uintptr_t data = goacc_word(variable->host);
    if (data < LEAST || data >> ADDRESS_BITS)
        return (struct goacc_range){0};
    if (!variable->asked) {
        variable->asked = true;
        variable->scalar = goacc_pointee((uintptr_t)variable->host);
    }
    return (struct goacc_range){data, variable->scalar};
}

static bool same(struct goacc_range a, struct goacc_range b)
{
    return a.bytes == b.bytes && (!a.bytes || a.start == b.start);
}

/* ------------------------------------------------------------------------------------ changes --
 */

static void run(struct allocatable *variable, accd_kind kind, const accd_item *item)
{
    goacc_must(
        accd_run(goacc.context,
                 &(accd_construct){.device = variable->device,
                                   .kind = kind,
                                   .finalize = kind == ACCD_EXIT_DATA,
                                   .items = item,
                                   .nitems = 1,
                                   .name = kind == ACCD_EXIT_DATA ? "deallocate" : "allocate"},
                 NULL));
}

/* Attaches or detaches the variable. */
static void run_pointer(struct allocatable *variable, accd_action action)
{
    accd_item item = {.host = variable->host,
                      .bytes = sizeof(void *),
                      .slot = variable->host,
                      .action = (uint8_t)action};
    goacc_name_item(&item);
    run(variable, action == ACCD_ATTACH ? ACCD_ENTER_DATA : ACCD_EXIT_DATA, &item);
}

/* The variable has other contents now, or none. */
static void release(struct allocatable *variable)
{
    const void *data = (const void *)(uintptr_t)variable->held.start;
    accd_item item = {.host = data, .bytes = variable->held.bytes, .action = ACCD_DELETE};
    accd_present object;
    bool owned = variable->owned;
    for (size_t i = 0; i < nvariables && owned; i++)
        if (same(contents(&variables[i]), variable->held) &&
            !same(variables[i].held, variable->held)) {
            variables[i].inherits = true;
            owned = false;
        }
    if (owned &&
        accd_present_at(goacc.context, variable->device, variable->held.start, 0, &object) &&
        object.structured) {
        char name[160];
        goacc_spell(goacc.site, (uintptr_t)variable->host, 0, name, sizeof name);
        goacc_tell("error", "region-nesting", "ACC33-dec-1", goacc.site->call.pc,
                   "%s was deallocated, or allocated again, while a data region holds it", name);
        goacc_end();
    }
    goacc_name_item(&item);
    if (owned)
        run(variable, ACCD_EXIT_DATA, &item);
    else
        run_pointer(variable, ACCD_DETACH);
    variable->held.bytes = 0;
}

/* The variable has contents that the device does not have yet. */
static void hold(const struct goacc_thread *self, struct allocatable *variable,
                 struct goacc_range now)
{
    const void *data = (const void *)(uintptr_t)now.start;
    accd_item item = {.host = data,
                      .bytes = now.bytes,
                      .slot = variable->host,
                      .action = variable->copies ? ACCD_COPYIN : ACCD_CREATE};
    variable->device = self->device;
    const bool present =
        accd_presence_of(goacc.context, self->device, data, now.bytes) == ACCD_WHOLLY;
    goacc_name_item(&item);
    if (present)
        run_pointer(variable, ACCD_ATTACH);
    else
        run(variable, ACCD_ENTER_DATA, &item);
    variable->owned = !present || variable->inherits;
    variable->inherits = false;
    variable->held = now;
}

/* Present contents of a variable: the device's copy of the variable points there, with the host's
 * bounds. */
static void refresh(struct allocatable *variable)
{
    const size_t pointer = sizeof(void *), rest = variable->bytes - pointer;
    const void *data = (const void *)(uintptr_t)variable->held.start;
    const uint64_t device = accd_device_address(goacc.context, variable->device, variable->host);
    accd_attachment attached;
    if (!device || !accd_device_address(goacc.context, variable->device, data))
        return;
    if (!accd_attachment_at(goacc.context, variable->device, variable->host, &attached))
        run_pointer(variable, ACCD_ATTACH);
    if (rest &&
        memcmp(variable->host + pointer, (const char *)(uintptr_t)device + pointer, rest) != 0)
        goacc_write_device(variable->device, device + pointer, variable->host + pointer, rest);
}

void goacc_allocated_look(const struct goacc_thread *self)
{
    if (in_kernel || goacc.target_first)
        return;
    for (size_t i = 0; i < nvariables; i++)
        if (variables[i].held.bytes && !same(contents(&variables[i]), variables[i].held))
            release(&variables[i]);
    for (size_t i = 0; i < nvariables; i++) {
        const struct goacc_range now = contents(&variables[i]);
        if (now.bytes && !variables[i].held.bytes)
            hold(self, &variables[i], now);
        if (now.bytes)
            refresh(&variables[i]);
    }
}
