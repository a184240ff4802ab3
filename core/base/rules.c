/* rules.c - rule profiles: where documents and runtimes differ, data decides (accdeep_rules.def). What follows is
 * shown by spec/openacc/profiles.lua, libgomp.lua and spec/house/knobs.lua. */
#include "base/base.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* a setting behind those of the base replaces one of these */
static const accd_rules profiles[] = {
#define ACCD_SET(knob, value) .knob = (value),
#define ACCD_PROFILE(said, asked, settings) {.name = (said), .documents = (asked), settings}, /* NOLINT: a list */
#include "accdeep_rules.def"
};
#pragma GCC diagnostic pop

const accd_rules *accd_rules_named(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        if (name && !strcmp(profiles[i].name, name))
            return &profiles[i];
    return NULL;
}

bool accd_rules_sound(const accd_rules *rules)
{
    bool good = rules->name;
#define ACCD_VALUE(enumerator, word, meaning) +1 /* NOLINT: added up */
#define ACCD_KNOB(knob, type, about, cited, values)                                                             \
    good &= (unsigned)rules->knob < (unsigned)(0 values); /* NOLINT */
#include "accdeep_rules.def"
    return good;
}

bool accd_rules_plain(const accd_rules *rules)
{
    return !rules->fusion && rules->partial_overlap == ACCD_OVERLAP_ERROR;
}

/* ------------------------------------------------------------------------------- verdicts -- */

enum verdict {
    STAYS, TAKES, CUTS, FILLS, SKIPS, /* as enum accd_outcome */
    PRESENT, PART, PART_TO_NAME, MAPPED_PART, GROWS, HOLES, EXCLUDED, ABSENT, NOT_BEFORE, PART_BEFORE,
    EXIT_ABSENT, EXIT_UNOWNED, UPDATE_ABSENT, PART_AGAIN,
    SLOT_ABSENT, SLOT_OF_ABSENT, SLOT_NULL, UNATTACHED, REPOINTED, CHANGED
};

#define REJECT(status, rule, before, after) {ACCD_REJECTS, status, rule, before, after}
#define PART_PRESENT "only a part of " ACCD_ASKED " is present on device"
#define NAME_THAT ": name that part, or use present_and_copyin or update_and_copy"
#define CHANGED_ATTACHED " was changed while it is attached"
#define NOT_PRESENT_ON ACCD_ASKED " is not present on device"

const struct accd_verdict accd_verdicts[] = {
    [STAYS] = {.outcome = ACCD_STAYS},
    [TAKES] = {.outcome = ACCD_TAKES},
    [CUTS] = {.outcome = ACCD_CUTS},
    [FILLS] = {.outcome = ACCD_FILLS},
    [SKIPS] = {.outcome = ACCD_SKIPS},
    [PRESENT] = REJECT(ACCD_ALREADY_PRESENT, R_ALREADY_PRESENT, ACCD_ASKED " is present already, which",
                       " allows only for present_or clauses"),
    [PART] = REJECT(ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT, PART_PRESENT, ""),
    [PART_TO_NAME] = REJECT(ACCD_PARTIAL_OVERLAP, R_OVERLAP_LEVELS, PART_PRESENT, NAME_THAT),
    [MAPPED_PART] = REJECT(ACCD_PARTIAL_OVERLAP, R_OVERLAP_LEVELS, "only a part of " ACCD_ASKED " was mapped to device",
                       NAME_THAT),
    [GROWS] = REJECT(ACCD_NOT_PRESENT, R_PARTIALLY_PRESENT, NOT_PRESENT_ON,
                     ", but other parts of what it belongs to are: map them together"),
    [HOLES] = REJECT(ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                     "other parts of " ACCD_ASKED " were left out when this object was mapped to device", ""),
    [EXCLUDED] = REJECT(ACCD_NOT_PRESENT, R_NOT_PRESENT,
                        ACCD_ASKED " was left out when this object was mapped to device", ""),
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
        }
        if (rules->attach_null == ACCD_REJECT && (of == ACCD_OF_ATTACH || implied))
            slot[ACCD_SLOT_NULL] = SLOT_NULL;
        slot[ACCD_SLOT_UNATTACHED] = unattached && (of != ACCD_OF_ITEM || implied) ? UNATTACHED : STAYS;
        slot[ACCD_SLOT_DETACHED] = unattached ? UNATTACHED : STAYS;
        slot[ACCD_SLOT_REPOINTED] = rules->pointer_changed == ACCD_REJECT ? REPOINTED : STAYS;
        slot[ACCD_SLOT_CHANGED] = rules->pointer_changed == ACCD_REJECT ? CHANGED : STAYS;
    }
}

/* What profiles have in common, and what all choices in their rules add. */
static const uint8_t presence[ACCD_ASKERS][ACCD_FINDINGS] = {
    /*               nothing, object, excluded, holes, unnamed, named part, tuple, objects, part */
    [ACCD_ASKS_NEW] = {STAYS, TAKES, GROWS, HOLES, FILLS, MAPPED_PART, CUTS, PART, PART},
    [ACCD_ASKS_DATA] = {STAYS, TAKES, GROWS, HOLES, FILLS, MAPPED_PART, CUTS, PART, PART},
    [ACCD_ASKS_REST] = {STAYS, TAKES, GROWS, HOLES, FILLS, FILLS, CUTS, CUTS, CUTS},
    [ACCD_ASKS_PART] = {STAYS, TAKES, GROWS, TAKES, TAKES, TAKES, CUTS, CUTS, CUTS},
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

/* Decides ACC20-2.6-1, TR14-4.3-05, ACC33-3.2.18-4, ACC33-2.7.3-1, DIR-2-05, DIR-4.2-03, OMP60-upd-1. */
void accd_rules_compile(const accd_rules *rules, struct accd_verdicts *to)
{
    const bool lenient = rules->part_present == ACCD_IGNORE, constructs = rules->counting != ACCD_COUNT_CLAUSES;
    *to = (struct accd_verdicts){
        .holes = rules->holes == ACCD_REJECT,
        .looks_closer = constructs || rules->holes == ACCD_REJECT || rules->extended_range,
        .ends_detach = rules->attach == ACCD_ATTACH_COUNTED && rules->end_detaches,
        .counts_attachments = rules->attach == ACCD_ATTACH_COUNTED,
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

/* Decides DIR-1-02, ACC33-2.7.2-1. */
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

/* Decides TR14-3.1.1-17, TR14-A.1-02, TR14-A.1-03. */
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
