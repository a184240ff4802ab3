/* iteration_races.c - races between iterations of a kernel's loop: reports, and memory of their history.
 *
 * The history and its checks are in exec/checked/loops.h. A conflict arrives twice. The first time, during the access,
 * the names and the location are known. The second time, at the end of the iteration, it is also known whether the
 * iteration writes the bytes, and which value. */
#include "base/lock.h"
#include "checked/loops.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/source_lines.h"
#include "diag/symbolize.h"
#include "lib/arena.h"
#include "lib/hash.h"
#include "shadow.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The access of the conflict under way. */
static struct noted {
    uintptr_t pc; /* return address in the program's own code */
    uint64_t object_bytes;
    char object[RT_NAME_SIZE], element[340], mapped_file[1024];
    int mapped_line;
} noted;

/* Returns the number of bytes of the history. It has cells for each 8 bytes, each 4 bytes and each byte of device
 * memory, a return address for each 8 bytes, and a byte for each tile. */
static uint64_t get_history_bytes(void)
{
    return (rt_shadow.bytes / 8 + rt_shadow.bytes / 4 + rt_shadow.bytes) * sizeof *rt_shadow.cells +
           rt_shadow.bytes / 8 * sizeof *rt_shadow.readers + rt_shadow.bytes / RT_TILE_BYTES + 1;
}

/* Empties the history, whose times begin again. */
static void on_history_full(void)
{
    rt_empty_memory(rt_shadow.wide_cells, get_history_bytes());
}

/* Notes names and location of an access that conflicts with an earlier one. */
static void on_conflicting_access(const struct rt_iteration_conflict *conflict)
{
    const struct rt_access access = {conflict->at, conflict->n, conflict->is_write, conflict->pc, conflict->frame};
    const bool has_locked = rt_lock();
    struct rt_mapping mapping;
    accd_present_object object;
    noted = (struct noted){.pc = rt_get_access_pc(&access), .element = "device memory"};
    if (conflict->scalar) {
        snprintf(noted.object, sizeof noted.object, "%s", conflict->scalar->name);
        snprintf(noted.element, sizeof noted.element, "%s", conflict->scalar->name);
        noted.object_bytes = conflict->scalar->n;
    } else if (rt_find_device_mapping(access.at, &mapping) &&
               accd_present_at(rt.context, mapping.device, mapping.host, 0, &object)) {
        const struct rt_display_name display = rt_get_display_name(&object.info);
        snprintf(noted.object, sizeof noted.object, "%s", display.name);
        snprintf(noted.mapped_file, sizeof noted.mapped_file, "%s", display.file ? display.file : "");
        noted.mapped_line = display.line;
        noted.object_bytes = mapping.bytes;
        rt_format_element(rt_kernel_site, mapping.host, mapping.bytes, access.at - mapping.dev, noted.object,
                          noted.element, sizeof noted.element);
    }
    if (has_locked)
        rt_unlock();
}

/* Writes the values of the loop's variables in the iteration that `time` belongs to: "i = 3, j = 0". Writes "" if they
 * are not known. */
static void format_iteration(const struct rt_parallel_loop *loop, uint32_t time, char *to, size_t capacity)
{
    const char *names = loop->names;
    long values[RT_LOOP_VALUES];
    size_t length = 0;
    *to = 0;
    const size_t number = rt_find_iteration(loop, time, values);
    if (number == SIZE_MAX)
        return;
    if (values[0] == LONG_MIN) { /* the variable is an iterator */
        snprintf(to, capacity, "number %zu", number + 1);
        return;
    }
    for (unsigned k = 0; k < RT_LOOP_VALUES && *names && length < capacity; k++) {
        const int n = (int)strcspn(names, ",");
        length += (size_t)snprintf(to + length, capacity - length, "%s%.*s = %ld", k ? ", " : "", n, names, values[k]);
        names += n + (names[n] == ',' ? 2 : 0);
    }
}

/* Writes the element without "of ...": "a[3] of a[0:8]" gives "a[3]". */
static void format_element(char *to, size_t capacity)
{
    const char *of = strstr(noted.element, " of ");
    snprintf(to, capacity, "%.*s", (int)(of ? of - noted.element : (long)strlen(noted.element)), noted.element);
}

/* Writes the help for a conflict: the clause or directive that removes it. */
static void format_conflict_help(const struct rt_iteration_conflict *conflict, char *to, size_t capacity)
{
    const bool is_scalar = noted.object_bytes == conflict->n;
    char name[200];
    if (conflict->loop->has_ended) {
        snprintf(to, capacity, "no barrier is between the two loops: %s",
                 rt_uses_openmp_terms() ? "leave out nowait, or make two target constructs"
                                        : "make two constructs, or use kernels");
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)rt_variable_name_length(noted.object), noted.object);
    if (conflict->is_write && conflict->earlier_is_write && !conflict->updates)
        snprintf(to, capacity,
                 "give each iteration its own copy: private(%s); or make the indices of all iterations differ", name);
    else if (is_scalar && conflict->updates)
        snprintf(to, capacity, "reduction(+:%s) with the loop's operation, or atomic update", name);
    else if (conflict->updates)
        snprintf(to, capacity, "make the change atomic: atomic update");
    else
        snprintf(to, capacity, "iterations depend on each other: %s, or change the algorithm",
                 rt_uses_openmp_terms() ? "run the loop in one thread" : "loop seq");
}

/* Reports a conflict, whose names on_conflicting_access has noted. */
static void on_conflict(const struct rt_iteration_conflict *conflict)
{
    char now[120], earlier[120], element[340], help[400];
    const bool has_locked = rt_lock();
    const struct rt_parallel_loop *running = conflict->loop;
    while (running->has_ended)
        running++;
    format_iteration(running, running->current, now, sizeof now);
    format_iteration(conflict->loop, conflict->time, earlier, sizeof earlier);
    if (!*earlier)
        snprintf(earlier, sizeof earlier, "an earlier one");
    if (!*now)
        snprintf(now, sizeof now, "a later one");
    format_element(element, sizeof element);
    format_conflict_help(conflict, help, sizeof help);
    struct rt_diagnostic finding = {.level = conflict->is_same_value ? "note" : "error",
                                    .code = "data-race",
                                    .rule = rt_uses_openmp_terms() ? "OMP60-race-1" : "ACC33-2.9-5",
                                    .pc = noted.pc,
                                    .object = *noted.object ? noted.object : NULL,
                                    .element = *noted.element ? noted.element : NULL,
                                    .region = rt_get_kernel_region(rt_kernel_site),
                                    .help = help,
                                    .other = rt_find_writer(conflict->earlier_pc)};
    finding.other.event = conflict->earlier_is_write ? "written" : "read";
    if (*noted.mapped_file)
        finding.further[0] = (struct rt_related_location){"mapped", noted.mapped_file, noted.mapped_line};
    if (conflict->is_write && conflict->earlier_is_write)
        rt_emit_diagnostic(&finding,
                           conflict->is_same_value ? "iterations %s and %s write the same value to %s"
                                                   : "iterations %s and %s both write %s",
                           earlier, now, element);
    else
        rt_emit_diagnostic(&finding, "iteration %s %s %s, which iteration %s%s %s", now,
                           conflict->is_write ? "writes" : "reads", element, earlier,
                           conflict->loop->has_ended ? " of the loop before" : "",
                           conflict->earlier_is_write ? "writes" : "reads");
    if (has_locked)
        rt_unlock();
}

/* Number of runs of a compute construct, whose call returns to the address `key`, and of the next run to compare.
 * has_loops: its kernel has marked loops. */
struct runs {
    uint64_t key;
    uint64_t n, next;
    uint64_t has_loops;
};
static struct rt_hash runs_of_constructs = RT_HASH_TABLE(rt_arena_realloc, struct runs);

/* Counts a run of the construct whose call returns to `pc`. Returns true if the iterations of its kernel are to be
 * compared: in the runs 1, 2, 4, 16, 64 and 256, and then in 1 of 256. Runs are counted without a clock, so that two
 * equal runs of a program compare the same ones. Needs the lock. */
bool rt_compares_iterations(uintptr_t pc)
{
    enum { INTERVAL = 256 };
    if (rt.options.compare_none || rt.options.compare_all)
        return rt.options.compare_all;
    struct runs *runs = rt_hash_add(&runs_of_constructs, pc | 1);
    if (!runs || ++runs->n < runs->next) {
        rt.loop_kernels += runs && runs->has_loops;
        return !runs;
    }
    runs->next = runs->n >= INTERVAL ? runs->n + INTERVAL : runs->n < 4 ? 2 * runs->n : 4 * runs->n;
    return true;
}

/* Counts the thread's kernel, which has marked loops. is_compared: its iterations are compared. */
static void on_kernel_loops(bool is_compared)
{
    const bool has_locked = rt_lock();
    struct runs *runs = rt_hash_find(&runs_of_constructs, rt_kernel_site->call.pc | 1);
    if (runs)
        runs->has_loops = true;
    rt.loop_kernels++;
    rt.compared_kernels += is_compared;
    if (has_locked)
        rt_unlock();
}

/* Allocates the history of iterations, and sets the callbacks of rt_shadow. Without address space, iterations are not
 * compared. */
void rt_iteration_races_init(void)
{
    assert(rt_shadow.bytes);
    rt_shadow.on_kernel_loops = on_kernel_loops;
    if (rt.options.compare_none)
        return;
    rt_shadow.wide_cells = rt_reserve_memory(get_history_bytes());
    if (!rt_shadow.wide_cells)
        return;
    rt_shadow.cells = rt_shadow.wide_cells + rt_shadow.bytes / 8;
    rt_shadow.byte_cells = rt_shadow.cells + rt_shadow.bytes / 4;
    rt_shadow.readers = (uint32_t *)(void *)(rt_shadow.byte_cells + rt_shadow.bytes);
    rt_shadow.cell_units = (uint8_t *)(rt_shadow.readers + rt_shadow.bytes / 8);
    rt_shadow.on_history_full = on_history_full;
    rt_shadow.on_conflicting_access = on_conflicting_access;
    rt_shadow.on_conflict = on_conflict;
}

/* Frees the history of iterations. */
void rt_iteration_races_free(void)
{
    if (rt_shadow.wide_cells)
        munmap(rt_shadow.wide_cells, get_history_bytes());
    rt_shadow.wide_cells = NULL;
}
