/* base.h - the ground floor: memory, ordered indices, sorting, threads, known host memory, rules and their ids, the
 * context that all of one caller's calls have in common, and its last error. It knows of no device and no table:
 * what the floors above keep in a context is a name here. */
#ifndef ACCD_BASE_H
#define ACCD_BASE_H

#include "accdeep_core.h"
#include "base/arena.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/rules.h"
#include "base/sort.h"
#include "base/spans.h"

#include <stdbool.h>
#include <string.h>

struct accd_device;
struct accd_directory;

#define ACCD_TRY(expression)               \
    do {                                   \
        accd_status try_ = (expression);   \
        if (try_ != ACCD_OK)               \
            return try_;                   \
    } while (0)

/* Scratch space for n elements of an array, for a call that plans; or the call fails. */
#define ACCD_TAKE(context, array, n)                                                \
    do {                                                                           \
        (array) = accd_scratch_take(&(context)->scratch, (n) * sizeof *(array));   \
        if (!(array))                                                              \
            return accd_plan_no_memory(context);                                   \
    } while (0)

/* One element more in a list in scratch space, for a call that plans; or the call fails. */
#define ACCD_ADD(context, list, ...)                                                               \
    do {                                                                                           \
        if (!accd_scratch_room(&(context)->scratch, (void **)&(list)->at, (list)->n, &(list)->room, \
                               sizeof *(list)->at))                                                \
            return accd_plan_no_memory(context);                                                   \
        (list)->at[(list)->n] = (__VA_ARGS__);                                                     \
        (list)->n++;                                                                               \
    } while (0)

#define ACCD_PREFETCH_AHEAD 48 /* rows of a column */

static inline uint64_t accd_address(const void *p) { return (uint64_t)(uintptr_t)p; }

static inline void *accd_pointer(uint64_t address) { return (void *)(uintptr_t)address; }

/* Device blocks keep objects apart at this step. */
static inline uint64_t accd_padded(uint64_t bytes) { return (bytes + 15) & ~(uint64_t)15; }

static inline uint64_t accd_load_pointer(uint64_t slot)
{
    uint64_t value;
    memcpy(&value, accd_pointer(slot), sizeof value);
    return value;
}

/* What an action asks for. */
struct accd_demand {
    bool entry;    /* takes part in entry constructs, otherwise only in exits */
    bool plain;    /* the same, and asks for data */
    bool creates;  /* makes absent objects present */
    bool must;     /* absent ones are an error */
    bool in, out;  /* sends on creation, fetches on removal */
};

extern const struct accd_demand accd_demands[ACCD_ACTION_COUNT];

struct accd_host {
    struct accd_range ranges;
    struct accd_pool pool;
    uint64_t losses; /* how often a range ceased to be live */
    uint64_t added;  /* how many ranges were registered */
};

struct accd_host_block {
    uint64_t start, bytes;
    const accd_label *label;
    int live;
    uint64_t serial; /* of its registration */
};

struct accd_workers;
struct accd_directory;

/* A short way of plain constructs. False: it is not theirs, and nothing has happened. */
typedef bool accd_short_way(struct accd_directory *dir, const accd_construct *construct, accd_region **region_p,
                      accd_status *status_p);

/* What a checkpoint that is restored leaves as it is: labels and programs, which prepared constructs name. */
struct accd_lasting {
    struct accd_mem *mem; /* the context's or, with checkpoints, its own */
    struct accd_mem own;
    struct accd_arena *arena;  /* with checkpoints: in which the context lies; NULL: without */
    struct accd_arena *beside; /* ... and in which this lies, with labels and programs */
    struct accd_saved *spare; /* memory of checkpoints that were freed, linked */
    accd_label **labels;
    size_t nlabels, labels_room;
    uint32_t *label_places; /* a hash table: numbers of labels and one, 0: none */
    size_t label_places_room; /* 0 or a power of two */
    bool layouts; /* labels have some */
};

struct accd_context {
    struct accd_mem mem;
    struct accd_lasting *lasting, lasting_here; /* the second one without checkpoints */
    accd_context_config config;
    accd_rules rules;
    struct accd_verdicts verdicts; /* of the rules */
    accd_error error;
    char checked[400]; /* what accd_check found */
    struct accd_scratch scratch;
    unsigned unheard, unnamed; /* operations that the listener does not hear of, or without names: 1 << op */
    accd_short_way *const *ways; /* of plain constructs, by kind: as the rules have it */
    bool layouts;      /* labels have some: an object may have holes */
    bool working;      /* a queue works: what it calls may touch device memory, but ask for no construct */
    bool busy; /* a construct is under way: what it calls may look, but not change. It stands apart: one load of
                  several flags would wait for the byte that was written last */
    struct accd_host host;
    struct accd_workers *workers;
    struct accd_device *devices; /* of the directories */
    struct accd_directory *dirs;
    int ndirs;
    struct accd_span *host_uses[2]; /* host memory of tasks that run by themselves: of those that send, that fetch */
    struct accd_look { /* for tasks that a construct does not come behind */
        uint64_t number;
        struct accd_queue *queue; /* it comes behind this one, up to a task, or NULL */
        uint64_t asked;
        bool marked; /* what that one comes behind itself is marked */
    } look;
};

/* ----------------------------------------------------------------------------------- error.c -- */

accd_status accd_fail(accd_context *context, accd_status status, enum accd_rule rule,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* In the message of an error: here accd_name_asked puts the name of the object that the construct asked for. */
#define ACCD_ASKED "\1"
/* To be called when error.asked is known. Returns the error's status. */
accd_status accd_name_asked(accd_context *context);
/* ACCD_MISUSE while a construct is under way. */
accd_status accd_idle(accd_context *context);
/* ACCD_MISUSE: an argument of a call is a null pointer. */
accd_status accd_not_given(accd_context *context, const char *call, const char *argument);
/* ACCD_OUT_OF_MEMORY: "no memory", and what for ("for a queue"). */
accd_status accd_out_of_memory(accd_context *context, const char *what);
/* The same for what is planned in scratch space. */
accd_status accd_plan_no_memory(accd_context *context);

/* ---------------------------------------------------------------------------------- status.c -- */

/* What a construct is called. */
const char *accd_construct_name(const accd_construct *construct);

/* ----------------------------------------------------------------------------------- rules.c -- */

/* The action of a member, given that of the element around it. */
uint8_t accd_effective(uint8_t own, bool init, uint8_t around);
/* Whether all its choices are among those there are. */
bool accd_rules_sound(const accd_rules *rules);
/* Whether rules leave plain constructs nothing to decide but presence and counters. */
bool accd_rules_plain(const accd_rules *rules);
/* What rules say, as tables. */
void accd_rules_compile(const accd_rules *rules, struct accd_verdicts *verdicts);
/* The id that a profile tells a rule by. */
const char *accd_rule_id(const accd_rules *rules, enum accd_rule rule);

/* ----------------------------------------------------------------------------------- known.c -- */

void accd_host_init(struct accd_host *host, struct accd_mem *mem);
void accd_host_close(struct accd_host *host);
/* The known range around an address, or NULL. */
struct accd_host_block *accd_host_block_around(accd_context *context, uint64_t address);
/* Whether [start, start + bytes) lies in one live known range. */
bool accd_host_covers(accd_context *context, uint64_t start, uint64_t bytes);
/* Whether the host's memory may be touched: always, unless it has to be known. */
bool accd_host_usable(accd_context *context, uint64_t start, uint64_t bytes);

/* --------------------------------------------------------------------------------- workers.c -- */

void accd_workers_close(struct accd_workers *workers);
/* Runs work(arg, part) for part 0 .. parts-1, on several threads if there are any. */
void accd_workers_run(struct accd_workers *workers, void (*work)(void *arg, unsigned part),
                      void *arg, unsigned parts);
/* How many parts a job over so many rows should have. */
unsigned accd_parts_for(accd_context *context, size_t rows);

#define ACCD_GIVEN(context, argument)                                     \
    do {                                                                  \
        if (!(argument))                                                  \
            return accd_not_given((context), __func__, #argument);        \
    } while (0)

#endif
