/* base.h - the lowest layer: memory, ordered indices, sorting, threads, registered host memory, rules, errors, and
 * struct accd_context, which every call of the API gets.
 *
 * This layer uses neither devices nor present tables: their structures are only declared here, because a context
 * points to them. */
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

/* Sets `array` to space for n elements, with undefined contents, in the scratch space of `context`. That space is freed
 * at the end of the construct. Without memory, sets the last error and returns ACCD_ERROR_OUT_OF_MEMORY from the
 * calling function. */
#define ACCD_SCRATCH_ALLOC(context, array, n)                                      \
    do {                                                                           \
        (array) = accd__scratch_alloc(&(context)->scratch, (n) * sizeof *(array)); \
        if (!(array))                                                              \
            return accd__report_plan_out_of_memory(context);                       \
    } while (0)

/* Appends the element `...` to `list`, an ACCD_SCRATCH_LIST in the scratch space of `context`. Without memory, sets the
 * last error and returns ACCD_ERROR_OUT_OF_MEMORY from the calling function. */
#define ACCD_SCRATCH_APPEND(context, list, ...)                                                                \
    do {                                                                                                       \
        if (!accd__scratch_grow_array(&(context)->scratch, (void **)&(list)->at, (list)->n, &(list)->capacity, \
                                      sizeof *(list)->at))                                                     \
            return accd__report_plan_out_of_memory(context);                                                   \
        (list)->at[(list)->n] = (__VA_ARGS__);                                                                 \
        (list)->n++;                                                                                           \
    } while (0)

/* Loops over an array of addresses prefetch the data of the element that is so many places after the current one. */
#define ACCD_PREFETCH_AHEAD 48

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

/* Returns `bytes`, rounded up to a multiple of 16. Objects that share one block of device memory begin at multiples of
 * 16 in the block. */
static inline uint64_t accd__padded(uint64_t bytes)
{
    return (bytes + 15) & ~(uint64_t)15;
}

/* Reads the 8-byte pointer that is stored at host address `slot`, which must be readable, and returns its value. */
static inline uint64_t accd__load_pointer(uint64_t slot)
{
    uint64_t value;
    memcpy(&value, accd__pointer(slot), sizeof value);
    return value;
}

/* Properties of an action (copy, attach, update self and so on). accd__traits_of_action[action] has those of each
 * accd_action. */
struct accd__action_traits {
    bool entry;            /* true if the action occurs in entry constructs; false: in exit data and update only */
    bool plain;            /* true for the entry actions that look data up or map them: all except attach */
    bool creates;          /* true if absent objects become present */
    bool requires_present; /* true if absent objects are an error */
    /* The flag `in`: the action copies to the device, when an object is created or in an update. The flag `out`: it
     * copies to the host, when the object is removed or in an update. */
    bool in, out;
};

extern const struct accd__action_traits accd__traits_of_action[ACCD_ACTION_COUNT];

/* Registered host memory of a context (accd_host_register). */
struct accd__host_registry {
    struct accd__btree ranges; /* records of type accd__host_block, by start */
    struct accd__pool pool;    /* memory of these records */
    uint64_t host_frees;       /* number of calls that set a range to freed, or forgot a range */
    uint64_t added;            /* number of registrations; registering a live range again does not count */
};

/* Registered range of host memory: [start, start + bytes), named by `label`. */
struct accd__host_block {
    uint64_t start, bytes;
    const accd_label *label;
    /* State that accd_host_set_state sets. 1: usable; 0: freed, but remembered for the messages of errors. */
    int live;
    uint64_t serial; /* value of accd__host_registry.added when the range was registered: gives ranges an order */
};

struct accd__workers;
struct accd__device_env;

/* Function that executes a simple construct on its fast path: without a plan, on the device of `env`. It sets *status_p
 * to the status of the construct, and *region_p to the region that the construct opens. It returns false, with nothing
 * changed, if the fast path cannot execute this construct. */
typedef bool accd__fast_path_fn(struct accd__device_env *env, const accd_construct *construct, accd_region **region_p,
                                accd_status *status_p);

/* Data that restoring a checkpoint leaves unchanged: labels (names of data) and mapping programs. The caller's
 * constructs have pointers to them. */
struct accd__persistent {
    struct accd__mem *mem; /* memory for these data: that of the context or, with checkpoints, `own` below */
    /* Memory whose blocks are in side_arena; used with checkpoints only. */
    struct accd__mem own;
    struct accd__arena *arena; /* arena that contains the context; NULL: a context without checkpoints */
    /* Arena that contains this structure, labels and programs; NULL: a context without checkpoints. */
    struct accd__arena *side_arena;
    struct accd__checkpoint_memory *spare; /* list: memory of freed checkpoints, for later checkpoints */
    accd_label **labels;                   /* array of all labels; index: accd_label.id */
    size_t nlabels, labels_capacity;       /* used and allocated elements of `labels` */
    uint32_t *label_slots;       /* hash table that finds equal labels. A slot has a label's id + 1; 0: a free slot */
    size_t label_slots_capacity; /* number of slots: 0 or a power of two */
    bool layouts;                /* true if some label has a layout (the members of an element) */
    uint64_t visits;             /* number of programs made so far: the last value of accd_program.visit */
};

struct accd_context {
    struct accd__mem mem;
    struct accd__persistent *persistent, persistent_inline; /* `persistent` points to persistent_inline, or
                                                                 with checkpoints into a separate arena */
    accd_context_config config;
    accd_rules rules;
    struct accd__policy policy; /* tables compiled from the rules */
    accd_error error;
    char check_message[400]; /* text of the violation that accd__check_invariants found last */
    struct accd__scratch scratch;
    /* muted_ops: bit 1 << op is set if the observer gets no events of operation `op`. unnamed_ops: bit 1 << op is set
     * if events of operation `op` have no names of data. */
    unsigned muted_ops, unnamed_ops;
    accd__fast_path_fn *const *fast_paths; /* fast paths by accd_construct_kind; without the fast path in the rules,
                                              functions that return false */
    bool layouts;                          /* true if some label has a layout: an object may then have holes (bytes
                                              that its clause excluded) */
    /* accd__queue_set_captures: which bytes queued copies to the device read at the construct; NULL: none */
    int (*captures)(uint64_t host, uint64_t bytes);
    bool runs_queue; /* true while a queue runs its work. Host functions in the queue may then access device memory,
                      but run no constructs */
    bool busy;       /* true while a construct is under way: callbacks may only inspect the context. Not a bit of a word
                        of flags, because a load of that word just after a write of one byte would stall */
    struct accd__host_registry host;
    struct accd__workers *workers;
    struct accd__device *devices;  /* linked list of the devices that `envs` use */
    struct accd__device_env *envs; /* present table and state of each device of the context, by device number */
    int nenvs;
    struct accd__interval *host_users[2]; /* interval trees of the host memory that pending tasks of queues use. [0]:
                                            tasks that copy to the device; [1]: tasks that copy to the host */
    struct accd__pending_query { /* query: which pending tasks are not ordered before a construct? (queue/tasks.c) */
        uint64_t number;         /* number of queries so far; marks of other numbers are out of date */
        /* Queue of the construct; its tasks up to number `submitted` precede the construct. NULL: no queue. */
        struct accd__queue *queue;
        uint64_t submitted;
        /* True if the tasks of other queues for which `queue` waits are already marked as preceding, too. */
        bool marked;
    } pending_query;
};

/* ----------------------------------------------------------------------------------- error.c -- */

/* Sets the last error of the context, and returns `status`. The error has the id of `rule` in the profile's documents,
 * and a message formatted as printf does, cut to 399 bytes. The arguments may point into the previous error. */
accd_status accd__set_error(accd_context *context, accd_status status, enum accd__rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Character in the message of an error that accd__insert_object_name replaces by the name of the object that the
 * construct requests. */
#define ACCD_NAME_PLACEHOLDER "\1"
/* Replaces the placeholder in the message of the last error by error.asked.name, or by "the data" if that name is
 * empty. Sets error.named and error.named_bytes to offset and size of the inserted text. Does nothing if the message
 * has no placeholder. Returns the status of the last error. */
accd_status accd__insert_object_name(accd_context *context);
/* Returns ACCD_ERROR_MISUSE, and sets the last error, while a construct is under way; otherwise ACCD_OK. */
accd_status accd__check_not_busy(accd_context *context);
/* Returns ACCD_ERROR_MISUSE, because an argument is a null pointer. Sets the last error, unless `context` is NULL, with
 * a message that names the function `call` and its parameter `argument`. */
accd_status accd__report_missing_argument(accd_context *context, const char *call, const char *argument);
/* Sets the last error to ACCD_ERROR_OUT_OF_MEMORY with the message "no memory " and `purpose` ("for a queue"); returns
 * that status. */
accd_status accd__report_out_of_memory(accd_context *context, const char *purpose);
/* Sets the last error to ACCD_ERROR_OUT_OF_MEMORY, "no memory to plan a construct"; returns that status. */
accd_status accd__report_plan_out_of_memory(accd_context *context);

/* ---------------------------------------------------------------------------------- status.c -- */

/* Returns the name of a construct, or, if it has none, that of its kind, such as "data region". */
const char *accd__construct_name(const accd_construct *construct);

/* ----------------------------------------------------------------------------------- rules.c -- */

/* Returns the action of a member: `own`; or, if that is ACCD_ACTION_INHERIT, `enclosing`, the action of the element
 * that contains the member. init: the clause has init_needed, which turns create and hold into copyin, and copyout into
 * copy. */
uint8_t accd__effective_action(uint8_t own, bool init, uint8_t enclosing);
/* Returns true if the rules have a name, and all knobs have values that exist. */
bool accd__rules_are_valid(const accd_rules *rules);
/* Returns true if the rules allow the fast path (executing simple constructs without a plan): they have no fusion, and
 * make partial overlaps errors. */
bool accd__rules_allow_fast_path(const accd_rules *rules);
/* Fills the tables of *policy with the decisions that `rules` make. The rules must be valid. */
void accd__policy_compile(const accd_rules *rules, struct accd__policy *policy);
/* Returns the id by which errors cite `rule`: its id in the first document of the profile (rules->documents) that has
 * the rule. If none of these documents has it, returns the first id in the rule's row of ACCD_RULE_MAP. */
const char *accd__rule_id(const accd_rules *rules, enum accd__rule rule);

/* ----------------------------------------------------------------------------- host_memory.c -- */

/* Makes an empty registry of host ranges, whose records come from `mem`. */
void accd__host_registry_init(struct accd__host_registry *host, struct accd__mem *mem);
/* Removes all ranges from the registry and frees their records. */
void accd__host_registry_clear(struct accd__host_registry *host);
/* Returns the registered range, live or freed, that contains an address, or NULL. */
struct accd__host_block *accd__host_block_at(accd_context *context, uint64_t address);
/* Returns true if [start, start + bytes) lies in one live registered range. */
bool accd__is_live_host_range(accd_context *context, uint64_t start, uint64_t bytes);
/* Returns true if the host range [start, start + bytes) may be read. Without config.check_host every range may; with
 * it, only a range inside one live registered range. */
bool accd__is_host_accessible(accd_context *context, uint64_t start, uint64_t bytes);

/* --------------------------------------------------------------------------------- workers.c -- */

/* Stops and joins all threads, and frees the structure; NULL does nothing. */
void accd__workers_free(struct accd__workers *workers);
/* Calls work(arg, part) for each part 0 .. parts - 1, in any order, on the calling thread and the threads of `workers`
 * (NULL: on the calling thread only). Returns when all parts are done. */
void accd__workers_run(struct accd__workers *workers, void (*work)(void *arg, unsigned part), void *arg,
                       unsigned parts);
/* Returns the number of parts into which a job with `rows` array elements is to be cut. This is 1 for a small job,
 * or if context->config.threads or the system allows no further threads. The first large job starts the threads. */
unsigned accd__choose_part_count(accd_context *context, size_t rows);

/* Returns ACCD_ERROR_MISUSE, with a message, from the calling API function if an argument is 0 or NULL. */
#define ACCD_REQUIRE_ARGUMENT(context, argument)                                  \
    do {                                                                          \
        if (!(argument))                                                          \
            return accd__report_missing_argument((context), __func__, #argument); \
    } while (0)

#endif
