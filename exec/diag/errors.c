/* errors.c - reports errors of the core, and ends the program after errors. */
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "lib/descriptor.h"
#include "lib/new_stack.h"
#include "lib/text_buffer.h"
#include "diagnostics.h"
#include "errors.h"
#include "object_history.h"
#include "source_lines.h"
#include "symbolize.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends the text `from`, in which lazy names ("@" and a return address) are replaced. A lazy name with the return
 * address of `site` becomes the name of the object `own` at that site. Any other becomes the location that mapped its
 * data, or "data mapped before" if that is not known. `site` and `own` may be NULL. */
static void append_resolved_names(const struct rt_site *site, const accd_object_info *own, const char *from,
                                  struct rt_text_buffer *to)
{
    while (*from) {
        const char *end = from + 1, *file;
        int line;
        uintptr_t pc = rt_parse_lazy_name(from, &end);
        if (!pc) {
            rt_text_append(to, "%c", *from);
        } else if (site && pc == site->call.pc && own) {
            char name[160];
            rt_format_name(site, own->host, own->bytes, name, sizeof name);
            rt_text_append(to, "%s", name);
        } else if (rt_find_line(pc, &file, &line, NULL)) {
            rt_text_append(to, "the data mapped at %s:%d", file, line);
        } else {
            rt_text_append(to, "data mapped before");
        }
        from = end;
    }
}

/* ------------------------------------------------------------------------------------ errors -- */

/* Returns true if a name is only an address, "0x...". */
static bool is_unnamed_address(const char *name)
{
    return !strncmp(name, "0x", 2);
}

/* Appends a line about `object`. `is_request`: the object that the construct requests. Otherwise the present object
 * that the request overlaps, with the location that mapped this object. An object of 0 bytes makes no line; `name`
 * NULL: the line has no name. */
static void append_object(struct rt_text_buffer *text, bool is_request, const accd_object_info *object,
                          const char *name)
{
    const char *file = NULL;
    int line = 0;
    if (!object->bytes)
        return;
    if (!is_request && object->file) {
        file = object->file;
        line = object->line;
    } else if (!is_request) {
        rt_find_line(rt_parse_lazy_name(object->name, NULL), &file, &line, NULL);
    }
    rt_text_append(text, is_request ? "  object: " : "  overlaps: ");
    if (name)
        rt_text_append(text, "%s, ", name);
    rt_text_append(text, "%llu bytes at %p", (unsigned long long)object->bytes, (void *)(uintptr_t)object->host);
    if (file)
        rt_text_append(text, ", mapped at %s:%d", file, line);
    rt_text_append(text, "\n");
}

/* Adds to the message about absent data that a Fortran array with these data was allocated after its descriptor became
 * present. Returns false, and adds nothing, if no such descriptor is present. */
static bool append_late_allocation(struct rt_text_buffer *to, const accd_error *error)
{
    accd_present_object object;
    uint64_t at = 0, data;
    while (accd_present_next(rt.context, rt_this_thread.device, &at, &object)) {
        if (!rt_has_descriptor_size(object.info.bytes) || rt_load_word((const void *)(uintptr_t)object.dev) ||
            !rt_peek_memory(object.info.host, (char *)&data, sizeof data) || data != error->asked.host)
            continue;
        const struct rt_display_name display = rt_get_display_name(&object.info);
        rt_text_append(to, "; it was allocated after the directive");
        if (display.file)
            rt_text_append(to, " at %s:%d", display.file, display.line);
        rt_text_append(to, ", and gcc makes no call for that");
        return true;
    }
    return false;
}

/* Explains why the variable `name` is absent, if the source has a line `!$acc declare device_resident` with it:
 * gfortran makes no call for that directive in a procedure. Appends this to the message `to`, writes the help, and
 * returns true; otherwise changes nothing, and returns false. */
static bool add_left_out(struct rt_text_buffer *to, const struct rt_site *site, const char *name, char *help,
                         size_t capacity)
{
    char variable[160];
    const char *file;
    rt_copy_variable_name(name, variable, sizeof variable);
    const char *const words[] = {"acc", "declare", "device_resident", variable, NULL};
    const int line = *variable ? rt_find_source_line(site->call.pc, words, &file) : 0;
    if (!line)
        return false;
    rt_text_append(to, "; gcc makes no call for the declare directive of %s:%d", file, line);
    snprintf(help, capacity, "map it by directives: enter data create(%s), at last exit data delete(%s)", variable,
             variable);
    return true;
}

/* Writes the message and help for an absent pointer whose target, named `target`, is present. If `name` is empty or an
 * address, it becomes the name of the target's variable. */
static void report_absent_pointer(const struct rt_site *site, const char *target, struct rt_text_buffer *message,
                                  char name[160], char *help, size_t capacity)
{
    if (!*name || is_unnamed_address(name))
        snprintf(name, 160, "%.*s", (int)rt_variable_name_length(target), target);
    rt_text_clear(message);
    rt_text_append(message,
                   strcmp(site->construct_name, "compute") != 0 ? "%s: " : "%s construct: ", site->construct_name);
    rt_text_append(message, "%s names the pointer itself, which is not present on device %d; its data %s are present",
                   name, rt_this_thread.device, target);
    const int n = snprintf(help, capacity, "name the data: ");
    const bool has_clauses = rt_is_kernel_construct(site->construct_name) || strstr(site->construct_name, "data");
    const char *before = !has_clauses ? "" : rt_uses_openmp_terms() ? "map(present, tofrom: " : "present(";
    snprintf(help + n, capacity - (size_t)n, "%s%s%s", before, target, has_clauses ? ")" : "");
}

/* Adds to the report `diagnostic` what is known about the absent data `absent`, called `name`: the object that
 * contained them before, and the nearest present object, which `nearest` receives. Writes a help that fits. Of data
 * that are partly present, tells only an earlier object that contained all of them. */
static void explain_absence(const struct rt_site *site, const accd_object_info *absent, const char *name,
                            struct rt_diagnostic *diagnostic, struct rt_nearest_object *nearest,
                            struct rt_text_buffer *lines, char *help, size_t capacity)
{
    const int device = rt_this_thread.device;
    const bool is_partly_present = strcmp(diagnostic->code, "not-present") != 0;
    const struct rt_unmapped_object *unmapped = rt_find_unmapped_object(device, absent->host, absent->bytes);
    const bool was_whole = unmapped && rt_contained_range(unmapped, absent->host, absent->bytes);
    const struct rt_related_location overlapped = diagnostic->other;
    if (unmapped && (was_whole || !is_partly_present))
        rt_add_object_history(diagnostic, lines, unmapped);
    if (is_partly_present) {
        diagnostic->other = overlapped;
        return;
    }
    if (was_whole)
        snprintf(help, capacity, "unmap {1|the data} after the last construct that uses them, or map them again");
    if (!rt_find_nearest_object(site, absent, name, unmapped, nearest))
        return;
    rt_append_nearest_object(lines, nearest);
    diagnostic->second = nearest->name;
    diagnostic->further[1] = rt_get_mapped_location(&nearest->object.info);
    diagnostic->further[1].event = "nearest";
    if (nearest->device != device)
        snprintf(help, capacity, "use device %d here, or map {1|the data} to device %d, too", nearest->device, device);
}

/* Reports an error of the core at `site`, with the names and locations of its objects; the program continues. */
static void report_core_error(const struct rt_site *site, const accd_error *error)
{
    assert(site && error->status != ACCD_OK);
    struct rt_text_buffer message, lines;
    char name[160] = "", target[160], help[400] = "";
    const accd_object_info *request = &error->asked;
    const char *rest = error->message;
    char before[sizeof error->message];
    rt_text_clear(&message);
    rt_text_clear(&lines);
    rt_text_append(&message,
                   strcmp(site->construct_name, "compute") != 0 ? "%s: " : "%s construct: ", site->construct_name);
    if (request->bytes)
        rt_format_name(site, request->host, request->bytes, name, sizeof name);
    /* If two items of one directive overlap, the message names the other item. */
    const accd_object_info *subject = error->status == ACCD_ERROR_PARTIAL_OVERLAP ? &error->other : request;
    char other[160];
    snprintf(other, sizeof other, "%s", error->other.name);
    if (rt_parse_lazy_name(other, NULL) &&
        !rt_format_name(site, error->other.host, error->other.bytes, other, sizeof other))
        *other = 0;
    if (*name && error->named_bytes) {
        snprintf(before, sizeof before, "%.*s", (int)error->named, rest);
        append_resolved_names(site, subject->bytes ? subject : NULL, before, &message);
        rest += error->named + error->named_bytes;
        rt_text_append(&message, "%s", name);
    } else if (*name) {
        rt_text_append(&message, "%s: ", name);
    }
    append_resolved_names(site, subject->bytes ? subject : NULL, rest, &message);
    const bool is_absent = error->status == ACCD_ERROR_NOT_PRESENT && request->bytes;
    bool has_cause = is_absent && rt_format_pointer_target(request->host, request->bytes, target, sizeof target);
    if (has_cause)
        report_absent_pointer(site, target, &message, name, help, sizeof help);
    else if (is_absent)
        has_cause = append_late_allocation(&message, error) || add_left_out(&message, site, name, help, sizeof help);
    append_object(&lines, true, request, name);
    append_object(&lines, false, &error->other, *other ? other : NULL);
    struct rt_nearest_object nearest;
    const char *routine_help = *help ? NULL : accd__get_routine_help(site->construct_name, error->status);
    struct rt_diagnostic diagnostic = {
        .level = "error",
        .code = accd_status_code(error->status),
        .rule = error->rule,
        .pc = site->call.pc,
        .object = *name ? name : NULL,
        .second = other,
        .other = error->other.bytes ? rt_get_mapped_location(&error->other) : (struct rt_related_location){0},
        .bytes = request->bytes,
    };
    if (!has_cause && (is_absent || error->status == ACCD_ERROR_PARTIALLY_PRESENT))
        explain_absence(site, request, name, &diagnostic, &nearest, &lines, help, sizeof help);
    diagnostic.lines = lines.at;
    diagnostic.help = routine_help ? routine_help : *help ? help : NULL;
    rt_emit_diagnostic(&diagnostic, "%s", message.at);
}

/* Return addresses of the first updates without data, in the order of their first calls. */
enum { EMPTY_UPDATES = 64 };
static uintptr_t empty_updates[EMPTY_UPDATES];
static size_t nempty_updates;

/* Returns the number, from 1, of an update without data whose directive names the variable; 0: there is none. */
size_t rt_find_empty_update(const char *variable, struct rt_related_location *location)
{
    assert(variable);
    for (size_t i = 0; i < nempty_updates; i++) {
        *location = rt_get_related_location("update", empty_updates[i]);
        if (location->file && rt_directive_has_variable(location->file, location->line, variable))
            return i + 1;
    }
    *location = (struct rt_related_location){0};
    return 0;
}

/* Reports the current update, which arrives without data, and records its return address. */
void rt_report_empty_update(void)
{
    assert(rt.site);
    size_t i = 0;
    while (i < nempty_updates && empty_updates[i] != rt.site->call.pc)
        i++;
    if (i == nempty_updates && i < EMPTY_UPDATES)
        empty_updates[nempty_updates++] = rt.site->call.pc;
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "warning",
            .code = "unsupported",
            .rule = "ACC33-upd-1",
            .pc = rt.site->call.pc,
            .help = "call acc_update_device or acc_update_self, which gcc keeps",
        },
        "this update moves nothing: gcc leaves out variables of declare directives at file scope");
}

/* Reports that data mapped at `pc` were variables of a function that has returned. */
void rt_report_returned_variable(uintptr_t pc)
{
    rt_report("warning", "still-mapped", "ACC33-2.6.7-4", pc,
              "data of a function that has returned are still mapped from here; they are taken off the device");
}

/* Reports a jump out of the kernel of `construct`, and ends the program. */
void rt_report_jump_out_of_kernel(uintptr_t construct, uintptr_t pc)
{
    assert(construct > RT_FAST_PATH);
    char location[1100];
    rt_format_location(construct & ~RT_TARGET_BIT, location, sizeof location);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "misuse",
            .pc = pc,
            .help = "leave a region at its end: set a flag in it, and look at the flag after it",
        },
        "the program left the %s region%s by a jump, as longjmp does", rt_kernel_kind(construct), location);
    rt_exit_with_error();
}

/* Reports a directive or routine inside a region of this kind, and ends the program. */
void rt_reject_nested_call(const struct rt_site *site, const char *region)
{
    if (rt_has_left_kernel(&rt_this_thread, site->call.sp))
        rt_report_jump_out_of_kernel(rt_this_thread.activity, site->call.pc);
    const bool is_routine = !strncmp(site->construct_name, "omp_", 4);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "region-nesting",
            .rule = is_routine               ? "OMP60-api-14"
                    : rt_uses_openmp_terms() ? "OMP60-tgt-1"
                                             : "ACC33-impl-1",
            .pc = site->call.pc,
            .help = "call this where the standard allows it: outside of compute regions",
        },
        "%s was called inside a %s region", site->construct_name, region);
    rt_exit_with_error();
}

/* ----------------------------------------------------------------------------------- the end -- */

/* Returns true if exit handlers must not run: they are running already, or this thread runs a kernel in a program with
 * libomp, whose exit handler would hang. */
static bool must_exit_at_once(void)
{
    return rt.must_exit_at_once ||
           (rt_kernel_kind(rt_this_thread.activity) && dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num"));
}

/* Prints the counts of repeated findings, releases the lock and ends the process with status 1.
 * Exit handlers run unless they are running already or might hang. */
void rt_exit_with_error(void)
{
    rt.is_ending = true;
    rt.fast_path_enabled = false;
    rt_emit_counts();
    rt_unlock();
    if (must_exit_at_once()) {
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
    exit(EXIT_FAILURE);
}

/* Reports an error at the current call, if there is one, and ends the program. object: name of the data; NULL: the
 * error is not about data. */
static _Noreturn void report_and_exit(const char *code, const char *object, const char *format, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = code,
            .pc = rt.site ? rt.site->call.pc : 0,
            .object = object,
        },
        "%s", text);
    rt_exit_with_error();
}

/* Reports an error at the current call, and ends the program. */
void rt_fatal(const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_and_exit(code, NULL, format, args);
}

/* Reports an error about the data `object` at the current call, and ends the program. */
void rt_fatal_about(const char *code, const char *object, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_and_exit(code, object, format, args);
}

/* Reports the core's last error at the current call. Runs on a new stack; `unused` is not used. */
static void report_core_failure(void *unused)
{
    assert(rt.site && rt.context);
    (void)unused;
    report_core_error(rt.site, accd_context_error(rt.context));
}

/* Reports the core's last error, on a new stack because a thread's own may be small, and ends the program. */
void rt_fail_with_core_error(void)
{
    rt_run_on_new_stack(report_core_failure, NULL);
    rt_exit_with_error();
}
