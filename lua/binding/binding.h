/* binding.h - what the files of the Lua module accdeep.core share. One file for each bound object.
 *
 * Failures that a scenario can cause come back as nil and an error table; wrong use of the module by
 * its own Lua code raises. Nothing raises while the core is at work. */
#ifndef ACCD_BINDING_H
#define ACCD_BINDING_H

#include <accdeep_core.h>
#include <lauxlib.h>
#include <lua.h>

#include <stdbool.h>

/* A context and what Lua made of it. Closing it empties the handles that belong to it. */
struct accd__lua_context {
    accd_context *core;
    lua_State *L;             /* the one that is in a call of the core */
    int bound_ref;            /* table of functions for section bounds, by number */
    int error_ref;            /* what such a function raised */
    bool unchecked;           /* host memory is the program's own, and not known here */
    struct accd__lua_events { /* events since the last drain */
        struct accd__lua_event {
            accd_op op;
            int device, line;
            uint64_t host, bytes;
            const char *rule, *file;
            int64_t async;
            char *name;
        } * events;
        size_t n, room;
        bool listening, lost;
    } reported;
    struct accd__lua_handle *handles; /* programs, constructs, checkpoints: to be emptied before the context goes */
    struct accd__lua_handle *opened;  /* regions and bounds */
    int objects_ref;                  /* with checkpoints: a weak table of these as Lua objects, by their addresses */
};

/* What core.open takes as its allocator, as light userdata. */
struct accd__lua_allocator {
    accd_allocator fn;
    void *ud;
};

/* Memory that counts against a limit. */
struct accd__budget {
    size_t used, most; /* bytes; most is 0: there is no limit */
    bool denied;       /* charged_alloc refused memory since was_denied was called */
};
/* The budget of what runs in this thread; NULL: there is none. */
void accd__set_budget(struct accd__budget *budget);
/* Counts bytes; false: they are more than is left. Without a budget (NULL) nothing is counted. */
bool charge(struct accd__budget *budget, size_t bytes);
/* Gives bytes back. What was taken before the budget began is not counted. */
void accd__discharge(struct accd__budget *budget, size_t bytes);
/* Memory of the core (an accd_allocator) and of simulated devices (an accd_charge_fn, which refuses nothing), counted
 * against the budget of this thread. */
void *accd__charged_alloc(void *ud, void *ptr, size_t old, size_t n);
void accd__charge_device(void *ud, int64_t bytes);
bool accd__was_denied(void);

/* Links a handle into its context's list. */
struct accd__lua_handle {
    struct accd__lua_context *context; /* NULL once the context is closed */
    struct accd__lua_handle *next, **link;
    void (*invalidate)(struct accd__lua_handle *handle);
};
void accd__handle_link(struct accd__lua_handle *handle, struct accd__lua_context *context);
void accd__handle_unlink(struct accd__lua_handle *handle);

/* A region or bounds: what lies in the state of a context. */
struct accd__lua_opened {
    struct accd__lua_handle handle;
    void *core; /* accd_region or accd_bounds; NULL: it is closed, or the state without it was restored */
};
/* The object at index may be opened: checkpoints will find it. Comes first. */
void accd__opened_register(lua_State *L, int index, struct accd__lua_context *context);
void accd__opened_link(struct accd__lua_opened *opened, struct accd__lua_context *context);

#define CONTEXT_TYPE "accdeep.context"
struct accd__lua_context *accd__check_context(lua_State *L, int index); /* open, or raises */
accd_program *accd__check_program(lua_State *L, int index);

struct accd__lua_construct; /* a prepared construct */
struct accd__lua_construct *accd__check_construct(lua_State *L, int index);
/* Looks where its items lie now, and runs it. *item_p: the item whose place is not known, from 1; 0: none. */
accd_status accd__construct_run(struct accd__lua_construct *construct, int device, unsigned queue,
                                accd_region **region_p, size_t *item_p);

/* Pushes nil and a table that describes the last error of the context; returns 2. Its fields: code, rule, message;
 * item, from 1; asked and other, objects; named and named_end, the first and the last byte of what asked is called in
 * message, where message names it; advice, "whole rows"; cause, what a function of Lua raised. item: the one that
 * construct_run reported. */
int accd__push_error(lua_State *L, struct accd__lua_context *context, accd_status status);
int accd__push_item_error(lua_State *L, struct accd__lua_context *context, accd_status status, size_t item);
/* The same for a failure, true for success. */
int accd__push_result(lua_State *L, struct accd__lua_context *context, accd_status status);
void accd__push_object_info(lua_State *L, const accd_object_info *info);

/* Arguments of a function: a device, an address or a number of bytes, a host address. */
static inline int accd__device_argument(lua_State *L, int index)
{
    return (int)luaL_checkinteger(L, index);
}
static inline uint64_t accd__word_argument(lua_State *L, int index)
{
    return (uint64_t)luaL_checkinteger(L, index);
}
static inline const void *accd__address_argument(lua_State *L, int index)
{
    return (const void *)(uintptr_t)accd__word_argument(L, index);
}

/* Reads {op, to, a, b, k, ...}: five integers an instruction. The array belongs to the caller. */
accd_instruction *accd__read_code(lua_State *L, int index, size_t *n);
/* Fields of a table at index, with a default. */
lua_Integer accd__get_integer(lua_State *L, int index, const char *key, lua_Integer otherwise);
bool accd__get_boolean(lua_State *L, int index, const char *key);
void *accd__get_pointer(lua_State *L, int index, const char *key);
/* Fields of the table on top of the stack; a text that is NULL is nil. */
void accd__set_integer(lua_State *L, const char *key, lua_Integer value);
void accd__set_text(lua_State *L, const char *key, const char *value);
void accd__set_boolean(lua_State *L, const char *key, bool value);
void accd__set_function(lua_State *L, const char *key, lua_CFunction value);

void accd__open_context_class(lua_State *L);
void accd__open_rules(lua_State *L);
void accd__open_program_class(lua_State *L);
void accd__open_construct_class(lua_State *L);
void accd__open_memory(lua_State *L);
void accd__open_checkpoint_class(lua_State *L);
void accd__open_limits(lua_State *L);
void accd__open_debug(lua_State *L);
/* The rules that the table on top of the stack names: a profile's, and what fields change. */
void accd__read_rules(lua_State *L, accd_rules *rules);
int accd__l_program(lua_State *L);
int accd__l_construct(lua_State *L);
/* Events since the last drain are no more. */
void accd__forget_events(struct accd__lua_events *reported);
/* Methods of a context that look at it (inspect.c), touch memory (memory.c), are about queues (queue.c), run kernels
 * (kernel.c), save and restore its state (checkpoint.c). */
extern const luaL_Reg accd__inspect_methods[], accd__memory_methods[], accd__queue_methods[], accd__kernel_methods[],
    accd__checkpoint_methods[];
/* The core's region of a region object, or raises. */
accd_region *accd__check_region(lua_State *L, int index);
/* The words of the list on top of the stack, in memory of Lua's, which comes on top of it. */
uint64_t *accd__get_words(lua_State *L, size_t *n);
void accd__read_kernel(lua_State *L, int index, accd_kernel *kernel);
int accd__push_kernel_result(lua_State *L, const accd_kernel_result *end);

int luaopen_accdeep_core(lua_State *L);

#endif
