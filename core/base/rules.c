/* rules.c - rule profiles: where documents and runtimes differ, data decides. What follows is
 * shown by spec/openacc/profiles.lua and libgomp.lua. */
#include "base/base.h"

/* What OpenMP's profiles have in common. */
#define OPENMP                                                                                     \
    .counting = ACCD_COUNT_CONSTRUCTS, .holes = ACCD_REJECT,           \
    .frame_grows = ACCD_REJECT, .stale = ACCD_REJECT, .null_pointer = ACCD_REJECT,                 \
    .lost_target = ACCD_LOST_DANGLES, .null_routine = ACCD_REJECT

/* What TR14, OpenACC 2.0 and the directory take for errors. */
#define STRICT                                                                                     \
    .part_present = ACCD_REJECT, .stale = ACCD_REJECT, .null_pointer = ACCD_REJECT,                \
    .exit_absent = ACCD_REJECT, .detach_unattached = ACCD_REJECT, .attach_absent = ACCD_REJECT,    \
    .detach_final = ACCD_REJECT, .unmap_used = ACCD_REJECT, .null_routine = ACCD_REJECT

/* Of choices that a profile does not name, it makes the first one: ACCD_IGNORE, where that can be chosen. */
static const accd_rules profiles[] = {
    {
        .name = "tr14",
        .documents = "TR14 ACC33",
        STRICT,
        .still_attached = ACCD_REJECT,
        .pointer_changed = ACCD_REJECT,
    },
    {
        .name = "openacc-2.0",
        .documents = "ACC20 ACC33",
        STRICT,
        .again = ACCD_REJECT,
    },
    {
        .name = "openacc-3.3",
        .documents = "ACC33",
        .stale = ACCD_REJECT,
        .attach_variables = 1,
        .detach_final = ACCD_REJECT,
        .member = ACCD_MEMBER_UNCOUNTED,
        .unmap_used = ACCD_REJECT,
        .null_routine = ACCD_REJECT,
    },
    {
        .name = "directory",
        .documents = "DIR TR14 ACC33",
        STRICT,
        .fusion = 1,
        .exit_unowned = ACCD_REJECT,
        .still_attached = ACCD_REJECT,
        .pointer_changed = ACCD_REJECT,
    },
    {
        .name = "libgomp-12",
        .documents = "ACC33",
        .part_present = ACCD_REJECT,
        .device_state = ACCD_REJECT,
        .kernels_on_host = 1,
        .events_bare = 1,
        .null_pointer = ACCD_REJECT,
        .detach_unattached = ACCD_REJECT,
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

/* ------------------------------------------------------------------------------- verdicts -- */

enum verdict {
    STAYS, TAKES, CUTS, FILLS, SKIPS, /* as enum accd_outcome */
    PRESENT, PART, PART_TO_NAME, BROUGHT, GROWS, HOLES, EXCLUDED, ABSENT, NOT_BEFORE, PART_BEFORE,
    EXIT_ABSENT, EXIT_UNOWNED, UPDATE_ABSENT, PART_AGAIN,
    SLOT_ABSENT, SLOT_OF_ABSENT, SLOT_NULL, UNATTACHED, REPOINTED, CHANGED
};

#define REJECT(status, rule, before, after) {ACCD_REJECTS, status, rule, before, after}
#define PART_PRESENT "only a part of it is present on device"
#define NAME_THAT ": name that part, or use present_and_copyin or update_and_copy"
#define CHANGED_ATTACHED " was changed while it is attached"
#define NOT_PRESENT_ON "it is not present on device"

const struct accd_verdict accd_verdicts[] = {
    [STAYS] = {.outcome = ACCD_STAYS},
    [TAKES] = {.outcome = ACCD_TAKES},
    [CUTS] = {.outcome = ACCD_CUTS},
    [FILLS] = {.outcome = ACCD_FILLS},
    [SKIPS] = {.outcome = ACCD_SKIPS},
    [PRESENT] = REJECT(ACCD_ALREADY_PRESENT, R_ALREADY_PRESENT, "it is present already, which",
                       " allows only for present_or clauses"),
    [PART] = REJECT(ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT, PART_PRESENT, ""),
    [PART_TO_NAME] = REJECT(ACCD_PARTIAL_OVERLAP, R_OVERLAP_LEVELS, PART_PRESENT, NAME_THAT),
    [BROUGHT] = REJECT(ACCD_PARTIAL_OVERLAP, R_OVERLAP_LEVELS, "only a part of it was brought to device", NAME_THAT),
    [GROWS] = REJECT(ACCD_NOT_PRESENT, R_PARTIALLY_PRESENT, NOT_PRESENT_ON,
                     ", but other parts of what it belongs to are: map them together"),
    [HOLES] = REJECT(ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                     "other parts of it were left out when this object was mapped to device", ""),
    [EXCLUDED] = REJECT(ACCD_NOT_PRESENT, R_NOT_PRESENT, "it was left out when this object was mapped to device", ""),
    [ABSENT] = REJECT(ACCD_NOT_PRESENT, R_NOT_PRESENT, NOT_PRESENT_ON, ""),
    [NOT_BEFORE] = REJECT(ACCD_NOT_PRESENT, R_NOT_PRESENT, NOT_PRESENT_ON, ", but must be there before the construct"),
    [PART_BEFORE] = REJECT(ACCD_PARTIALLY_PRESENT, R_NOT_PRESENT, PART_PRESENT, ", but its clause asks for all of it"),
    [EXIT_ABSENT] = REJECT(ACCD_NOT_PRESENT, R_EXIT_ABSENT, NOT_PRESENT_ON, ""),
    [EXIT_UNOWNED] = REJECT(ACCD_NOT_PRESENT, R_UNOWNED, NOT_PRESENT_ON, ""),
    [UPDATE_ABSENT] = REJECT(ACCD_NOT_PRESENT, R_UPDATE_ABSENT, NOT_PRESENT_ON, ""),
    [PART_AGAIN] = {ACCD_REJECTS_MEANT, ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT, PART_PRESENT, " again"},
    [SLOT_ABSENT] = REJECT(ACCD_NOT_PRESENT, R_ATTACH_ABSENT, "the pointer", " itself is not present on device"),
    [SLOT_OF_ABSENT] = REJECT(ACCD_NOT_PRESENT, R_ATTACH_ABSENT, "what", " points to is not present on device"),
    [SLOT_NULL] = REJECT(ACCD_NULL_POINTER, R_ATTACH_NULL, "", " is a null pointer, which is attached to nothing"),
    [UNATTACHED] = REJECT(ACCD_NOT_ATTACHED, R_NOT_ATTACHED, "the pointer", " is not attached"),
    [REPOINTED] = REJECT(ACCD_POINTER_CHANGED, R_POINTER_CHANGED, "the pointer", CHANGED_ATTACHED),
    [CHANGED] = REJECT(ACCD_POINTER_CHANGED, R_STRUCTURE_FIXED, "the pointer", CHANGED_ATTACHED),
};

static void compile_slots(const accd_rules *rules, struct accd_verdicts *to)
{
    const bool implied = rules->attach_implied == ACCD_REJECT, unattached = rules->detach_unattached == ACCD_REJECT;
    for (int of = 0; of < ACCD_SLOT_OFS; of++) {
        uint8_t *slot = to->slot[of];
        if (of == ACCD_OF_ATTACH ? rules->attach_absent == ACCD_REJECT : implied) {
            slot[ACCD_SLOT_ABSENT] = SLOT_ABSENT;
            slot[ACCD_SLOT_OF_ABSENT] = SLOT_OF_ABSENT;
            slot[ACCD_SLOT_NULL] = rules->attach_null == ACCD_REJECT ? SLOT_NULL : STAYS;
        }
        slot[ACCD_SLOT_UNATTACHED] = unattached && (of != ACCD_OF_ITEM || implied) ? UNATTACHED : STAYS;
        slot[ACCD_SLOT_DETACHED] = unattached ? UNATTACHED : STAYS;
        slot[ACCD_SLOT_REPOINTED] = rules->pointer_changed == ACCD_REJECT ? REPOINTED : STAYS;
        slot[ACCD_SLOT_CHANGED] = rules->pointer_changed == ACCD_REJECT ? CHANGED : STAYS;
    }
}

/* What profiles have in common, and what all choices in their rules add. */
static const uint8_t presence[ACCD_ASKERS][ACCD_FINDINGS] = {
    /*               nothing, object, excluded, holes, unnamed, named part, tuple, objects, part */
    [ACCD_ASKS_NEW] = {STAYS, TAKES, GROWS, HOLES, FILLS, BROUGHT, CUTS, PART, PART},
    [ACCD_ASKS_DATA] = {STAYS, TAKES, GROWS, HOLES, FILLS, BROUGHT, CUTS, PART, PART},
    [ACCD_ASKS_REST] = {STAYS, TAKES, GROWS, HOLES, FILLS, FILLS, CUTS, CUTS, CUTS},
    [ACCD_ASKS_PRESENT] = {STAYS, TAKES, EXCLUDED, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_NO_MORE] = {STAYS, TAKES, SKIPS, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_BEFORE] = {NOT_BEFORE, STAYS, NOT_BEFORE, HOLES, STAYS, STAYS, STAYS, PART_BEFORE, PART_BEFORE},
    [ACCD_ASKS_EXIT] = {SKIPS, TAKES, SKIPS, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_EXIT_OF_PRESENT] = {SKIPS, TAKES, SKIPS, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_UPDATE] = {UPDATE_ABSENT, TAKES, UPDATE_ABSENT, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_UPDATE_OF_PRESENT] = {SKIPS, TAKES, SKIPS, HOLES, TAKES, TAKES, CUTS, PART, PART},
    [ACCD_ASKS_AGAIN] = {STAYS, TAKES, STAYS, HOLES, TAKES, TAKES, PART_AGAIN, PART_AGAIN, PART_AGAIN},
    [ACCD_ASKS_ABANDON] = {STAYS, TAKES, TAKES, TAKES, TAKES, TAKES, STAYS, STAYS, STAYS},
};

void accd_rules_compile(const accd_rules *rules, struct accd_verdicts *to)
{
    const bool lenient = rules->part_present == ACCD_IGNORE, constructs = rules->counting == ACCD_COUNT_CONSTRUCTS;
    *to = (struct accd_verdicts){
        .holes = rules->holes == ACCD_REJECT,
        .counts_attachments = rules->attaching == ACCD_ATTACH_COUNTED,
        .owns_exits = rules->fusion && rules->exit_unowned == ACCD_REJECT,
        .reverses = rules->update == ACCD_UPDATE_REVERSE && rules->attached == ACCD_ATTACHED_KEPT,
        .allocated = rules->fusion ? R_MEMORY : R_ALLOCATE,
        .sent = rules->fusion ? R_SEND : R_MOVE,
        .fetched = rules->fusion ? R_FETCH : R_LEAVE,
    };
    /* a group does not mark what holds its pointers; exit data may take what a region counted */
    to->groups[ACCD_ENTER_DATA] = rules->detach_final == ACCD_REJECT || !to->counts_attachments;
    to->groups[ACCD_REGION] = to->groups[ACCD_COMPUTE] = to->groups[ACCD_ENTER_DATA] && !constructs;
    compile_slots(rules, to);
    for (int ask = 0; ask < ACCD_ASKERS; ask++) {
        const bool splits = ask <= ACCD_ASKS_DATA && rules->partial_overlap != ACCD_OVERLAP_ERROR;
        const bool again = ask == ACCD_ASKS_AGAIN;
        uint8_t *all = to->presence[ask][0], *plain = to->presence[ask][1];
        memcpy(all, presence[splits ? (int)ACCD_ASKS_REST : ask], sizeof presence[ask]);
        if (rules->fusion) { /* objects are pieces of one whole */
            all[ACCD_FOUND_OBJECTS] = all[ACCD_FOUND_TUPLE];
            if (ask <= ACCD_ASKS_DATA && !splits)
                all[ACCD_FOUND_PART] = PART_TO_NAME;
        }
        if (ask == ACCD_ASKS_NEW && rules->again == ACCD_REJECT)
            all[ACCD_FOUND_OBJECT] = PRESENT;
        if (ask == ACCD_ASKS_EXIT && rules->exit_absent == ACCD_REJECT)
            all[ACCD_FOUND_NOTHING] = all[ACCD_FOUND_EXCLUDED] =
                to->owns_exits ? EXIT_UNOWNED : EXIT_ABSENT;
        memcpy(plain, all, sizeof presence[ask]);
        if (!lenient || !(ask == ACCD_ASKS_NO_MORE ||
                          (constructs && (again || ask == ACCD_ASKS_UPDATE || ask == ACCD_ASKS_UPDATE_OF_PRESENT))))
            continue; /* what is there in part asks for nothing, as if all of it were absent (OMP60-upd-1) */
        plain[ACCD_FOUND_HOLES] = plain[ACCD_FOUND_EXCLUDED];
        for (int found = ACCD_FOUND_TUPLE; found <= ACCD_FOUND_PART; found++)
            if (accd_verdicts[plain[found]].outcome >= ACCD_REJECTS)
                plain[found] = again ? STAYS : SKIPS;
    }
}

/* ------------------------------------------------------------------------------------ ids -- */

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
    [ACCD_COPY] = {.entry = true, .plain = true, .creates = true, .in = true, .out = true},
    [ACCD_COPYIN] = {.entry = true, .plain = true, .creates = true, .in = true},
    [ACCD_COPYOUT] = {.entry = true, .plain = true, .creates = true, .out = true},
    [ACCD_CREATE] = {.entry = true, .plain = true, .creates = true},
    [ACCD_HOLD] = {.entry = true, .plain = true, .creates = true},
    [ACCD_NO_CREATE] = {.entry = true, .plain = true},
    [ACCD_PRESENT] = {.entry = true, .plain = true, .must = true},
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
