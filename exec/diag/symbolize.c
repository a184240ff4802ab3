/* symbolize.c - names and source lines of addresses, from debug information and from locations passed by compilers.
 * Reports, traces and pictures call it; the lock of diagnostics protects the debug information. */
#include "base/lock.h"
#include "base/runtime.h"
#include "lib/new_stack.h"
#include "lib/read_memory.h"
#include "lib/text_buffer.h"
#include "diagnostics.h"
#include "symbolize.h"

#include "debuginfo/demangle.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* debug information; NULL: not read yet, or not available */
static struct accd__debug_info *debug;
static bool debug_is_tried; /* true once get_debug_info has tried to read it */

/* Returns the debug information, read at the first request because most runs need none; NULL: it is not available.
 * Reads on a new stack because libdw needs much. The lock of diagnostics must be held. */
static struct accd__debug_info *get_debug_info(void)
{
    if (!debug_is_tried) {
        debug_is_tried = true;
        debug = RT_ON_NEW_STACK(accd__debug_open);
    }
    return debug;
}

static char start_folder[4096]; /* working directory at the program's start; "": not known */

/* Locations that the compiler passed with calls: a hash table with linear probing, keyed by pc. */
enum { LOCATIONS = 1024 };
static struct location {
    uintptr_t pc;
    const char *text;      /* text from the compiler */
    char *file, *function; /* copied from `text` at the first request */
    int line;              /* 0: not yet parsed, or `text` has no line */
} compiler_locations[LOCATIONS];

/* Returns the entry of the call that returns to `pc` (not 0) in the table of locations, or the free entry for it; NULL:
 * the table is full. */
static struct location *find_location_slot(uintptr_t pc)
{
    assert(pc);
    for (size_t i = 0, at = pc % LOCATIONS; i < LOCATIONS; i++, at = (at + 1) % LOCATIONS)
        if (compiler_locations[at].pc == pc || !compiler_locations[at].pc)
            return &compiler_locations[at];
    return NULL;
}

/* Stores the location that the compiler passed, once for each call; ignored if the table is full. */
void rt_record_location(const struct rt_site *site)
{
    struct location *location = site->location ? find_location_slot(site->call.pc) : NULL;
    if (location && !location->pc)
        *location = (struct location){.pc = site->call.pc, .text = site->location};
}

/* Returns the last part of a path, without the folders. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Stores the location that the compiler passed for the call at `pc`. `has_debug_info`: file and function come from
 * debug information, and only the line is replaced, because clang 16 to 19 omit the line of the call there. Returns
 * false, and changes nothing, if the compiler passed no location or one in another file. */
static bool find_compiler_location(uintptr_t pc, bool has_debug_info, const char **file_p, int *line_p,
                                   const char **function_p)
{
    struct location *location = pc ? find_location_slot(pc) : NULL;
    if (!location || location->pc != pc)
        return false;
    if (!location->file &&
        sscanf(location->text, ";%m[^;];%m[^;];%d;", &location->file, &location->function, &location->line) < 3)
        location->line = 0;
    if (!location->line || (has_debug_info && strcmp(base_name(location->file), base_name(*file_p)) != 0))
        return false;
    *line_p = location->line;
    if (!has_debug_info) {
        *file_p = location->file;
        *function_p = location->function;
    }
    return true;
}

/* Stores file, line and function of the call that returns to `pc`: from debug information, or else from the location
 * that the compiler passed. If both name the same file, the line that the compiler passed counts. Files below the start
 * folder are named relative to that folder. Returns false, and stores nothing, if the line is not known. */
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p)
{
    assert(file_p && line_p);
    const char *file, *function;
    int line;
    rt_lock_diagnostics();
    int result =
        pc && get_debug_info() ? RT_ON_NEW_STACK(accd__debug_find_line, debug, pc, &file, &line, &function) : 0;
    result = find_compiler_location(pc, result == 1, &file, &line, &function) ? 1 : result;
    rt_unlock_diagnostics();
    if (!result)
        return false;
    *file_p = file;
    *line_p = line;
    if (function_p)
        *function_p = function;
    size_t length = strlen(start_folder);
    if (length > 1 && !strncmp(*file_p, start_folder, length) && (*file_p)[length] == '/')
        *file_p += length + 1;
    return true;
}

/* Writes name and version of the compiler of the code at `pc`, or "the compiler" if they are not known. */
void rt_get_compiler_name(uintptr_t pc, char *name, size_t capacity)
{
    rt_lock_diagnostics();
    const char *producer = pc && get_debug_info() ? RT_ON_NEW_STACK(accd__debug_get_compiler, debug, pc) : NULL;
    const char *options = producer ? strstr(producer, " -") : NULL;
    if (producer)
        snprintf(name, capacity, "%.*s", (int)(options ? options - producer : (ptrdiff_t)strlen(producer)), producer);
    else
        snprintf(name, capacity, "the compiler");
    rt_unlock_diagnostics();
}

/* Does the work of rt_unwind_to_program on a new stack. Returns true, as RT_ON_NEW_STACK needs a result. */
static bool unwind_call(struct accd__debug_call_frame *call)
{
    accd__debug_unwind_to_program(debug, call);
    return true;
}

/* Replaces a call in system code by the enclosing call of the program, if debug information is available. */
void rt_unwind_to_program(struct accd__debug_call_frame *call)
{
    rt_lock_diagnostics();
    if (get_debug_info())
        RT_ON_NEW_STACK(unwind_call, call);
    rt_unlock_diagnostics();
}

/* Writes the name of a function to `to`; with its classes, if the linker calls it `symbol` (NULL: unknown). A name that
 * differs, that of a function inlined there, is written alone. */
static void format_function(const char *name, const char *symbol, char *to, size_t capacity)
{
    char *const whole = accd__demangle(symbol);
    const bool is_same = whole && name && !strcmp(accd__strip_classes(whole), name);
    snprintf(to, capacity, "%s", is_same ? whole : name ? name : "");
    free(whole);
}

/* Returns true if a compiler has made the function of a region's code. name, symbol: its names in debug information and
 * for the linker; NULL: unknown. */
static bool is_outlined(const char *name, const char *symbol)
{
    return (name && *name == '.') || (symbol && (strstr(symbol, "._omp_fn.") || strstr(symbol, "omp_outlined") ||
                                                 strstr(symbol, "omp_offloading")));
}

/* Returns true if a function is the one that gfortran makes around a main program. */
static bool is_fortran_main(const struct rt_active_function *function)
{
    const char *extension = strrchr(function->file, '.');
    return !strcmp(function->name, "main") && extension && (extension[1] | 0x20) == 'f';
}

/* Stores the active functions, beginning with that of the call `pc`. */
size_t rt_find_active_functions(uintptr_t pc, struct rt_active_function *functions, size_t capacity)
{
    enum { CALLS_MOST = 16 };
    struct accd__debug_call_frame calls[1 + CALLS_MOST] = {{.pc = pc}};
    size_t n = 0;
    bool follows_outlined =
        false; /* the last function is a region's code: the next one, which begins the region, is it */
    rt_lock_diagnostics();
    const size_t ncalls =
        pc && get_debug_info() ? RT_ON_NEW_STACK(accd__debug_find_callers, debug, calls[0], calls + 1, CALLS_MOST) : 0;
    for (size_t i = 0; ncalls && i <= ncalls && (n < capacity || follows_outlined); i++) {
        struct rt_active_function function;
        const char *name, *symbol = rt_find_symbol(calls[i].pc - 1);
        if (!rt_find_line(calls[i].pc, &function.file, &function.line, &name))
            continue;
        format_function(name && !strcmp(name, "MAIN__") ? "the main program" : name, symbol, function.name,
                        sizeof function.name);
        if (follows_outlined && n)
            snprintf(functions[n - 1].name, sizeof functions[n - 1].name, "%s", function.name);
        else if (!n || !is_fortran_main(&function))
            functions[n++] = function;
        follows_outlined = is_outlined(name, symbol);
    }
    rt_unlock_diagnostics();
    return n;
}

/* Returns true if the code at `pc` belongs to a system library or header; false without debug information. */
bool rt_is_system_code(uintptr_t pc)
{
    rt_lock_diagnostics();
    const bool is_system = get_debug_info() && RT_ON_NEW_STACK(accd__debug_is_system_code, debug, pc);
    rt_unlock_diagnostics();
    return is_system;
}

/* Returns true if the code at `pc` belongs to the program and has no debug information. */
bool rt_lacks_debug_info(uintptr_t pc)
{
    rt_lock_diagnostics();
    const bool lacks = get_debug_info() && RT_ON_NEW_STACK(accd__debug_lacks_debug_info, debug, pc);
    rt_unlock_diagnostics();
    return lacks;
}

/* Replaces the context of a stopped function by that of its caller. Returns false if the caller is not known. */
bool rt_unwind_frame(struct accd__debug_fault_context *fault_context)
{
    rt_lock_diagnostics();
    const bool has_caller = get_debug_info() && RT_ON_NEW_STACK(accd__debug_unwind_frame, debug, fault_context);
    rt_unlock_diagnostics();
    return has_caller;
}

/* Returns the symbol of the function at an address; NULL: the function has no symbol. */
const char *rt_find_symbol(uintptr_t address)
{
    rt_lock_diagnostics();
    const char *symbol = get_debug_info() ? RT_ON_NEW_STACK(accd__debug_find_symbol, debug, address) : NULL;
    rt_unlock_diagnostics();
    return symbol;
}

/* Returns the size of the scalar that a Fortran pointer variable points to; 0: not known. */
uint64_t rt_find_pointee_bytes(uint64_t variable)
{
    rt_lock_diagnostics();
    const uint64_t bytes = get_debug_info() ? RT_ON_NEW_STACK(accd__debug_get_pointee_bytes, debug, variable) : 0;
    rt_unlock_diagnostics();
    return bytes;
}

/* Stores the working directory, relative to which files are named. */
void rt_symbolize_init(void)
{
    if (!getcwd(start_folder, sizeof start_folder))
        start_folder[0] = 0;
}

/* ------------------------------------------------------------------------------------- names -- */

/* Parses a lazy name, "@" and a return address in hex, and returns the address; 0 for an ordinary name. A lazy name
 * stands for data mapped by that call and is looked up only when reported, as most programs never need a name. */
uintptr_t rt_parse_lazy_name(const char *name, const char **end_p)
{
    char *stop;
    uintptr_t pc = name[0] == '@' ? (uintptr_t)strtoull(name + 1, &stop, 16) : 0;
    if (pc && end_p)
        *end_p = stop;
    return pc;
}

/* Stores in *name_p the name of the `bytes` bytes at `host`, from debug information, or else from the names that the
 * compiler passed for `site`. Returns false if no name is found, or if `site` is NULL. */
bool rt_find_name(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p)
{
    rt_lock_diagnostics();
    *name_p = (struct accd__debug_name){.unit = 0};
    const bool has_name =
        site &&
        ((get_debug_info() && RT_ON_NEW_STACK(accd__debug_find_name, debug, &site->call, host, bytes, name_p)) ||
         (site->name && site->name(site->names, host, bytes, name_p)));
    rt_unlock_diagnostics();
    return has_name;
}

/* Stores in *element_p the element of a range that contains the byte at offset `at`; its name becomes "" if it is not
 * known. */
static void find_element(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                         struct accd__debug_name *element_p)
{
    struct accd__debug_name name;
    rt_lock_diagnostics();
    if (!get_debug_info() ||
        !RT_ON_NEW_STACK(accd__debug_find_element, debug, &site->call, host, bytes, (int64_t)at, &name, element_p))
        element_p->name[0] = 0;
    rt_unlock_diagnostics();
}

/* Stores the pointers in the `bytes` bytes at `host` by their type; returns how many, 0 without a site or type. */
size_t rt_find_pointers(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_pointer *pointers,
                        size_t capacity)
{
    rt_lock_diagnostics();
    const size_t n = site && get_debug_info() ? RT_ON_NEW_STACK(accd__debug_find_pointers, debug, &site->call, host,
                                                                bytes, pointers, capacity)
                                              : 0;
    rt_unlock_diagnostics();
    return n;
}

/* Returns true if byte `at` of a range is known to be padding; false without a site or debug information. */
bool rt_is_padding(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at)
{
    rt_lock_diagnostics();
    const bool is_padding =
        site && get_debug_info() && RT_ON_NEW_STACK(accd__debug_is_padding, debug, &site->call, host, bytes, at);
    rt_unlock_diagnostics();
    return is_padding;
}

/* Returns the end of the structure that contains a member, as the current call sees it; 0: not known. */
uintptr_t rt_find_aggregate_end(uintptr_t member, size_t bytes)
{
    struct accd__debug_name name;
    return rt_find_name(rt.site, member, bytes, &name) ? name.aggregate_end : 0;
}

/* Copies the name without brackets and their contents, up to a "@"; a leading digit ends the name. */
void rt_copy_variable_name(const char *name, char *to, size_t capacity)
{
    assert(capacity > 0);
    size_t n = 0;
    int depth = 0;
    for (; *name && *name != '@' && (n || depth || *name < '0' || *name > '9'); name++) {
        depth += *name == '[' || *name == '(';
        if (!depth && n + 1 < capacity)
            to[n++] = *name;
        depth -= depth && (*name == ']' || *name == ')');
    }
    to[n] = 0;
}

/* Returns the name for reports. For a lazy or empty name, this is the address, and the location is that of the call in
 * the lazy name. */
static struct rt_display_name make_display_name(const char *name, uint64_t host, const char *file, int line)
{
    struct rt_display_name display = {.file = file, .line = line};
    uintptr_t pc = rt_parse_lazy_name(name, NULL);
    if (pc || !*name)
        snprintf(display.name, sizeof display.name, "%p", (void *)(uintptr_t)host);
    else
        snprintf(display.name, sizeof display.name, "%s", name);
    rt_find_line(pc, &display.file, &display.line, NULL);
    return display;
}

/* Returns name and location of an object for reports. The address replaces a lazy or empty name. */
struct rt_display_name rt_get_display_name(const accd_object_info *object)
{
    return make_display_name(object->name, object->host, object->file, object->line);
}

/* Returns the location where an object was mapped, for reports; file NULL: not known. */
struct rt_related_location rt_get_mapped_location(const accd_object_info *object)
{
    const struct rt_display_name display = rt_get_display_name(object);
    return (struct rt_related_location){"mapped", display.file, display.line};
}

/* Returns name and location of an attached pointer for reports. The address replaces a lazy or empty name. */
struct rt_display_name rt_get_pointer_display_name(const accd_attachment *pointer)
{
    return make_display_name(pointer->name, pointer->slot, NULL, 0);
}

/* Stores the Fortran subscripts of an element in `to`, one for each dimension. index: of the element in memory order,
 * from 0. */
static void compute_subscripts(const struct accd__debug_name *name, int64_t index, int64_t *to)
{
    assert(name->rank >= 0 && name->rank <= ACCD__DEBUG_RANK_MAX);
    for (int i = 0; i < name->rank; i++) {
        const int64_t extent = i + 1 < name->rank && name->dim[i].extent > 0 ? name->dim[i].extent : INT64_MAX;
        to[i] = index % extent + name->dim[i].lower;
        index /= extent;
    }
}

/* Appends subscripts "(1,2)", or ranges of them where `low` and `high` differ. */
static void append_subscripts(struct rt_text_buffer *text, int rank, const int64_t *low, const int64_t *high)
{
    for (int i = 0; i < rank; i++) {
        rt_text_append(text, "%c%lld", i ? ',' : '(', (long long)low[i]);
        if (low[i] != high[i])
            rt_text_append(text, ":%lld", (long long)high[i]);
    }
    rt_text_append(text, ")");
}

/* Writes the name of n elements of a Fortran array, from name->start on: as a section if they form one, otherwise as
 * first and last element. */
static void format_fortran_section(const struct accd__debug_name *name, uint64_t n, char *to, size_t capacity)
{
    assert(name->rank > 0 && n > 0);
    struct rt_text_buffer text = {.n = 0};
    int64_t low[ACCD__DEBUG_RANK_MAX], high[ACCD__DEBUG_RANK_MAX];
    uint64_t nelements = 1;
    compute_subscripts(name, name->start, low);
    compute_subscripts(name, name->start + (int64_t)n - 1, high);
    for (int i = 0; i < name->rank; i++)
        nelements *= (uint64_t)(high[i] < low[i] ? low[i] - high[i] : high[i] - low[i]) + 1;
    append_subscripts(&text, name->rank, low, nelements == n ? high : low);
    if (nelements != n) {
        rt_text_append(&text, ":");
        append_subscripts(&text, name->rank, high, high);
    }
    snprintf(to, capacity, "%s%s", name->name, text.at);
}

/* Writes the name of a range with its section. Returns false, and writes the address, if the name is not known. */
bool rt_format_name(const struct rt_site *site, uint64_t host, uint64_t bytes, char *to, size_t capacity)
{
    struct accd__debug_name name;
    bool has_name = rt_find_name(site, host, bytes, &name);
    if (!has_name)
        snprintf(to, capacity, "%p", (void *)(uintptr_t)host);
    else if (!name.section)
        snprintf(to, capacity, "%s", name.name);
    else if (name.rank && name.unit)
        format_fortran_section(&name, bytes < name.unit ? 1 : bytes / name.unit, to, capacity);
    else if (!bytes || !name.unit)
        snprintf(to, capacity, "%s[%lld]", name.name, (long long)name.start);
    else
        snprintf(to, capacity, "%s[%lld:%llu]", name.name, (long long)name.start,
                 (unsigned long long)(bytes / name.unit));
    return has_name;
}

/* Writes the element at byte `at` of a range, by debug information or by its index; `object` becomes the range's name.
 */
void rt_format_element(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                       char object[RT_NAME_SIZE], char *to, size_t capacity)
{
    struct accd__debug_name whole, element, neighbor;
    if (!rt_find_name(site, host, bytes, &whole)) {
        snprintf(to, capacity, "%s", object);
        return;
    }
    rt_format_name(site, host, bytes, object, RT_NAME_SIZE);
    find_element(site, host, bytes, at, &element);
    const long long unit = (long long)whole.unit, offset = (long long)at - ((long long)at < 0 ? unit - 1 : 0);
    if (*element.name && strcmp(element.name, object) != 0)
        snprintf(to, capacity, "%s of %s", element.name, object);
    else if (unit && whole.unit < bytes)
        snprintf(to, capacity, "%s[%lld] of %s", whole.name, (long long)whole.start + offset / unit, object);
    else if (at >= bytes && rt_find_name(site, host + at, 0, &neighbor) && !neighbor.section &&
             strcmp(neighbor.name, object) != 0)
        snprintf(to, capacity, "%s beside %s", neighbor.name, object);
    else
        snprintf(to, capacity, "%s", object);
}

/* Names the pointer at `slot`. Returns false if only its place in a present object, or its address, is known. */
bool rt_format_pointer(const struct rt_site *site, int device, uint64_t slot, struct rt_pointer_name *pointer)
{
    struct accd__debug_name name, member;
    accd_present_object object;
    *pointer = (struct rt_pointer_name){.slot = slot};
    if (slot && rt_find_name(site, slot, sizeof(void *), &name)) {
        find_element(site, slot, sizeof(void *), 0, &member);
        snprintf(pointer->name, sizeof pointer->name, "%s", *member.name ? member.name : name.name);
        const bool fortran = name.fortran || strchr(pointer->name, '%');
        snprintf(pointer->section, sizeof pointer->section, "%.140s%s", pointer->name, fortran ? "" : "[0:n]");
        return true;
    }
    if (slot && accd_present_at(rt.context, device, slot, 0, &object)) {
        const struct rt_display_name display = rt_get_display_name(&object.info);
        const int n = snprintf(pointer->name, sizeof pointer->name, "at byte %llu of %s",
                               (unsigned long long)(slot - object.info.host), display.name);
        if (display.file && n > 0 && (size_t)n < sizeof pointer->name)
            snprintf(pointer->name + n, sizeof pointer->name - (size_t)n, ", mapped at %s:%d,", display.file,
                     display.line);
    } else {
        snprintf(pointer->name, sizeof pointer->name, "%p", (void *)(uintptr_t)slot);
    }
    return false;
}

/* Copies the n bytes at `host`, which may be unmapped, to `to`. Returns false if they cannot be read. */
bool rt_peek_memory(uint64_t host, char *to, size_t n)
{
    return rt_read_memory(rt_libc_system_call, to, host, n) == n;
}

/* Writes the name of the present object that the pointer at `host` points to. Returns false if there is no such object.
 */
bool rt_format_pointer_target(uint64_t host, uint64_t bytes, char *to, size_t capacity)
{
    uint64_t target;
    accd_present_object object;
    if (bytes != sizeof target || !rt_peek_memory(host, (char *)&target, sizeof target) || !target ||
        !accd_present_at(rt.context, rt_this_thread.device, target, 0, &object))
        return false;
    if (!rt_format_name(rt.site, object.info.host, object.info.bytes, to, capacity))
        snprintf(to, capacity, "%s", rt_get_display_name(&object.info).name);
    return true;
}

/* Returns what happened at a related location; an event without words of its own is the word itself. */
const char *rt_get_event_phrase(const char *event)
{
    static const char *const phrases[][2] = {
        {"agreed", "host and device last agreed"},
        {"nearest", "the nearest object was mapped"},
        {"end", "unmapped by the end of the region"},
        {"update", "an update moved nothing"},
    };
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (!strcmp(event, phrases[i][0]))
            return phrases[i][1];
    return event;
}

/* Returns the location of the code that returns to `pc`, with the event that happened there. */
struct rt_related_location rt_get_related_location(const char *event, uintptr_t pc)
{
    struct rt_related_location location = {.event = event};
    rt_find_line(pc, &location.file, &location.line, NULL);
    return location;
}

/* Returns the begin of the region of a kernel. */
struct rt_region_begin rt_get_kernel_region(const struct rt_site *site)
{
    return site ? (struct rt_region_begin){.kind = site->construct_name, .pc = site->call.pc}
                : (struct rt_region_begin){0};
}

/* Writes the current call as words, and returns the begin of the region that it ends. */
struct rt_region_begin rt_format_call(char *to, size_t capacity)
{
    const struct rt_site *site = rt.site;
    const char *construct_name = site ? site->construct_name : "a transfer";
    if (!site || !site->is_region_end || !rt_this_thread.nregions || strncmp(construct_name, "end ", 4) != 0) {
        snprintf(to, capacity, "%s", construct_name);
        return (struct rt_region_begin){0};
    }
    const char *kind = construct_name + strlen("end ");
    snprintf(to, capacity, "the end of the %s region", kind);
    return (struct rt_region_begin){kind, rt_this_thread.regions[rt_this_thread.nregions - 1].pc, true};
}

/* Writes " of FILE:LINE" for the code at `pc`, or an empty string if the line is not known. */
void rt_format_location(uintptr_t pc, char *to, size_t capacity)
{
    assert(capacity > 0);
    const char *file;
    int line;
    *to = 0;
    if (rt_find_line(pc, &file, &line, NULL))
        snprintf(to, capacity, " of %s:%d", file, line);
}
