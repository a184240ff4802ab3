/* portability.c - `accdeep exec --also PROFILE`: what other rule profiles would do with each construct of the program.
 *
 * A context of the core, `twin`, has devices without bytes. It has a state (a checkpoint) for each profile, and
 * executes each construct of the program under each of them:
 *
 *      state of profile 1 --> restore, construct under its rules --> next state of profile 1     events
 *      state of profile 2 --> restore, construct under its rules --> next state of profile 2     events
 *      state of the program -> restore, construct under own rules -> next state of the program   events
 *
 * Events and errors are compared, except those of reference counters, which the program cannot see: they show when an
 * object is freed under one profile only. The knob that causes a difference is found by experiment: the own rules, with
 * this knob as in the other profile, must do what the other profile does. The other profile then executes the construct
 * with this knob as in the own rules, so that one cause gives one report. If no single knob is the cause, it gets the
 * program's state.
 *
 * Invariant: between constructs, the state of the program in `twin` has the objects of rt.context. The runtime also
 * maps data itself, for example declared variables; `twin` gets them when an item names them (mirror_range). */
#include "accdeep_internal.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "lib/new_stack.h"
#include "lib/text_buffer.h"
#include "portability.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OWN: index of the state and outcome of the program's rules; those of other profiles have the indices before it. */
enum { OWN = RT_OTHER_RULES_MAX, STATES };
enum { NAME_BYTES = 160, RULE_BYTES = 32, MEANINGS_MAX = 4, MIRRORED_REFERENCES = 4 };

/* Event of the core, with copies of its strings. */
struct change {
    accd_op op;
    uint64_t host, bytes;
    char name[NAME_BYTES], rule[RULE_BYTES];
};

/* Effects of a construct under a profile. */
struct outcome {
    const accd_rules *rules;
    accd_status status;
    accd_error error; /* set if `status` is not ACCD_OK */
    struct change *changes;
    size_t n, capacity;
};

/* Regions of `twin`, open for a region of a thread: one in each state. NULL: the core had nothing to map. */
struct twin_region {
    uint64_t thread;
    accd_region *at[STATES];
};

/* Construct to execute, which opens `region`; or, if `construct` is NULL, region to end. */
struct operation {
    struct rt_thread *thread;
    const accd_construct *construct;
    struct twin_region *region;
};

/* Knob of the rules: the description of each value in `meanings`, by number. */
struct knob {
    size_t offset; /* offset of the knob in accd_rules */
    const char *about, *rules;
    const char *meanings[MEANINGS_MAX];
};

static const struct knob knobs[] = {
#define ACCD_VALUE(enumerator, word, meaning) meaning,
#define ACCD_KNOB(name, type, about_text, rule_ids, values) \
    {offsetof(accd_rules, name), about_text, rule_ids, {values}}, /* NOLINT: a list */
#include "accdeep_rules.def"
};

static accd_context *twin;
static accd_checkpoint *states[STATES]; /* states of the profiles in use; NULL: none */
static struct outcome outcomes[STATES], varied;
/* knob by which counters or dangling pointers in a profile's state have become different from those of the program;
 * NULL: they have not */
static const struct knob *hidden_knobs[STATES];
static struct outcome *observed;    /* outcome to which events of `twin` are added; NULL: none */
static struct twin_region *regions; /* open regions, the innermost of each thread last */
static size_t nregions, regions_capacity;
static struct twin_region opened; /* regions that the current construct has opened */

/* Returns an array with space for n + 1 elements of `bytes` bytes; ends the program without memory. */
static void *reserve_element(void *array, size_t n, size_t *capacity_p, size_t bytes)
{
    if (n < *capacity_p)
        return array;
    *capacity_p = 2 * n + 16;
    array = realloc(array, *capacity_p * bytes);
    if (!array)
        rt_fatal("out-of-memory", "no memory to compare rule profiles");
    return array;
}

/* Observer of the events of `twin`. An observer also keeps the core from its fast path, which needs memory with bytes.
 */
static void add_change(void *unused, const accd_event *event)
{
    (void)unused;
    if (!observed)
        return;
    observed->changes =
        reserve_element(observed->changes, observed->n, &observed->capacity, sizeof observed->changes[0]);
    struct change *change = &observed->changes[observed->n++];
    *change = (struct change){.op = event->op, .host = event->host, .bytes = event->bytes};
    snprintf(change->name, sizeof change->name, "%s", event->name && *event->name ? event->name : "the data");
    snprintf(change->rule, sizeof change->rule, "%s", event->rule ? event->rule : "");
}

/* Returns the present state of `twin`; ends the program without memory. */
static accd_checkpoint *get_state(void)
{
    accd_checkpoint *saved;
    const accd_status status = accd_checkpoint_new(twin, &saved);
    if (status != ACCD_OK)
        rt_fatal(accd_status_code(status), "no memory to compare rule profiles");
    return saved;
}

/* Sets the state of a profile. */
static void set_state(int index, accd_checkpoint *state)
{
    accd_checkpoint_free(states[index]);
    states[index] = state;
}

/* Opens `twin`, with equal states of all profiles. */
static void open_twin(void)
{
    assert(!twin && rt.options.nothers > 0);
    accd_context_config config;
    accd_context_config_init(&config);
    config.rules = rt.options.rules;
    config.devices = (unsigned)rt.options.devices;
    config.backend = accd_find_backend("unbacked");
    config.checkpoints = true;
    config.on_event = add_change;
    const accd_status status = accd_context_new(&twin, &config);
    if (status != ACCD_OK)
        rt_fatal(accd_status_code(status), "no memory to compare rule profiles");
    for (int i = 0; i < rt.options.nothers; i++) {
        outcomes[i].rules = &rt.options.others[i];
        set_state(i, get_state());
    }
    outcomes[OWN].rules = rt.options.rules;
    set_state(OWN, get_state());
}

static void close_twin(void)
{
    for (int i = 0; i < STATES; i++) {
        set_state(i, NULL);
        hidden_knobs[i] = NULL;
    }
    accd_context_free(twin);
    twin = NULL;
    nregions = 0;
}

/* ------------------------------------------------------------------------------------- mirror -- */

/* Executes a construct with one item in `twin`, unobserved. */
static accd_status run_plain(int device, accd_construct_kind kind, const accd_item *item)
{
    const accd_construct construct = {
        .device = device, .kind = kind, .finalize = kind == ACCD_KIND_EXIT_DATA, .items = item, .nitems = 1};
    return accd_run_construct(twin, &construct, NULL);
}

/* Maps a present object of the program's context in `twin`, too. */
static void mirror_object(int device, const accd_present_object *object)
{
    const accd_label *label = accd_label_intern(twin, &(accd_label){.name = object->info.name});
    const void *host = (const void *)(uintptr_t)object->info.host;
    uint64_t dev;
    if (object->mapped) {
        if (accd_device_alloc(twin, device, object->info.bytes, &dev) == ACCD_OK)
            accd_map_data(twin, device, host, dev, object->info.bytes, label);
        return;
    }
    const accd_item item = {.host = host,
                            .bytes = object->info.bytes,
                            .label = label,
                            .action = ACCD_ACTION_CREATE,
                            .flags = ACCD_ITEM_PRESENT_OR};
    const uint32_t references = object->structured + object->dynamic;
    for (uint32_t i = 0; i < references && i < MIRRORED_REFERENCES; i++)
        run_plain(device, ACCD_KIND_ENTER_DATA, &item);
}

/* Makes the objects of `twin` in a host range the same as those of the program's context. Usually they are already. */
static void mirror_range(int device, uint64_t host, uint64_t bytes)
{
    const uint64_t end = host + bytes;
    uint64_t at = host, twin_at = host, start, size, twin_start, twin_size;
    bool is_present, is_equal = true;
    do {
        is_present = accd_present_overlapping(rt.context, device, &at, end, &start, &size);
        is_equal = is_present == accd_present_overlapping(twin, device, &twin_at, end, &twin_start, &twin_size) &&
                   (!is_present || (start == twin_start && size == twin_size));
    } while (is_present && is_equal);
    if (is_equal)
        return;
    for (twin_at = host; accd_present_overlapping(twin, device, &twin_at, end, &twin_start, &twin_size);) {
        const accd_item item = {
            .host = (const void *)(uintptr_t)twin_start, .bytes = twin_size, .action = ACCD_ACTION_DELETE};
        if (run_plain(device, ACCD_KIND_EXIT_DATA, &item) != ACCD_OK ||
            accd_get_presence(twin, device, item.host, 1) != ACCD_PRESENCE_NONE)
            accd_unmap_data(twin, device, item.host);
    }
    accd_present_object object;
    for (at = host; accd_present_overlapping(rt.context, device, &at, end, &start, &size);)
        if (accd_present_at(rt.context, device, start, 0, &object))
            mirror_object(device, &object);
}

/* ------------------------------------------------------------------------------------ observe -- */

/* Restores the state `index`, executes the operation in it under `rules`, and sets *outcome to what it does. Returns
 * the region that it opens; NULL: none. */
static accd_region *observe(const struct operation *operation, int index, const accd_rules *rules,
                            struct outcome *outcome)
{
    accd_region *region = NULL;
    const accd_construct *construct = operation->construct;
    accd_checkpoint_restore(states[index]);
    for (size_t i = 0; construct && i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        mirror_range(construct->device, (uintptr_t)item->host, item->bytes);
        mirror_range(construct->device, (uintptr_t)item->slot, item->slot ? sizeof(void *) : 0);
    }
    accd__context_set_rules(twin, rules);
    outcome->n = 0;
    outcome->status = ACCD_OK;
    observed = outcome;
    if (construct)
        outcome->status = accd_run_construct(twin, construct, &region);
    else if (operation->region->at[index])
        outcome->status = accd_region_end(operation->region->at[index]);
    observed = NULL;
    if (outcome->status != ACCD_OK)
        outcome->error = *accd_context_error(twin);
    return region;
}

/* Returns true if the program can see a change of the outcome: not one of a counter, nor the detach of a pointer in an
 * object that is freed. */
static bool is_visible(const struct outcome *outcome, const struct change *change)
{
    for (size_t i = 0; change->op == ACCD_OP_DETACH && i < outcome->n; i++) {
        const struct change *freed = &outcome->changes[i];
        if (freed->op == ACCD_OP_FREE && change->host - freed->host < freed->bytes)
            return false;
    }
    return change->op != ACCD_OP_INCREF && change->op != ACCD_OP_DECREF;
}

/* Returns true if both changes do the same to the same bytes, whatever rules they cite. */
static bool is_same_change(const struct change *a, const struct change *b)
{
    return a->op == b->op && a->host == b->host && a->bytes == b->bytes;
}

/* Returns the number of changes of `outcome` among the first n that are the same as `change`. */
static size_t count_changes(const struct outcome *outcome, size_t n, const struct change *change)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += is_same_change(&outcome->changes[i], change);
    return count;
}

/* Returns the first visible change of `a`, or any change if `counters`, after *from of them, that `b` has fewer times;
 * the order of changes does not count. Sets *from to its successor. NULL: none. */
static const struct change *find_missing_change(const struct outcome *a, const struct outcome *b, bool counters,
                                                size_t *from)
{
    for (size_t i = *from; i < a->n; i++)
        if ((counters || is_visible(a, &a->changes[i])) &&
            count_changes(a, i + 1, &a->changes[i]) > count_changes(b, b->n, &a->changes[i])) {
            *from = i + 1;
            return &a->changes[i];
        }
    return NULL;
}

/* Returns true if both make the same visible changes, or the same changes at all if `counters`, in any order; or if
 * both reject the operation. */
static bool is_same_outcome(const struct outcome *a, const struct outcome *b, bool counters)
{
    if (a->status != ACCD_OK || b->status != ACCD_OK)
        return (a->status != ACCD_OK) == (b->status != ACCD_OK);
    size_t i = 0, from = 0, other_from = 0;
    while (i < a->n && i < b->n && is_same_change(&a->changes[i], &b->changes[i]))
        i++;
    return (i == a->n && i == b->n) ||
           (!find_missing_change(a, b, counters, &from) && !find_missing_change(b, a, counters, &other_from));
}

/* Returns `rules` with the knob as in `source`. */
static accd_rules replace_knob(const accd_rules *rules, const struct knob *knob, const accd_rules *source)
{
    accd_rules changed = *rules;
    memcpy((char *)&changed + knob->offset, (const char *)source + knob->offset, sizeof(int));
    return changed;
}

/* Returns the knob that makes the program's rules do what `other` does, if it has the value of that profile; NULL: no
 * single knob does. The knob found last is tried first, because loops repeat differences. states[OWN] must be the state
 * before the operation. */
static const struct knob *find_knob(const struct operation *operation, const struct outcome *other)
{
    enum { KNOBS = sizeof knobs / sizeof knobs[0] };
    static size_t last;
    const accd_rules *own_rules = outcomes[OWN].rules;
    for (size_t i = 0; i < KNOBS; i++) {
        const size_t candidate = (last + i) % KNOBS;
        const accd_rules rules = replace_knob(own_rules, &knobs[candidate], other->rules);
        if (!memcmp(&rules, own_rules, sizeof rules))
            continue;
        observe(operation, OWN, &rules, &varied);
        if (is_same_outcome(&varied, other, true) && varied.status == other->status) {
            last = candidate;
            return &knobs[candidate];
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------- report -- */

/* Returns the name of data of the current call: `name` or, if names are looked up late, that of its bytes. */
static const char *resolve_name(const char *name, uint64_t host, uint64_t bytes, char *to)
{
    if (*name && !rt_parse_lazy_name(name, NULL))
        snprintf(to, NAME_BYTES, "%s", name);
    else if (!rt_format_name(rt.site, host, bytes, to, NAME_BYTES))
        snprintf(to, NAME_BYTES, "the data");
    return to;
}

/* Writes the name of the data or the pointer of a change. */
static void format_change_name(const struct change *change, char *to)
{
    const bool is_pointer = change->op == ACCD_OP_ATTACH || change->op == ACCD_OP_DETACH;
    if (!is_pointer || !rt_format_name(rt.site, change->host, sizeof(void *), to, NAME_BYTES))
        resolve_name(change->name, change->host, change->bytes, to);
}

/* Appends what an outcome does, with its rule: its error, or `change`; NULL: it does nothing. */
static void append_reading(struct rt_text_buffer *text, const struct outcome *outcome, const struct change *change)
{
    static const char *const verbs[ACCD_OP_COUNT] = {
        [ACCD_OP_ALLOC] = "allocates",
        [ACCD_OP_FREE] = "frees",
        [ACCD_OP_ATTACH] = "attaches",
        [ACCD_OP_DETACH] = "detaches",
        [ACCD_OP_INCREF] = "increments the reference counter of",
        [ACCD_OP_DECREF] = "decrements the reference counter of",
    };
    char name[NAME_BYTES];
    const accd_error *error = &outcome->error;
    rt_text_append(text, "%s ", outcome->rules->name);
    if (outcome->status != ACCD_OK) {
        resolve_name(error->asked.name, error->asked.host, error->asked.bytes, name);
        const size_t named = error->named_bytes ? error->named : 0;
        rt_text_append(text, "rejects it: %.*s%s%s (%s)", (int)named, error->message, error->named_bytes ? name : "",
                       error->message + named + error->named_bytes, error->rule);
        return;
    }
    if (!change) {
        rt_text_append(text, outcome->n ? "does not" : "does nothing");
        return;
    }
    format_change_name(change, name);
    if (verbs[change->op])
        rt_text_append(text, "%s %s", verbs[change->op], name);
    else
        rt_text_append(text, "copies %llu bytes of %s %s", (unsigned long long)change->bytes, name,
                       change->op == ACCD_OP_H2D   ? "to the device"
                       : change->op == ACCD_OP_D2H ? "to the host"
                                                   : "within the device");
    rt_text_append(text, " (%s)", change->rule);
}

/* Returns the first rule in `rules`, a list of ids, that belongs to one of the `documents`, the earliest document
 * first; NULL: none. Stores the id in `to`. */
static const char *find_rule(const char *rules, const char *documents, char *to)
{
    for (const char *document = documents; *document; document += strspn(document, " ")) {
        const size_t n = strcspn(document, " ");
        for (const char *rule = rules; *rule; rule += strspn(rule, " ")) {
            const size_t bytes = strcspn(rule, " ");
            if (bytes > n && rule[n] == '-' && !strncmp(rule, document, n)) {
                snprintf(to, RULE_BYTES, "%.*s", (int)bytes, rule);
                return to;
            }
            rule += bytes;
        }
        document += n;
    }
    return NULL;
}

/* Appends a line that says what the knob means in the rules of an outcome. */
static void append_knob(struct rt_text_buffer *lines, const struct outcome *outcome, const struct knob *knob)
{
    int value;
    char rule[RULE_BYTES];
    memcpy(&value, (const char *)outcome->rules + knob->offset, sizeof value);
    assert(value >= 0 && value < MEANINGS_MAX && knob->meanings[value]);
    const char *id = find_rule(knob->rules, outcome->rules->documents, rule);
    rt_text_append(lines, "  %s: %s: %s%s%s%s\n", outcome->rules->name, knob->about, knob->meanings[value],
                   id ? " (" : "", id ? id : "", id ? ")" : "");
}

/* Returns the first change of `outcome` to bytes of the object; otherwise its first change. NULL: it changes nothing.
 */
static const struct change *find_change_to(const struct outcome *outcome, const accd_object_info *object)
{
    for (size_t i = 0; i < outcome->n; i++)
        if (outcome->changes[i].host - object->host < object->bytes)
            return &outcome->changes[i];
    return outcome->n ? &outcome->changes[0] : NULL;
}

/* Sets the changes in which the outcome of another profile differs first from that of the program; NULL: it has none.
 * The second is to the bytes of the first, if there are both. */
static void find_difference(const struct outcome *other, const struct change **own_p, const struct change **other_p)
{
    const struct outcome *own = &outcomes[OWN];
    size_t from = 0, other_from = 0;
    *own_p = *other_p = NULL;
    if (other->status != ACCD_OK) {
        *own_p = find_change_to(own, &other->error.asked);
    } else if (own->status != ACCD_OK) {
        *other_p = find_change_to(other, &own->error.asked);
    } else {
        *own_p = find_missing_change(own, other, false, &from);
        do
            *other_p = find_missing_change(other, own, false, &other_from);
        while (*own_p && *other_p &&
               ((*own_p)->op != (*other_p)->op || (*own_p)->host - (*other_p)->host >= (*other_p)->bytes));
    }
}

/* Writes the name of the data in which the outcomes differ; "": unknown. */
static void format_subject(const struct outcome *other, const struct change *change, char *to)
{
    const struct outcome *own = &outcomes[OWN];
    const accd_error *error = own->status != ACCD_OK ? &own->error : &other->error;
    *to = 0;
    if (own->status != other->status && error->asked.bytes)
        resolve_name(error->asked.name, error->asked.host, error->asked.bytes, to);
    else if (change)
        format_change_name(change, to);
}

/* Reports the differences of the profiles in the bits of `different`, with their knobs. */
static void report_difference(unsigned different, const struct knob *const *causes)
{
    struct rt_text_buffer message, lines;
    char name[NAME_BYTES] = "", rule[RULE_BYTES];
    const char *cited = NULL;
    const struct knob *last_knob = NULL;
    const struct outcome *own = &outcomes[OWN];
    rt_text_clear(&message);
    rt_text_clear(&lines);
    for (int i = 0; i < rt.options.nothers; i++) {
        if (!(different >> i & 1))
            continue;
        const struct outcome *other = &outcomes[i];
        const struct change *own_change, *other_change;
        find_difference(other, &own_change, &other_change);
        if (message.n) {
            rt_text_append(&lines, "  ");
            append_reading(&lines, other, other_change);
            rt_text_append(&lines, "\n");
        } else {
            format_subject(other, own_change ? own_change : other_change, name);
            if (rt_count_duplicate("not-portable", rt.site->call.pc, name))
                return;
            const bool other_first = other->status != ACCD_OK || other_change;
            append_reading(&message, other_first ? other : own, other_first ? other_change : own_change);
            rt_text_append(&message, "; ");
            append_reading(&message, other_first ? own : other, other_first ? own_change : other_change);
        }
        if (!causes[i])
            continue;
        if (causes[i] != last_knob)
            append_knob(&lines, own, causes[i]);
        append_knob(&lines, other, causes[i]);
        last_knob = causes[i];
        if (!cited)
            cited = find_rule(causes[i]->rules, own->rules->documents, rule);
    }
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "note",
            .code = "not-portable",
            .rule = cited,
            .pc = rt.site->call.pc,
            .object = *name ? name : NULL,
            .lines = lines.at,
        },
        "%s", message.at);
}

/* ------------------------------------------------------------------------------------ compare -- */

/* Executes the operation under another profile again, but with the knob `cause` as in the program's rules, and keeps
 * the state if it then does what the program does. Otherwise, or if `cause` is NULL, the profile gets `after`, the
 * program's state after the operation, and the program's regions. */
static void follow_program(const struct operation *operation, int index, const struct knob *cause,
                           accd_checkpoint *after)
{
    const struct outcome *own = &outcomes[OWN];
    if (cause) {
        const accd_rules rules = replace_knob(outcomes[index].rules, cause, own->rules);
        accd_region *region = observe(operation, index, &rules, &varied);
        if (varied.status == own->status && is_same_outcome(&varied, own, false)) {
            set_state(index, get_state());
            if (operation->construct)
                operation->region->at[index] = region;
            return;
        }
    }
    accd_checkpoint_restore(after);
    set_state(index, get_state());
    hidden_knobs[index] = NULL;
    for (size_t i = 0; i < nregions; i++)
        regions[i].at[index] = regions[i].at[OWN];
    operation->region->at[index] = operation->region->at[OWN];
}

/* Returns true if the knob decides only what a pointer becomes whose target is unmapped. Such a pointer is wrong on the
 * device under all rules, so that only a later attach can make a difference. */
static bool is_about_lost_targets(const struct knob *knob)
{
    return knob && knob->offset == offsetof(accd_rules, lost_target);
}

/* Executes an operation, of type struct operation, under all profiles, and reports where they differ. Sets the regions
 * that it opens. Runs on a new stack. */
static void compare(void *argument)
{
    const struct operation *operation = argument;
    struct rt_thread *thread = operation->thread;
    const struct outcome *own = &outcomes[OWN];
    struct twin_region *region = operation->region;
    unsigned different = 0;
    const struct knob *causes[STATES] = {NULL}, *reported[STATES] = {NULL};
    thread->in_core = true; /* the core reads pointers of the program */
    accd_region *own_region = observe(operation, OWN, own->rules, &outcomes[OWN]);
    accd_checkpoint *after = get_state();
    for (int i = 0; i < rt.options.nothers; i++) {
        accd_region *new_region = observe(operation, i, outcomes[i].rules, &outcomes[i]);
        accd_checkpoint *other_after = get_state();
        const bool is_visible = !is_same_outcome(own, &outcomes[i], false);
        const struct knob *knob = NULL;
        if (is_visible || (!hidden_knobs[i] && !is_same_outcome(own, &outcomes[i], true)))
            knob = find_knob(operation, &outcomes[i]);
        if (is_visible && !is_about_lost_targets(knob)) {
            different |= 1u << i;
            causes[i] = knob;
            reported[i] = knob ? knob : hidden_knobs[i];
            accd_checkpoint_free(other_after);
            continue;
        }
        set_state(i, other_after);
        if (operation->construct)
            region->at[i] = new_region;
        if (knob && (!hidden_knobs[i] || is_about_lost_targets(hidden_knobs[i])))
            hidden_knobs[i] = knob;
    }
    if (operation->construct)
        region->at[OWN] = own_region;
    if (different) {
        report_difference(different, reported);
        for (int i = 0; i < rt.options.nothers; i++)
            if (different >> i & 1)
                follow_program(operation, i, causes[i], after);
    }
    thread->in_core = false;
    set_state(OWN, after);
}

/* Compares a construct of the program. Its items are copied: labels belong to a context, and a structure of which only
 * members are mapped is compared as a whole. */
static void compare_construct(struct rt_thread *thread, const struct rt_construct *construct)
{
    static accd_item *items;
    static size_t capacity;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        items = reserve_element(items, i, &capacity, sizeof *items);
        items[i] = *item;
        items[i].program = NULL;
        if (item->label) {
            accd_label label = *item->label;
            label.layout = NULL;
            items[i].label = accd_label_intern(twin, &label);
        }
    }
    const accd_construct copy = {
        .device = thread->device,
        .kind = construct->kind,
        .finalize = construct->finalize,
        .items = items,
        .nitems = construct->nitems,
        .name = rt.site->construct_name,
        .thread = thread->number,
    };
    opened = (struct twin_region){.thread = thread->number};
    rt_run_on_new_stack(compare, &(struct operation){thread, &copy, &opened});
}

/* Records the regions of `twin` that belong to the region of the construct. */
static void record_region(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region)
{
    (void)thread, (void)construct;
    if (!opens_region)
        return;
    regions = reserve_element(regions, nregions, &regions_capacity, sizeof *regions);
    regions[nregions++] = opened;
}

/* Compares the end of the thread's innermost region. */
static void compare_region_end(struct rt_thread *thread)
{
    size_t i = nregions;
    while (i > 0 && regions[i - 1].thread != thread->number)
        i--;
    if (!i)
        return;
    struct twin_region region = regions[i - 1];
    nregions--;
    memmove(&regions[i - 1], &regions[i], (nregions - (i - 1)) * sizeof *regions);
    rt_run_on_new_stack(compare, &(struct operation){thread, NULL, &region});
}

const struct rt_tool rt_portability_tool = {
    .name = "portability",
    .open = open_twin,
    .close = close_twin,
    .begin_construct = compare_construct,
    .end_construct = record_region,
    .end_region = compare_region_end,
};
