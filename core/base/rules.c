/* rules.c - rule profiles: where documents and runtimes differ, data decides. What it leads to is
 * shown by spec/openacc/profiles.lua and libgomp.lua. */
#include "base/base.h"

/* What OpenMP's profiles have in common. */
#define OPENMP                                                                                     \
    .counting = ACCD_COUNT_CONSTRUCTS, .holes = ACCD_REJECT,           \
    .frame_grows = ACCD_REJECT, .stale = ACCD_REJECT, .null_pointer = ACCD_REJECT,                 \
    .lost_target = ACCD_LOST_DANGLES, .null_routine = ACCD_REJECT

/* Of choices that a profile does not name, it makes the first one. */
static const accd_rules profiles[] = {
    {
        .name = "tr14",
        .documents = "TR14 ACC33",
        .part_present = ACCD_REJECT,
        .stale = ACCD_REJECT,
        .again = ACCD_IGNORE,
        .null_pointer = ACCD_REJECT,
        .exit_absent = ACCD_REJECT,
        .detach_unattached = ACCD_REJECT,
        .still_attached = ACCD_REJECT,
        .pointer_changed = ACCD_REJECT,
        .attach_absent = ACCD_REJECT,
        .detach_final = ACCD_REJECT,
        .unmap_used = ACCD_REJECT,
        .null_routine = ACCD_REJECT,
    },
    {
        .name = "openacc-2.0",
        .documents = "ACC20 ACC33",
        .part_present = ACCD_REJECT,
        .stale = ACCD_REJECT,
        .again = ACCD_REJECT,
        .null_pointer = ACCD_REJECT,
        .exit_absent = ACCD_REJECT,
        .detach_unattached = ACCD_REJECT,
        .still_attached = ACCD_IGNORE,
        .pointer_changed = ACCD_IGNORE,
        .attach_absent = ACCD_REJECT,
        .detach_final = ACCD_REJECT,
        .unmap_used = ACCD_REJECT,
        .null_routine = ACCD_REJECT,
    },
    {
        .name = "openacc-3.3",
        .documents = "ACC33",
        .stale = ACCD_REJECT,
        .attach_variables = 1,
        .again = ACCD_IGNORE,
        .null_pointer = ACCD_IGNORE,
        .exit_absent = ACCD_IGNORE,
        .detach_unattached = ACCD_IGNORE,
        .still_attached = ACCD_IGNORE,
        .pointer_changed = ACCD_IGNORE,
        .attach_absent = ACCD_IGNORE,
        .detach_final = ACCD_REJECT,
        .member = ACCD_MEMBER_UNCOUNTED,
        .unmap_used = ACCD_REJECT,
        .null_routine = ACCD_REJECT,
    },
    {
        .name = "directory",
        .documents = "DIR TR14 ACC33",
        .part_present = ACCD_REJECT,
        .fusion = 1,
        .exit_unowned = ACCD_REJECT,
        .stale = ACCD_REJECT,
        .again = ACCD_IGNORE,
        .null_pointer = ACCD_REJECT,
        .exit_absent = ACCD_REJECT,
        .detach_unattached = ACCD_REJECT,
        .still_attached = ACCD_REJECT,
        .pointer_changed = ACCD_REJECT,
        .attach_absent = ACCD_REJECT,
        .detach_final = ACCD_REJECT,
        .unmap_used = ACCD_REJECT,
        .null_routine = ACCD_REJECT,
    },
    {
        .name = "libgomp-12",
        .documents = "ACC33",
        .part_present = ACCD_REJECT,
        .device_state = ACCD_REJECT,
        .kernels_on_host = 1,
        .events_bare = 1,
        .again = ACCD_IGNORE,
        .null_pointer = ACCD_REJECT,
        .exit_absent = ACCD_IGNORE,
        .detach_unattached = ACCD_REJECT,
        .still_attached = ACCD_IGNORE,
        .pointer_changed = ACCD_IGNORE,
        .attach_absent = ACCD_REJECT,
        .attach_implied = ACCD_REJECT,
        .attach_null = ACCD_REJECT,
        .reattach = ACCD_REATTACH_COUNTS,
        .attached = ACCD_ATTACHED_COPIED,
        .lost_target = ACCD_LOST_DANGLES,
        .frame_grows = ACCD_REJECT,
        .zero_map = ACCD_REJECT,
        .zero_update = ACCD_REJECT,
        .zero_present = ACCD_REJECT,
    },
    {.name = "openmp-4.0", .documents = "OMP60 OMPEX", OPENMP, .attaching = ACCD_ATTACH_EVERY},
    {.name = "indirect", .documents = "LLNL OMP60 OMPEX", OPENMP, .attaching = ACCD_ATTACH_EVERY},
    {.name = "openmp-5.1", .documents = "OMP60 OMPEX", OPENMP, .attaching = ACCD_ATTACH_NEW, .extended_range = 1},
};

const accd_rules *accd_rules_named(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        if (name && !strcmp(profiles[i].name, name))
            return &profiles[i];
    return NULL;
}

bool accd_rules_sound(const accd_rules *rules)
{
    const unsigned choices[][2] = {
        {rules->reattach, ACCD_REATTACH_COUNTS},
        {rules->attached, ACCD_ATTACHED_COPIED},
        {rules->lost_target, ACCD_LOST_DANGLES},
        {rules->member, ACCD_MEMBER_UNCOUNTED},
        {rules->partial_overlap, ACCD_OVERLAP_REFRESH},
        {rules->counting, ACCD_COUNT_CONSTRUCTS},
        {rules->attaching, ACCD_ATTACH_EVERY},
        {rules->update, ACCD_UPDATE_REVERSE},
        {rules->untranslated, ACCD_AS_POISON},
    };
    const accd_choice rejects[] = {
        rules->again,         rules->null_pointer,    rules->exit_absent,   rules->detach_unattached,
        rules->still_attached, rules->pointer_changed, rules->attach_absent, rules->attach_implied,
        rules->attach_null,   rules->detach_final,    rules->frame_grows,   rules->unmap_used,
        rules->zero_map,      rules->zero_update,     rules->zero_present,  rules->null_routine,
        rules->device_state,  rules->exit_unowned,    rules->stale,         rules->holes,
    };
    bool good = rules->name;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        good &= choices[i][0] <= choices[i][1];
    for (size_t i = 0; i < sizeof rejects / sizeof rejects[0]; i++)
        good &= (unsigned)rejects[i] <= ACCD_REJECT;
    return good;
}

bool accd_rules_plain(const accd_rules *rules)
{
    return !rules->fusion && rules->partial_overlap == ACCD_OVERLAP_ERROR && rules->holes == ACCD_IGNORE &&
           rules->counting == ACCD_COUNT_CLAUSES && rules->attaching == ACCD_ATTACH_COUNTED && !rules->extended_range;
}

static const char *const ids[R_RULES][ACCD_RULE_IDS] = {
    [R_NONE] = {""},
#define X(name, ...) [R_##name] = {__VA_ARGS__},
    ACCD_RULE_MAP(X)
#undef X
};

const char *accd_rule_at(unsigned row, unsigned place)
{
    return row < R_RULES - 1 && place < ACCD_RULE_IDS ? ids[row + 1][place] : NULL;
}

const char *accd_rule_id(const accd_rules *rules, enum accd_rule rule)
{
    for (const char *document = rules->documents; document && *document;) {
        size_t length = strcspn(document, " ");
        for (size_t i = 0; i < ACCD_RULE_IDS && ids[rule][i]; i++)
            if (!strncmp(ids[rule][i], document, length) && ids[rule][i][length] == '-')
                return ids[rule][i];
        document += length + (document[length] == ' ');
    }
    return ids[rule][0];
}

const struct accd_demand accd_demands[ACCD_ACTION_COUNT] = {
    [ACCD_COPY] = {.entry = true, .creates = true, .in = true, .out = true},
    [ACCD_COPYIN] = {.entry = true, .creates = true, .in = true},
    [ACCD_COPYOUT] = {.entry = true, .creates = true, .out = true},
    [ACCD_CREATE] = {.entry = true, .creates = true},
    [ACCD_HOLD] = {.entry = true, .creates = true},
    [ACCD_NO_CREATE] = {.entry = true},
    [ACCD_PRESENT] = {.entry = true, .must = true},
    [ACCD_ATTACH] = {.entry = true},
    [ACCD_UPDATE_SELF] = {.out = true},
    [ACCD_UPDATE_DEVICE] = {.in = true},
};

uint8_t accd_effective(uint8_t own, bool init, uint8_t around)
{
    uint8_t action = own == ACCD_INHERIT ? around : own;
    if (!init)
        return action;
    /* TR14-3.1.1-17: create acts as copyin, copyout as copy */
    if (action == ACCD_CREATE || action == ACCD_HOLD)
        return ACCD_COPYIN;
    return action == ACCD_COPYOUT ? ACCD_COPY : action;
}
