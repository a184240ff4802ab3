/* openacc.c - the acc_* routines of OpenACC 3.3 that the compiler's openacc.h declares. Each is a
 * construct of one item, or a single step of the core. A program whose device is the host shares
 * its memory: nothing is mapped, and everything is present (ACC33-gloss-2). */
#include "abi/program/base/prof.h"
#include "abi/program/check/check.h"
#include "abi/program/strict/left.h"
#include "routines.h"

#include <stdlib.h>
#include <string.h>

/* As openacc.h declares them; the program has that header, we have the functions. */
#define ROUTINES(X)                                                                               \
    X(void *, acc_copyin, (void *host, size_t bytes))                                             \
    X(void *, acc_present_or_copyin, (void *host, size_t bytes))                                  \
    X(void *, acc_pcopyin, (void *host, size_t bytes))                                            \
    X(void *, acc_create, (void *host, size_t bytes))                                             \
    X(void *, acc_present_or_create, (void *host, size_t bytes))                                  \
    X(void *, acc_pcreate, (void *host, size_t bytes))                                            \
    X(void, acc_copyin_async, (void *host, size_t bytes, int queue))                              \
    X(void, acc_create_async, (void *host, size_t bytes, int queue))                              \
    X(void, acc_copyout, (void *host, size_t bytes))                                              \
    X(void, acc_copyout_async, (void *host, size_t bytes, int queue))                             \
    X(void, acc_copyout_finalize, (void *host, size_t bytes))                                     \
    X(void, acc_copyout_finalize_async, (void *host, size_t bytes, int queue))                    \
    X(void, acc_delete, (void *host, size_t bytes))                                               \
    X(void, acc_delete_async, (void *host, size_t bytes, int queue))                              \
    X(void, acc_delete_finalize, (void *host, size_t bytes))                                      \
    X(void, acc_delete_finalize_async, (void *host, size_t bytes, int queue))                     \
    X(void, acc_update_device, (void *host, size_t bytes))                                        \
    X(void, acc_update_device_async, (void *host, size_t bytes, int queue))                       \
    X(void, acc_update_self, (void *host, size_t bytes))                                          \
    X(void, acc_update_self_async, (void *host, size_t bytes, int queue))                         \
    X(void, acc_attach, (void **slot))                                                            \
    X(void, acc_attach_async, (void **slot, int queue))                                           \
    X(void, acc_detach, (void **slot))                                                            \
    X(void, acc_detach_async, (void **slot, int queue))                                           \
    X(void, acc_detach_finalize, (void **slot))                                                   \
    X(void, acc_detach_finalize_async, (void **slot, int queue))                                  \
    X(int, acc_is_present, (void *host, size_t bytes))                                            \
    X(void *, acc_deviceptr, (void *host))                                                        \
    X(void *, acc_hostptr, (void *device))                                                        \
    X(void, acc_map_data, (void *host, void *device, size_t bytes))                               \
    X(void, acc_unmap_data, (void *host))                                                         \
    X(void *, acc_malloc, (size_t bytes))                                                         \
    X(void, acc_free, (void *device))                                                             \
    X(void, acc_memcpy_to_device, (void *device, void *host, size_t bytes))                       \
    X(void, acc_memcpy_to_device_async, (void *device, void *host, size_t bytes, int queue))      \
    X(void, acc_memcpy_from_device, (void *host, void *device, size_t bytes))                     \
    X(void, acc_memcpy_from_device_async, (void *host, void *device, size_t bytes, int queue))    \
    X(void, acc_memcpy_device, (void *to, void *from, size_t bytes))                              \
    X(void, acc_memcpy_device_async, (void *to, void *from, size_t bytes, int queue))             \
    X(int, acc_get_num_devices, (int type))                                                       \
    X(void, acc_set_device_type, (int type))                                                      \
    X(int, acc_get_device_type, (void))                                                           \
    X(void, acc_set_device_num, (int number, int type))                                           \
    X(int, acc_get_device_num, (int type))                                                        \
    X(size_t, acc_get_property, (int number, int type, int property))                             \
    X(const char *, acc_get_property_string, (int number, int type, int property))                \
    X(void, acc_init, (int type))                                                                 \
    X(void, acc_shutdown, (int type))                                                             \
    X(int, acc_on_device, (int type))                                                             \
    X(int, acc_async_test, (int queue))                                                           \
    X(int, acc_async_test_all, (void))                                                            \
    X(void, acc_wait, (int queue))                                                                \
    X(void, acc_async_wait, (int queue))                                                          \
    X(void, acc_wait_async, (int queue, int other))                                               \
    X(void, acc_wait_all, (void))                                                                 \
    X(void, acc_async_wait_all, (void))                                                           \
    X(void, acc_wait_all_async, (int queue))                                                      \
    X(void *, acc_get_current_cuda_device, (void))                                                \
    X(void *, acc_get_current_cuda_context, (void))                                               \
    X(void *, acc_get_cuda_stream, (int queue))                                                   \
    X(int, acc_set_cuda_stream, (int queue, void *stream))
#define DECLARE(type, name, parameters) type name parameters;
ROUTINES(DECLARE)

/* -------------------------------------------------------------------------------------- data -- */

/* Whether a routine does nothing for a null pointer or no bytes; rules may call that an error. */
static bool idle(accd_kind kind, const void *host, size_t bytes)
{
    const accd_rules *rules = goacc.options.rules;
    if (!host && kind != ACCD_ENTER_DATA && rules->null_routine == ACCD_IGNORE)
        return true;
    if (!bytes && kind == ACCD_ENTER_DATA && rules->zero_map == ACCD_REJECT)
        goacc_die("invalid-section", "%s: no bytes cannot be mapped", goacc.site->what);
    if (!bytes && kind == ACCD_UPDATE && rules->zero_update == ACCD_REJECT)
        goacc_die("not-present", "%s: no bytes are never present", goacc.site->what);
    if (bytes && !host)
        goacc_die("null-pointer", "%s: a null pointer cannot be mapped", goacc.site->what);
    return !bytes;
}

static int event_of(accd_kind kind)
{
    return kind == ACCD_ENTER_DATA  ? GOACC_EV_ENTER_DATA
           : kind == ACCD_EXIT_DATA ? GOACC_EV_EXIT_DATA
                                    : GOACC_EV_UPDATE;
}

/* queue: only reported and checked, every queue is done at once, in program order. */
void *goacc_data(const struct goacc_site *site, accd_kind kind, accd_action action, void *host,
                 size_t bytes, bool finalize, int queue)
{
    struct goacc_span span;
    goacc_begin(&span, site, event_of(kind), GOACC_IN_ROUTINE, queue, GOACC_CURRENT);
    struct goacc_thread *self = goacc_enter(site);
    void *device = host;
    if (self->type != GOACC_HOST && idle(kind, host, bytes)) {
        device = NULL;
    } else if (self->type != GOACC_HOST) {
        accd_item item = {.host = host, .bytes = bytes, .action = (uint8_t)action};
        goacc_name_item(&item);
        goacc_in_queue(self, queue);
        goacc_run(self, kind, !goacc_is_quick() || goacc_is_doubtful((uintptr_t)host, bytes, goacc_moves(action)),
                  &item, 1, finalize);
        goacc_in_queue(self, GOACC_SYNC);
        device = kind == ACCD_ENTER_DATA
                     ? (void *)(uintptr_t)accd_device_address(goacc.context, self->device, host)
                     : NULL;
    }
    goacc_leave();
    goacc_finish(&span);
    return device;
}

#define HERE ((const struct goacc_site[]){goacc_here(__func__)})
#define ENTER(action, queue) goacc_data(HERE, ACCD_ENTER_DATA, action, host, bytes, false, queue)
#define EXIT(action, finalize, queue)                                                             \
    goacc_data(HERE, ACCD_EXIT_DATA, action, host, bytes, finalize, queue)
#define UPDATE(action, queue) goacc_data(HERE, ACCD_UPDATE, action, host, bytes, false, queue)

void *acc_copyin(void *host, size_t bytes) { return ENTER(ACCD_COPYIN, GOACC_SYNC); }
void *acc_present_or_copyin(void *host, size_t bytes) { return ENTER(ACCD_COPYIN, GOACC_SYNC); }
void *acc_pcopyin(void *host, size_t bytes) { return ENTER(ACCD_COPYIN, GOACC_SYNC); }
void *acc_create(void *host, size_t bytes) { return ENTER(ACCD_CREATE, GOACC_SYNC); }
void *acc_present_or_create(void *host, size_t bytes) { return ENTER(ACCD_CREATE, GOACC_SYNC); }
void *acc_pcreate(void *host, size_t bytes) { return ENTER(ACCD_CREATE, GOACC_SYNC); }
void acc_copyout(void *host, size_t bytes) { EXIT(ACCD_COPYOUT, false, GOACC_SYNC); }
void acc_copyout_finalize(void *host, size_t bytes) { EXIT(ACCD_COPYOUT, true, GOACC_SYNC); }
void acc_delete(void *host, size_t bytes) { EXIT(ACCD_DELETE, false, GOACC_SYNC); }
void acc_delete_finalize(void *host, size_t bytes) { EXIT(ACCD_DELETE, true, GOACC_SYNC); }
void acc_update_device(void *host, size_t bytes) { UPDATE(ACCD_UPDATE_DEVICE, GOACC_SYNC); }
void acc_update_self(void *host, size_t bytes) { UPDATE(ACCD_UPDATE_SELF, GOACC_SYNC); }

void acc_copyin_async(void *host, size_t bytes, int queue) { ENTER(ACCD_COPYIN, queue); }
void acc_create_async(void *host, size_t bytes, int queue) { ENTER(ACCD_CREATE, queue); }
void acc_copyout_async(void *host, size_t bytes, int queue)
{
    EXIT(ACCD_COPYOUT, false, queue);
}
void acc_copyout_finalize_async(void *host, size_t bytes, int queue)
{
    EXIT(ACCD_COPYOUT, true, queue);
}
void acc_delete_async(void *host, size_t bytes, int queue)
{
    EXIT(ACCD_DELETE, false, queue);
}
void acc_delete_finalize_async(void *host, size_t bytes, int queue)
{
    EXIT(ACCD_DELETE, true, queue);
}
void acc_update_device_async(void *host, size_t bytes, int queue)
{
    UPDATE(ACCD_UPDATE_DEVICE, queue);
}
void acc_update_self_async(void *host, size_t bytes, int queue)
{
    UPDATE(ACCD_UPDATE_SELF, queue);
}

/* ---------------------------------------------------------------------------------- pointers -- */

static void pointer(const struct goacc_site *site, accd_action action, void **slot, bool finalize,
                    int queue)
{
    const accd_kind kind = action == ACCD_ATTACH ? ACCD_ENTER_DATA : ACCD_EXIT_DATA;
    struct goacc_span span;
    goacc_begin(&span, site, event_of(kind), GOACC_IN_ROUTINE, queue, GOACC_CURRENT);
    struct goacc_thread *self = goacc_enter(site);
    if (!slot)
        goacc_die("null-pointer", "%s needs the address of a pointer", site->what);
    if (self->type != GOACC_HOST) {
        accd_item item = {.host = slot, .bytes = sizeof *slot, .slot = slot,
                          .action = (uint8_t)action};
        goacc_name_item(&item);
        goacc_in_queue(self, queue);
        goacc_run(self, kind, true, &item, 1, finalize);
        goacc_in_queue(self, GOACC_SYNC);
    }
    goacc_leave();
    goacc_finish(&span);
}

#define POINTER(action, finalize, queue) pointer(HERE, action, slot, finalize, queue)

void acc_attach(void **slot) { POINTER(ACCD_ATTACH, false, GOACC_SYNC); }
void acc_attach_async(void **slot, int queue) { POINTER(ACCD_ATTACH, false, queue); }
void acc_detach(void **slot) { POINTER(ACCD_DETACH, false, GOACC_SYNC); }
void acc_detach_async(void **slot, int queue) { POINTER(ACCD_DETACH, false, queue); }
void acc_detach_finalize(void **slot) { POINTER(ACCD_DETACH, true, GOACC_SYNC); }
void acc_detach_finalize_async(void **slot, int queue) { POINTER(ACCD_DETACH, true, queue); }

/* ------------------------------------------------------------------------------------- looks -- */

int goacc_is_present(const struct goacc_site *site, const void *host, size_t bytes)
{
    const struct goacc_thread *self = goacc_enter(site);
    int present = self->type == GOACC_HOST ||
                  accd_presence_of(goacc.context, self->device, host, bytes) == ACCD_WHOLLY;
    if (goacc.options.check)
        goacc_check_found(self->device, host);
    goacc_leave();
    return present;
}

int acc_is_present(void *host, size_t bytes)
{
    return goacc_is_present(HERE, host, bytes);
}

void *acc_deviceptr(void *host)
{
    const struct goacc_thread *self = goacc_enter(HERE);
    uint64_t device = self->type == GOACC_HOST
                          ? (uintptr_t)host
                          : accd_device_address(goacc.context, self->device, host);
    goacc_expose((void *)(uintptr_t)device);
    goacc_leave();
    return (void *)(uintptr_t)device;
}

void *acc_hostptr(void *device)
{
    const struct goacc_thread *self = goacc_enter(HERE);
    uint64_t host = self->type == GOACC_HOST
                        ? (uintptr_t)device
                        : accd_host_address(goacc.context, self->device, (uintptr_t)device);
    goacc_leave();
    return (void *)(uintptr_t)host;
}

/* -------------------------------------------------------------------------------- raw memory -- */

void acc_map_data(void *host, void *device, size_t bytes)
{
    struct goacc_span span;
    goacc_begin(&span, HERE, GOACC_EV_NONE, GOACC_IN_ROUTINE, GOACC_SYNC, GOACC_CURRENT);
    const struct goacc_thread *self = goacc_enter(HERE);
    accd_item item = {.host = host, .bytes = bytes};
    if (self->type == GOACC_HOST)
        goacc_die("misuse", "data cannot be mapped while the host is the device: their memory is "
                  "the same");
    goacc_name_item(&item);
    goacc_must(accd_map(goacc.context, self->device, host, (uintptr_t)device, bytes, item.label));
    if (goacc.options.check)
        goacc_check_mapped(host, bytes);
    goacc_note(&span, GOACC_EV_CREATE, host, device, bytes);
    goacc_leave();
    goacc_finish(&span);
}

void acc_unmap_data(void *host)
{
    struct goacc_span span;
    goacc_begin(&span, HERE, GOACC_EV_NONE, GOACC_IN_ROUTINE, GOACC_SYNC, GOACC_CURRENT);
    const struct goacc_thread *self = goacc_enter(HERE);
    if (self->type != GOACC_HOST) {
        accd_present object = {0};
        accd_present_at(goacc.context, self->device, (uintptr_t)host, 0, &object);
        if (goacc.options.check)
            goacc_check_unmapped(self->device, host);
        goacc_must(accd_unmap(goacc.context, self->device, host));
        goacc_note(&span, GOACC_EV_DELETE, host, (void *)(uintptr_t)object.dev, object.info.bytes);
    }
    goacc_leave();
    goacc_finish(&span);
}

void *acc_malloc(size_t bytes)
{
    struct goacc_span span;
    goacc_begin(&span, HERE, GOACC_EV_NONE, GOACC_IN_ROUTINE, GOACC_SYNC, GOACC_CURRENT);
    const struct goacc_thread *self = goacc_enter(HERE);
    uint64_t device = 0; /* also when there is no memory left */
    if (self->type == GOACC_HOST)
        device = bytes ? (uintptr_t)malloc(bytes) : 0;
    else if (accd_device_alloc(goacc.context, self->device, bytes, &device) != ACCD_OK)
        device = 0;
    if (goacc.options.check && device && self->type != GOACC_HOST)
        goacc_check_allocated(device, bytes);
    if (self->type != GOACC_HOST)
        goacc_raw_allocated(self->device, device, bytes);
    if (device)
        goacc_note(&span, GOACC_EV_ALLOC, NULL, (void *)(uintptr_t)device, bytes);
    goacc_leave();
    goacc_finish(&span);
    return (void *)(uintptr_t)device;
}

void acc_free(void *device)
{
    struct goacc_span span;
    goacc_begin(&span, HERE, GOACC_EV_NONE, GOACC_IN_ROUTINE, GOACC_SYNC, GOACC_CURRENT);
    const struct goacc_thread *self = goacc_enter(HERE);
    if (self->type == GOACC_HOST) {
        free(device);
    } else {
        if (goacc.options.strict)
            goacc_races_free(self->device, (uintptr_t)device);
        goacc_must(accd_device_free(goacc.context, self->device, (uintptr_t)device));
        goacc_raw_freed((uintptr_t)device);
        if (goacc.options.check && device)
            goacc_check_freed((uintptr_t)device);
        if (device)
            goacc_note(&span, GOACC_EV_FREE, NULL, device, 0);
    }
    goacc_leave();
    goacc_finish(&span);
}

enum direction { IN, OUT, WITHIN };

static void copy(const struct goacc_site *site, enum direction direction, void *to,
                 const void *from, size_t bytes, int queue)
{
    struct goacc_span span;
    goacc_begin(&span, site, GOACC_EV_NONE, GOACC_IN_ROUTINE, queue, GOACC_CURRENT);
    struct goacc_thread *self = goacc_enter(site);
    int device = self->device;
    if (self->type == GOACC_HOST)
        memmove(to, from, bytes);
    else if (direction == IN)
        goacc_must(accd_to_device(goacc.context, device, (uintptr_t)to, from, bytes));
    else if (direction == OUT)
        goacc_must(accd_from_device(goacc.context, device, to, (uintptr_t)from, bytes));
    else
        goacc_must(
            accd_within_device(goacc.context, device, (uintptr_t)to, (uintptr_t)from, bytes));
    goacc_in_queue(self, queue);
    if (goacc.options.check && self->type != GOACC_HOST)
        goacc_check_copied((uintptr_t)to, (uintptr_t)from, bytes);
    if (goacc.options.strict && self->type != GOACC_HOST) {
        goacc_races_access(direction != IN, false, (uintptr_t)from, bytes);
        goacc_races_access(direction != OUT, true, (uintptr_t)to, bytes);
        goacc_stale_copied(device, (uintptr_t)(direction == OUT ? from : to), direction == OUT ? to : from,
                           bytes);
    }
    goacc_in_queue(self, GOACC_SYNC);
    if (direction == IN)
        goacc_note(&span, GOACC_EV_UPLOAD, from, to, bytes);
    else if (direction == OUT)
        goacc_note(&span, GOACC_EV_DOWNLOAD, to, from, bytes);
    goacc_leave();
    goacc_finish(&span);
}

#define COPY(direction, to, from, queue) copy(HERE, direction, to, from, bytes, queue)

void acc_memcpy_to_device(void *device, void *host, size_t bytes)
{
    COPY(IN, device, host, GOACC_SYNC);
}
void acc_memcpy_to_device_async(void *device, void *host, size_t bytes, int queue)
{
    COPY(IN, device, host, queue);
}
void acc_memcpy_from_device(void *host, void *device, size_t bytes)
{
    COPY(OUT, host, device, GOACC_SYNC);
}
void acc_memcpy_from_device_async(void *host, void *device, size_t bytes, int queue)
{
    COPY(OUT, host, device, queue);
}
void acc_memcpy_device(void *to, void *from, size_t bytes)
{
    COPY(WITHIN, to, from, GOACC_SYNC);
}
void acc_memcpy_device_async(void *to, void *from, size_t bytes, int queue)
{
    COPY(WITHIN, to, from, queue);
}

/* ----------------------------------------------------------------------------------- devices -- */

static bool simulated(int type)
{
    return type == GOACC_NVIDIA || type == GOACC_NOT_HOST || type == GOACC_DEFAULT;
}

/* The type that stands behind one of the program's; ends the program if there is none. */
static int type_of(const struct goacc_thread *self, int type)
{
    if (type == GOACC_CURRENT)
        return self->type;
    if (simulated(type))
        return type == GOACC_DEFAULT ? goacc.options.type : GOACC_NVIDIA;
    if (type != GOACC_HOST)
        goacc_die("no-device", "there is no device of type %d; there are host (%d) and nvidia (%d)",
                  type, GOACC_HOST, GOACC_NVIDIA);
    return type;
}

int goacc_num_devices(int type)
{
    goacc_started(); /* the options */
    if (type == GOACC_CURRENT)
        type = goacc_started()->type;
    return type == GOACC_HOST ? 1 : simulated(type) ? goacc.options.devices : 0;
}

/* The thread's device is used from now on. */
static void activate(const struct goacc_site *site)
{
    goacc_enter(site);
    goacc_leave();
}

static void choose_type(struct goacc_thread *self, int type)
{
    self->type = type;
    self->does = GOACC_ASKS; /* until a call has asked */
}

void goacc_set_type(const struct goacc_site *site, int type)
{
    struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type_of(self, type);
    if (wanted != self->type)
        self->device = 0;
    choose_type(self, wanted);
    goacc_leave_idle();
    activate(site);
}

int goacc_get_type(void)
{
    const struct goacc_thread *self = goacc_started();
    return self->starting && goacc.options.rules->events_bare ? GOACC_NONE : self->type;
}

static void check_number(int number, int type)
{
    if (number < 0 || number >= goacc_num_devices(type))
        goacc_die("no-device", "there is no device %d of type %d; there are %d", number, type,
                  goacc_num_devices(type));
}

void goacc_set_num(const struct goacc_site *site, int number, int type)
{
    struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type ? type_of(self, type) : self->type; /* 0: of any type */
    if (number < 0) /* the usual one */
        number = goacc.options.device;
    check_number(number, wanted);
    choose_type(self, wanted);
    self->device = number;
    goacc_leave_idle();
    activate(site);
}

int goacc_get_num(const struct goacc_site *site, int type)
{
    const struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type_of(self, type), number = wanted == self->type ? self->device : 0;
    goacc_leave_idle();
    return number;
}

void goacc_init(const struct goacc_site *site, int type)
{
    struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type_of(self, type);
    if (wanted != self->type)
        self->device = 0;
    choose_type(self, wanted);
    if (goacc.active[self->type == GOACC_HOST] &&
        goacc.options.rules->device_state == ACCD_REJECT)
        goacc_die("misuse", "the device is active already");
    goacc_leave_idle();
    if (goacc_listens())
        goacc_prof_device(site, GOACC_IN_ROUTINE, type, false);
    activate(site);
}

void goacc_shutdown(const struct goacc_site *site, int type)
{
    const struct goacc_thread *self = goacc_enter_idle(site);
    const int wanted = type_of(self, type);
    const bool host = wanted == GOACC_HOST;
    if (!goacc.active[host] && goacc.options.rules->device_state == ACCD_REJECT)
        goacc_die("misuse", "the device is not active");
    goacc_leave_idle();
    struct goacc_span span = {.site = NULL};
    if (goacc.active[host])
        goacc_begin(&span, site, GOACC_EV_DEVICE_SHUTDOWN, GOACC_IN_ROUTINE, GOACC_SYNC, wanted);
    goacc_enter_idle(site);
    if (!host) {
        const char *name;
        if (goacc_open_region(&name) >= 0)
            goacc_die("region-nesting", "the device is shut down inside a %s region", name);
        goacc_shut();
    }
    goacc.active[host] = false;
    goacc_leave_idle();
    goacc_finish(&span);
}

enum { MEMORY = 1, FREE_MEMORY = 2, NAME = 0x10001, VENDOR = 0x10002, DRIVER = 0x10003 };

size_t goacc_property(const struct goacc_site *site, int number, int type, int property)
{
    const struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type_of(self, type);
    accd_stats stats;
    size_t value = 0;
    if (type == GOACC_CURRENT)
        number = self->device;
    check_number(number, wanted);
    if (wanted != GOACC_HOST && (property == MEMORY || property == FREE_MEMORY)) {
        accd_get_stats(goacc.context, number, &stats);
        value = goacc.options.device_bytes - (property == FREE_MEMORY ? stats.live_bytes : 0);
    }
    goacc_leave_idle();
    return value;
}

const char *goacc_property_text(const struct goacc_site *site, int number, int type, int property)
{
    const struct goacc_thread *self = goacc_enter_idle(site);
    int wanted = type_of(self, type);
    if (type == GOACC_CURRENT)
        number = self->device;
    check_number(number, wanted);
    goacc_leave_idle();
    switch (property) {
    case NAME:
        return wanted == GOACC_HOST ? "host" : "simulated";
    case VENDOR:
        return "accdeep";
    case DRIVER:
        return accd_version();
    default:
        return NULL;
    }
}

int goacc_on(int type)
{
    bool there = goacc_region(goacc_started()->does) && !goacc.options.rules->kernels_on_host;
    return there ? type == GOACC_NVIDIA || type == GOACC_NOT_HOST
                 : type == GOACC_HOST || type == GOACC_NONE;
}

int acc_get_num_devices(int type) { return goacc_num_devices(type); }
void acc_set_device_type(int type)
{
    goacc_set_type(HERE, type);
}
int acc_get_device_type(void) { return goacc_get_type(); }
void acc_set_device_num(int number, int type)
{
    goacc_set_num(HERE, number, type);
}
int acc_get_device_num(int type)
{
    return goacc_get_num(HERE, type);
}
size_t acc_get_property(int number, int type, int property)
{
    return goacc_property(HERE, number, type, property);
}
const char *acc_get_property_string(int number, int type, int property)
{
    return goacc_property_text(HERE, number, type, property);
}
void acc_init(int type)
{
    goacc_init(HERE, type);
}
void acc_shutdown(int type)
{
    goacc_shutdown(HERE, type);
}
int acc_on_device(int type) { return goacc_on(type); }

/* ------------------------------------------------------------------------------------ queues -- */

/* A program that knows that a queue has done its work need not wait for it. */
int goacc_test(const struct goacc_site *site, int queue)
{
    if (goacc.options.left) {
        goacc_order_wait(goacc_enter(site)->device, GOACC_SYNC, queue);
        goacc_races_waited();
        goacc_leave();
    }
    return 1;
}

int acc_async_test(int queue) { return goacc_test(HERE, queue); }
int acc_async_test_all(void) { return goacc_test(HERE, GOACC_NOVAL); }
void acc_wait(int queue)
{
    goacc_wait(HERE, GOACC_IN_ROUTINE, queue);
}
void acc_async_wait(int queue)
{
    goacc_wait(HERE, GOACC_IN_ROUTINE, queue);
}
void acc_wait_all(void)
{
    goacc_wait(HERE, GOACC_IN_ROUTINE, GOACC_NOVAL);
}
void acc_async_wait_all(void)
{
    goacc_wait(HERE, GOACC_IN_ROUTINE, GOACC_NOVAL);
}
/* The host does not wait for these. */
void acc_wait_async(int queue, int other)
{
    if (goacc.follows)
        goacc_hear_wait(HERE, other, queue);
}
void acc_wait_all_async(int queue)
{
    if (goacc.follows)
        goacc_hear_wait(HERE, queue, GOACC_NOVAL);
}

/* There is no CUDA behind a simulated device. */
void *acc_get_current_cuda_device(void) { return NULL; }
void *acc_get_current_cuda_context(void) { return NULL; }
void *acc_get_cuda_stream(int queue) { return (void)queue, NULL; }
int acc_set_cuda_stream(int queue, void *stream) { return (void)queue, (void)stream, 0; }
