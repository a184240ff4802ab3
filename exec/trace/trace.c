/* trace.c - writes traces: a line of JSON for each event of the core, each wait and each finding. Readers rebuild
 * present tables from them. lua/accdeep/inspect/trace.lua describes the format, and writes it for scenarios.
 *
 *      events, waits ------------------------> lines --+--> file of --trace
 *      changes without an event, findings ---> marks --+--> file for --draw, one for each process
 *
 * `accdeep exec` makes the picture of the file for --draw when the program ends. That file has at most EVENT_LINES
 * lines of events. Later it gets whole states: at findings, and after calls that leave more objects than ever before.
 * That file alone has marks about pointers in objects, by the types of debug information, and about names of objects:
 *
 * - member: pointer at `offset` of the object `holder`, when the object is mapped and at the first finding. `value`:
 *   what it holds on the host, "null", "present" (in the object `target`) or "absent". `copy`: what it holds on the
 *   device, "null", "host" (the host's address) or "other"; without `copy` this is not known.
 * - slot: the attached pointer `number` is at `offset` of the object `holder`.
 * - subject: the next finding is about the pointer at `offset` of the object `holder`.
 * - named: name of the object `holder` where the first finding was made.
 *
 * Hooks are called with the runtime's lock, except for the hook `find`, which has only the lock of diagnostics. All of
 * them take the lock of diagnostics, which protects the numbers. */
#include "base/context.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "lib/hash.h"
#include "lib/rank.h"
#include "lib/text_buffer.h"
#include "trace.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EVENT_LINES = 20000, /* most lines of events in the file for --draw */
    STATE_OBJECTS = 250, /* most objects of a device in a whole state */
    DEVICES_MAX = 64,
    MEMBERS_MAX = 512,   /* most pointers of an object that are traced */
    MEMBER_LINES = 4096, /* most lines about pointers at a finding */
    POINTER_SHIFT = 63   /* bit of a key that is 1 for a pointer */
};

/* Number in the trace of an object, or of an attached pointer, at a host address. */
struct traced_object {
    uint64_t key; /* result of get_key */
    unsigned number;
    uint32_t nmembers; /* pointers in the object, by its type; for --draw only */
    uint64_t *members; /* offsets of these; on the heap */
};
static struct rt_hash traced_objects = RT_HASH_TABLE(rt_heap_realloc, struct traced_object);
static unsigned last_number;

/* State of a device as the trace tells it: numbers of present objects, of attached pointers and of open regions. */
static struct traced_device {
    size_t objects, pointers, regions;
} traced[DEVICES_MAX];

static uint64_t ndraw_lines;              /* number of lines in the file for --draw */
static uint64_t most_objects;             /* most objects that were present after a call */
static uintptr_t kernel_pc;               /* construct of the latest kernel that runs; 0: none runs */
static const struct rt_site *kernel_site; /* site of that construct; NULL: no kernel runs */
static bool has_finding;                  /* true after the first finding: then the picture needs no later state */

/* Kind of a line: of an event or a change, of a whole state (for --draw only), of a finding. */
enum line_kind { LINE_EVENT, LINE_STATE, LINE_FINDING };

/* --------------------------------------------------------------------------------------------- files -- */

/* Writes the first line, or in a file with contents, which another program of the run has written, a mark that empties
 * the state. A failed write is ignored: it fails for the next line, too. */
static void begin_file(int file)
{
    struct stat status;
    struct rt_text_buffer line;
    rt_text_clear(&line);
    rt_text_append(&line, "{");
    if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size) {
        rt_text_append_json_field(&line, "mark", "scenario");
        rt_text_append_json_field(&line, "name", program_invocation_short_name);
        rt_text_append_rank(&line);
    } else {
        rt_text_append(&line, "\"trace\":\"accdeep\",\"version\":1");
    }
    rt_text_append(&line, "}\n");
    rt_text_write(file, &line);
}

/* Returns the file for --draw; -1: none is wanted, or it cannot be opened. Also -1 in a process that shares the devices
 * of its parent, which is drawn. The file is opened at first use, since its name has the id of the process. */
static int get_draw_file(void)
{
    static int file = -1, process;
    char name[4096];
    if (!rt.options.draw || (rt.pid && rt.pid != getpid()))
        return -1;
    if (process != getpid()) {
        process = getpid();
        rt_expand_file_name(rt.options.draw, name, sizeof name);
        file = rt_open_output_file(name, O_APPEND);
        if (file >= 0)
            begin_file(file);
    }
    return file;
}

/* Begins a line with the field `key`, "op" or "mark". */
static void begin_line(struct rt_text_buffer *line, const char *key, const char *value)
{
    rt_text_clear(line);
    rt_text_append(line, "{");
    rt_text_append_json_field(line, key, value);
}

/* Ends a line and writes it to the files. A failed write is recorded in rt.trace_lost. */
static void write_line(struct rt_text_buffer *line, enum line_kind kind)
{
    static bool is_begun;
    const int draw_file = get_draw_file();
    rt_text_append_rank(line);
    rt_text_append(line, "}\n");
    if (rt.options.trace >= 0 && kind != LINE_STATE) {
        if (!is_begun)
            begin_file(rt.options.trace);
        is_begun = true;
        if (!rt_text_write(rt.options.trace, line))
            rt.trace_lost = errno;
    }
    if (draw_file >= 0 && (ndraw_lines < EVENT_LINES || kind == LINE_STATE || (kind == LINE_FINDING && !has_finding))) {
        ndraw_lines++;
        rt_text_write(draw_file, line);
    }
}

/* ------------------------------------------------------------------------------------------- numbers -- */

/* Returns the key of an object or, with `pointer`, of an attached pointer at a host address. */
static uint64_t get_key(uint64_t address, int device, bool pointer)
{
    assert(device < DEVICES_MAX);
    return rt_data_key(device, address) | (pointer ? (uint64_t)1 << POINTER_SHIFT : 0);
}

/* Returns the number of present objects or attached pointers of a device that the trace tells of. */
static size_t *get_count(int device, bool pointer)
{
    return pointer ? &traced[device].pointers : &traced[device].objects;
}

/* Returns the number of the object or (`pointer`) the pointer at a host address. A new object at a reused address gets
 * a new number, since its predecessor was removed. Returns 0 without memory. */
static unsigned get_number(uint64_t address, int device, bool pointer)
{
    struct traced_object *object = rt_hash_add(&traced_objects, get_key(address, device, pointer));
    if (object && !object->number) {
        object->number = ++last_number;
        ++*get_count(device, pointer);
    }
    return object ? object->number : 0;
}

/* Forgets the number of an object or pointer that no longer exists. */
static void remove_number(uint64_t address, int device, bool pointer)
{
    struct traced_object *const object = rt_hash_find(&traced_objects, get_key(address, device, pointer));
    if (object)
        free(object->members);
    if (rt_hash_remove(&traced_objects, get_key(address, device, pointer)))
        --*get_count(device, pointer);
}

/* -------------------------------------------------------------------------------------------- fields -- */

/* Appends the field `key` with a location; nothing if `file` is NULL. */
static void append_location(struct rt_text_buffer *line, const char *key, const char *file, int number)
{
    char at[1024];
    snprintf(at, sizeof at, "%s:%d", file ? file : "", number);
    if (file)
        rt_text_append_json_field(line, key, at);
}

/* Appends the field `key` with the location of the current call, else of the construct whose kernel runs; nothing if
 * that is not known. */
static void append_call_location(struct rt_text_buffer *line, const char *key)
{
    const uintptr_t pc = rt.site ? rt.site->call.pc : kernel_pc;
    const char *file = NULL;
    int number = 0;
    if (pc && rt_find_line(pc, &file, &number, NULL))
        append_location(line, key, file, number);
}

/* Appends the size and the reference counters of a present object. */
static void append_counters(struct rt_text_buffer *line, const accd_present_object *object)
{
    rt_text_append(line, ",\"size\":%llu,\"structured\":%u,\"dynamic\":%u%s", (unsigned long long)object->info.bytes,
                   object->structured, object->dynamic, object->mapped ? ",\"mapped\":true" : "");
}

/* Appends the fields of a pointer at the host address `slot`: the object that it points to, its number, its counter,
 * and the object that contains it. attachment NULL: the pointer is not attached any more. */
static void append_pointer_fields(struct rt_text_buffer *line, int device, uint64_t slot,
                                  const accd_attachment *attachment)
{
    accd_present_object object;
    if (attachment && accd_present_at(rt.context, device, attachment->low, 1, &object))
        rt_text_append(line, ",\"object\":%u", get_number(object.info.host, device, false));
    rt_text_append(line, ",\"pointer\":%u,\"count\":%u", get_number(slot, device, true),
                   attachment ? attachment->count : 0);
    if (attachment && accd_present_at(rt.context, device, slot, 0, &object))
        rt_text_append(line, ",\"holder\":%u", get_number(object.info.host, device, false));
    else if (!attachment)
        rt_text_append(line, ",\"gone\":true");
}

/* Appends the fields of an attach or detach event. Forgets the number of a pointer that is not attached any more. */
static void append_attach_fields(struct rt_text_buffer *line, const accd_event *event)
{
    const void *const slot = (const void *)(uintptr_t)event->host;
    accd_attachment attachment;
    const bool is_attached = accd_attachment_at(rt.context, event->device, slot, &attachment) && attachment.count;
    append_pointer_fields(line, event->device, event->host, is_attached ? &attachment : NULL);
    if (!is_attached)
        remove_number(event->host, event->device, true);
}

/* Appends the fields of an event of data: object, offset, size and reference counters; nothing if the data are not
 * present. Forgets the object's number at its free. */
static void append_object_fields(struct rt_text_buffer *line, const accd_event *event)
{
    accd_object_info object_info = {.host = event->host};
    accd_present_object object;
    if (accd_present_at(rt.context, event->device, event->host, 0, &object)) {
        const struct rt_display_name display = rt_get_display_name(&object.info);
        snprintf(object_info.name, sizeof object_info.name, "%s", event->name);
        rt_text_append(line, ",\"object\":%u", get_number(object.info.host, event->device, false));
        if (strcmp(display.name, rt_get_display_name(&object_info).name) != 0)
            rt_text_append_json_field(line, "in", display.name);
        if (event->host > object.info.host)
            rt_text_append(line, ",\"offset\":%llu", (unsigned long long)(event->host - object.info.host));
        append_counters(line, &object);
        if (event->op == ACCD_OP_FREE)
            rt_text_append(line, ",\"gone\":true");
    }
    if (event->op == ACCD_OP_FREE)
        remove_number(event->host, event->device, false);
}

/* Copies `names`, the comma-separated names of a kernel's data, to the buffer `to`. Leaves out lazy names ("@" and a
 * return address), names of copies made by the compiler, and names that do not fit. */
static void format_kernel_name(const char *names, char *to, size_t capacity)
{
    assert(names && capacity > 0);
    size_t n = 0;
    *to = 0;
    while (*names) {
        const size_t length = strstr(names, ", ") ? (size_t)(strstr(names, ", ") - names) : strlen(names);
        if (*names != '@' && !rt_is_private_copy_name(names) && strncmp(names, "variable of", 11) != 0 &&
            n + length + 3 < capacity)
            n += (size_t)snprintf(to + n, capacity - n, "%s%.*s", n ? ", " : "", (int)length, names);
        names += length + (names[length] ? 2 : 0);
    }
}

/* ------------------------------------------------------------------------------------------- members -- */

/* Begins a mark for --draw about the object at the host address `holder`. */
static void begin_draw_mark(struct rt_text_buffer *line, const char *mark, int device, uint64_t holder)
{
    begin_line(line, "mark", mark);
    rt_text_append(line, ",\"device\":%d,\"holder\":%u", device, get_number(holder, device, false));
}

/* Writes a mark for the pointer at `offset` of an object: what it holds. path: of the pointer, or NULL if an earlier
 * mark has it; is_copied: the bytes on the device are those of a pointer. Pointers that cannot be read get no mark. */
static void write_member(int device, const accd_present_object *object, uint64_t offset, const char *path,
                         bool is_copied)
{
    uint64_t value, copy;
    accd_present_object target;
    struct rt_text_buffer line;
    if (!rt_peek_memory(object->info.host + offset, (char *)&value, sizeof value))
        return;
    const bool is_present = value && accd_present_at(rt.context, device, value, 0, &target);
    begin_draw_mark(&line, "member", device, object->info.host);
    rt_text_append(&line, ",\"offset\":%llu", (unsigned long long)offset);
    if (path)
        rt_text_append_json_field(&line, "path", path);
    rt_text_append_json_field(&line, "value", !value ? "null" : is_present ? "present" : "absent");
    if (is_present)
        rt_text_append(&line, ",\"target\":%u", get_number(target.info.host, device, false));
    if (is_copied && rt_peek_memory(object->dev + offset, (char *)&copy, sizeof copy))
        rt_text_append_json_field(&line, "copy", !copy ? "null" : copy == value ? "host" : "other");
    write_line(&line, LINE_STATE);
}

/* Writes marks for the pointers in a new object, by its type at the current call. */
static void write_new_members(int device, const accd_present_object *object)
{
    static struct accd__debug_pointer pointers[MEMBERS_MAX]; /* the lock of diagnostics protects them */
    if (get_draw_file() < 0 || ndraw_lines >= EVENT_LINES)
        return;
    const size_t n = rt_find_pointers(rt.site, object->info.host, object->info.bytes, pointers, MEMBERS_MAX);
    struct traced_object *const traced_object =
        rt_hash_find(&traced_objects, get_key(object->info.host, device, false));
    uint64_t *const members = n && traced_object ? realloc(traced_object->members, n * sizeof *members) : NULL;
    if (!members)
        return;
    traced_object->members = members;
    traced_object->nmembers = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        members[i] = pointers[i].offset;
        write_member(device, object, pointers[i].offset, pointers[i].path, false);
    }
}

/* Writes the mark "slot" of the attached pointer at the host address `slot`, or the mark "subject". */
static void write_slot(const char *mark, int device, uint64_t slot)
{
    struct rt_text_buffer line;
    accd_present_object object;
    if (get_draw_file() < 0 || !accd_present_at(rt.context, device, slot, 0, &object))
        return;
    begin_draw_mark(&line, mark, device, object.info.host);
    rt_text_append(&line, ",\"offset\":%llu", (unsigned long long)(slot - object.info.host));
    if (!strcmp(mark, "slot"))
        rt_text_append(&line, ",\"number\":%u", get_number(slot, device, true));
    write_line(&line, LINE_STATE);
}

/* Writes what the objects of a device are called at the site of a finding, and what their pointers hold. site NULL: no
 * names. */
static void write_objects_at_finding(int device, const struct rt_site *site)
{
    char name[RT_NAME_SIZE];
    accd_present_object object;
    uint64_t at = 0;
    size_t nlines = 0;
    for (size_t n = 0; n < STATE_OBJECTS && accd_present_next(rt.context, device, &at, &object); n++) {
        const struct traced_object *const traced_object =
            rt_hash_find(&traced_objects, get_key(object.info.host, device, false));
        struct rt_text_buffer line;
        if (!traced_object || rt_is_private_copy_name(object.info.name))
            continue;
        if (site && rt_format_name(site, object.info.host, object.info.bytes, name, sizeof name)) {
            begin_draw_mark(&line, "named", device, object.info.host);
            rt_text_append_json_field(&line, "name", name);
            write_line(&line, LINE_STATE);
        }
        for (uint32_t i = 0; i < traced_object->nmembers && nlines++ < MEMBER_LINES; i++)
            write_member(device, &object, traced_object->members[i], NULL, true);
    }
}

/* --------------------------------------------------------------------------------------------- marks -- */

/* Writes a mark for a present object. */
static void write_object(int device, const accd_present_object *object, enum line_kind kind)
{
    const struct rt_display_name display = rt_get_display_name(&object->info);
    struct rt_text_buffer line;
    begin_line(&line, "mark", "present");
    rt_text_append_json_field(&line, "name", display.name);
    append_location(&line, "at", display.file, display.line);
    rt_text_append(&line, ",\"device\":%d,\"object\":%u", device, get_number(object->info.host, device, false));
    append_counters(&line, object);
    write_line(&line, kind);
    if (kind == LINE_EVENT)
        write_new_members(device, object);
}

/* Writes a mark for an attached pointer. */
static void write_pointer(int device, const accd_attachment *pointer, enum line_kind kind)
{
    struct rt_text_buffer line;
    begin_line(&line, "mark", "attached");
    rt_text_append_json_field(&line, "name", rt_get_pointer_display_name(pointer).name);
    rt_text_append(&line, ",\"device\":%d", device);
    append_pointer_fields(&line, device, pointer->slot, pointer);
    write_line(&line, kind);
    write_slot("slot", device, pointer->slot);
}

/* Writes marks for the objects and pointers of a device that have no number yet; LINE_STATE: for STATE_OBJECTS objects
 * and as many pointers. */
static void write_present(int device, enum line_kind kind)
{
    const bool is_state = kind == LINE_STATE;
    const size_t most = is_state ? STATE_OBJECTS : SIZE_MAX;
    accd_present_object object;
    accd_attachment pointer;
    size_t n = 0;
    for (uint64_t at = 0; n < most && accd_present_next(rt.context, device, &at, &object); n++)
        if (is_state || !rt_hash_find(&traced_objects, get_key(object.info.host, device, false)))
            write_object(device, &object, kind);
    n = 0;
    for (uint64_t at = 0; n < most && accd_attachment_next(rt.context, device, &at, &pointer); n++)
        if (is_state || !rt_hash_find(&traced_objects, get_key(pointer.slot, device, true)))
            write_pointer(device, &pointer, kind);
}

/* Returns true if an object begins, or an attached pointer lies, at a host address. */
static bool exists(uint64_t address, int device, bool pointer)
{
    accd_present_object object;
    accd_attachment attachment;
    return pointer ? accd_attachment_at(rt.context, device, (void *)(uintptr_t)address, &attachment)
                   : accd_present_at(rt.context, device, address, 0, &object) && object.info.host == address;
}

/* Writes marks for the objects and pointers of a device that no longer exist; is_closing: for all of them. */
static void write_absent(int device, bool is_closing)
{
    for (struct traced_object *entry = rt_hash_next(&traced_objects, NULL); entry;) {
        const bool pointer = entry->key >> POINTER_SHIFT;
        const uint64_t address = entry->key & (((uint64_t)1 << 56) - 1);
        if (entry->key == get_key(address, device, pointer) && (is_closing || !exists(address, device, pointer))) {
            struct rt_text_buffer line;
            begin_line(&line, "mark", pointer ? "detached" : "absent");
            rt_text_append(&line, ",\"device\":%d,\"%s\":%u,\"gone\":true", device, pointer ? "pointer" : "object",
                           entry->number);
            write_line(&line, LINE_EVENT);
            remove_number(address, device, pointer);
            if (entry->key) /* the removal has moved another entry into this slot */
                continue;
        }
        entry = rt_hash_next(&traced_objects, entry);
    }
}

/* Writes a mark for the region number `depth`, from 1, of a device, which is open now; level NULL: which was closed. */
static void write_region(int device, size_t depth, const accd_level *level, enum line_kind kind)
{
    struct rt_text_buffer line;
    begin_line(&line, "mark", "region");
    if (level)
        rt_text_append_json_field(&line, "name", level->name);
    if (level && kind == LINE_EVENT && level->name != rt_declared_region_name)
        append_call_location(&line, "at");
    rt_text_append(&line, ",\"device\":%d,\"depth\":%zu%s", device, depth, level ? "" : ",\"gone\":true");
    write_line(&line, kind);
}

/* Writes marks for the regions of a device that were opened or closed; LINE_STATE: for all open ones. */
static void write_regions(int device, enum line_kind kind)
{
    accd_level level;
    size_t *const known_p = &traced[device].regions, n = 0;
    for (; accd_level_get(rt.context, device, n, &level); n++)
        if (kind == LINE_STATE || n >= *known_p)
            write_region(device, n + 1, &level, kind);
    for (; *known_p > n; --*known_p)
        write_region(device, *known_p, NULL, LINE_EVENT);
    *known_p = n;
}

/* Writes marks for what has changed without an event: declared data, acc_map_data, regions. Returns the number of
 * present objects. */
static uint64_t write_changes(void)
{
    uint64_t nobjects = 0;
    for (int device = 0; device < accd_device_count(rt.context); device++) {
        accd_stats stats;
        accd_get_stats(rt.context, device, &stats);
        if (stats.objects != traced[device].objects || stats.attachments != traced[device].pointers) {
            write_present(device, LINE_EVENT);
            write_absent(device, false);
        }
        write_regions(device, LINE_EVENT);
        nobjects += stats.objects;
    }
    return nobjects;
}

/* Writes the whole state to the file for --draw; of many objects, some and the number of the others. */
static void write_state(void)
{
    struct rt_text_buffer line;
    size_t nmore = 0;
    begin_line(&line, "mark", "scenario");
    rt_text_append_json_field(&line, "name", "later");
    write_line(&line, LINE_STATE);
    for (int device = 0; device < accd_device_count(rt.context); device++) {
        write_present(device, LINE_STATE);
        write_regions(device, LINE_STATE);
        if (traced[device].objects > STATE_OBJECTS)
            nmore += traced[device].objects - STATE_OBJECTS;
    }
    begin_line(&line, "mark", "more");
    rt_text_append(&line, ",\"device\":0,\"count\":%zu", nmore);
    write_line(&line, LINE_STATE);
}

/* --------------------------------------------------------------------------------------------- hooks -- */

/* Writes a line for an event, with the fields about its object or pointer. */
static void trace_event(const accd_event *core_event)
{
    assert(core_event->name);
    char address[24], names[1024];
    const char *name = core_event->name;
    struct rt_text_buffer line;
    accd_present_object object;
    rt_lock_diagnostics();
    if (core_event->op == ACCD_OP_KERNEL) {
        format_kernel_name(name, names, sizeof names);
        name = names;
    } else if (rt_parse_lazy_name(name, NULL) &&
               accd_present_at(rt.context, core_event->device, core_event->host, 0, &object) &&
               object.info.host == core_event->host) { /* the event gets the name of its object */
        name = object.info.name;
    }
    accd_event event = *core_event;
    event.name = name;
    snprintf(address, sizeof address, "%p", (void *)(uintptr_t)event.host);
    begin_line(&line, "op", accd_op_name(event.op));
    rt_text_append_json_field(&line, "name", rt_parse_lazy_name(name, NULL) ? address : name);
    rt_text_append(&line, ",\"bytes\":%llu", (unsigned long long)event.bytes);
    rt_text_append_json_field(&line, "rule", event.rule);
    append_call_location(&line, "at");
    rt_text_append(&line, ",\"device\":%d", event.device);
    if (event.op == ACCD_OP_KERNEL && rt.site && rt.site->queue)
        rt_text_append(&line, ",\"async\":%d", *rt.site->queue);
    else if (event.async != ACCD_SYNCHRONOUS)
        rt_text_append(&line, ",\"async\":%lld", (long long)event.async);
    if (event.op == ACCD_OP_ATTACH || event.op == ACCD_OP_DETACH)
        append_attach_fields(&line, &event);
    else if (event.host)
        append_object_fields(&line, &event);
    write_line(&line, LINE_EVENT);
    if (event.op == ACCD_OP_ATTACH)
        write_slot("slot", event.device, event.host);
    else if (event.op == ACCD_OP_ALLOC && accd_present_at(rt.context, event.device, event.host, 0, &object))
        write_new_members(event.device, &object);
    rt_unlock_diagnostics();
}

/* Writes a line for a wait; none for a test. */
static void trace_wait(const struct rt_wait *wait)
{
    char name[32] = "all queues";
    if (wait->is_test)
        return;
    if (wait->is_for_tasks)
        snprintf(name, sizeof name, wait->depend ? "tasks of depend clauses" : "all tasks");
    else if (wait->queue != RT_ASYNC_NOVAL)
        snprintf(name, sizeof name, "queue %d", wait->queue);
    trace_event(&(accd_event){.op = ACCD_OP_WAIT,
                              .device = wait->device,
                              .name = name,
                              .rule = wait->is_for_tasks ? "OMP60-tgt-1" : "ACC33-async-3",
                              .async = wait->async == RT_ASYNC_SYNC ? ACCD_SYNCHRONOUS : wait->async});
}

/* Records that a kernel runs. */
static void begin_kernel(struct rt_thread *thread, const struct rt_site *site, int device)
{
    (void)thread, (void)device;
    kernel_pc = site->call.pc;
    kernel_site = site;
}

/* Records that no kernel runs. */
static void end_kernel(struct rt_thread *thread, const struct rt_site *site, int device, const struct rt_kernel *kernel)
{
    (void)thread, (void)site, (void)device, (void)kernel;
    kernel_pc = 0;
    kernel_site = NULL;
}

/* Writes marks for what the call has changed without an event. */
static void trace_call(struct rt_thread *thread)
{
    struct rt_text_buffer line;
    if (!rt.context)
        return;
    rt_lock_diagnostics();
    const uint64_t nobjects = write_changes();
    const bool has_events = ndraw_lines < EVENT_LINES;
    if (!has_events && !has_finding && nobjects > most_objects + most_objects / 4) {
        write_state();
        begin_line(&line, "mark", "state");
        append_call_location(&line, "at");
        rt_text_append(&line, ",\"device\":%d", thread->device);
        write_line(&line, LINE_STATE);
        most_objects = nobjects;
    }
    if (has_events && nobjects > most_objects)
        most_objects = nobjects;
    rt_unlock_diagnostics();
}

/* Writes marks for everything that the end of the context removes. */
static void trace_close(void)
{
    rt_lock_diagnostics();
    for (int device = 0; device < accd_device_count(rt.context); device++) {
        write_absent(device, true);
        for (size_t *n = &traced[device].regions; *n; --*n)
            write_region(device, *n, NULL, LINE_EVENT);
    }
    rt_unlock_diagnostics();
}

/* Writes a mark for a finding. Before it, writes what has changed without an event, unless the thread runs a kernel
 * while another thread changes the present tables. */
static void trace_finding(const struct rt_finding *finding)
{
    struct rt_text_buffer line;
    const bool has_taken_lock = rt_try_lock();
    if (rt.context &&
        (has_taken_lock || rt_has_lock() || (rt_this_thread.type && !rt_kernel_kind(rt_this_thread.activity)))) {
        write_changes();
        if (ndraw_lines >= EVENT_LINES && !has_finding)
            write_state();
        if (get_draw_file() >= 0 && !has_finding)
            for (int device = 0; device < accd_device_count(rt.context); device++)
                write_objects_at_finding(device, rt.site ? rt.site : kernel_site);
        if (finding->slot && !has_finding)
            write_slot("subject", rt_this_thread.device, finding->slot);
    }
    if (has_taken_lock)
        rt_unlock();
    begin_line(&line, "mark", "finding");
    if (finding->object)
        rt_text_append_json_field(&line, "name", finding->object);
    if (finding->rule)
        rt_text_append_json_field(&line, "rule", finding->rule);
    append_location(&line, "at", finding->file, finding->line);
    append_call_location(&line, "within");
    rt_text_append(&line, ",\"device\":%d", rt_this_thread.device);
    rt_text_append_json_field(&line, "level", finding->level);
    rt_text_append_json_field(&line, "code", finding->code);
    rt_text_append_json_field(&line, "message", finding->message);
    if (finding->help && line.n + 2 * strlen(finding->help) + 100 < sizeof line.at)
        rt_text_append_json_field(&line, "help", finding->help);
    write_line(&line, LINE_FINDING);
    has_finding = true;
}

const struct rt_tool rt_trace_tool = {
    .name = "trace",
    .events = ~0u,
    .close = trace_close,
    .end_call = trace_call,
    .begin_kernel = begin_kernel,
    .end_kernel = end_kernel,
    .event = trace_event,
    .wait = trace_wait,
    .find = trace_finding,
};
