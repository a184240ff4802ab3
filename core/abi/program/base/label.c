/* label.c - labels of what is mapped: one for each site, and one for each name that a site has. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label {
    uintptr_t pc;
    bool late;
    const accd_label *label;
};
static struct label *labels;
static size_t nlabels, labels_room; /* room is 0 or a power of two */
enum { LATEST = 32 };
static struct label latest[LATEST]; /* late ones of directives that are encountered again and again */

/* What lies on the stack has the name that it had when its function made the same call before, or none again. So have
 * other data of a directive that repeats, and of which the items before them are the same. */
struct found {
    uintptr_t pc, sp, host;
    uint64_t bytes, before; /* a sum of those items */
    int64_t start;
    accd_action action;
    const accd_label *label;
};
enum { FOUND = 256, ON_STACK = 1 << 20 };
static struct found found[FOUND];
static uint64_t items_before; /* of the directive under way */
static uintptr_t repeating[FOUND]; /* directives, by place */

static size_t place_of(uintptr_t pc, const char *name)
{
    uint64_t hash = pc * 0x9E3779B97F4A7C15u;
    for (; name && *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return (size_t)(hash ^ hash >> 32);
}

static bool same_array(const accd_array *a, const accd_array *b)
{
    return a == b || (a && b && a->rank == b->rank &&
                      !memcmp(a->dimensions, b->dimensions, a->rank * sizeof *a->dimensions));
}

static bool same(const struct label *entry, uintptr_t pc, const accd_label *label)
{
    const accd_label *is = entry->label;
    if (entry->pc != pc || !label)
        return entry->pc == pc && entry->late;
    return !strcmp(is->name, label->name) && is->unit == label->unit && is->layout == label->layout &&
           (is->flags & ~ACCD_LABEL_INDEXED) == label->flags && same_array(is->array, label->array);
}

static void grow_labels(void)
{
    size_t room = labels_room ? 2 * labels_room : 64;
    struct label *grown = calloc(room, sizeof *grown);
    if (!grown)
        goacc_die("out-of-memory", "no memory for the names of data");
    for (size_t i = 0; i < labels_room; i++) {
        if (!labels[i].label)
            continue;
        const char *name = labels[i].label->name;
        size_t k = place_of(labels[i].pc, labels[i].late ? NULL : name);
        while (grown[k & (room - 1)].label)
            k++;
        grown[k & (room - 1)] = labels[i];
    }
    free(labels);
    labels = grown;
    labels_room = room;
}

void goacc_forget_labels(void)
{
    free(labels);
    labels = NULL;
    nlabels = labels_room = 0;
    memset(latest, 0, sizeof latest);
    memset(found, 0, sizeof found);
    memset(repeating, 0, sizeof repeating);
}

/* The label of the context for a site, made once. wanted: NULL for a late name. */
static __attribute__((noinline)) const accd_label *label_of(uintptr_t pc, const accd_label *wanted)
{
    if (2 * nlabels >= labels_room)
        grow_labels();
    size_t k = place_of(pc, wanted ? wanted->name : NULL);
    for (; labels[k & (labels_room - 1)].label; k++)
        if (same(&labels[k & (labels_room - 1)], pc, wanted))
            return labels[k & (labels_room - 1)].label;
    char name[24];
    snprintf(name, sizeof name, "@%llx", (unsigned long long)pc);
    const accd_label *label =
        accd_label_new(goacc.context, wanted ? wanted : &(accd_label){.name = name});
    if (!label)
        goacc_fail();
    labels[k & (labels_room - 1)] = (struct label){pc, !wanted, label};
    nlabels++;
    return label;
}

/* inline: of the short way of each directive. */
inline const accd_label *goacc_site_label(void)
{
    const uintptr_t pc = goacc.site->call.pc;
    struct label *at = &latest[pc % LATEST];
    items_before = 0;
    if (__builtin_expect(at->pc != pc, 0))
        *at = (struct label){pc, true, label_of(pc, NULL)};
    return at->label;
}

static bool has_region(const struct goacc_site *site)
{
    return goacc_is_kernel(site->what) || !strcmp(site->what, "data") || !strcmp(site->what, "target data");
}

static const char copy[] = "firstprivate";

bool goacc_names_copy(const char *name)
{
    return !strncmp(name, copy, sizeof copy - 1) && !strncmp(name + sizeof copy - 1, " of ", 4);
}

/* A variable on the stack that debug information does not name, of a construct with a region: often a copy that the
 * compiler makes and passes. */
static bool name_copy(const struct goacc_site *site, const accd_item *item, struct goacc_name *name_p)
{
    enum { SCALAR = 16 };
    if (!has_region(site) || item->action == ACCD_ATTACH || (uintptr_t)item->host < site->call.sp)
        return false;
    *name_p = (struct goacc_name){.unit = 0};
    snprintf(name_p->name, sizeof name_p->name, "%s of %llu bytes",
             goacc_is_kernel(site->what) && item->action == ACCD_COPYIN && item->bytes <= SCALAR ? copy : "variable",
             (unsigned long long)item->bytes);
    return true;
}

/* Data that a construct with a region finds present have their name; without a trace, nothing names them anew. */
static bool has_name(const struct goacc_site *site, const accd_item *item)
{
    return goacc.options.left && goacc.options.trace < 0 && !goacc.options.draw && item->bytes &&
           item->action != ACCD_ATTACH &&
           !(item->flags & (ACCD_ITEM_POINTER | ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)) && has_region(site) &&
           accd_presence_of(goacc.context, goacc_own.device, item->host, item->bytes) == ACCD_WHOLLY;
}

static struct found *found_at(const struct goacc_site *site, const accd_item *item, bool *known_p)
{
    struct found wanted = {.pc = site->call.pc,
                                 .sp = site->call.sp,
                                 .host = (uintptr_t)item->host,
                                 .bytes = item->bytes,
                                 .action = item->action};
    struct found *at = &found[(wanted.pc + wanted.host / sizeof(int) + 5 * wanted.action) % FOUND];
    const bool on_stack = wanted.host >= wanted.sp && wanted.host - wanted.sp <= ON_STACK;
    if (!on_stack && repeating[wanted.pc % FOUND] == wanted.pc)
        wanted.before = items_before = (items_before ^ wanted.host ^ wanted.bytes << 48) * 0x9E3779B97F4A7C15u + 1;
    else if (!on_stack || !goacc.options.left)
        return NULL;
    *known_p = at->pc == wanted.pc && at->sp == wanted.sp && at->host == wanted.host &&
               at->bytes == wanted.bytes && at->action == wanted.action && at->before == wanted.before;
    if (!*known_p)
        *at = wanted;
    return at;
}

/* The bounds of an array in Fortran, for the names of its sections and elements. */
static accd_array array_of(const struct goacc_name *name)
{
    accd_array array = {.rank = (unsigned)name->rank};
    int64_t stride = (int64_t)name->unit;
    for (int i = 0; i < name->rank; i++) {
        array.dimensions[i] = (accd_dimension){name->dim[i].lower, name->dim[i].extent, stride};
        if (__builtin_mul_overflow(stride, name->dim[i].extent, &stride))
            stride = INT64_MAX;
    }
    return array;
}

void goacc_label_repeats(bool repeats)
{
    const uintptr_t pc = goacc.site->call.pc;
    repeating[pc % FOUND] = repeats ? pc : 0;
}

void goacc_find_name(accd_item *item)
{
    const struct goacc_site *site = goacc.site;
    bool known = false;
    if (has_name(site, item))
        return;
    struct found *at = found_at(site, item, &known);
    if (known && at->label) {
        item->start = at->start;
        item->label = at->label;
    }
    if (known)
        return;
    struct goacc_name name;
    accd_array array;
    accd_label label = {0};
    if (!goacc_name_of(site, (uintptr_t)item->host, item->bytes, &name) && !name_copy(site, item, &name))
        return;
    goacc_line(site->call.pc, &label.file, &label.line, NULL);
    item->start = name.start;
    label.unit = name.unit;
    label.flags = name.section ? ACCD_LABEL_SECTION : 0;
    label.name = name.name;
    if (name.rank) {
        array = array_of(&name);
        label.flags |= ACCD_LABEL_ROUND;
        label.array = &array;
    }
    item->label = label_of(site->call.pc, &label);
    if (at) {
        at->start = item->start;
        at->label = item->label;
    }
}

void goacc_label_layout(accd_item *item)
{
    accd_label label = *item->label;
    label.layout = item->program;
    item->label = label_of(goacc.site->call.pc, &label);
}
