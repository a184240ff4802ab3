/* trace.c - what a line of the trace says of the object or pointer that its event is about: a
 * number that stands for the address, and the state when the directive is done. Readers make
 * present tables of these; lua/accdeep/see/trace.lua writes the same for scenarios. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUCKETS = 4096 };

/* An object, or an attached pointer. */
struct known {
    struct known *next;
    uint64_t address;
    int device;
    bool pointer;
    unsigned number;
};
static struct known *buckets[BUCKETS];
static unsigned last;

/* Where the one of an address is linked, or the end of its list. */
static struct known **place_of(uint64_t address, int device, bool pointer)
{
    struct known **at = &buckets[(address >> 3) * 2654435761u % BUCKETS];
    while (*at &&
           ((*at)->address != address || (*at)->device != device || (*at)->pointer != pointer))
        at = &(*at)->next;
    return at;
}

/* The number of an address; a new one each time something new is there. */
static unsigned number_of(uint64_t address, int device, bool pointer)
{
    struct known **at = place_of(address, device, pointer);
    if (!*at) {
        *at = malloc(sizeof **at);
        if (!*at)
            goacc_die("out-of-memory", "no memory for the trace");
        **at = (struct known){NULL, address, device, pointer, ++last};
    }
    return (*at)->number;
}

static void forget(struct known **at)
{
    struct known *gone = *at;
    *at = gone->next;
    free(gone);
}

static void about_pointer(const accd_event *event, char *to, size_t room)
{
    const void *const slot = (const void *)(uintptr_t)event->host;
    accd_attachment attached;
    accd_present object;
    const unsigned number = number_of(event->host, event->device, true);
    const bool there =
        accd_attachment_at(goacc.context, event->device, slot, &attached) && attached.count;
    char target[32] = "";
    if (there && accd_present_at(goacc.context, event->device, attached.low, 1, &object))
        snprintf(target, sizeof target, ",\"object\":%u",
                 number_of(object.info.host, event->device, false));
    snprintf(to, room, "%s,\"pointer\":%u,\"count\":%u%s", target, number,
             there ? attached.count : 0, there ? "" : ",\"gone\":true");
    if (!there)
        forget(place_of(event->host, event->device, true));
}

static void about_object(const accd_event *event, char *to, size_t room)
{
    accd_object_info own = {.host = event->host};
    accd_present object;
    char offset[40] = "", in[340] = "";
    if (accd_present_at(goacc.context, event->device, event->host, 0, &object)) {
        const struct goacc_shown shown = goacc_shown(&object.info);
        snprintf(own.name, sizeof own.name, "%s", event->name);
        if (strcmp(shown.name, goacc_shown(&own).name) != 0)
            snprintf(in, sizeof in, ",\"in\":\"%s\"", shown.name);
        if (event->host > object.info.host)
            snprintf(offset, sizeof offset, ",\"offset\":%llu",
                     (unsigned long long)(event->host - object.info.host));
        snprintf(to, room, ",\"object\":%u%s%s,\"size\":%llu,\"structured\":%u,\"dynamic\":%u%s",
                 number_of(object.info.host, event->device, false), in, offset,
                 (unsigned long long)object.info.bytes, object.structured, object.dynamic,
                 event->op == ACCD_OP_FREE ? ",\"gone\":true" : "");
    }
    struct known **at = place_of(event->host, event->device, false);
    if (event->op == ACCD_OP_FREE && *at)
        forget(at);
}

/* Writes the first line, if nothing is in the file. */
static void begin(void)
{
    static const char head[] = "{\"trace\":\"accdeep\",\"version\":1}\n";
    static bool begun;
    struct stat status;
    if (begun)
        return;
    begun = true;
    if (!fstat(goacc.options.trace, &status) && !(S_ISREG(status.st_mode) && status.st_size) &&
        write(goacc.options.trace, head, sizeof head - 1) < 0)
        return; /* what cannot be written is lost, as any line */
}

/* What a kernel names, without what has no name. */
static void kernel_name(const char *names, char *to, size_t room)
{
    size_t n = 0;
    *to = 0;
    while (*names) {
        const size_t length = strstr(names, ", ") ? (size_t)(strstr(names, ", ") - names) : strlen(names);
        if (*names != '@' && !goacc_names_copy(names) && strncmp(names, "variable of", 11) != 0 &&
            n + length + 3 < room)
            n += (size_t)snprintf(to + n, room - n, "%s%.*s", n ? ", " : "", (int)length, names);
        names += length + (names[length] ? 2 : 0);
    }
}

void goacc_trace_event(const accd_event *given)
{
    char about[600] = "", names[1024];
    accd_event named = *given;
    const accd_event *event = &named;
    accd_present object;
    begin();
    if (named.op == ACCD_OP_KERNEL) {
        kernel_name(named.name, names, sizeof names);
        named.name = names;
    } else if (goacc_late(named.name, NULL) &&
               accd_present_at(goacc.context, named.device, named.host, 0, &object) &&
               object.info.host == named.host) { /* its object may have a name */
        named.name = object.info.name;
    }
    if (event->op == ACCD_OP_ATTACH || event->op == ACCD_OP_DETACH)
        about_pointer(event, about, sizeof about);
    else if (event->host)
        about_object(event, about, sizeof about);
    goacc_tell_event(event, about);
}
