/* diagnostics.c - prints findings about the program. The first finding of a code, location and variable is printed at
 * once, as text like that of compilers or as JSON. Repetitions are counted; their number is printed at the end. All
 * checks call rt_emit_diagnostic or rt_report; the lock of diagnostics protects the records. */
#include "base/lock.h"
#include "base/runtime.h"
#include "lib/new_stack.h"
#include "lib/rank.h"
#include "lib/text_buffer.h"
#include "lib/vector.h"
#include "diagnostics.h"
#include "report_file.h"
#include "source_lines.h"
#include "summary.h"
#include "symbolize.h"
#include "terminal.h"

#include "abi/helps/helps.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Record of a finding. An alias is a record for another call on the same source line with an equal finding. It has its
 * own return address `pc`, and refers to the finding's record by `first`. */
struct diag_record {
    struct diag_record *first; /* finding whose repetitions this alias counts; NULL: this record is not an alias */
    uintptr_t pc;
    const char *file; /* NULL: unknown */
    int line;
    const char *level, *code;
    char *subject;      /* variable, or the message of a finding without one */
    char *other_names;  /* comma-separated names of other variables of the group; NULL: no other variables */
    unsigned nothers;   /* number of names in other_names */
    bool is_end;        /* true: at the end of a region, whose location is that of its begin */
    bool object;        /* true if `subject` is a variable */
    const char *mapped; /* file that mapped the data, for grouped findings; NULL: not grouped, or unknown */
    int mapped_line;
    bool is_suppressed;
    size_t result; /* number of the SARIF result; 0: no SARIF file */
    uint64_t count;
};
static struct diag_record **records;
static size_t nrecords, capacity;

/* ------------------------------------------------------------------------------------- known -- */

/* Returns true if a name is only an address, "0x...". */
static bool is_address_name(const char *name)
{
    return !strncmp(name, "0x", 2);
}

/* Returns true if repetitions of a finding are recognised by its object (variable). Findings about costs (`times`), and
 * those without a location or an object, are recognised by their message. */
static bool is_by_object(const struct rt_diagnostic *diagnostic)
{
    return diagnostic->object && diagnostic->pc && !diagnostic->times;
}

/* Returns the location that mapped the data of a grouped finding, which identifies the group. file NULL: the finding is
 * not grouped, or the location is not known. */
static struct rt_related_location get_mapping_location(const struct rt_diagnostic *diagnostic)
{
    const bool has_place =
        diagnostic->is_grouped && diagnostic->other.file && !strcmp(diagnostic->other.event, "mapped");
    return has_place ? diagnostic->other : (struct rt_related_location){0};
}

/* Returns true if a finding repeats a recorded one: equal code, and equal variable, group or message. message may be
 * NULL for a finding with an object. */
static bool matches_record(const struct diag_record *entry, const struct rt_diagnostic *diagnostic, const char *message)
{
    assert(entry->code && diagnostic->code);
    if (strcmp(entry->code, diagnostic->code) != 0 || entry->object != is_by_object(diagnostic) ||
        entry->is_end != diagnostic->region.is_end)
        return false;
    const struct rt_related_location mapped = get_mapping_location(diagnostic);
    if (diagnostic->is_grouped)
        return entry->mapped_line == mapped.line &&
               (entry->mapped ? mapped.file && !strcmp(entry->mapped, mapped.file) : !mapped.file);
    return (entry->object ? rt_is_same_variable(entry->subject, diagnostic->object)
                          : message && !strcmp(entry->subject, message));
}

/* Counts a repetition. For a grouped finding, adds the name of another variable to other_names: at most five names,
 * then "...". Without memory the name is left out. */
static void count_record(struct diag_record *entry, const struct rt_diagnostic *diagnostic)
{
    enum { NAMED = 5 };
    entry->count++;
    if (!diagnostic->is_grouped || entry->nothers > NAMED || is_address_name(diagnostic->object))
        return;
    char variable[160], *longer = NULL;
    snprintf(variable, sizeof variable, "%.*s", (int)rt_variable_name_length(diagnostic->object), diagnostic->object);
    const size_t n = strlen(variable);
    if (n == rt_variable_name_length(entry->subject) && !strncmp(variable, entry->subject, n))
        return;
    const char *at = entry->other_names ? strstr(entry->other_names, variable) : NULL;
    if (at && strspn(at + n, ",") + !at[n])
        return;
    if (asprintf(&longer, "%s%s%s", entry->other_names ? entry->other_names : "", entry->other_names ? ", " : "",
                 entry->nothers == NAMED ? "..." : variable) < 0)
        return;
    free(entry->other_names);
    entry->other_names = longer;
    entry->nothers++;
}

/* Returns the record of an equal finding at the same return address; NULL if no such finding was recorded. `message`
 * may be NULL for a finding with an object. */
static struct diag_record *find_record(const struct rt_diagnostic *diagnostic, const char *message)
{
    for (size_t i = 0; i < nrecords; i++)
        if (records[i]->pc == diagnostic->pc) {
            struct diag_record *entry = records[i]->first ? records[i]->first : records[i];
            if (matches_record(entry, diagnostic, message))
                return entry;
        }
    return NULL;
}

/* Returns the record of an equal finding on the same source line, `location`; NULL if no such finding was recorded. */
static struct diag_record *find_record_at_line(const struct rt_diagnostic *diagnostic, const char *message,
                                               const struct rt_source_location *location)
{
    for (size_t i = 0; i < nrecords; i++)
        if (!records[i]->first && records[i]->file && records[i]->line == location->line &&
            !strcmp(records[i]->file, location->file) && matches_record(records[i], diagnostic, message))
            return records[i];
    return NULL;
}

/* Adds a record and returns it; `first`: the record that the new one is an alias of, or NULL. Returns NULL without
 * memory: then later repetitions are printed again. */
static struct diag_record *add_record(struct diag_record *first, const struct rt_diagnostic *diagnostic,
                                      const char *message, const struct rt_source_location *location)
{
    assert(!first || !first->first);
    assert(location && message);
    if (!RT_RESERVE(rt_heap_realloc, records, nrecords, capacity))
        return NULL;
    struct diag_record *entry = malloc(sizeof *entry);
    char *subject = first ? NULL : strdup(is_by_object(diagnostic) ? diagnostic->object : message);
    if (!entry || (!first && !subject)) {
        free(entry);
        free(subject);
        return NULL;
    }
    *entry = (struct diag_record){
        .first = first,
        .pc = diagnostic->pc,
        .file = location->file,
        .line = location->line,
        .level = diagnostic->level,
        .code = diagnostic->code,
        .subject = subject,
        .is_end = diagnostic->region.is_end,
        .object = is_by_object(diagnostic),
        .mapped = get_mapping_location(diagnostic).file,
        .mapped_line = get_mapping_location(diagnostic).line,
        .count = 1,
    };
    return records[nrecords++] = entry;
}

/* Returns true, and counts a repetition, if a finding with this code, return address and object was recorded. */
bool rt_count_duplicate(const char *code, uintptr_t pc, const char *object)
{
    const struct rt_diagnostic diagnostic = {.code = code, .pc = pc, .object = object};
    rt_lock_diagnostics();
    struct diag_record *entry = pc ? find_record(&diagnostic, NULL) : NULL;
    if (entry)
        count_record(entry, &diagnostic);
    rt_unlock_diagnostics();
    return entry;
}

/* ------------------------------------------------------------------------------------- texts -- */

/* Appends the JSON field `key` with "FILE:LINE". */
static void append_location_field(struct rt_text_buffer *text, const char *key, const char *file, int line)
{
    char at[1024];
    snprintf(at, sizeof at, "%s:%d", file, line);
    rt_text_append_json_field(text, key, at);
}

/* Appends the field "EVENT_at" of a related location; nothing if its file is not known. */
static void append_related_field(struct rt_text_buffer *text, const struct rt_related_location *location)
{
    char key[40];
    if (!location->file)
        return;
    snprintf(key, sizeof key, "%s_at", location->event);
    append_location_field(text, key, location->file, location->line);
}

/* Empties the buffer and begins a JSON report: level and code. */
static void begin_json(struct rt_text_buffer *text, const char *level, const char *code)
{
    rt_text_clear(text);
    rt_text_append(text, "{");
    rt_text_append_json_field(text, "level", level);
    rt_text_append_json_field(text, "code", code);
}

/* Empties the buffer and begins a text report: location (file NULL: the address `pc`, or none if that is 0), level,
 * code and MPI rank. */
static void begin_text(struct rt_text_buffer *text, const char *level, const char *code, uintptr_t pc, const char *file,
                       int line)
{
    rt_text_clear(text);
    if (file)
        rt_text_append(text, "%s:%d: ", file, line);
    else if (pc)
        rt_text_append(text, "accdeep: at %p: ", (void *)pc);
    else
        rt_text_append(text, "accdeep: ");
    rt_text_append(text, "%s[%s]: ", level, code);
    if (rt_get_mpi_rank() >= 0)
        rt_text_append(text, "rank %d: ", rt_get_mpi_rank());
}

/* Appends the fields of a finding after level and code. Fields without a value are left out. */
static void append_json_fields(struct rt_text_buffer *text, const struct rt_diagnostic *diagnostic, const char *rule,
                               const char *message, const struct rt_source_location *location)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"objects", diagnostic->objects},
                  {"bytes", diagnostic->bytes},
                  {"times", diagnostic->times},
                  {"of", diagnostic->ntransfers},
                  {"saved_ns", diagnostic->saved_ns}};
    const struct accd__help *entry = rt_find_help(diagnostic->code);
    rt_text_append_json_field(text, "message", message);
    if (rule)
        rt_text_append_json_field(text, "rule", rule);
    if (rt_find_rule_title(rule))
        rt_text_append_json_field(text, "rule_title", rt_find_rule_title(rule));
    if (entry && entry->cwe)
        rt_text_append(text, ",\"cwe\":%d", entry->cwe);
    if (location->file)
        append_location_field(text, "at", location->file, location->line);
    if (location->file && location->function)
        rt_text_append_json_field(text, "function", location->function);
    if (diagnostic->object)
        rt_text_append_json_field(text, "object", diagnostic->object);
    if (diagnostic->element)
        rt_text_append_json_field(text, "element", diagnostic->element);
    if (diagnostic->second && *diagnostic->second)
        rt_text_append_json_field(text, "other", diagnostic->second);
    const struct rt_related_location region = rt_get_related_location("region", diagnostic->region.pc);
    append_related_field(text, &region);
    if (diagnostic->work)
        rt_text_append_json_field(text, "work", diagnostic->work);
    append_related_field(text, &diagnostic->other);
    for (size_t i = 0; i < sizeof diagnostic->further / sizeof diagnostic->further[0]; i++)
        append_related_field(text, &diagnostic->further[i]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value)
            rt_text_append(text, ",\"%s\":%llu", counts[i].key, (unsigned long long)counts[i].value);
    rt_text_append_rank(text);
}

/* Ends a JSON line. Writes the line to standard error if reports are JSON, and to the file of findings if that file has
 * JSON lines. */
static void write_json(struct rt_text_buffer *text)
{
    rt_text_append(text, "}\n");
    if (rt.options.json)
        rt_write_stderr(text);
    rt_report_file_add_line(text);
}

/* Returns the functions that were active at a finding: at its access or call, or else at the begin of its region. */
static struct rt_call_stack find_call_stack(const struct rt_diagnostic *diagnostic)
{
    struct rt_call_stack stack;
    const size_t most = sizeof stack.functions / sizeof stack.functions[0];
    stack.n = rt_find_active_functions(diagnostic->pc, stack.functions, most);
    if (!stack.n)
        stack.n = rt_find_active_functions(diagnostic->region.pc, stack.functions, most);
    if (stack.n == 1)
        stack.n = 0;
    return stack;
}

/* Appends the field "callers" with those functions that have called the innermost one; nothing if there are none. */
static void append_callers_field(struct rt_text_buffer *text, const struct rt_call_stack *stack)
{
    for (size_t i = 1; i < stack->n; i++) {
        rt_text_append(text, i == 1 ? ",\"callers\":[{" : ",{");
        append_location_field(text, "at", stack->functions[i].file, stack->functions[i].line);
        rt_text_append_json_field(text, "function", stack->functions[i].name);
        rt_text_append(text, "}");
    }
    rt_text_append(text, stack->n ? "]" : "");
}

/* Writes a finding as a JSON line; rule, help NULL: the field is left out. */
static void print_json(const struct rt_diagnostic *diagnostic, const char *rule, const char *message,
                       const struct rt_source_location *location, const struct rt_call_stack *stack, const char *help)
{
    struct rt_text_buffer text;
    begin_json(&text, diagnostic->level, diagnostic->code);
    append_json_fields(&text, diagnostic, rule, message, location);
    append_callers_field(&text, stack);
    if (diagnostic->lines && *diagnostic->lines) {
        rt_text_append(&text, ",\"details\":");
        rt_append_json_lines(&text, diagnostic->lines);
    }
    if (help)
        rt_text_append_json_field(&text, "help", help);
    write_json(&text);
}

/* Appends the line "  in: f, called from a.c:12 (g), a.c:40 (main)"; nothing for an empty stack. */
static void append_call_stack(struct rt_text_buffer *text, const struct rt_call_stack *stack)
{
    for (size_t i = 0; i < stack->n; i++) {
        const struct rt_active_function *function = &stack->functions[i];
        const char *name = *function->name ? function->name : "a function";
        if (i == 0)
            rt_text_append(text, "  in: %s, called from", name);
        else
            rt_text_append(text, "%s %s:%d (%s)", i == 1 ? "" : ",", function->file, function->line, name);
    }
    rt_text_append(text, stack->n ? "\n" : "");
}

/* Appends the lines about the finding's region, call stack, unordered work and related locations except `skipped`. A
 * location on another line than FILE:LINE, that of the finding (file NULL: unknown), gets its source line. */
static void append_related_lines(struct rt_text_buffer *text, const struct rt_diagnostic *diagnostic,
                                 const struct rt_call_stack *stack, const char *file, int line,
                                 const struct rt_related_location *skipped)
{
    const struct rt_related_location *const locations[] = {&diagnostic->other, &diagnostic->further[0],
                                                           &diagnostic->further[1]};
    const struct rt_related_location region = rt_get_related_location("region", diagnostic->region.pc);
    if (region.file && !diagnostic->region.is_end)
        rt_text_append(text, "  in: the %s region of %s:%d\n", diagnostic->region.kind, region.file, region.line);
    append_call_stack(text, stack);
    if (diagnostic->work)
        rt_text_append(text, "  unordered with: %s\n", diagnostic->work);
    for (size_t i = 0; i < sizeof locations / sizeof locations[0] && !diagnostic->lines; i++) {
        const struct rt_related_location *at = locations[i];
        if (!at->file || at == skipped)
            continue;
        rt_text_append(text, "  %s: %s:%d\n", rt_get_event_phrase(at->event), at->file, at->line);
        if (!file || at->line != line || strcmp(at->file, file) != 0)
            rt_append_source_line(text, at->file, at->line, diagnostic->object);
    }
}

/* Returns the name that the source line of a finding is searched for: that of its pointer or, for a directive, that of
 * its object. NULL: it has none. */
static const char *get_marked_name(const struct rt_diagnostic *diagnostic)
{
    const bool has_pointer = diagnostic->second && *diagnostic->second && diagnostic->element;
    return has_pointer && !diagnostic->region.is_end ? diagnostic->second : diagnostic->object;
}

/* Prints a finding as text; rule, help NULL: the line is left out. The caller passes help for each error and for the
 * first other finding of a code. A finding without a location gets that of its data's mapping. Once in a program, adds
 * a hint about missing debug information. */
static void print_text(const struct rt_diagnostic *diagnostic, const char *rule, const char *message,
                       const struct rt_source_location *location, const struct rt_call_stack *stack, const char *help)
{
    static bool hint_written;
    struct rt_text_buffer text;
    const bool has_place = location->file || diagnostic->pc;
    const char *file = has_place ? location->file : diagnostic->other.file;
    const int line = has_place ? location->line : diagnostic->other.line;
    begin_text(&text, diagnostic->level, diagnostic->code, diagnostic->pc, file, line);
    rt_text_append(&text, "%s\n", message);
    if (file)
        rt_append_source_line(&text, file, line, get_marked_name(diagnostic));
    append_related_lines(&text, diagnostic, stack, file, line, has_place ? NULL : &diagnostic->other);
    rt_text_append(&text, "%s", diagnostic->lines ? diagnostic->lines : "");
    if (rule)
        rt_text_append(&text, "  rule: %s\n", rule);
    if (help)
        rt_text_append(&text, "  help: %s\n  more: accdeep explain %s\n", help, diagnostic->code);
    if (!hint_written && diagnostic->pc && !location->file && rt_lacks_debug_info(diagnostic->pc)) {
        hint_written = true;
        rt_text_append(&text, "  hint: compile with -g: then reports have lines and names\n");
    }
    rt_write_report(&text);
}

/* ---------------------------------------------------------------------------------- findings -- */

/* Returns true if no finding of the same code was printed before, other than `entry`. */
static bool is_first_of_code(const struct diag_record *entry)
{
    for (size_t i = 0; i < nrecords; i++)
        if (records[i] != entry && !records[i]->first && !records[i]->is_suppressed &&
            !strcmp(records[i]->code, entry->code))
            return false;
    return true;
}

/* Returns true for defects of the program. Advice, limits of this runtime, and files that cannot be written are not
 * defects. */
static bool is_defect(const struct rt_diagnostic *diagnostic)
{
    const struct accd__help *help = rt_find_help(diagnostic->code);
    return strcmp(diagnostic->level, "advice") != 0 && !(help && help->is_limit);
}

/* Returns true if a finding counts for --fail. A lost change, a value that only the device has when its data are
 * unmapped, does not count. It may be intended: scratch memory of kernels is often mapped by copyin. A checked program
 * reports the read of the lost value instead. */
static bool is_failure(const struct rt_diagnostic *diagnostic)
{
    return is_defect(diagnostic) && strcmp(diagnostic->code, "lost-change") != 0;
}

/* Stores the location of a finding. A region's end has that of its begin, because compilers give the end the line of a
 * statement near it. Returns false if the line is not known. */
static bool find_location(const struct rt_diagnostic *diagnostic, struct rt_source_location *location)
{
    const struct rt_region_begin *region = &diagnostic->region;
    return (region->is_end && rt_find_line(region->pc, &location->file, &location->line, &location->function)) ||
           rt_find_line(diagnostic->pc, &location->file, &location->line, &location->function);
}

/* Prints a finding and returns true. Returns false if the finding is only counted, because it repeats another or is
 * suppressed. Errors that end the program cannot be suppressed. The lock of diagnostics must be held. */
static bool emit(const struct rt_diagnostic *diagnostic, const char *message)
{
    struct rt_source_location location = {0};
    struct rt_text_buffer help;
    const bool is_error = !strcmp(diagnostic->level, "error");
    struct diag_record *entry = find_record(diagnostic, message);
    if (!entry && find_location(diagnostic, &location)) {
        entry = find_record_at_line(diagnostic, message, &location);
        if (entry)
            add_record(entry, diagnostic, message, &location);
    }
    if (entry) {
        count_record(entry, diagnostic);
        return false;
    }
    entry = add_record(NULL, diagnostic, message, &location);
    const bool is_suppressed = !is_error && rt_is_suppressed(diagnostic, &location);
    if (is_suppressed || is_error || is_defect(diagnostic) || !strcmp(diagnostic->level, "advice"))
        rt_summary_count(diagnostic->level, is_suppressed);
    if (is_suppressed) {
        if (entry)
            entry->is_suppressed = true;
        return false;
    }
    const char *rule = rt_find_rule(diagnostic);
    const bool helps = (is_error || is_defect(diagnostic) || diagnostic->times || diagnostic->help) &&
                       rt_format_help(diagnostic, rule, &help);
    if (is_error || is_defect(diagnostic))
        RT_CALL_HOOKS(find, &(struct rt_finding){
                                .level = diagnostic->level,
                                .code = diagnostic->code,
                                .message = message,
                                .rule = rule,
                                .help = helps ? help.at : NULL,
                                .object = diagnostic->object,
                                .file = location.file,
                                .line = location.line,
                                .slot = diagnostic->slot,
                            });
    rt.has_findings |= is_failure(diagnostic);
    rt.has_errors |= !strcmp(diagnostic->level, "error");
    const struct rt_call_stack stack = find_call_stack(diagnostic);
    print_json(diagnostic, rule, message, &location, &stack, helps ? help.at : NULL);
    if (!rt.options.json)
        print_text(diagnostic, rule, message, &location, &stack,
                   helps && (is_error || !entry || is_first_of_code(entry)) ? help.at : NULL);
    const size_t result = rt_report_file_add_result(diagnostic, &location, rule, message, &stack);
    if (entry)
        entry->result = result;
    return true;
}

/* Formats the message, and prints the finding and returns true; returns false if the finding is only counted. */
bool rt_emit_diagnostic(const struct rt_diagnostic *diagnostic, const char *format, ...)
{
    assert(diagnostic->level && diagnostic->code);
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rt_lock_diagnostics();
    const bool is_new = RT_ON_NEW_STACK(emit, diagnostic, message); /* a thread's own stack may be too small */
    rt_unlock_diagnostics();
    return is_new;
}

/* Prints or counts a finding that has only a location. */
void rt_report(const char *level, const char *code, const char *rule, uintptr_t pc, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rt_emit_diagnostic(&(struct rt_diagnostic){.level = level, .code = code, .rule = rule, .pc = pc}, "%s", message);
}

/* Prints how often a finding was repeated, with the other variables of its group. The count must be more than 1. */
static void print_count(const struct diag_record *entry)
{
    assert(entry->count > 1 && entry->subject);
    const bool has_name = entry->object && !is_address_name(entry->subject);
    struct rt_text_buffer text, words;
    rt_text_clear(&words);
    rt_text_append(&words, "%s%s%llu more time%s%s%s", has_name ? entry->subject : "", has_name ? ": " : "",
                   (unsigned long long)entry->count - 1, entry->count == 2 ? "" : "s",
                   entry->other_names ? ", also of " : "", entry->other_names ? entry->other_names : "");
    if (entry->mapped)
        rt_text_append(&words, ", mapped at %s:%d", entry->mapped, entry->mapped_line);
    if (!rt.options.json) {
        begin_text(&text, entry->level, entry->code, entry->pc, entry->file, entry->line);
        rt_text_append(&text, "%s\n", words.at);
        rt_write_report(&text);
    }
    begin_json(&text, entry->level, entry->code);
    rt_text_append_json_field(&text, "message", words.at);
    if (entry->file)
        append_location_field(&text, "at", entry->file, entry->line);
    if (entry->object)
        rt_text_append_json_field(&text, "object", entry->subject);
    if (entry->other_names)
        rt_text_append_json_field(&text, "also", entry->other_names);
    rt_text_append(&text, ",\"more\":%llu", (unsigned long long)entry->count - 1);
    rt_text_append_rank(&text);
    write_json(&text);
    rt_report_file_set_count(entry->result, entry->count);
}

/* Reports an unused suppression (file and line), only in JSON because one file of suppressions serves several programs.
 */
static void print_unused_suppression(const char *path, int line)
{
    const struct rt_diagnostic diagnostic = {.level = "note", .code = "unused-suppression", .rule = "HOUSE-files"};
    const struct rt_source_location location = {.file = path, .line = line};
    print_json(&diagnostic, diagnostic.rule, "this suppression matched no finding", &location,
               &(struct rt_call_stack){.n = 0}, NULL);
}

/* Reports that the file named by the environment variable `variable` is incomplete, because of the errno `reason`. Does
 * nothing if `reason` is 0. */
static void report_incomplete_file(const char *variable, int reason)
{
    char name[4096];
    if (!reason)
        return;
    rt_expand_file_name(getenv(variable), name, sizeof name);
    rt_report("note", "file", NULL, 0, "%s is not complete: %s", name, strerror(reason));
}

/* Prints the summary of the run, and adds it to a file of JSON lines. */
static void print_summary(void)
{
    struct rt_text_buffer summary, text, json;
    if (!rt_has_summary(true))
        return;
    rt_format_summary(&summary, &json);
    rt_text_clear(&text);
    rt_text_append(&text, "accdeep: ");
    if (rt_get_mpi_rank() >= 0)
        rt_text_append(&text, "rank %d: ", rt_get_mpi_rank());
    rt_text_append(&text, "%s\n", summary.at);
    if (!rt.options.json && rt_has_summary(false))
        rt_write_report(&text);
    rt_report_file_set_summary(summary.at, !rt_has_errors());
    write_json(&json);
}

/* Prints the counts of repeated findings and the summary, and completes the files, once; frees the records. `unused` is
 * not used. */
static void emit_counts(void *unused)
{
    (void)unused;
    static bool ended;
    rt_lock_diagnostics();
    if (ended) {
        rt_unlock_diagnostics();
        return;
    }
    ended = true;
    for (size_t i = 0; i < nrecords; i++) {
        if (!records[i]->first && !records[i]->is_suppressed && records[i]->count > 1)
            print_count(records[i]);
        free(records[i]->subject);
        free(records[i]->other_names);
        free(records[i]);
    }
    nrecords = 0;
    rt_for_each_unused_suppression(print_unused_suppression);
    print_summary();
    report_incomplete_file("ACCDEEP_REPORT", rt_report_file_finish());
    report_incomplete_file("ACCDEEP_TRACE", rt.trace_lost);
    rt_unlock_diagnostics();
}

/* Prints the counts and the summary on a new stack, as that of the thread may be small. */
void rt_emit_counts(void)
{
    rt_run_on_new_stack(emit_counts, NULL);
}
