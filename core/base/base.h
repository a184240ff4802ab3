/* base.h - the lowest layer: memory, ordered indices, sorting, threads, registered host memory, rules, errors, and
 * the context that all calls of one caller share.
 *
 * This layer uses neither devices nor tables: their structures are only declared here, because a context points to
 * them. */
#ifndef ACCD_BASE_H
#define ACCD_BASE_H

#include "accdeep_constructs.h"
#include "accdeep_internal.h"
#include "base/arena.h"
#include "base/btree.h"
#include "base/interval_tree.h"
#include "base/mem.h"
#include "base/rules.h"
#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct accd__device;
struct accd__device_env;

/* Evaluates an expression of type accd_status; if the value is not ACCD_OK, returns it from the calling function. */
#define ACCD_TRY(expression)             \
    do {                                 \
        accd_status try_ = (expression); \
        if (try_ != ACCD_OK)             \
            return try_;                 \
    } while (0)

/* Sets `array` to scratch space for n elements, with undefined contents, while planning. Without memory, records and
 * returns ACCD_ERROR_OUT_OF_MEMORY from the calling function. */
#define ACCD_SCRATCH_ALLOC(context, array, n)                                      \
    do {                                                                           \
        (array) = accd__scratch_alloc(&(context)->scratch, (n) * sizeof *(array)); \
        if (!(array))                                                              \
            return accd__report_plan_out_of_memory(context);                       \
    } while (0)

/* Appends an element to a list (ACCD_SCRATCH_LIST) while planning. Without memory, records and returns
 * ACCD_ERROR_OUT_OF_MEMORY from the calling function. */
#define ACCD_SCRATCH_APPEND(context, list, ...)                                                                \
    do {                                                                                                       \
        if (!accd__scratch_grow_array(&(context)->scratch, (void **)&(list)->at, (list)->n, &(list)->capacity, \
                                      sizeof *(list)->at))                                                     \
            return accd__report_plan_out_of_memory(context);                                                   \
        (list)->at[(list)->n] = (__VA_ARGS__);                                                                 \
        (list)->n++;                                                                                           \
    } while (0)

#define ACCD_PREFETCH_AHEAD 48 /* distance of a prefetch, in rows of a column */

/* Returns a pointer as an address. */
static inline uint64_t accd__address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Returns an address as a pointer. */
static inline void *accd__pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Returns `bytes`, rounded up to a multiple of 16, the unit of distances between objects in a device block. */
static inline uint64_t accd__padded(uint64_t bytes)
{
    return (bytes + 15) & ~(uint64_t)15;
}

/* Returns the value of the host pointer at address `slot`, which must be readable. */
static inline uint64_t accd__load_pointer(uint64_t slot)
{
    uint64_t value;
    memcpy(&value, accd__pointer(slot), sizeof value);
    return value;
}

/* Properties of an action; the table accd__traits_of_action has them for each accd_action. */
struct accd__action_traits {
    bool entry;            /* true if the action takes part in entry constructs; false: in exits and updates only */
    bool plain;            /* true for entry actions that request data, that is, all except attach */
    bool creates;          /* true if absent objects become present */
    bool requires_present; /* true if absent objects are an error */
    bool in, out; /* true if the action copies to the device at creation, and to the host at removal; or in an update */
};

extern const struct accd__action_traits accd__traits_of_action[ACCD_ACTION_COUNT];

/* Registered host memory of a context (accd_host_register). */
struct accd__host_registry {
    struct accd__btree ranges; /* records of type accd__host_block, by start */
    struct accd__pool pool;    /* memory of these records */
    uint64_t host_frees;       /* number of times that a range ceased to be live */
    uint64_t added;            /* number of ranges that were registered */
};

/* Registered range of host memory. */
struct accd__host_block {
    uint64_t start, bytes;
    const accd_label *label;
    /* State of accd_host_set_state: 1: usable; 0: freed, but remembered for errors. */
    int live;
    uint64_t serial; /* number of the range in the order of registrations */
};

struct accd__workers;
struct accd__device_env;

/* Executes a simple construct on its fast path, with the status in *status_p. Returns false, with nothing changed, if
 * the fast path does not apply. */
typedef bool accd__fast_path_fn(struct accd__device_env *env, const accd_construct *construct, accd_region **region_p,
                                accd_status *status_p);

/* Data that restoring a checkpoint leaves unchanged: labels and programs, to which prepared constructs refer. */
struct accd__persistent {
    struct accd__mem *mem; /* memory of the context; with checkpoints the separate memory `own` */
    /* Memory in side_arena; used with checkpoints only. */
    struct accd__mem own;
    struct accd__arena *arena; /* arena that contains the context; NULL: a context without checkpoints */
    /* Arena that contains this structure, labels and programs; NULL: a context without checkpoints. */
    struct accd__arena *side_arena;
    struct accd__checkpoint_memory *spare; /* list of blocks of freed checkpoints, for later ones */
    accd_label **labels;                   /* labels (names of objects) by id */
    size_t nlabels, labels_capacity;
    uint32_t *label_slots;       /* hash table of label numbers + 1; 0: a free slot */
    size_t label_slots_capacity; /* capacity is 0 or a power of two */
    bool layouts;                /* true if some label has a layout */
};

struct accd_context {
    struct accd__mem mem;
    struct accd__persistent *persistent, persistent_inline; /* persistent_inline is used without checkpoints */
    accd_context_config config;
    accd_rules rules;
    struct accd__policy policy; /* tables compiled from the rules */
    accd_error error;
    char check_message[400]; /* sentence of accd__check_invariants */
    struct accd__scratch scratch;
    unsigned muted_ops, unnamed_ops;       /* bits 1 << op of operations without events; with nameless events */
    accd__fast_path_fn *const *fast_paths; /* fast paths by kind of construct, selected by the rules */
    bool layouts;                          /* true if some label has a layout, so that objects may have holes */
    bool runs_queue; /* true while a queue runs: its functions may access device memory, but run no constructs
                      */
    bool busy;       /* true while a construct is under way: callbacks may only inspect the context. Not a bit of a word
                        of flags, because a load of that word just after a write of one byte would stall */
    struct accd__host_registry host;
    struct accd__workers *workers;
    struct accd__device *devices; /* list of the devices in `envs` */
    struct accd__device_env *envs;
    int nenvs;
    struct accd__interval *host_users[2]; /* trees of the host memory of asynchronous tasks: [0] of tasks that send, [1]
                                             of tasks that fetch */
    struct accd__pending_query { /* query for the tasks after which a construct is not ordered (queue/tasks.c) */
        uint64_t number;
        /* Queue of the construct, whose tasks up to number `submitted` precede it; NULL: no queue. */
        struct accd__queue *queue;
        uint64_t submitted;
        bool marked; /* true if the tasks of other queues that these tasks have waited for are marked, too */
    } pending_query;
};

/* ----------------------------------------------------------------------------------- error.c -- */

/* Sets the last error, with the id of a rule and a formatted message of at most 399 bytes, and returns `status`. The
 * arguments may point into the previous error. */
accd_status accd__set_error(accd_context *context, accd_status status, enum accd__rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Placeholder in the message of an error, for which accd__insert_object_name substitutes the name of the object that
 * the construct requests. */
#define ACCD_NAME_PLACEHOLDER "\1"
/* Substitutes error.asked.name, or "the data" if it is empty, for the placeholder in the message of the last error, and
 * sets `named`. Does nothing if the message has no placeholder. Returns the error's status. */
accd_status accd__insert_object_name(accd_context *context);
/* Returns ACCD_ERROR_MISUSE, with a message, while a construct is under way; otherwise ACCD_OK. */
accd_status accd__check_not_busy(accd_context *context);
/* Returns ACCD_ERROR_MISUSE for an argument that is a null pointer, and sets the last error, unless `context` is NULL.
 * call, argument: names of the function and of its parameter. */
accd_status accd__report_missing_argument(accd_context *context, const char *call, const char *argument);
/* Sets the last error to "no memory" and the purpose `purpose` ("for a queue"); returns ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_out_of_memory(accd_context *context, const char *purpose);
/* Sets the last error to "no memory to plan a construct"; returns ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_plan_out_of_memory(accd_context *context);

/* ---------------------------------------------------------------------------------- status.c -- */

/* Returns the name of a construct, or, if it has none, that of its kind, such as "data region". */
const char *accd__construct_name(const accd_construct *construct);

/* ----------------------------------------------------------------------------------- rules.c -- */

/* Returns the action of a member: `own`, or that of the element that contains it (`enclosing`) if `own` is
 * ACCD_ACTION_INHERIT. init (init_needed) turns create into copyin, and copyout into copy. */
uint8_t accd__effective_action(uint8_t own, bool init, uint8_t enclosing);
/* Returns true if the rules have a name, and all knobs have values that exist. */
bool accd__rules_are_valid(const accd_rules *rules);
/* Returns true if the rules allow the fast path: no fusion, and partial overlaps are errors. Simple constructs then
 * need only presence and counters. */
bool accd__rules_allow_fast_path(const accd_rules *rules);
/* Compiles valid rules into the tables of *policy. */
void accd__policy_compile(const accd_rules *rules, struct accd__policy *policy);
/* Returns the id of a rule in the first document of the profile that has the rule. Returns the first id in the rule's
 * row of ACCD_RULE_MAP if no document of the profile has it. */
const char *accd__rule_id(const accd_rules *rules, enum accd__rule rule);

/* ----------------------------------------------------------------------------- host_memory.c -- */

/* Makes an empty registry. */
void accd__host_registry_init(struct accd__host_registry *host, struct accd__mem *mem);
/* Removes all ranges and frees their memory. */
void accd__host_registry_clear(struct accd__host_registry *host);
/* Returns the registered range, live or freed, that contains an address, or NULL. */
struct accd__host_block *accd__host_block_at(accd_context *context, uint64_t address);
/* Returns true if [start, start + bytes) lies in one live registered range. */
bool accd__is_live_host_range(accd_context *context, uint64_t start, uint64_t bytes);
/* Returns true if host memory may be read: any memory without config.check_host, and with it only live registered
 * ranges. */
bool accd__is_host_accessible(accd_context *context, uint64_t start, uint64_t bytes);

/* --------------------------------------------------------------------------------- workers.c -- */

/* Stops and joins all threads, and frees the structure; NULL does nothing. */
void accd__workers_free(struct accd__workers *workers);
/* Runs work(arg, part) for part 0 .. parts - 1 on the caller's thread and those of `workers` (NULL: none), in any
 * order. Returns when all parts are done. */
void accd__workers_run(struct accd__workers *workers, void (*work)(void *arg, unsigned part), void *arg,
                       unsigned parts);
/* Returns the number of parts into which a job of `rows` rows is cut; 1 for small jobs, or without further threads.
 * Starts the threads at the first large job. */
unsigned accd__choose_part_count(accd_context *context, size_t rows);

/* Returns ACCD_ERROR_MISUSE, with a message, from the calling API function if an argument is 0 or NULL. */
#define ACCD_REQUIRE_ARGUMENT(context, argument)                                  \
    do {                                                                          \
        if (!(argument))                                                          \
            return accd__report_missing_argument((context), __func__, #argument); \
    } while (0)

#endif
