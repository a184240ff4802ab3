/* base.h - the ground floor: memory, ordered indices, sorting, threads, known host memory, rules and their ids, the
 * context that all of one caller's calls have in common, and its last error. It knows of no device and no table:
 * what the floors above keep in a context is a name here. */
#ifndef ACCD_BASE_H
#define ACCD_BASE_H

#include "accdeep_core.h"
#include "base/arena.h"
#include "base/btree.h"
#include "base/mem.h"
#include "base/rules.h"
#include "base/sort.h"
#include "base/interval_tree.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct accd__device;
struct accd__device_env;

#define ACCD_TRY(expression)             \
    do {                                 \
        accd_status try_ = (expression); \
        if (try_ != ACCD_OK)             \
            return try_;                 \
    } while (0)

/* Scratch space for n elements of an array, for a call that plans; or the call fails. */
#define ACCD_SCRATCH_ALLOC(context, array, n)                                      \
    do {                                                                           \
        (array) = accd__scratch_alloc(&(context)->scratch, (n) * sizeof *(array)); \
        if (!(array))                                                              \
            return accd__report_plan_out_of_memory(context);                       \
    } while (0)

/* One element more in a list in scratch space, for a call that plans; or the call fails. */
#define ACCD_SCRATCH_APPEND(context, list, ...)                                                                \
    do {                                                                                                       \
        if (!accd__scratch_grow_array(&(context)->scratch, (void **)&(list)->at, (list)->n, &(list)->capacity, \
                                      sizeof *(list)->at))                                                     \
            return accd__report_plan_out_of_memory(context);                                                   \
        (list)->at[(list)->n] = (__VA_ARGS__);                                                                 \
        (list)->n++;                                                                                           \
    } while (0)

#define ACCD_PREFETCH_AHEAD 48 /* rows of a column */

static inline uint64_t accd__address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static inline void *accd__pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Device blocks keep objects apart at this step. */
static inline uint64_t accd__padded(uint64_t bytes)
{
    return (bytes + 15) & ~(uint64_t)15;
}

static inline uint64_t accd__load_pointer(uint64_t slot)
{
    uint64_t value;
    memcpy(&value, accd__pointer(slot), sizeof value);
    return value;
}

/* What an action asks for. */
struct accd__action_traits {
    bool entry;            /* takes part in entry constructs, otherwise only in exits */
    bool plain;            /* the same, and asks for data */
    bool creates;          /* makes absent objects present */
    bool requires_present; /* absent ones are an error */
    bool in, out;          /* sends on creation, fetches on removal */
};

extern const struct accd__action_traits accd__traits_of_action[ACCD_ACTION_COUNT];

struct accd__host_registry {
    struct accd__btree ranges;
    struct accd__pool pool;
    uint64_t host_frees; /* how often a range ceased to be live */
    uint64_t added;      /* how many ranges were registered */
};

struct accd__host_block {
    uint64_t start, bytes;
    const accd_label *label;
    int live;
    uint64_t serial; /* of its registration */
};

struct accd__workers;
struct accd__device_env;

/* A short way of plain constructs. False: it is not theirs, and nothing has happened. */
typedef bool accd__fast_path_fn(struct accd__device_env *env, const accd_construct *construct, accd_region **region_p,
                                accd_status *status_p);

/* What a checkpoint that is restored leaves as it is: labels and programs, which prepared constructs name. */
struct accd__persistent {
    struct accd__mem *mem; /* the context's or, with checkpoints, its own */
    struct accd__mem own;
    struct accd__arena *arena;             /* with checkpoints: in which the context lies; NULL: without */
    struct accd__arena *side_arena;        /* ... and in which this lies, with labels and programs */
    struct accd__checkpoint_memory *spare; /* memory of checkpoints that were freed, linked */
    accd_label **labels;
    size_t nlabels, labels_capacity;
    uint32_t *label_slots;       /* a hash table: numbers of labels and one, 0: none */
    size_t label_slots_capacity; /* 0 or a power of two */
    bool layouts;                /* labels have some */
};

struct accd_context {
    struct accd__mem mem;
    struct accd__persistent *persistent, persistent_inline; /* the second one without checkpoints */
    accd_context_config config;
    accd_rules rules;
    struct accd__policy policy; /* of the rules */
    accd_error error;
    char check_message[400]; /* what accd_check_invariants found */
    struct accd__scratch scratch;
    unsigned muted_ops, unnamed_ops; /* operations that the listener does not hear of, or without names: 1 << op */
    accd__fast_path_fn *const *fast_paths; /* of plain constructs, by kind: as the rules have it */
    bool layouts;                          /* labels have some: an object may have holes */
    bool runs_queue; /* a queue works: what it calls may touch device memory, but ask for no construct */
    bool busy;       /* a construct is under way: what it calls may look, but not change. It stands apart: one load of
                        several flags would wait for the byte that was written last */
    struct accd__host_registry host;
    struct accd__workers *workers;
    struct accd__device *devices; /* of the directories */
    struct accd__device_env *envs;
    int nenvs;
    struct accd__interval
        *host_users[2];          /* host memory of tasks that run by themselves: of those that send, that fetch */
    struct accd__pending_query { /* for tasks that a construct does not come behind */
        uint64_t number;
        struct accd__queue *queue; /* it comes behind this one, up to a task, or NULL */
        uint64_t submitted;
        bool marked; /* what that one comes behind itself is marked */
    } pending_query;
};

/* ----------------------------------------------------------------------------------- error.c -- */

accd_status accd__set_error(accd_context *context, accd_status status, enum accd__rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* In the message of an error: here accd__insert_object_name puts the name of the object that the construct asked for.
 */
#define ACCD_NAME_PLACEHOLDER "\1"
/* To be called when error.asked is known. Returns the error's status. */
accd_status accd__insert_object_name(accd_context *context);
/* ACCD_ERROR_MISUSE while a construct is under way. */
accd_status accd__check_not_busy(accd_context *context);
/* ACCD_ERROR_MISUSE: an argument of a call is a null pointer. */
accd_status accd__report_missing_argument(accd_context *context, const char *call, const char *argument);
/* ACCD_ERROR_OUT_OF_MEMORY: "no memory", and what for ("for a queue"). */
accd_status accd__report_out_of_memory(accd_context *context, const char *what);
/* The same for what is planned in scratch space. */
accd_status accd__report_plan_out_of_memory(accd_context *context);

/* ---------------------------------------------------------------------------------- status.c -- */

/* What a construct is called. */
const char *accd__construct_name(const accd_construct *construct);

/* ----------------------------------------------------------------------------------- rules.c -- */

/* The action of a member, given that of the element around it. */
uint8_t accd__effective_action(uint8_t own, bool init, uint8_t around);
/* Whether all its choices are among those there are. */
bool accd__rules_are_valid(const accd_rules *rules);
/* Whether rules leave plain constructs nothing to decide but presence and counters. */
bool accd__rules_allow_fast_path(const accd_rules *rules);
/* What rules say, as tables. */
void accd__policy_compile(const accd_rules *rules, struct accd__policy *policy);
/* The id that a profile tells a rule by. */
const char *accd__rule_id(const accd_rules *rules, enum accd__rule rule);

/* ----------------------------------------------------------------------------------- known.c -- */

void accd__host_registry_init(struct accd__host_registry *host, struct accd__mem *mem);
void accd__host_registry_clear(struct accd__host_registry *host);
/* The known range around an address, or NULL. */
struct accd__host_block *accd__host_block_at(accd_context *context, uint64_t address);
/* Whether [start, start + bytes) lies in one live known range. */
bool accd__is_live_host_range(accd_context *context, uint64_t start, uint64_t bytes);
/* Whether the host's memory may be touched: always, unless it has to be known. */
bool accd__is_host_accessible(accd_context *context, uint64_t start, uint64_t bytes);

/* --------------------------------------------------------------------------------- workers.c -- */

void accd__workers_free(struct accd__workers *workers);
/* Runs work(arg, part) for part 0 .. parts-1, on several threads if there are any. */
void accd__workers_run(struct accd__workers *workers, void (*work)(void *arg, unsigned part), void *arg,
                       unsigned parts);
/* How many parts a job over so many rows should have. */
unsigned accd__choose_part_count(accd_context *context, size_t rows);

#define ACCD_REQUIRE_ARGUMENT(context, argument)                                  \
    do {                                                                          \
        if (!(argument))                                                          \
            return accd__report_missing_argument((context), __func__, #argument); \
    } while (0)

#endif
