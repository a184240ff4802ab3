/* needless_clauses.c - notes about clauses that do nothing, in strict and instrumented runs.
 *
 * Exits of absent data are reported at once. Updates of OpenMP are reported at the end of the run, if they had an
 * effect in no execution. Clauses that do nothing in correct programs are not reported: examples/programs.md lists
 * them. */
#include "diag/diagnostics.h"
#include "diag/object_history.h"
#include "diag/symbolize.h"
#include "image/member_pointers.h"
#include "lib/hash.h"
#include "lib/text_buffer.h"
#include "needless_clauses.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reports a clause whose data are absent, with the object that was unmapped there (NULL: unknown). */
static __attribute__((format(printf, 3, 4))) void
emit_report(const struct rt_diagnostic *clause, const struct rt_unmapped_object *unmapped, const char *format, ...)
{
    struct rt_diagnostic diagnostic = *clause;
    struct rt_text_buffer lines;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diagnostic.code = "not-present";
    diagnostic.is_grouped = true;
    rt_text_clear(&lines);
    if (unmapped)
        rt_add_object_history(&diagnostic, &lines, unmapped);
    rt_emit_diagnostic(&diagnostic, "%s", message);
}

/* Reports each data item of the current exit data directive of which no part is present. Ignores detach
 * clauses, items without bytes and pointers that the compiler adds. */
void rt_check_exit_clauses(const struct rt_thread *self, const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        char name[160], target[160];
        if (item->action == ACCD_ACTION_DETACH || !item->bytes || item->flags & ACCD_ITEM_BASE_POINTER ||
            accd_get_presence(rt.context, self->device, item->host, item->bytes) != ACCD_PRESENCE_NONE ||
            rt_is_pointer_item(items, nitems, item))
            continue;
        rt_format_name(rt.site, (uintptr_t)item->host, item->bytes, name, sizeof name);
        const bool pointer = rt_format_pointer_target((uintptr_t)item->host, item->bytes, target, sizeof target);
        const struct rt_unmapped_object *unmapped =
            rt_find_unmapped_object(self->device, (uintptr_t)item->host, item->bytes);
        emit_report(
            &(struct rt_diagnostic){
                .level = "note",
                .rule = "ACC33-2.7-1",
                .pc = rt.site->call.pc,
                .object = name,
                .help = "leave the clause out, or map the data before",
            },
            pointer ? NULL : unmapped, "%s of %s does nothing: it is not present on device %d%s%s%s",
            rt.site->construct_name, name, self->device, pointer ? "; it is a pointer, and its data " : "",
            pointer ? target : "", pointer ? " are present" : "");
    }
}

/* Clause of a construct. Its key is the address of the label of its data, which exists once for each construct and
 * variable as long as the context. */
struct clause {
    uint64_t key;
    size_t number; /* order of the first executions; from 0 */
    bool has_effect;
    accd_action action;
    uint64_t executions;
    uintptr_t pc;
    int device;
    const char *construct_name; /* construct of the first execution; name: its data */
    char name[160];
};
static struct rt_hash clauses = RT_HASH_TABLE(rt_heap_realloc, struct clause);

/* Returns true if the effect of an item of the construct is recorded: that of an update of OpenMP, because OpenACC has
 * the clause if_present for the intent. */
static bool is_recorded(const struct rt_construct *construct, const accd_item *item)
{
    return construct->kind == ACCD_KIND_UPDATE && !strncmp(rt.site->construct_name, "target", 6) &&
           item->flags & ACCD_ITEM_IF_PRESENT && item->bytes;
}

/* Returns true if the item moved data. An update of data that were unmapped before counts, too: the end of their
 * mapping may have moved the values already. */
static bool has_effect(int device, const accd_item *item)
{
    return accd_get_presence(rt.context, device, item->host, item->bytes) != ACCD_PRESENCE_NONE ||
           rt_find_unmapped_object(device, (uintptr_t)item->host, item->bytes);
}

/* Records the first execution of a clause, without effect. */
static void record_first(struct clause *clause, int device, const accd_item *item)
{
    clause->number = clauses.n;
    clause->device = device;
    clause->construct_name = rt.site->construct_name;
    rt_format_name(rt.site, (uintptr_t)item->host, item->bytes, clause->name, sizeof clause->name);
}

/* Records the effects of the items of a construct. Without memory, a clause is left out. */
void rt_record_clause_effects(const struct rt_thread *self, const struct rt_construct *construct)
{
    if (construct->kind == ACCD_KIND_EXIT_DATA)
        return;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!item->label || !is_recorded(construct, item))
            continue;
        struct clause *clause = rt_hash_add(&clauses, (uintptr_t)item->label);
        if (!clause || clause->has_effect)
            continue;
        clause->has_effect = has_effect(self->device, item);
        clause->action = (accd_action)item->action;
        clause->pc = rt.site->call.pc;
        if (!clause->has_effect && !clause->executions++)
            record_first(clause, self->device, item);
    }
}

/* Returns the name of the label of a clause's data. */
static const char *get_label_name(const struct clause *clause)
{
    return ((const accd_label *)(uintptr_t)clause->key)->name;
}

/* Compares the order of the first executions of two clauses, for qsort. */
static int compare_numbers(const void *a, const void *b)
{
    const size_t first = (*(struct clause *const *)a)->number, second = (*(struct clause *const *)b)->number;
    return (first > second) - (first < second);
}

/* Returns true if another call on the clause's source line had an effect on the same variable. A line has several calls
 * if the compiler has copied its code. */
static bool has_effect_elsewhere(const struct clause *clause)
{
    const char *file, *other_file;
    int line, other_line;
    if (!rt_find_line(clause->pc, &file, &line, NULL))
        return false;
    for (const struct clause *other = NULL; (other = rt_hash_next(&clauses, other));)
        if (other->has_effect && other->action == clause->action &&
            !strcmp(get_label_name(other), get_label_name(clause)) &&
            rt_find_line(other->pc, &other_file, &other_line, NULL) && other_line == line && !strcmp(other_file, file))
            return true;
    return false;
}

/* Reports a clause that had an effect in no execution. */
static void report_clause(const struct clause *clause)
{
    char executions[60] = "";
    if (clause->executions > 1)
        snprintf(executions, sizeof executions, " in %llu executions", (unsigned long long)clause->executions);
    emit_report(
        &(struct rt_diagnostic){
            .level = "advice",
            .rule = "OMP60-upd-1",
            .pc = clause->pc,
            .object = clause->name,
            .help = "map {1|the data} before, or leave the update out",
        },
        NULL, "%s of %s does nothing%s: it is not present on device %d", clause->construct_name, clause->name,
        executions, clause->device);
}

/* Reports the clauses without an effect in the order of their first executions, and forgets all. Without memory,
 * nothing is reported. */
void rt_report_needless_clauses(void)
{
    const struct clause **list = malloc((clauses.n + 1) * sizeof *list);
    size_t n = 0;
    for (const struct clause *clause = NULL; (clause = rt_hash_next(&clauses, clause));)
        if (list && !rt.is_killed && !clause->has_effect && !has_effect_elsewhere(clause))
            list[n++] = clause;
    if (n)
        qsort(list, n, sizeof *list, compare_numbers);
    for (size_t i = 0; i < n; i++)
        report_clause(list[i]);
    free(list);
    rt_hash_clear(&clauses);
}
