/* tell.c - errors of the core, the program's last words, and events as JSON lines. */
#include "runtime.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names that were put off: that of an object of this site as the site sees it, others by where they
 * were mapped. */
static void add_names(const struct goacc_site *site, const accd_object_info *own, const char *from,
                      struct goacc_text *to)
{
    while (*from) {
        const char *end = from + 1, *file;
        int line;
        uintptr_t pc = goacc_late(from, &end);
        if (!pc) {
            goacc_text(to, "%c", *from);
        } else if (site && pc == site->call.pc && own) {
            char name[160];
            goacc_spell(site, own->host, own->bytes, name, sizeof name);
            goacc_text(to, "%s", name);
        } else if (goacc_line(pc, &file, &line, NULL)) {
            goacc_text(to, "the data mapped at %s:%d", file, line);
        } else {
            goacc_text(to, "data mapped before");
        }
        from = end;
    }
}

/* ------------------------------------------------------------------------------------ errors -- */

static bool is_address(const char *name)
{
    return !strncmp(name, "0x", 2);
}

static void add_object(struct goacc_text *text, bool asked, const accd_object_info *object,
                       const char *name)
{
    const char *file = NULL;
    int line = 0;
    if (!object->bytes)
        return;
    if (!asked && object->file) {
        file = object->file;
        line = object->line;
    } else if (!asked) {
        goacc_line(goacc_late(object->name, NULL), &file, &line, NULL);
    }
    goacc_text(text, asked ? "  object: " : "  overlaps: ");
    if (name)
        goacc_text(text, "%s, ", name);
    goacc_text(text, "%llu bytes at %p", (unsigned long long)object->bytes,
        (void *)(uintptr_t)object->host);
    if (file)
        goacc_text(text, ", mapped at %s:%d", file, line);
    goacc_text(text, "\n");
}

/* Absent data of a Fortran array whose descriptor is present from the time before its allocation. */
static bool add_late_allocation(struct goacc_text *to, const accd_error *error)
{
    accd_present object;
    uint64_t at = 0, data;
    while (accd_present_next(goacc.context, goacc_own.device, &at, &object)) {
        if (!goacc_has_descriptor_size(object.info.bytes) ||
            goacc_word((const void *)(uintptr_t)object.dev) ||
            !goacc_peek(object.info.host, (char *)&data, sizeof data) || data != error->asked.host)
            continue;
        const struct goacc_shown shown = goacc_shown(&object.info);
        goacc_text(to, "; it was allocated after the directive");
        if (shown.file)
            goacc_text(to, " at %s:%d", shown.file, shown.line);
        goacc_text(to, ", and gcc makes no call for that");
        return true;
    }
    return false;
}

/* An absent variable of a clause device_resident: gfortran makes no call for one in a procedure. */
static void add_left_out(struct goacc_text *to, const struct goacc_site *site, const char *name, char *help,
                         size_t room)
{
    char variable[160];
    const char *file;
    goacc_variable_of(name, variable, sizeof variable);
    const char *const words[] = {"acc", "declare", "device_resident", variable, NULL};
    const int line = *variable ? goacc_source_line(site->call.pc, words, &file) : 0;
    if (!line)
        return;
    goacc_text(to, "; gcc makes no call for the declare directive of %s:%d", file, line);
    snprintf(help, room, "map it by directives: enter data create(%s), at last exit data delete(%s)",
             variable, variable);
}

/* The message about an absent pointer whose data, the target, are present; its name is that of its
 * data if it has none. */
static void tell_pointer(const struct goacc_site *site, const char *target,
                         struct goacc_text *message, char name[160], char *help, size_t room)
{
    if (!*name || is_address(name))
        snprintf(name, 160, "%.*s", (int)goacc_variable_length(target), target);
    goacc_text_clear(message);
    goacc_text(message, strcmp(site->what, "compute") != 0 ? "%s: " : "%s construct: ", site->what);
    goacc_text(
        message,
        "%s names the pointer itself, which is not present on device %d; its data %s are present",
        name, goacc_own.device, target);
    const int n = snprintf(help, room, "name the data: ");
    const bool has_clauses = goacc_is_kernel(site->what) || strstr(site->what, "data");
    const char *before = !has_clauses ? "" : goacc_speaks_openmp() ? "map(present, tofrom: " : "present(";
    snprintf(help + n, room - (size_t)n, "%s%s%s", before, target, has_clauses ? ")" : "");
}

/* Returns the help for an error of a routine that maps or frees raw memory of the device. NULL: the
 * help of the error's code. */
static const char *help_of_routine(const char *what, accd_status status)
{
    static const struct {
        const char *what;
        accd_status status;
        const char *help;
    } helps[] = {
        {"acc_map_data", ACCD_ALREADY_PRESENT,
         "unmap the data that are present there first: exit data, or acc_unmap_data"},
        {"acc_map_data", ACCD_OUT_OF_BOUNDS, "map memory of acc_malloc, and no more than it has"},
        {"acc_map_data", ACCD_NULL_POINTER, "allocate both first: acc_malloc may return null"},
        {"acc_unmap_data", ACCD_NOT_PRESENT,
         "unmap what acc_map_data has mapped, by its first address; other data: exit data"},
        {"acc_unmap_data", ACCD_ALREADY_PRESENT, "end the regions that use the data before"},
        {"acc_free", ACCD_ALREADY_PRESENT, "unmap the data first: acc_unmap_data, or exit data"},
        {"acc_free", ACCD_MISUSE, "free what acc_malloc has returned, once"},
        {"omp_target_free", ACCD_ALREADY_PRESENT,
         "unmap the data first: omp_target_disassociate_ptr"},
        {"omp_target_free", ACCD_MISUSE, "free what omp_target_alloc has returned, once"},
    };
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++)
        if (helps[i].status == status && !strcmp(helps[i].what, what))
            return helps[i].help;
    return NULL;
}

void goacc_tell_error(const struct goacc_site *site, const accd_error *error)
{
    struct goacc_text message, lines;
    char name[160] = "", target[160], help[400] = "";
    const accd_object_info *asked = &error->asked;
    const char *rest = error->message;
    char before[sizeof error->message];
    goacc_text_clear(&message);
    goacc_text_clear(&lines);
    goacc_text(&message, strcmp(site->what, "compute") != 0 ? "%s: " : "%s construct: ", site->what);
    if (asked->bytes)
        goacc_spell(site, asked->host, asked->bytes, name, sizeof name);
    /* of two items of one directive the message names the other one */
    const accd_object_info *named = error->status == ACCD_PARTIAL_OVERLAP ? &error->other : asked;
    char other[160];
    snprintf(other, sizeof other, "%s", error->other.name);
    if (goacc_late(other, NULL) && !goacc_spell(site, error->other.host, error->other.bytes, other, sizeof other))
        *other = 0;
    if (*name && error->named_bytes) {
        snprintf(before, sizeof before, "%.*s", (int)error->named, rest);
        add_names(site, named->bytes ? named : NULL, before, &message);
        rest += error->named + error->named_bytes;
        goacc_text(&message, "%s", name);
    } else if (*name) {
        goacc_text(&message, "%s: ", name);
    }
    add_names(site, named->bytes ? named : NULL, rest, &message);
    if (error->status == ACCD_NOT_PRESENT && goacc_present_target(asked->host, asked->bytes, target, sizeof target))
        tell_pointer(site, target, &message, name, help, sizeof help);
    else if (error->status == ACCD_NOT_PRESENT && asked->bytes && !add_late_allocation(&message, error))
        add_left_out(&message, site, name, help, sizeof help);
    add_object(&lines, true, asked, name);
    add_object(&lines, false, &error->other, *other ? other : NULL);
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = accd_status_code(error->status),
            .rule = error->rule,
            .pc = site->call.pc,
            .object = *name ? name : NULL,
            .second = other,
            .other = error->other.bytes ? goacc_mapped_at(&error->other) : (struct goacc_mark){0},
            .bytes = asked->bytes,
            .lines = lines.at,
            .help = *help ? help : help_of_routine(site->what, error->status),
        },
        "%s", message.at);
}

static uintptr_t lost_update;

uintptr_t goacc_lost_update(void)
{
    return lost_update;
}

void goacc_tell_lost_update(void)
{
    lost_update = goacc.site->call.pc;
    goacc_tell("warning", "unsupported", "ACC33-upd-1", goacc.site->call.pc,
               "this update arrives without data: gcc leaves out variables of declare directives at file scope, so "
               "that nothing is moved");
}

void goacc_tell_returned(uintptr_t pc)
{
    goacc_tell("warning", "still-mapped", "ACC33-2.6.7-4", pc,
               "data of a function that has returned are still mapped from here; they are taken off the device");
}

void goacc_tell_jump(uintptr_t construct, uintptr_t pc)
{
    char place[1100];
    goacc_place(construct & ~GOACC_TARGET, place, sizeof place);
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = "misuse",
            .pc = pc,
            .help = "leave a region at its end: set a flag in it, and look at the flag after it",
        },
        "the program left the %s region%s by a jump, as longjmp does", goacc_region(construct), place);
    goacc_end();
}

/* ------------------------------------------------------------------------------------ events -- */

void goacc_tell_event(const accd_event *event, const char *about)
{
    struct goacc_text text;
    const char *file = NULL;
    int line = 0;
    goacc_text_clear(&text);
    goacc_text(&text, "{");
    goacc_text_field(&text, "op", accd_op_name(event->op));
    char address[24];
    snprintf(address, sizeof address, "%p", (void *)(uintptr_t)event->host);
    goacc_text_field(&text, "name", goacc_late(event->name, NULL) ? address : event->name);
    goacc_text(&text, ",\"bytes\":%llu", (unsigned long long)event->bytes);
    goacc_text_field(&text, "rule", event->rule);
    if (goacc.site && goacc_line(goacc.site->call.pc, &file, &line, NULL)) {
        char at[1024];
        snprintf(at, sizeof at, "%s:%d", file, line);
        goacc_text_field(&text, "at", at);
    }
    goacc_text(&text, ",\"device\":%d", event->device);
    if (event->op == ACCD_OP_KERNEL && goacc.site && goacc.site->queue)
        goacc_text(&text, ",\"async\":%d", *goacc.site->queue);
    else if (event->async != ACCD_SYNCHRONOUS)
        goacc_text(&text, ",\"async\":%lld", (long long)event->async);
    goacc_text(&text, "%s", about);
    goacc_text_rank(&text);
    goacc_text(&text, "}\n");
    if (!goacc_text_put(goacc.options.trace, &text))
        goacc.trace_lost = errno;
}

/* ----------------------------------------------------------------------------------- the end -- */

/* libomp does not end in a thread that runs a kernel. */
static bool ends_at_once(void)
{
    return goacc.ends_at_once || (goacc_region(goacc_own.does) && dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num"));
}

void goacc_end(void)
{
    goacc.ending = true;
    goacc.quick = false;
    goacc_find_end();
    if (goacc.on_end)
        goacc.on_end();
    goacc_unlock();
    if (ends_at_once()) {
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
    exit(EXIT_FAILURE);
}

static _Noreturn void die(const char *code, const char *object, const char *format, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = code,
            .pc = goacc.site ? goacc.site->call.pc : 0,
            .object = object,
        },
        "%s", text);
    goacc_end();
}

void goacc_die(const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    die(code, NULL, format, args);
}

void goacc_die_about(const char *code, const char *object, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    die(code, object, format, args);
}

static void fail(void *unused)
{
    (void)unused;
    goacc_tell_error(goacc.site, accd_context_error(goacc.context));
}

void goacc_fail(void)
{
    goacc_call_on_own_stack(fail, NULL); /* the thread may have a small one */
    goacc_end();
}
