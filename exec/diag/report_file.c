/* report_file.c - `exec --report FILE`: writes findings to a file; called by diagnostics.c. A SARIF 2.1.0 file, for
 * code hosts, is complete after each finding. Each result and rule is one line, so that `accdeep merge` can work on
 * lines. Any other file gets JSON lines. */
#include "base/runtime.h"
#include "lib/rank.h"
#include "lib/text_buffer.h"
#include "lib/vector.h"
#include "diagnostics.h"
#include "report_file.h"
#include "source_lines.h"
#include "symbolize.h"

#include "abi/helps/helps.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* file: descriptor of the file of findings; -1: no file. owner: process that opened the file; forked processes do not
 * write SARIF. */
static int file = -1, owner;
static int write_error; /* errno of the last failed write; 0: no write failed */
static bool is_sarif;   /* false: JSON lines */

/* SARIF result of a finding. text: its JSON text without the end, to which the count is added; code: the finding's
 * code; count: number of equal findings. */
struct result {
    char *text;
    const char *code;
    uint64_t count;
};
static struct result *results;
static char *invocation; /* SARIF invocation with the summary of the run; NULL: the run has not ended */
static size_t nresults, capacity;

/* Writes a path as a quoted JSON string with URI escapes; "file://" precedes an absolute path. */
static void append_uri(FILE *to, const char *path)
{
    fputs(*path == '/' ? "\"file://" : "\"", to);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (isalnum(*c) || strchr("/._-~+@", *c))
            fputc(*c, to);
        else
            fprintf(to, "%%%02X", *c);
    fputs("\"", to);
}

/* Writes `before`, then `value` as a JSON string; a value that exceeds a text buffer is cut off. */
static void append_string(FILE *to, const char *before, const char *value)
{
    struct rt_text_buffer json_string;
    rt_text_clear(&json_string);
    rt_text_append_json_string(&json_string, value);
    fprintf(to, "%s%s", before, json_string.at);
}

/* Writes the SARIF field physicalLocation; a line below 1 becomes 1. */
static void append_location(FILE *to, const char *path, int line)
{
    assert(path);
    fputs("\"physicalLocation\":{\"artifactLocation\":{\"uri\":", to);
    append_uri(to, path);
    fprintf(to, "},\"region\":{\"startLine\":%d}}", line > 0 ? line : 1);
}

/* Returns true if result i is the first one with its code, so that the SARIF rule of this code is not yet written. */
static bool is_first_of_rule(size_t i)
{
    assert(i < nresults);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(results[k].code, results[i].code))
            return false;
    return true;
}

/* Writes the SARIF field taxonomies: the weaknesses of the list CWE to which the results' codes belong. Writes nothing
 * if there is none. */
static void write_taxonomy(FILE *to)
{
    int n = 0;
    for (size_t i = 0; i < nresults; i++) {
        const struct accd__help *entry = rt_find_help(results[i].code);
        if (!entry || !entry->cwe || !is_first_of_rule(i))
            continue;
        fprintf(to, "%s{\"id\":\"%d\"}",
                n++ ? ","
                    : ",\"taxonomies\":[{\"name\":\"CWE\",\"organization\":\"MITRE\",\"informationUri\":"
                      "\"https://cwe.mitre.org\",\"taxa\":[",
                entry->cwe);
    }
    fputs(n ? "]}]" : "", to);
}

/* Writes the whole SARIF file over the previous contents, which are never longer. Without memory the file stays as it
 * was; a failed write is recorded in write_error. */
static void write_sarif(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
          "\"results\":[\n",
          to);
    for (size_t i = 0; i < nresults; i++)
        fprintf(to, "%s,\"occurrenceCount\":%llu}%s\n", results[i].text, (unsigned long long)results[i].count,
                i + 1 < nresults ? "," : "");
    fputs("],\"tool\":{\"driver\":{\"name\":\"accdeep\",\"version\":\"" ACCD_VERSION "\",\"rules\":[\n", to);
    for (size_t i = 0, n = 0; i < nresults; i++) {
        const struct accd__help *entry = rt_find_help(results[i].code);
        struct rt_text_buffer help;
        if (!is_first_of_rule(i))
            continue;
        append_string(to, n++ ? ",\n{\"id\":" : "{\"id\":", results[i].code);
        if (entry) {
            rt_format_help(&(struct rt_diagnostic){.code = entry->code}, NULL, &help);
            append_string(to, ",\"shortDescription\":{\"text\":", entry->meaning);
            append_string(to, "},\"help\":{\"text\":", help.at);
            fputs("}", to);
            if (entry->cwe)
                fprintf(to,
                        ",\"properties\":{\"tags\":[\"external/cwe/cwe-%d\"]},\"relationships\":[{\"target\":{\"id\":"
                        "\"%d\",\"toolComponent\":{\"name\":\"CWE\"}},\"kinds\":[\"superset\"]}]",
                        entry->cwe, entry->cwe);
        }
        fputs("}", to);
    }
    fputs("\n]}}", to);
    write_taxonomy(to);
    if (invocation)
        fprintf(to, ",\"invocations\":[\n%s\n]", invocation);
    fputs("}]}\n", to);
    if (!fclose(to) && pwrite(file, text, size, 0) < 0)
        write_error = errno;
    free(text);
}

/* Opens the file of findings, and stores its name in `name`. Returns false with errno set on failure. */
bool rt_report_file_open(const char *pattern, char *name, size_t name_capacity)
{
    rt_expand_file_name(pattern, name, name_capacity);
    is_sarif = strlen(name) > 6 && !strcmp(name + strlen(name) - 6, ".sarif");
    owner = getpid();
    /* a file named after a process id may be left from an earlier process, so it is truncated */
    file = rt_open_output_file(name, is_sarif || strstr(pattern, "%p") ? O_TRUNC : O_APPEND);
    is_sarif = is_sarif && file >= 0;
    if (is_sarif)
        write_sarif();
    return file >= 0;
}

/* Writes the SARIF field relatedLocations, unless no related location is known. */
static void append_related_locations(FILE *to, const struct rt_diagnostic *diagnostic)
{
    const struct rt_related_location region = rt_get_related_location(diagnostic->region.kind, diagnostic->region.pc);
    const struct rt_related_location *const locations[] = {&region, &diagnostic->other, &diagnostic->further[0],
                                                           &diagnostic->further[1]};
    int n = 0;
    for (size_t i = 0; i < sizeof locations / sizeof locations[0]; i++) {
        if (!locations[i]->file)
            continue;
        const bool is_region = locations[i] == &region;
        char phrase[100];
        snprintf(phrase, sizeof phrase, is_region ? "the %s region" : "%s",
                 is_region ? locations[i]->event : rt_get_event_phrase(locations[i]->event));
        fprintf(to, "%s{\"id\":%d,", n ? "," : ",\"relatedLocations\":[", n + 1);
        append_location(to, locations[i]->file, locations[i]->line);
        append_string(to, ",\"message\":{\"text\":", phrase);
        fputs("}}", to);
        n++;
    }
    fputs(n ? "]" : "", to);
}

/* Writes a SARIF location with a message, as a step of a code flow; `before` precedes it. */
static void append_step(FILE *to, const char *before, const char *path, int line, const char *message)
{
    fprintf(to, "%s{\"location\":{", before);
    append_location(to, path, line);
    append_string(to, ",\"message\":{\"text\":", message);
    fputs("}}}", to);
}

/* Writes the SARIF field codeFlows: what happened to the data, in the order of time, and then the finding. Writes
 * nothing if nothing else is known. */
static void append_code_flow(FILE *to, const struct rt_diagnostic *diagnostic,
                             const struct rt_source_location *location, const char *message)
{
    static const char *const events[] = {"mapped", "agreed", "update", "written", "read",
                                         "used",   "freed",  "end",    "unmapped"};
    const struct rt_related_location *const locations[] = {&diagnostic->other, &diagnostic->further[0],
                                                           &diagnostic->further[1]};
    int n = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        for (size_t k = 0; k < sizeof locations / sizeof locations[0]; k++)
            if (locations[k]->file && !strcmp(locations[k]->event, events[i]))
                append_step(to, n++ ? "," : ",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[", locations[k]->file,
                            locations[k]->line, rt_get_event_phrase(locations[k]->event));
    if (!n)
        return;
    append_step(to, ",", location->file, location->line, message);
    fputs("]}]}]", to);
}

/* Writes the SARIF field stacks with the active functions, unless none is known. */
static void append_stacks(FILE *to, const struct rt_call_stack *stack)
{
    for (size_t i = 0; i < stack->n; i++) {
        const struct rt_active_function *function = &stack->functions[i];
        fputs(i ? ",{\"location\":{" : ",\"stacks\":[{\"frames\":[{\"location\":{", to);
        append_location(to, function->file, function->line);
        append_string(to, ",\"logicalLocations\":[{\"fullyQualifiedName\":", function->name);
        fputs("}]}}", to);
    }
    fputs(stack->n ? "]}]" : "", to);
}

/* Writes a finding as SARIF result to `to`, without the count and the brace that end it. rule NULL: the result has no
 * rule. */
static void append_result(FILE *to, const struct rt_diagnostic *diagnostic, const struct rt_source_location *location,
                          const char *rule, const char *message, const struct rt_call_stack *stack)
{
    /* A finding without a location gets that of its data, or the program's file: code hosts reject results without a
     * location. */
    const bool has_location = location->file;
    const char *path = has_location             ? location->file
                       : diagnostic->other.file ? diagnostic->other.file
                                                : program_invocation_name;
    const bool advice = !strcmp(diagnostic->level, "advice");
    append_string(to, "{\"ruleId\":", diagnostic->code);
    append_string(to, ",\"level\":", advice ? "note" : diagnostic->level);
    append_string(to, ",\"message\":{\"text\":", message);
    fputs("},\"locations\":[{", to);
    append_location(to, path, has_location ? location->line : diagnostic->other.line);
    if (has_location && location->function) {
        append_string(to, ",\"logicalLocations\":[{\"name\":", location->function);
        fputs(",\"kind\":\"function\"}]", to);
    }
    fputs("}]", to);
    if (has_location) {
        append_related_locations(to, diagnostic);
        append_code_flow(to, diagnostic, location, message);
    }
    append_stacks(to, stack);
    fputs(",\"properties\":{", to);
    const char *before = "";
    struct rt_text_buffer help;
    const char *const fields[][2] = {
        {"rule", rule},
        {"rule_title", rt_find_rule_title(rule)},
        {"help", rt_format_help(diagnostic, rule, &help) ? help.at : NULL},
        {"object", diagnostic->object},
        {"element", diagnostic->element},
        {"other", diagnostic->second && *diagnostic->second ? diagnostic->second : NULL},
        {"work", diagnostic->work},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i][1]) {
            fprintf(to, "%s\"%s\":", before, fields[i][0]);
            append_string(to, "", fields[i][1]);
            before = ",";
        }
    if (diagnostic->lines && *diagnostic->lines) {
        struct rt_text_buffer details;
        rt_text_clear(&details);
        rt_append_json_lines(&details, diagnostic->lines);
        fprintf(to, "%s\"details\":%s", before, details.at);
        before = ",";
    }
    const uint64_t counts[] = {diagnostic->objects, diagnostic->bytes, diagnostic->times, diagnostic->ntransfers,
                               diagnostic->saved_ns};
    static const char *const names[] = {"objects", "bytes", "times", "of", "saved_ns"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i]) {
            fprintf(to, "%s\"%s\":%llu", before, names[i], (unsigned long long)counts[i]);
            before = ",";
        }
    if (rt_get_mpi_rank() >= 0)
        fprintf(to, "%s\"rank\":%d", before, rt_get_mpi_rank());
    fputs("}", to);
}

/* Adds a finding to the SARIF file, and returns its number; 0: no such file, a forked process, or no memory. */
size_t rt_report_file_add_result(const struct rt_diagnostic *diagnostic, const struct rt_source_location *location,
                                 const char *rule, const char *message, const struct rt_call_stack *stack)
{
    char *text = NULL;
    size_t size = 0;
    if (!is_sarif || owner != getpid() || !RT_RESERVE(rt_heap_realloc, results, nresults, capacity))
        return 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return 0;
    append_result(to, diagnostic, location, rule, message, stack);
    if (fclose(to)) {
        free(text);
        return 0;
    }
    results[nresults++] = (struct result){text, diagnostic->code, diagnostic->objects ? diagnostic->objects : 1};
    write_sarif();
    return nresults;
}

/* Sets the count of a result, which the file gets when it is written next; number 0: does nothing. */
void rt_report_file_set_count(size_t number, uint64_t count)
{
    assert(number <= nresults && count > 0);
    if (number)
        results[number - 1].count = count;
}

/* Adds the summary of the run to the SARIF file; does nothing without such a file, or without memory. */
void rt_report_file_set_summary(const char *summary, bool is_successful)
{
    struct rt_text_buffer text;
    if (!is_sarif || invocation)
        return;
    rt_text_clear(&text);
    rt_text_append_json_string(&text, summary);
    if (asprintf(&invocation,
                 "{\"executionSuccessful\":%s,\"toolExecutionNotifications\":[{\"level\":\"note\",\"message\":"
                 "{\"text\":%s}}]}",
                 is_successful ? "true" : "false", text.at) < 0)
        invocation = NULL;
}

/* Appends a line to a file of JSON lines; a failed write is recorded in write_error. */
void rt_report_file_add_line(const struct rt_text_buffer *line)
{
    if (file >= 0 && !is_sarif && !rt_text_write(file, line))
        write_error = errno;
}

/* Completes a SARIF file, and returns the errno of the last failed write; 0: no write failed. */
int rt_report_file_finish(void)
{
    if (is_sarif && owner == getpid())
        write_sarif();
    return write_error;
}
