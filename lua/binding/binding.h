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
struct context {
    accd_context *core;
    lua_State *L;         /* the one that is in a call of the core */
    int bound_ref;        /* table of functions for section bounds, by number */
    int error_ref;        /* what such a function raised */
    bool unchecked;       /* host memory is the program's own, and not known here */
    struct reported {     /* events since the last drain */
        struct event {
            accd_op op;
            int device, line;
            uint64_t host, bytes;
            const char *rule, *file;
            int64_t async;
            char *name;
        } *events;
        size_t n, room;
        bool listening, lost;
    } reported;
    struct handle *handles; /* programs, constructs, checkpoints: to be emptied before the context goes */
    struct handle *opened;  /* regions and bounds */
    int objects_ref;        /* with checkpoints: a weak table of these as Lua objects, by their addresses */
};

/* What core.open takes as its allocator, as light userdata. */
struct allocator {
    accd_allocator fn;
    void *ud;
};

/* Memory that counts against a limit. */
struct budget {
    size_t used, most; /* bytes; most is 0: there is no limit */
    bool denied;       /* charged_alloc refused memory since was_denied was called */
};
/* The budget of what runs in this thread; NULL: there is none. */
void set_budget(struct budget *budget);
/* Counts bytes; false: they are more than is left. Without a budget (NULL) nothing is counted. */
bool charge(struct budget *budget, size_t bytes);
/* Gives bytes back. What was taken before the budget began is not counted. */
void discharge(struct budget *budget, size_t bytes);
/* Memory of the core (an accd_allocator) and of simulated devices (an accd_charge_fn, which refuses nothing), counted
 * against the budget of this thread. */
void *charged_alloc(void *ud, void *ptr, size_t old, size_t n);
void charge_device(void *ud, int64_t bytes);
bool was_denied(void);

/* Links a handle into its context's list. */
struct handle {
    struct context *context; /* NULL once the context is closed */
    struct handle *next, **at;
    void (*empty)(struct handle *handle);
};
void handle_link(struct handle *handle, struct context *context);
void handle_unlink(struct handle *handle);

/* A region or bounds: what lies in the state of a context. */
struct opened {
    struct handle handle;
    void *core; /* accd_region or accd_bounds; NULL: it is closed, or the state without it was restored */
};
/* The object at index may be opened: checkpoints will find it. Comes first. */
void opened_know(lua_State *L, int index, struct context *context);
void opened_link(struct opened *opened, struct context *context);

#define CONTEXT_TYPE "accdeep.context"
struct context *check_context(lua_State *L, int index); /* open, or raises */
accd_program *check_program(lua_State *L, int index);

struct construct; /* a prepared construct */
struct construct *check_construct(lua_State *L, int index);
/* Looks where its items lie now, and runs it. *item_p: the item whose place is not known, from 1; 0: none. */
accd_status construct_run(struct construct *construct, int device, unsigned queue,
                          accd_region **region_p, size_t *item_p);

/* Pushes nil and a table that describes the last error of the context; returns 2. Its fields: code, rule, message; item,
 * from 1; asked and other, objects; named and named_end, the first and the last byte of what asked is called in message,
 * where message names it; advice, "whole rows"; cause, what a function of Lua raised. item: the one that
 * construct_run reported. */
int push_error(lua_State *L, struct context *context, accd_status status);
int push_item_error(lua_State *L, struct context *context, accd_status status, size_t item);
/* The same for a failure, true for success. */
int push_result(lua_State *L, struct context *context, accd_status status);
void push_object_info(lua_State *L, const accd_object_info *info);

/* Arguments of a function: a device, an address or a number of bytes, a host address. */
static inline int device_at(lua_State *L, int index)
{
    return (int)luaL_checkinteger(L, index);
}
static inline uint64_t word_at(lua_State *L, int index)
{
    return (uint64_t)luaL_checkinteger(L, index);
}
static inline const void *address_at(lua_State *L, int index)
{
    return (const void *)(uintptr_t)word_at(L, index);
}

/* Reads {op, to, a, b, k, ...}: five integers an instruction. The array belongs to the caller. */
accd_instruction *read_code(lua_State *L, int index, size_t *n);
/* Fields of a table at index, with a default. */
lua_Integer get_integer(lua_State *L, int index, const char *key, lua_Integer otherwise);
bool get_boolean(lua_State *L, int index, const char *key);
void *get_pointer(lua_State *L, int index, const char *key);
/* Fields of the table on top of the stack; a text that is NULL is nil. */
void set_integer(lua_State *L, const char *key, lua_Integer value);
void set_text(lua_State *L, const char *key, const char *value);
void set_boolean(lua_State *L, const char *key, bool value);
void set_function(lua_State *L, const char *key, lua_CFunction value);

void open_context(lua_State *L);
void open_rules(lua_State *L);
void open_program(lua_State *L);
void open_construct(lua_State *L);
void open_memory(lua_State *L);
void open_checkpoint(lua_State *L);
void open_limits(lua_State *L);
void open_debug(lua_State *L);
/* The rules that the table on top of the stack names: a profile's, and what fields change. */
void read_rules(lua_State *L, accd_rules *rules);
int l_program(lua_State *L);
int l_construct(lua_State *L);
/* Events since the last drain are no more. */
void forget_events(struct reported *reported);
/* Methods of a context that look at it (inspect.c), touch memory (memory.c), are about queues (queue.c), run kernels
 * (kernel.c), save and restore its state (checkpoint.c). */
extern const luaL_Reg inspect_methods[], memory_methods[], queue_methods[], kernel_methods[], checkpoint_methods[];
/* The core's region of a region object, or raises. */
accd_region *check_region(lua_State *L, int index);
/* The words of the list on top of the stack, in memory of Lua's, which comes on top of it. */
uint64_t *get_words(lua_State *L, size_t *n);
void read_kernel(lua_State *L, int index, accd_kernel *kernel);
int push_kernel_end(lua_State *L, const accd_kernel_end *end);

int luaopen_accdeep_core(lua_State *L);

#endif
