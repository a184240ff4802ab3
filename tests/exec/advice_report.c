/* The report of `exec --advice`: waste joined by line and variable, the most expensive first, and its predicted time. */
#include "../tap.h"

#include <base/runtime.h>
#include <diag/diagnostics.h>
#include <diag/symbolize.h>
#include <lib/text_buffer.h>
#include <trace/advice.h>

static char report[4000];
static const char *suppressed;

bool rt_emit_diagnostic(const struct rt_diagnostic *diagnostic, const char *format, ...)
{
    va_list args;
    const size_t n = strlen(report);
    if (suppressed && !strcmp(diagnostic->code, suppressed))
        return false;
    snprintf(report + n, sizeof report - n, "%s ", diagnostic->code);
    va_start(args, format);
    vsnprintf(report + strlen(report), sizeof report - strlen(report), format, args);
    va_end(args);
    strcat(report, "\n");
    return true;
}
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p)
{
    (void)function_p;
    if (pc >= 1000)
        return false;
    *file_p = "a.c";
    *line_p = (int)pc / 10; /* several calls on a line */
    return true;
}
void rt_copy_variable_name(const char *name, char *to, size_t capacity)
{
    snprintf(to, capacity, "%.*s", (int)strcspn(name, "["), name);
}

int main(void)
{
    const struct rt_link link = {.bytes_per_second = 1000000000, .latency = 1000}; /* a byte takes 1 ns */
    static char u[] = "u[0:8]", rest[] = "u[8:8]", v[] = "v";
    struct rt_traffic last = {.pc = 2000, .name = v, .allocated = {9, 0}, .wasted[RT_WASTE_ALLOC] = {8, 0}};
    struct rt_traffic second = {
        .next = &last, .pc = 101, .name = rest, .sent = {2, 4000}, .wasted[RT_WASTE_SEND] = {2, 4000}};
    struct rt_traffic first = {
        .next = &second, .pc = 100, .name = u, .sent = {4, 8000}, .wasted[RT_WASTE_SEND] = {3, 6000}};
    const struct rt_advice_totals totals = {
        .traffic = &first, .ntraffic = 3, .sent = {6, 12000}, .allocated = {9, 0}, .peak = 64, .nskipped = 5};
    rt_report_advice(&link, &totals);
    is_text(report,
            "idle-transfer u[0:8] and others: 5 of 6 transfers to the device from here moved bytes that were equal on "
            "both sides: 10000 bytes, about 15.0 us\n"
            "repeated-allocation v: 8 of 9 allocations on the device from here repeat an earlier one of the same data: "
            "about 8.0 us\n"
            "peak-memory device memory in use reaches its peak here: 64 bytes\n"
            "link-time 6 transfers to the device (12000 bytes), 0 from it (0 bytes), 9 allocations: about 27.0 us at 1 "
            "GB/s and 1 us each, of which the advice saves 23.0 us; 5 checks were left out to save time\n",
            "findings of a line are one, in the order of what they save");
    report[0] = 0;
    suppressed = "idle-transfer";
    rt_report_advice(&link, &totals);
    ok(strstr(report, "the advice saves 8.0 us"), "what is suppressed saves nothing");
    report[0] = 0;
    last.wasted[RT_WASTE_ALLOC].n = 1;
    rt_report_advice(&link, &(struct rt_advice_totals){.traffic = &last, .ntraffic = 1, .allocated = {9, 0}});
    ok(!strstr(report, "repeated-allocation"), "an allocation that is repeated once has no advice");
    report[0] = 0;
    rt_report_advice(&link, &(struct rt_advice_totals){.ntraffic = 0});
    is_text(report, "", "a run without data has no report");
    return done();
}
