/* summary.c - the last line of a run: what was checked and how, what was found, and what such a run cannot find. A run
 * without findings is thereby different from one that was not checked. */
#include "base/lock.h"
#include "base/runtime.h"
#include "lib/rank.h"
#include "lib/text_buffer.h"
#include "summary.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

/* Levels of findings, and their words in the summary and fields in JSON. */
enum { LEVELS = 4, SUPPRESSED = LEVELS };
static const struct {
    const char *level, *one, *many, *field;
} levels[LEVELS] = {
    {"error", "error", "errors", "errors"},
    {"warning", "warning", "warnings", "warnings"},
    {"note", "note", "notes", "notes"},
    {"advice", "piece of advice", "pieces of advice", "advice"},
};
static unsigned long long counts[LEVELS + 1]; /* number of findings of each level; the last: suppressed ones */

/* Counts a finding of a level, or a suppressed one. */
void rt_summary_count(const char *level, bool is_suppressed)
{
    size_t i = 0;
    while (i < LEVELS && strcmp(levels[i].level, level) != 0)
        i++;
    assert(i < LEVELS);
    counts[is_suppressed ? SUPPRESSED : i]++;
}

/* Returns true if an error was counted. */
bool rt_has_errors(void)
{
    return counts[0];
}

/* Returns true if the process writes a summary, as text or as JSON. */
bool rt_has_summary(bool is_json)
{
    const int pid = rt.pid ? rt.pid : rt.start_pid;
    const bool has_findings = counts[0] + counts[1] + counts[2] + counts[3];
    return rt.options.summary && pid == getpid() && (is_json || has_findings || rt_get_mpi_rank() <= 0);
}

/* Appends the number of kernels, and how they were checked. */
static void append_kernels(struct rt_text_buffer *to, unsigned long long n)
{
    const unsigned long long watched = rt.watched_kernels;
    const char *plural = n == 1 ? "" : "s";
    if (!n)
        rt_text_append(to, "no kernel ran");
    else if (rt.options.instrumented) {
        rt_text_append(to, "%llu kernel%s, %s", n, plural,
                       rt.has_unchecked_objects ? "accesses checked in part" : "each access checked");
        if (rt.compared_kernels)
            rt_text_append(to, ", iterations compared in %llu", (unsigned long long)rt.compared_kernels);
    } else if (!rt.options.strict)
        rt_text_append(to, "%llu kernel%s, data movement checked only", n, plural);
    else if (watched < n)
        rt_text_append(to, "%llu of %llu kernels watched%s", watched, n,
                       watched && !rt.options.check_all ? " (--strict=all: each)" : "");
    else
        rt_text_append(to, "%llu kernel%s watched", n, plural);
}

/* Appends the number of findings of each level. */
static void append_findings(struct rt_text_buffer *to)
{
    const char *before = "";
    for (size_t i = 0; i < LEVELS; i++)
        if (counts[i]) {
            rt_text_append(to, "%s%llu %s", before, counts[i], counts[i] == 1 ? levels[i].one : levels[i].many);
            before = ", ";
        }
    rt_text_append(to, "%s", *before ? "" : "no findings");
    if (counts[SUPPRESSED])
        rt_text_append(to, ", %llu suppressed", counts[SUPPRESSED]);
}

/* Returns which races between iterations a run of a checked program with n kernels has missed; NULL: none. */
static const char *get_missed_races(unsigned long long n)
{
    const bool has_unmarked = n > rt.loop_kernels, has_skipped = rt.loop_kernels > rt.compared_kernels;
    return rt.options.compare_none       ? "races between iterations (--no-races)"
           : has_unmarked && has_skipped ? "races in kernels without marked loops, and in other runs (--all-races)"
           : has_unmarked                ? "races in kernels without marked loops"
           : has_skipped                 ? "races in the other runs of kernels (--all-races: in each)"
                                         : NULL;
}

/* Returns what a run with these options cannot find; NULL: no kernel ran, so that nothing was missed. */
static const char *get_misses(unsigned long long nkernels)
{
    return !nkernels                 ? NULL
           : rt.options.instrumented ? get_missed_races(nkernels)
           : rt.options.strict       ? "races between iterations; host reads of stale data, reads of unset memory "
                                       "(accdeep cc finds both)"
                                     : "wrong accesses (accdeep cc finds them)";
}

/* Writes the summary as text to *to, and as a JSON object without its last brace to *json. */
void rt_format_summary(struct rt_text_buffer *to, struct rt_text_buffer *json)
{
    enum { LINE = 98 }; /* a longer line is divided: with further words it has 120 characters */
    const unsigned long long n = rt_count_kernels();
    const bool is_strict = rt.options.strict, is_checked = rt.options.instrumented;
    const char *misses = get_misses(n);
    struct rt_text_buffer message;
    rt_text_clear(&message);
    append_kernels(&message, n);
    rt_text_append(&message, ": ");
    append_findings(&message);
    rt_text_clear(to);
    rt_text_append(to, "%s", message.at);
    if (misses)
        rt_text_append(to, "%snot found: %s", to->n + strlen(misses) <= LINE ? "; " : "\n  ", misses);

    rt_text_clear(json);
    rt_text_append(json, "{");
    rt_text_append_json_field(json, "level", "summary");
    rt_text_append_json_field(json, "message", message.at);
    if (misses)
        rt_text_append_json_field(json, "not_found", misses);
    rt_text_append_json_field(json, "mode", is_strict ? "strict" : is_checked ? "checked" : "plain");
    rt_text_append(json, ",\"kernels\":%llu,\"checked\":%llu", n,
                   is_strict    ? (unsigned long long)rt.watched_kernels
                   : is_checked ? n
                                : 0);
    for (size_t i = 0; i < LEVELS; i++)
        rt_text_append(json, ",\"%s\":%llu", levels[i].field, counts[i]);
    rt_text_append(json, ",\"suppressed\":%llu", counts[SUPPRESSED]);
    rt_text_append_rank(json);
}
