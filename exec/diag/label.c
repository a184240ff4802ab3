/* label.c - makes the labels of mapped data: one for each site, whose name is lazy ("@" and a return address, see
 * symbolize.c), and one for each name at a site. Called for each item of a directive; symbolize.c finds the names. The
 * runtime's lock protects all tables.
 *
 * - labels: hash table of all labels.
 * - recent_labels: direct-mapped cache of lazy labels, for directives that run again and again.
 * - cached: direct-mapped cache of named labels, see struct cached_label.
 *
 * All labels belong to the core's context and are forgotten with it (rt_clear_labels). */
#include "base/compiler_facts.h"
#include "base/kernel.h"
#include "base/runtime.h"
#include "lib/hash.h"
#include "errors.h"
#include "label.h"
#include "symbolize.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Label of one site. Labels with the same hash of return address and name have consecutive odd keys. */
struct label {
    uint64_t key;
    uintptr_t pc;
    bool is_lazy; /* true if the name is "@" and the return address in hex */
    const accd_label *label;
};
static struct rt_hash labels = RT_HASH_TABLE(rt_heap_realloc, struct label);
enum { RECENT_LABELS = 32 };
static struct label recent_labels[RECENT_LABELS]; /* lazy labels of recent directives */

/* Cached label of data at a site, with `start`, the index of the first element of the named section. Data on the stack
 * keep their name if the same function makes the same call again. Other data keep their name if the directive repeats
 * an earlier one and the items before them are the same. */
struct cached_label {
    uintptr_t pc, sp, host;
    uint64_t bytes, preceding_items; /* hash of the directive's earlier items */
    int64_t start;
    accd_action action;
    const accd_label *label;
};
enum { LABEL_CACHE = 256, ON_STACK = 1 << 20 };
static struct cached_label cached[LABEL_CACHE];
static uint64_t items_before; /* hash of the current directive's items so far */
/* return addresses of directives that repeat earlier ones; the index is the address modulo LABEL_CACHE */
static uintptr_t repeated_directives[LABEL_CACHE];

/* Returns the first key for a label, an odd number; `name` NULL: the name is lazy. */
static uint64_t hash_label(uintptr_t pc, const char *name)
{
    uint64_t hash = pc * 0x9E3779B97F4A7C15u;
    for (; name && *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash | 1;
}

/* Returns true if both arrays are NULL, or have equal dimensions. */
static bool is_same_array(const accd_array *a, const accd_array *b)
{
    return a == b ||
           (a && b && a->rank == b->rank && !memcmp(a->dimensions, b->dimensions, a->rank * sizeof *a->dimensions));
}

/* Returns true if `entry` has the label of the site `pc` with the properties of `label`. `label` NULL: returns true if
 * it has the site's lazy label (name "@" and the return address). */
static bool matches_label(const struct label *entry, uintptr_t pc, const accd_label *label)
{
    assert(entry->label);
    const accd_label *entry_label = entry->label;
    if (entry->pc != pc || !label)
        return entry->pc == pc && entry->is_lazy;
    return !strcmp(entry_label->name, label->name) && entry_label->unit == label->unit &&
           entry_label->layout == label->layout && (entry_label->flags & ~ACCD_LABEL_INDEXED) == label->flags &&
           is_same_array(entry_label->array, label->array);
}

/* Frees the table of labels, and empties all caches. */
void rt_clear_labels(void)
{
    rt_hash_clear(&labels);
    memset(recent_labels, 0, sizeof recent_labels);
    memset(cached, 0, sizeof cached);
    memset(repeated_directives, 0, sizeof repeated_directives);
}

/* Returns the label of the site `pc` with the properties `properties` (NULL: the lazy label), which is made at the
 * first request. Ends the program without memory. */
static __attribute__((noinline)) const accd_label *get_label(uintptr_t pc, const accd_label *properties)
{
    struct label *entry;
    uint64_t key = hash_label(pc, properties ? properties->name : NULL);
    for (; (entry = rt_hash_find(&labels, key)); key += 2)
        if (matches_label(entry, pc, properties))
            return entry->label;
    char name[24];
    snprintf(name, sizeof name, "@%llx", (unsigned long long)pc);
    const accd_label *label = accd_label_intern(rt.context, properties ? properties : &(accd_label){.name = name});
    if (!label)
        rt_fail_with_core_error();
    entry = rt_hash_add(&labels, key);
    if (!entry)
        rt_fatal("out-of-memory", "no memory for the names of data");
    *entry = (struct label){key, pc, !properties, label};
    return label;
}

/* Returns the lazy label of the current call's site, and resets the hash of the directive's items. Inline, because each
 * directive on the fast path needs the label. */
inline const accd_label *rt_get_site_label(void)
{
    assert(rt.site);
    const uintptr_t pc = rt.site->call.pc;
    struct label *at = &recent_labels[pc % RECENT_LABELS];
    items_before = 0;
    if (__builtin_expect(at->pc != pc, 0))
        *at = (struct label){.pc = pc, .is_lazy = true, .label = get_label(pc, NULL)};
    return at->label;
}

/* Returns true for constructs with a region: compute, target, data and target data. */
static bool is_region_construct(const struct rt_site *site)
{
    return rt_is_kernel_construct(site->construct_name) || !strcmp(site->construct_name, "data") ||
           !strcmp(site->construct_name, "target data");
}

static const char private_copy_prefix[] = "firstprivate";

/* Returns true if `name` is one that name_private_copy makes for a private copy, "firstprivate of ...". */
bool rt_is_private_copy_name(const char *name)
{
    return !strncmp(name, private_copy_prefix, sizeof private_copy_prefix - 1) &&
           !strncmp(name + sizeof private_copy_prefix - 1, " of ", 4);
}

/* Names a stack variable that debug information does not know, at a construct with a region: often a copy made by the
 * compiler. The name has only its size. Returns false, and makes no name, if the item is not such a variable. */
static bool name_private_copy(const struct rt_site *site, const accd_item *item, struct accd__debug_name *name_p)
{
    if (!is_region_construct(site) || item->action == ACCD_ACTION_ATTACH || (uintptr_t)item->host < site->call.sp)
        return false;
    *name_p = (struct accd__debug_name){.unit = 0};
    snprintf(name_p->name, sizeof name_p->name, "%s of %llu bytes",
             rt_is_kernel_construct(site->construct_name) && item->action == ACCD_ACTION_COPYIN &&
                     item->bytes <= RT_PRIVATE_SCALAR_MAX
                 ? private_copy_prefix
                 : "variable",
             (unsigned long long)item->bytes);
    return true;
}

/* Returns true if an item needs no name, in a run with checks. A construct with a region finds its data present, which
 * keep their name, and neither trace nor picture shows the item. */
static bool is_named_already(const struct rt_site *site, const accd_item *item)
{
    return rt.options.diagnose && rt.options.trace < 0 && !rt.options.draw && item->bytes &&
           item->action != ACCD_ACTION_ATTACH &&
           !(item->flags & (ACCD_ITEM_BASE_POINTER | ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)) &&
           is_region_construct(site) &&
           accd_get_presence(rt.context, rt_this_thread.device, item->host, item->bytes) == ACCD_PRESENCE_FULL;
}

/* Returns the cache entry for an item; *is_cached_p becomes true if it has the item's label. If not, the entry is reset
 * for the item, and the caller must fill it. Adds the item to the hash of the directive's items. Returns NULL if labels
 * of such items are not cached. */
static struct cached_label *find_cached_label(const struct rt_site *site, const accd_item *item, bool *is_cached_p)
{
    struct cached_label key = {.pc = site->call.pc,
                               .sp = site->call.sp,
                               .host = (uintptr_t)item->host,
                               .bytes = item->bytes,
                               .action = item->action};
    struct cached_label *at = &cached[(key.pc + key.host / sizeof(int) + 5 * key.action) % LABEL_CACHE];
    const bool on_stack = key.host >= key.sp && key.host - key.sp <= ON_STACK;
    if (!on_stack && repeated_directives[key.pc % LABEL_CACHE] == key.pc)
        key.preceding_items = items_before = (items_before ^ key.host ^ key.bytes << 48) * 0x9E3779B97F4A7C15u + 1;
    else if (!on_stack || !rt.options.diagnose)
        return NULL;
    *is_cached_p = at->pc == key.pc && at->sp == key.sp && at->host == key.host && at->bytes == key.bytes &&
                   at->action == key.action && at->preceding_items == key.preceding_items;
    if (!*is_cached_p)
        *at = key;
    return at;
}

/* Returns the bounds of a Fortran array, by which names of its sections and elements are made. */
static accd_array get_array_bounds(const struct accd__debug_name *name)
{
    assert(name->rank >= 0 && name->rank <= ACCD__DEBUG_RANK_MAX);
    accd_array array = {.rank = (unsigned)name->rank};
    int64_t stride = (int64_t)name->unit;
    for (int i = 0; i < name->rank; i++) {
        array.dimensions[i] = (accd_dimension){name->dim[i].lower, name->dim[i].extent, stride};
        if (__builtin_mul_overflow(stride, name->dim[i].extent, &stride))
            stride = INT64_MAX;
    }
    return array;
}

/* Marks the current directive as one that repeats an earlier one (`repeats`), or removes this mark. */
void rt_set_label_reuse(bool repeats)
{
    assert(rt.site);
    const uintptr_t pc = rt.site->call.pc;
    repeated_directives[pc % LABEL_CACHE] = repeats ? pc : 0;
}

/* Looks up the item's name in the cache or by symbolize.c, and gives the item a label with the name. Without a name, or
 * if the item needs none, the item keeps its lazy label. Ends the program without memory. */
void rt_resolve_item_label(accd_item *item)
{
    assert(rt.site);
    const struct rt_site *site = rt.site;
    bool is_cached = false;
    if (is_named_already(site, item))
        return;
    struct cached_label *at = find_cached_label(site, item, &is_cached);
    if (is_cached && at->label) {
        item->start = at->start;
        item->label = at->label;
    }
    if (is_cached)
        return;
    struct accd__debug_name name;
    accd_array array;
    accd_label label = {0};
    if (!rt_find_name(site, (uintptr_t)item->host, item->bytes, &name) && !name_private_copy(site, item, &name))
        return;
    rt_find_line(site->call.pc, &label.file, &label.line, NULL);
    item->start = name.start;
    label.unit = name.unit;
    label.flags = name.section ? ACCD_LABEL_SECTION : 0;
    label.name = name.name;
    if (name.rank) {
        array = get_array_bounds(&name);
        label.flags |= ACCD_LABEL_PARENTHESES;
        label.array = &array;
    }
    item->label = get_label(site->call.pc, &label);
    if (at) {
        at->start = item->start;
        at->label = item->label;
    }
}

/* Gives an item a label that also has the layout of the item's mapping program (the bytes of the range that are
 * mapped). Ends the program without memory. */
void rt_add_label_layout(accd_item *item)
{
    assert(item->label && rt.site);
    accd_label label = *item->label;
    label.layout = item->program;
    item->label = get_label(rt.site->call.pc, &label);
}
