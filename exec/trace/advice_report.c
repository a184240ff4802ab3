/* advice_report.c - the findings of `accdeep exec --advice`: joins the traffic of a line and a variable, predicts the
 * time that each change would save, and reports the most expensive first. Called by advice.c at the end. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "lib/text_buffer.h"
#include "advice.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* An allocation that is repeated once may be a second phase of the program, and saves little. */
enum { MIN_REPEATED = 2 };

/* Waste of one kind in the traffic of a line and a variable. file NULL: the line is not known. */
struct finding {
    uintptr_t pc;
    const char *file;
    int line;
    enum rt_waste kind;
    const char *name;
    char variable[RT_NAME_SIZE];
    bool has_other_names; /* true if other ranges of the variable had other names */
    struct rt_amount all, wasted;
    uint64_t saved_ns;
};

/* Returns the predicted nanoseconds of transfers, or of allocations if `moves` is false. */
static uint64_t predict(const struct rt_link *link, struct rt_amount amount, bool moves)
{
    const double bytes = moves ? (double)amount.bytes : 0;
    return amount.n * link->latency + (uint64_t)(bytes * 1e9 / (double)link->bytes_per_second + 0.5);
}

/* Appends a time in a fitting unit, with one decimal: "12.3 us". The decimal point is not that of the locale. */
static void append_time(struct rt_text_buffer *text, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    size_t i = 0;
    while (i < 2 && ns < units[i].ns)
        i++;
    const uint64_t tenths = (ns * 10 + units[i].ns / 2) / units[i].ns;
    rt_text_append(text, "%llu.%llu %s", (unsigned long long)tenths / 10, (unsigned long long)tenths % 10,
                   units[i].name);
}

/* Appends n / 1000 without needless zeros: "2.5" for 2500. */
static void append_thousandths(struct rt_text_buffer *text, uint64_t n)
{
    unsigned rest = (unsigned)(n % 1000);
    int digits = rest ? 3 : 0;
    for (; digits && rest % 10 == 0; digits--)
        rest /= 10;
    rt_text_append(text, "%llu", (unsigned long long)n / 1000);
    if (digits)
        rt_text_append(text, ".%0*u", digits, rest);
}

/* Compares the places of two findings: file and line, or addresses if a line is not known; then kind and variable. */
static int compare_places(const void *a, const void *b)
{
    const struct finding *one = a, *other = b;
    const int file = one->file && other->file ? strcmp(one->file, other->file) : !one->file - !other->file;
    if (file)
        return file;
    if (one->file && one->line != other->line)
        return one->line < other->line ? -1 : 1;
    if (!one->file && one->pc != other->pc)
        return one->pc < other->pc ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return strcmp(one->variable, other->variable);
}

/* Compares two findings by saved time, the most first; then by place. */
static int compare_costs(const void *a, const void *b)
{
    const struct finding *one = a, *other = b;
    if (one->saved_ns != other->saved_ns)
        return one->saved_ns > other->saved_ns ? -1 : 1;
    return compare_places(a, b);
}

/* Returns all operations among which those of a kind of waste are counted. */
static struct rt_amount get_operations(const struct rt_traffic *traffic, enum rt_waste kind)
{
    return kind == RT_WASTE_ALLOC ? traffic->allocated : kind == RT_WASTE_FETCH ? traffic->fetched : traffic->sent;
}

/* Returns true for transfers of bytes that both sides had. */
static bool is_idle_transfer(enum rt_waste kind)
{
    return kind == RT_WASTE_SEND || kind == RT_WASTE_FETCH;
}

/* Adds an amount to *to. */
static void add_amount(struct rt_amount *to, struct rt_amount amount)
{
    to->n += amount.n;
    to->bytes += amount.bytes;
}

/* Lists the waste of all traffic in `findings`, which has space for all, joined by place, kind and variable. Returns
 * the number of findings. */
static size_t join_findings(const struct rt_advice_totals *totals, struct finding *findings)
{
    size_t n = 0, joined = 0;
    for (const struct rt_traffic *traffic = totals->traffic; traffic; traffic = traffic->next) {
        for (enum rt_waste kind = 0; kind < RT_WASTE_COUNT && traffic->name; kind++) {
            /* checks of strict and instrumented runs report idle transfers themselves */
            const bool is_reported = rt.options.diagnose && is_idle_transfer(kind);
            if (is_reported || !get_operations(traffic, kind).n)
                continue;
            struct finding *at = &findings[n++];
            *at = (struct finding){.pc = traffic->pc,
                                   .kind = kind,
                                   .name = traffic->name,
                                   .all = get_operations(traffic, kind),
                                   .wasted = traffic->wasted[kind]};
            rt_find_line(at->pc, &at->file, &at->line, NULL);
            rt_copy_variable_name(at->name, at->variable, sizeof at->variable);
        }
    }
    qsort(findings, n, sizeof *findings, compare_places);
    for (size_t i = 0; i < n; i++) {
        struct finding *at = joined ? &findings[joined - 1] : NULL;
        if (!at || compare_places(at, &findings[i]) != 0) {
            findings[joined++] = findings[i];
            continue;
        }
        at->has_other_names |= strcmp(at->name, findings[i].name) != 0;
        add_amount(&at->all, findings[i].all);
        add_amount(&at->wasted, findings[i].wasted);
    }
    return joined;
}

/* Reports a finding. Returns false if it is suppressed. */
static bool report_finding(const struct finding *at)
{
    static const struct {
        const char *code, *sentence;
    } kinds[] = {
        [RT_WASTE_SEND] = {"idle-transfer", "transfers to the device from here moved bytes that were equal on both "
                                            "sides"},
        [RT_WASTE_FETCH] = {"idle-transfer", "transfers from the device from here moved bytes that were equal on both "
                                             "sides"},
        [RT_WASTE_RESEND] = {"repeated-transfer", "transfers to the device from here moved bytes that the device had "
                                                  "when the data were unmapped before"},
        [RT_WASTE_ALLOC] = {"repeated-allocation", "allocations on the device from here repeat an earlier one of the "
                                                   "same data"},
    };
    const char *name = at->kind == RT_WASTE_ALLOC && *at->variable ? at->variable : at->name;
    struct rt_text_buffer time;
    rt_text_clear(&time);
    append_time(&time, at->saved_ns);
    char cost[40] = "";
    if (at->kind != RT_WASTE_ALLOC)
        snprintf(cost, sizeof cost, "%llu bytes, ", (unsigned long long)at->wasted.bytes);
    return rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "advice",
            .code = kinds[at->kind].code,
            .pc = at->pc,
            .object = name,
            .bytes = at->kind != RT_WASTE_ALLOC ? at->wasted.bytes : 0,
            .times = at->wasted.n,
            .ntransfers = at->all.n,
            .saved_ns = at->saved_ns,
            .help = is_idle_transfer(at->kind) && at->wasted.n < at->all.n
                        ? "transfer the data only after a change, and only what has changed"
                        : NULL,
        },
        "%s%s: %llu of %llu %s: %sabout %s", name, at->has_other_names && name == at->name ? " and others" : "",
        (unsigned long long)at->wasted.n, (unsigned long long)at->all.n, kinds[at->kind].sentence, cost, time.at);
}

/* Reports the peak of device memory, and the predicted time of all transfers and allocations. saved_ns: the time that
 * the findings would save. Reports nothing if nothing was moved or allocated. */
static void report_totals(const struct rt_link *link, const struct rt_advice_totals *totals, uint64_t saved_ns)
{
    struct rt_text_buffer times;
    if (!totals->sent.n && !totals->fetched.n && !totals->allocated.n)
        return;
    if (totals->peak)
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "advice", .code = "peak-memory", .pc = totals->peak_pc, .bytes = totals->peak},
            "device memory in use reaches its peak here: %llu bytes", (unsigned long long)totals->peak);
    const uint64_t all = predict(link, totals->sent, true) + predict(link, totals->fetched, true) +
                         predict(link, totals->allocated, false);
    rt_text_clear(&times);
    append_time(&times, all);
    rt_text_append(&times, " at ");
    append_thousandths(&times, link->bytes_per_second / 1000000);
    rt_text_append(&times, " GB/s and ");
    append_thousandths(&times, link->latency);
    rt_text_append(&times, " us each");
    if (saved_ns) {
        rt_text_append(&times, ", of which the advice saves ");
        append_time(&times, saved_ns);
    }
    if (totals->nskipped)
        rt_text_append(&times, "; %llu checks were left out to save time", (unsigned long long)totals->nskipped);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){.level = "advice",
                                .code = "link-time",
                                .bytes = totals->sent.bytes + totals->fetched.bytes,
                                .ntransfers = totals->sent.n + totals->fetched.n,
                                .saved_ns = saved_ns},
        "%llu transfers to the device (%llu bytes), %llu from it (%llu bytes), %llu allocation%s: about %s",
        (unsigned long long)totals->sent.n, (unsigned long long)totals->sent.bytes,
        (unsigned long long)totals->fetched.n, (unsigned long long)totals->fetched.bytes,
        (unsigned long long)totals->allocated.n, totals->allocated.n == 1 ? "" : "s", times.at);
}

/* Reports all waste and the totals. Without memory, only the totals. */
void rt_report_advice(const struct rt_link *link, const struct rt_advice_totals *totals)
{
    assert(link->bytes_per_second);
    struct finding *findings = calloc(totals->ntraffic * RT_WASTE_COUNT + 1, sizeof *findings);
    const size_t n = findings ? join_findings(totals, findings) : 0;
    uint64_t saved_ns = 0;
    for (size_t i = 0; i < n; i++)
        findings[i].saved_ns = findings[i].kind == RT_WASTE_ALLOC && findings[i].wasted.n < MIN_REPEATED
                                   ? 0
                                   : predict(link, findings[i].wasted, findings[i].kind != RT_WASTE_ALLOC);
    if (n)
        qsort(findings, n, sizeof *findings, compare_costs);
    for (size_t i = 0; i < n && findings[i].saved_ns; i++) {
        if (report_finding(&findings[i]))
            saved_ns += findings[i].saved_ns;
    }
    free(findings);
    report_totals(link, totals, saved_ns);
}
