/* rules.c - the rule profiles of accdeep_rules.def (one value for each knob), and their compilation into policy tables.
 * The scenarios spec/openacc/profiles.lua, spec/openacc/libgomp.lua and spec/language/knobs.lua show the effects of
 * each knob. */
#include "accdeep_rules.h"
#include "base/base.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Woverride-init" /* warns if a setting of a profile replaces the same setting of its base profile */
/* Rule profiles, made from the list accdeep_rules.def. */
static const accd_rules profiles[] = {
#define ACCD_SET(knob, value) .knob = (value),
#define ACCD_PROFILE(profile_name, document_set, settings) \
    {.name = (profile_name), .documents = (document_set), settings}, /* NOLINT: a list */
#include "accdeep_rules.def"
};
#pragma GCC diagnostic pop

/* Returns the profile called `name`; NULL if there is no such profile, or `name` is NULL. */
const accd_rules *accd_find_rules(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        if (name && !strcmp(profiles[i].name, name))
            return &profiles[i];
    return NULL;
}

/* Returns true if the rules have a name, and each knob has one of its values. */
bool accd__rules_are_valid(const accd_rules *rules)
{
    bool is_valid = rules->name;
#define ACCD_VALUE(enumerator, word, meaning) +1 /* NOLINT: added up */
#define ACCD_KNOB(knob, type, description, cited, values) \
    is_valid &= (unsigned)rules->knob < (unsigned)(0 values); /* NOLINT */
#include "accdeep_rules.def"
    return is_valid;
}

/* Returns true if the rules have no fusion, and make partial overlaps errors: the fast path, which executes constructs
 * without a plan, handles only such rules. */
bool accd__rules_allow_fast_path(const accd_rules *rules)
{
    return !rules->fusion && rules->partial_overlap == ACCD_OVERLAP_ERROR;
}

/* --------------------------------------------------------------------------------- policy -- */

/* Indices into accd__policy_entries. The first five are decisions, the others are rejections with their error. */
enum policy_entry {
    NO_DECISION,
    USE,
    SPLIT,
    FILL,
    SKIP, /* last of the five entries that equal ACCD_DECISION_NONE to ACCD_DECISION_SKIP */
    PRESENT,
    PARTIAL,
    PARTIAL_NAME_IT,
    PARTIALLY_MAPPED,
    MISSING_MEMBER,
    HOLES,
    EXCLUDED,
    ABSENT,
    ABSENT_BEFORE,
    PARTIAL_BEFORE,
    EXIT_ABSENT,
    EXIT_UNOWNED,
    UPDATE_ABSENT,
    PARTIAL_AT_END,
    SLOT_ABSENT,
    SLOT_TARGET_ABSENT,
    SLOT_NULL,
    UNATTACHED,
    REPOINTED,
    CHANGED
};

#define REJECT(status, rule, before, after)               \
    {                                                     \
        ACCD_DECISION_REJECT, status, rule, before, after \
    }
#define PART_PRESENT "only a part of " ACCD_NAME_PLACEHOLDER " is present on device"
#define NAME_THAT ": name that part, or use present_and_copyin or update_and_copy"
#define CHANGED_ATTACHED " was changed while it is attached"
#define NOT_PRESENT_ON ACCD_NAME_PLACEHOLDER " is not present on device"

/* Decisions with their errors, by enum policy_entry. The macros with texts, such as PART_PRESENT, are parts of
 * messages. */
const struct accd__policy_entry accd__policy_entries[] = {
    [NO_DECISION] = {.decision = ACCD_DECISION_NONE},
    [USE] = {.decision = ACCD_DECISION_USE},
    [SPLIT] = {.decision = ACCD_DECISION_SPLIT},
    [FILL] = {.decision = ACCD_DECISION_FILL},
    [SKIP] = {.decision = ACCD_DECISION_SKIP},
    [PRESENT] = REJECT(ACCD_ERROR_ALREADY_PRESENT, R_ALREADY_PRESENT,
                       ACCD_NAME_PLACEHOLDER " is present already, which", " allows only for present_or clauses"),
    [PARTIAL] = REJECT(ACCD_ERROR_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT, PART_PRESENT, ""),
    [PARTIAL_NAME_IT] = REJECT(ACCD_ERROR_PARTIAL_OVERLAP, R_OVERLAP_LEVELS, PART_PRESENT, NAME_THAT),
    [PARTIALLY_MAPPED] = REJECT(ACCD_ERROR_PARTIAL_OVERLAP, R_OVERLAP_LEVELS,
                                "only a part of " ACCD_NAME_PLACEHOLDER " was mapped to device", NAME_THAT),
    [MISSING_MEMBER] = REJECT(ACCD_ERROR_NOT_PRESENT, R_PARTIALLY_PRESENT, NOT_PRESENT_ON,
                              ", but other parts of what it belongs to are: map them together"),
    [HOLES] =
        REJECT(ACCD_ERROR_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
               "other parts of " ACCD_NAME_PLACEHOLDER " were left out when this object was mapped to device", ""),
    [EXCLUDED] = REJECT(ACCD_ERROR_NOT_PRESENT, R_NOT_PRESENT,
                        ACCD_NAME_PLACEHOLDER " was left out when this object was mapped to device", ""),
    [ABSENT] = REJECT(ACCD_ERROR_NOT_PRESENT, R_NOT_PRESENT, NOT_PRESENT_ON, ""),
    [ABSENT_BEFORE] =
        REJECT(ACCD_ERROR_NOT_PRESENT, R_NOT_PRESENT, NOT_PRESENT_ON, ", but must be there before the construct"),
    [PARTIAL_BEFORE] =
        REJECT(ACCD_ERROR_PARTIALLY_PRESENT, R_NOT_PRESENT, PART_PRESENT, ", but its clause asks for all of it"),
    [EXIT_ABSENT] = REJECT(ACCD_ERROR_NOT_PRESENT, R_EXIT_ABSENT, NOT_PRESENT_ON, ""),
    [EXIT_UNOWNED] = REJECT(ACCD_ERROR_NOT_PRESENT, R_UNOWNED, NOT_PRESENT_ON, ""),
    [UPDATE_ABSENT] = REJECT(ACCD_ERROR_NOT_PRESENT, R_UPDATE_ABSENT, NOT_PRESENT_ON, ""),
    [PARTIAL_AT_END] = {ACCD_DECISION_REJECT_NAMED, ACCD_ERROR_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT, PART_PRESENT,
                        " again"},
    [SLOT_ABSENT] = REJECT(ACCD_ERROR_NOT_PRESENT, R_ATTACH_ABSENT, "the pointer", " itself is not present on device"),
    [SLOT_TARGET_ABSENT] =
        REJECT(ACCD_ERROR_NOT_PRESENT, R_ATTACH_ABSENT, "what", " points to is not present on device"),
    [SLOT_NULL] =
        REJECT(ACCD_ERROR_NULL_POINTER, R_ATTACH_NULL, "", " is a null pointer, which is attached to nothing"),
    [UNATTACHED] = REJECT(ACCD_ERROR_NOT_ATTACHED, R_NOT_ATTACHED, "the pointer", " is not attached"),
    [REPOINTED] = REJECT(ACCD_ERROR_POINTER_CHANGED, R_POINTER_CHANGED, "the pointer", CHANGED_ATTACHED),
    [CHANGED] = REJECT(ACCD_ERROR_POINTER_CHANGED, R_STRUCTURE_FIXED, "the pointer", CHANGED_ATTACHED),
};

/* Fills to->slot, which is all 0 (NO_DECISION) before, with the decisions of `rules` about pointers that clauses attach
 * or detach. */
static void compile_slot_policy(const accd_rules *rules, struct accd__policy *to)
{
    const bool rejects_implied = rules->attach_implied == ACCD_CHOICE_REJECT,
               rejects_unattached = rules->detach_unattached == ACCD_CHOICE_REJECT;
    for (int owner = 0; owner < ACCD_SLOT_OWNER_COUNT; owner++) {
        uint8_t *slot = to->slot[owner];
        if (owner == ACCD_SLOT_OWNER_ATTACH ? rules->attach_absent == ACCD_CHOICE_REJECT : rejects_implied) {
            slot[ACCD_SLOT_ABSENT] = SLOT_ABSENT;
            slot[ACCD_SLOT_TARGET_ABSENT] = SLOT_TARGET_ABSENT;
        }
        if (rules->attach_null == ACCD_CHOICE_REJECT && (owner == ACCD_SLOT_OWNER_ATTACH || rejects_implied))
            slot[ACCD_SLOT_NULL] = SLOT_NULL;
        slot[ACCD_SLOT_UNATTACHED] =
            rejects_unattached && (owner != ACCD_SLOT_OWNER_ITEM || rejects_implied) ? UNATTACHED : NO_DECISION;
        slot[ACCD_SLOT_DETACHED] = rejects_unattached ? UNATTACHED : NO_DECISION;
        slot[ACCD_SLOT_REPOINTED] = rules->pointer_changed == ACCD_CHOICE_REJECT ? REPOINTED : NO_DECISION;
        slot[ACCD_SLOT_CHANGED] = rules->pointer_changed == ACCD_CHOICE_REJECT ? CHANGED : NO_DECISION;
    }
}

/* Default decision for each demand and look-up result; accd__policy_compile replaces those that depend on a knob. */
static const uint8_t default_presence[ACCD_DEMAND_COUNT][ACCD_LOOKUP_COUNT] = {
    /* The columns are in the order of enum accd__lookup_result: absent, object, excluded, holes, unnamed, named part,
     * tuple, objects, partial. */
    [ACCD_DEMAND_NEW] = {NO_DECISION, USE, MISSING_MEMBER, HOLES, FILL, PARTIALLY_MAPPED, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_DATA] = {NO_DECISION, USE, MISSING_MEMBER, HOLES, FILL, PARTIALLY_MAPPED, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_ABSENT_PART] = {NO_DECISION, USE, MISSING_MEMBER, HOLES, FILL, FILL, SPLIT, SPLIT, SPLIT},
    [ACCD_DEMAND_PRESENT_PART] = {NO_DECISION, USE, MISSING_MEMBER, USE, USE, USE, SPLIT, SPLIT, SPLIT},
    [ACCD_DEMAND_PRESENT] = {NO_DECISION, USE, EXCLUDED, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_NO_CREATE] = {NO_DECISION, USE, SKIP, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_PRESENT_BEFORE] = {ABSENT_BEFORE, NO_DECISION, ABSENT_BEFORE, HOLES, NO_DECISION, NO_DECISION,
                                    NO_DECISION, PARTIAL_BEFORE, PARTIAL_BEFORE},
    [ACCD_DEMAND_EXIT] = {SKIP, USE, SKIP, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_EXIT_IF_PRESENT] = {SKIP, USE, SKIP, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_UPDATE] = {UPDATE_ABSENT, USE, UPDATE_ABSENT, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_UPDATE_IF_PRESENT] = {SKIP, USE, SKIP, HOLES, USE, USE, SPLIT, PARTIAL, PARTIAL},
    [ACCD_DEMAND_REGION_END] = {NO_DECISION, USE, NO_DECISION, HOLES, USE, USE, PARTIAL_AT_END, PARTIAL_AT_END,
                                PARTIAL_AT_END},
    [ACCD_DEMAND_ABANDON] = {NO_DECISION, USE, USE, USE, USE, USE, NO_DECISION, NO_DECISION, NO_DECISION},
};

/* Fills the policy *to with the decisions of `rules`, which must be valid. Decides ACC20-2.6-1, TR14-4.3-05,
 * ACC33-3.2.18-4, ACC33-2.7.3-1, DIR-2-05, DIR-4.2-03, OMP60-upd-1. */
void accd__policy_compile(const accd_rules *rules, struct accd__policy *to)
{
    assert(accd__rules_are_valid(rules));
    const bool ignores_partial = rules->part_present == ACCD_CHOICE_IGNORE,
               constructs = rules->counting != ACCD_COUNT_CLAUSES;
    *to = (struct accd__policy){
        .holes = rules->holes == ACCD_CHOICE_REJECT,
        .needs_openmp_checks = constructs || rules->holes == ACCD_CHOICE_REJECT || rules->extended_range,
        .region_end_detaches = rules->attach == ACCD_ATTACH_POLICY_COUNTED && rules->end_detaches,
        .counts_attachments = rules->attach == ACCD_ATTACH_POLICY_COUNTED,
        .exit_needs_enter_data = rules->fusion && rules->exit_unowned == ACCD_CHOICE_REJECT,
        .copies_then_restores = rules->update == ACCD_UPDATE_METHOD_REVERSE && rules->attached == ACCD_ATTACHED_KEPT,
        .allocated = rules->fusion ? R_MEMORY : R_ALLOCATE,
        .sent = rules->fusion ? R_SEND : R_MOVE,
        .fetched = rules->fusion ? R_FETCH : R_LEAVE,
    };
    /* A group, one record for many sections (table/group.h), is not used if each object needs a mark or counter of its
     * own. If the knob detach_final is `ignore`, and attachments are counted, each object that contains pointers needs
     * a mark. If constructs count references, exit data may remove a reference to a single section of a region. */
    to->groups[ACCD_KIND_ENTER_DATA] = rules->detach_final == ACCD_CHOICE_REJECT || !to->counts_attachments;
    to->groups[ACCD_KIND_REGION] = to->groups[ACCD_KIND_COMPUTE] = to->groups[ACCD_KIND_ENTER_DATA] && !constructs;
    compile_slot_policy(rules, to);
    for (int demand = 0; demand < ACCD_DEMAND_COUNT; demand++) {
        const bool splits = demand <= ACCD_DEMAND_DATA && rules->partial_overlap != ACCD_OVERLAP_ERROR;
        const bool again = demand == ACCD_DEMAND_REGION_END;
        uint8_t *all = to->presence[demand][0], *plain = to->presence[demand][1];
        memcpy(all, default_presence[splits ? (int)ACCD_DEMAND_ABSENT_PART : demand], sizeof default_presence[demand]);
        if (rules->fusion) { /* a range in several objects is then treated like a range in one tuple */
            all[ACCD_LOOKUP_OBJECTS] = all[ACCD_LOOKUP_TUPLE];
            if (demand <= ACCD_DEMAND_DATA && !splits)
                all[ACCD_LOOKUP_PARTIAL] = PARTIAL_NAME_IT;
        }
        if (demand == ACCD_DEMAND_NEW && rules->again == ACCD_CHOICE_REJECT)
            all[ACCD_LOOKUP_OBJECT] = PRESENT;
        if (demand == ACCD_DEMAND_EXIT && rules->exit_absent == ACCD_CHOICE_REJECT)
            all[ACCD_LOOKUP_ABSENT] = all[ACCD_LOOKUP_EXCLUDED] =
                to->exit_needs_enter_data ? EXIT_UNOWNED : EXIT_ABSENT;
        memcpy(plain, all, sizeof default_presence[demand]);
        if (!ignores_partial ||
            !(demand == ACCD_DEMAND_NO_CREATE ||
              (constructs && (again || demand == ACCD_DEMAND_UPDATE || demand == ACCD_DEMAND_UPDATE_IF_PRESENT))))
            continue; /* the rest of the loop only serves requests for which partially present data count as absent
                         (OMP60-upd-1) */
        plain[ACCD_LOOKUP_HOLES] = plain[ACCD_LOOKUP_EXCLUDED];
        for (int result = ACCD_LOOKUP_TUPLE; result <= ACCD_LOOKUP_PARTIAL; result++)
            if (accd__policy_entries[plain[result]].decision >= ACCD_DECISION_REJECT)
                plain[result] = again ? NO_DECISION : SKIP;
    }
}

/* ------------------------------------------------------------------------------------ ids -- */

/* Ids of each rule, by enum accd__rule: the rows of ACCD_RULE_MAP. */
static const char *const ids[R_RULES][ACCD_RULE_IDS] = {[R_NONE] = {""},
#define X(name, ...) [R_##name] = {__VA_ARGS__},
                                                        ACCD_RULE_MAP(X)
#undef X
};

/* Returns the rule id in column `place` of row `row` of ACCD_RULE_MAP, both counted from 0; NULL if there is none. */
const char *accd_get_rule_id(unsigned row, unsigned place)
{
    return row < R_RULES - 1 && place < ACCD_RULE_IDS ? ids[row + 1][place] : NULL;
}

/* Returns the id of `rule` in the first document of the profile `rules` that has the rule. If none of its documents has
 * the rule, returns the first id in the rule's row of ACCD_RULE_MAP. */
const char *accd__rule_id(const accd_rules *rules, enum accd__rule rule)
{
    assert(rule < R_RULES);
    for (const char *document = rules->documents; document && *document;) {
        size_t length = strcspn(document, " ");
        for (size_t i = 0; i < ACCD_RULE_IDS && ids[rule][i]; i++)
            if (!strncmp(ids[rule][i], document, length) && ids[rule][i][length] == '-')
                return ids[rule][i];
        document += length + (document[length] == ' ');
    }
    return ids[rule][0];
}

/* Properties of each accd_action; an action that is not listed has none. Decides DIR-1-02, ACC33-2.7.2-1. */
const struct accd__action_traits accd__traits_of_action[ACCD_ACTION_COUNT] = {
    [ACCD_ACTION_COPY] = {.entry = true, .plain = true, .creates = true, .in = true, .out = true},
    [ACCD_ACTION_COPYIN] = {.entry = true, .plain = true, .creates = true, .in = true},
    [ACCD_ACTION_COPYOUT] = {.entry = true, .plain = true, .creates = true, .out = true},
    [ACCD_ACTION_CREATE] = {.entry = true, .plain = true, .creates = true},
    [ACCD_ACTION_HOLD] = {.entry = true, .plain = true, .creates = true},
    [ACCD_ACTION_NO_CREATE] = {.entry = true, .plain = true},
    [ACCD_ACTION_PRESENT] = {.entry = true, .plain = true, .requires_present = true},
    [ACCD_ACTION_ATTACH] = {.entry = true},
    [ACCD_ACTION_UPDATE_SELF] = {.out = true},
    [ACCD_ACTION_UPDATE_DEVICE] = {.in = true},
};

/* Returns the action of a member: `own` or, if that is ACCD_ACTION_INHERIT, `enclosing`, the action of the element that
 * contains the member. `init`: the clause has init_needed, which adds the copy to the device. Decides TR14-3.1.1-17,
 * TR14-A.1-02, TR14-A.1-03. */
uint8_t accd__effective_action(uint8_t own, bool init, uint8_t enclosing)
{
    uint8_t action = own == ACCD_ACTION_INHERIT ? enclosing : own;
    if (!init)
        return action;
    /* TR14-3.1.1-17: create and hold act as copyin, copyout as copy */
    if (action == ACCD_ACTION_CREATE || action == ACCD_ACTION_HOLD)
        return ACCD_ACTION_COPYIN;
    return action == ACCD_ACTION_COPYOUT ? ACCD_ACTION_COPY : action;
}
