/* prof.c - the profiling interface of OpenACC (3.3, section 5): what tools get.
 *
 * Callbacks run between the steps of a call, without the lock, and may call any routine; what tools do
 * themselves is not reported to them. What the core does under the lock is noted, and reported when the
 * step is done, in the order of the document's steps: an upload then begins and ends at once, and
 * its bytes have been moved before. Times are to be had of constructs, their data, their kernels.
 *
 * Callbacks are called in the order of their registration, those of an _end event in the reverse
 * order. The first use of a device is reported as its start, and acc_shutdown as its end, but not what
 * was present on it then. The end of the program is reported, that of devices with it is not. A wait is
 * reported when the host would wait, not for wait clauses. Memory is reported object by object.
 *
 * Not to be had: where a construct and a function end and a function begins (-1), vendor (-1) and
 * handles (NULL), how many gangs a kernel asked for: it runs as one, and says so. kernels and
 * serial are reported as parallel, since the compiler tells no more. Rules with events_bare tell as
 * libgomp 12 does: no lines, no names of data, no threads, compute constructs that start in no
 * queue yet, a device that starts by the type that was asked for, and CUDA as the interface below a
 * device of type nvidia, although none is there. */
#include "prof.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The interface's structures. What is valid of each is all of it, or ends with a part. */
struct goacc_place {
    int event, valid_bytes, version, device_type, device_number, thread;
    ssize_t async, queue;
    const char *file, *function;
    int line, end_line, function_line, function_end_line;
};
struct goacc_detail {
    int event, valid_bytes, parent, implicit;
    void *tool;
    union {
        struct {
            const char *name;
            size_t bytes;
            const void *host, *device;
        } data;
        struct {
            const char *name;
            size_t gangs, workers, vector;
        } launch;
    };
};
struct goacc_api {
    int api, valid_bytes, device_type, vendor;
    const void *device, *context, *queue;
};
_Static_assert(sizeof(struct goacc_place) == 72 && sizeof(struct goacc_detail) == 56 &&
                   offsetof(struct goacc_detail, data) == 24 && sizeof(struct goacc_api) == 40,
               "structures are laid out as the compiler's header has them");
enum { VERSION = 201711 }; /* of OpenACC that defined them so */
enum { API_NONE = 0, API_CUDA = 1, API_OTHER = 4 };

/* Something that was done under the lock. */
struct goacc_note {
    int event;
    const void *host;
    uint64_t device, bytes;
    char name[160]; /* may be empty */
};

/* ---------------------------------------------------------------------------------- dispatch -- */

static int api_of(const struct goacc_span *span, int event)
{
    if (span->type == GOACC_HOST)
        return API_NONE;
    if (!goacc.options.rules->events_bare)
        return API_OTHER;
    return event <= GOACC_EV_DEVICE_INIT_END || event == GOACC_EV_COMPUTE ? API_NONE : API_CUDA;
}

/* What lasts of an event; with the lock, for debug information. */
static struct goacc_place place_of(const struct goacc_span *span, int event)
{
    const bool bare = goacc.options.rules->events_bare;
    struct goacc_place place = {
        .event = event,
        .valid_bytes = sizeof place,
        .version = VERSION,
        .device_type = span->type,
        .device_number = span->device,
        .thread = bare ? -1 : (int)gettid(),
        .async = bare && event == GOACC_EV_COMPUTE ? GOACC_SYNC : span->queue,
        .line = -1,
        .end_line = -1,
        .function_line = -1,
        .function_end_line = -1,
    };
    place.queue = place.async;
    if (!bare && !goacc_line(span->site->call.pc, &place.file, &place.line, &place.function))
        place.line = -1;
    return place;
}

static struct goacc_detail detail_of(const struct goacc_span *span, int event,
                                     const struct goacc_note *note)
{
    struct goacc_detail detail = {
        .event = event,
        .valid_bytes = offsetof(struct goacc_detail, data),
        .parent = span->parent,
        .implicit = span->implicit,
        .tool = span->tool,
    };
    if (event == GOACC_EV_LAUNCH || event == GOACC_EV_LAUNCH_END) {
        detail.valid_bytes = sizeof detail;
        detail.launch.name = goacc_symbol((uintptr_t)span->kernel);
        detail.launch.gangs = detail.launch.workers = detail.launch.vector = 1;
    } else if (goacc_about_data(event)) {
        detail.valid_bytes = sizeof detail;
        detail.data.name = *note->name ? note->name : NULL;
        detail.data.bytes = note->bytes;
        detail.data.host = note->host;
        detail.data.device = (const void *)(uintptr_t)note->device;
    }
    return detail;
}

/* Callbacks change what is registered while they run: those of now are called. */
static void tell(struct goacc_span *span, int event, const struct goacc_note *note)
{
    enum { FEW = 16 };
    struct goacc_thread *self = goacc_self();
    goacc_callback *few[FEW], **calls = few;
    if (!goacc_heard(event) || self->muted)
        return;
    goacc_lock();
    size_t n = goacc_callbacks(event, calls, FEW);
    if (n > FEW) {
        calls = malloc(n * sizeof *calls);
        if (!calls)
            goacc_die("out-of-memory", "no memory to call %zu callbacks", n);
        goacc_callbacks(event, calls, n);
    }
    const struct goacc_place place = place_of(span, event);
    struct goacc_detail detail = detail_of(span, event, note);
    goacc_unlock();
    self->in_callback = true;
    for (size_t i = 0; i < n; i++) {
        struct goacc_place own = place;
        struct goacc_detail given = detail;
        struct goacc_api api = {.api = api_of(span, event),
                                .valid_bytes = sizeof api,
                                .device_type = span->type,
                                .vendor = -1};
        calls[i](&own, &given, &api);
        detail.tool = given.tool;
    }
    self->in_callback = false;
    span->tool = detail.tool;
    if (calls != few)
        free(calls);
}

void goacc_prof_tell(struct goacc_span *span, int event)
{
    tell(span, event, NULL);
}

/* ------------------------------------------------------------------------------------- calls -- */

/* Names are dear, and most are needed several times. */
static void name_note(struct goacc_note *notes, size_t last)
{
    enum { BACK = 16 };
    struct goacc_note *note = &notes[last];
    for (size_t i = last; i-- > 0 && last - i <= BACK;)
        if (notes[i].host == note->host && notes[i].bytes == note->bytes) {
            memcpy(note->name, notes[i].name, sizeof note->name);
            return;
        }
    if (!goacc_spell(goacc.site, (uintptr_t)note->host, note->bytes, note->name, sizeof note->name))
        *note->name = 0;
}

static bool is_move(int event)
{
    return event == GOACC_EV_UPLOAD || event == GOACC_EV_DOWNLOAD;
}

static bool heard(int event)
{
    return goacc_heard(event) || (is_move(event) && goacc_heard(event + 1));
}

void goacc_prof_note(int event, const void *host, uint64_t device, uint64_t bytes)
{
    struct goacc_thread *self = goacc_self();
    if (self->in_callback || self->muted || !heard(event))
        return;
    if (self->nnotes == self->notes_room) {
        size_t room = self->notes_room ? 2 * self->notes_room : 16;
        struct goacc_note *grown = realloc(self->notes, room * sizeof *grown);
        if (!grown)
            goacc_die("out-of-memory", "no memory for the events of a construct");
        self->notes = grown;
        self->notes_room = room;
    }
    struct goacc_note *note = &self->notes[self->nnotes++];
    *note = (struct goacc_note){.event = event, .host = host, .device = device, .bytes = bytes};
    if (!goacc.options.rules->events_bare && host)
        name_note(self->notes, self->nnotes - 1);
}

void goacc_prof_note_event(const accd_event *event)
{
    static const struct {
        int first, second;
    } kinds[ACCD_OP_COUNT] = {[ACCD_OP_ALLOC] = {GOACC_EV_ALLOC, GOACC_EV_CREATE},
                             [ACCD_OP_FREE] = {GOACC_EV_DELETE, GOACC_EV_FREE},
                             [ACCD_OP_H2D] = {GOACC_EV_UPLOAD, GOACC_EV_NONE},
                             [ACCD_OP_D2H] = {GOACC_EV_DOWNLOAD, GOACC_EV_NONE}};
    const void *host = (const void *)(uintptr_t)event->host;
    const int events_of[] = {kinds[event->op].first, kinds[event->op].second};
    for (int i = 0; i < 2; i++)
        if (heard(events_of[i]))
            goacc_prof_note(events_of[i], host,
                            accd_device_address(goacc.context, event->device, host), event->bytes);
}

static void tell_notes(const struct goacc_span *span)
{
    struct goacc_thread *self = goacc_self();
    for (size_t i = 0; i < self->nnotes; i++) {
        const struct goacc_note *note = &self->notes[i];
        struct goacc_span part = *span;
        part.tool = NULL;
        part.implicit |= span->parent == GOACC_IN_COMPUTE; /* maybe without a clause */
        tell(&part, note->event, note);
        if (is_move(note->event))
            tell(&part, note->event + 1, note);
    }
    self->nnotes = 0;
}

void goacc_prof_open_span(struct goacc_span *span, const struct goacc_site *site, int event, int parent,
                          int queue, int type)
{
    struct goacc_thread *self = goacc_self();
    if (type == GOACC_CURRENT)
        type = self->type;
    *span = (struct goacc_span){
        .site = site,
        .event = event,
        .parent = parent,
        .queue = type == GOACC_HOST ? GOACC_SYNC : queue,
        .type = type,
        .device = type == self->type ? self->device : 0,
    };
    self->nnotes = 0;
    if (event)
        tell(span, event, NULL);
}

void goacc_prof_begin_part(struct goacc_span *part, const struct goacc_span *span, int event)
{
    *part = *span;
    part->event = event;
    part->implicit = true;
    part->tool = NULL;
    tell(part, event, NULL);
}

void goacc_prof_finish(struct goacc_span *span)
{
    tell_notes(span);
    if (span->event)
        tell(span, span->event + 1, NULL);
}

void goacc_prof_close(void)
{
    const struct goacc_site site = {.what = "the end"};
    const struct goacc_thread *self = goacc_self();
    struct goacc_span span = {
        .site = &site,
        .parent = GOACC_IN_ROUTINE,
        .queue = GOACC_SYNC,
        .type = self->type,
        .device = self->device,
        .implicit = true,
    };
    if (goacc_listens() && !self->in_callback)
        tell(&span, GOACC_EV_RUNTIME_SHUTDOWN, NULL);
}
