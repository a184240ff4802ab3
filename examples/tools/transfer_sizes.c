/* transfer_sizes.c - a tool for `accdeep exec --tool`: a histogram of the sizes of transfers, and the line that moves
 * the most bytes. examples/tools.md explains it. */
#include <accdeep_tool.h>

#include <stdio.h>

enum { SIZES = 40, LINES = 256 };

static const accd_tool_functions *functions;
static unsigned long long to_device[SIZES], to_host[SIZES]; /* transfers of up to 2^i bytes, by i */
static struct {
    uintptr_t address;
    unsigned long long bytes;
} lines[LINES]; /* bytes that each call has moved */
static size_t nlines;

/* Counts a transfer of the core. */
static void count_transfer(const accd_tool_call *call, const accd_event *event)
{
    int i = 0;
    size_t k = 0;
    if (event->op != ACCD_OP_H2D && event->op != ACCD_OP_D2H)
        return;
    while (i < SIZES - 1 && event->bytes > 1ull << i)
        i++;
    (event->op == ACCD_OP_H2D ? to_device : to_host)[i]++;
    while (k < nlines && lines[k].address != call->address)
        k++;
    if (k == nlines && nlines < LINES)
        lines[nlines++].address = call->address;
    if (k < nlines)
        lines[k].bytes += event->bytes;
}

/* Prints the histogram, and reports the line with the most bytes. */
static void print_histogram(void)
{
    size_t most = 0;
    const char *file;
    int line;
    char message[200];
    fprintf(stderr, "%12s %10s %10s\n", "bytes", "to device", "to host");
    for (int i = 0; i < SIZES; i++)
        if (to_device[i] || to_host[i])
            fprintf(stderr, "%12llu %10llu %10llu\n", 1ull << i, to_device[i], to_host[i]);
    for (size_t k = 1; k < nlines; k++)
        if (lines[k].bytes > lines[most].bytes)
            most = k;
    if (!nlines || !functions->find_line(lines[most].address, &file, &line, NULL))
        return;
    snprintf(message, sizeof message, "most bytes are moved here: %llu", lines[most].bytes);
    functions->report("transfer-sizes", lines[most].address, message);
}

int accdeep_tool_start(const accd_tool_functions *runtime, accd_tool *tool)
{
    functions = runtime;
    tool->name = "transfer sizes";
    tool->event = count_transfer;
    tool->finish = print_histogram;
    return 0;
}
