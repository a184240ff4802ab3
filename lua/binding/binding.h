/* binding.h - the Lua module accdeep.core: its objects, and the functions that its files share. Each object that Lua
 * sees has a file of its own.
 *
 * A function that fails in a way that a scenario can cause returns nil and an error table (accd__push_error). Wrong use
 * of the module by accdeep's own Lua code raises an error. Callbacks of the core never raise, because the core has to
 * release memory. Comments of Lua functions show the call and, after ->, the results; "-> true; or nil, error" is the
 * usual pair. Positional arguments are integers unless stated otherwise: device is a number from 0. */
#ifndef ACCD_BINDING_H
#define ACCD_BINDING_H

#include <accdeep_core.h>
#include <lauxlib.h>
#include <lua.h>

#include <stdbool.h>

/* Context of the core, as a Lua object. Closing the context invalidates the handles (the Lua objects that use it) of
 * its two lists. */
struct accd__lua_context {
    accd_context *core;
    lua_State *L;  /* Lua thread that is calling the core, in which callbacks run */
    int bound_ref; /* reference to a table of functions for section bounds, by number */
    int ir_ref;    /* reference to a weak table from tables of the construct IR to what they are bound to (program.c) */
    int error_ref; /* reference to the error that a callback raised last; LUA_NOREF: no error since it was last reported
                    */
    bool unchecked;           /* reads of host memory are not checked, because the host program registers no blocks */
    struct accd__lua_events { /* events since the last call of context:drain */
        struct accd__lua_event {
            accd_op op;
            int device, line; /* number of the device; line of the directive in `file` */
            uint64_t host, bytes;
            const char *rule, *file;
            int64_t async;
            char *name;
        } * events;
        size_t n, capacity;
        bool is_recording;  /* context:listen(true) was called last, so that events are recorded */
        bool is_incomplete; /* some events were dropped, because memory ran out */
    } event_log;
    struct accd__lua_handle *handles; /* list of the context's programs, constructs and checkpoints */
    struct accd__lua_handle *opened;  /* list of open regions and bounds (saved section bounds of an item) */
    int objects_ref; /* reference to a weak table of Lua objects by address; LUA_NOREF: no checkpoints are used */
};

/* Allocator of the core, and the first argument `ud` of its calls. core.open takes the address of this structure as
 * its field `allocator`, light userdata. */
struct accd__lua_allocator {
    accd_allocator fn;
    void *ud;
};

/* Account of memory against a limit. */
struct accd__budget {
    size_t used, most; /* bytes in use, and their limit; most = 0: no limit */
    bool denied;       /* accd__charged_alloc has refused memory since the last call of accd__was_denied */
};
/* Sets the budget that this thread charges; NULL: nothing is charged. */
void accd__set_budget(struct accd__budget *budget);
/* Adds `bytes` to a budget and returns true. Returns false, without a change, if the limit would be exceeded. A
 * `budget` of NULL has no limit. */
bool charge(struct accd__budget *budget, size_t bytes);
/* Subtracts bytes from a budget, down to 0: memory from before the budget began may be freed. `budget` may be NULL. */
void accd__discharge(struct accd__budget *budget, size_t bytes);
/* Allocates memory of the core, charged to the budget of this thread: resizes the block `ptr` from `old` to n bytes,
 * or frees it if n is 0 (an accd_allocator). Returns NULL if n is 0. Also returns NULL if there is no memory within
 * the budget; the block is then unchanged. */
void *accd__charged_alloc(void *ud, void *ptr, size_t old, size_t n);
/* Charges memory of simulated devices (an accd_charge_fn) to the budget of this thread, even beyond its limit;
 * negative `bytes` give memory back. */
void accd__charge_device(void *ud, int64_t bytes);
/* Clears the flag `denied` (memory was refused) in the budget of this thread, and returns true if the flag was set. */
bool accd__was_denied(void);

/* Head of a Lua object that belongs to a context: an element of one of the context's lists. `link` is the pointer
 * that points to this element. */
struct accd__lua_handle {
    struct accd__lua_context *context; /* NULL once the context is closed */
    struct accd__lua_handle *next, **link;
    void (*invalidate)(
        struct accd__lua_handle *handle); /* releases what the core keeps for the object; the handle stays linked */
};
/* Adds an unlinked handle to context->handles. */
void accd__handle_link(struct accd__lua_handle *handle, struct accd__lua_context *context);
/* Removes a handle from the list of its context, if it is linked. */
void accd__handle_unlink(struct accd__lua_handle *handle);

/* Lua object of an open region or of bounds. Both belong to the state of a context that checkpoints save. */
struct accd__lua_opened {
    struct accd__lua_handle handle;
    void *core; /* accd_region or accd_bounds; NULL: closed, or not part of the restored state */
};
/* Makes the object at stack index `index` known to checkpoints, if these are used. To be called before
 * accd__opened_link. */
void accd__opened_register(lua_State *L, int index, struct accd__lua_context *context);
/* Adds an unlinked handle to context->opened. */
void accd__opened_link(struct accd__lua_opened *opened, struct accd__lua_context *context);

#define CONTEXT_TYPE "accdeep.context"
/* Returns the context at stack index `index`, and makes L the Lua thread in which the context's callbacks run. Raises
 * if the value is no context, or is closed. `index` is a stack index in all functions below. */
struct accd__lua_context *accd__check_context(lua_State *L, int index);
/* Returns the core's mapping program for the table at `index`. The table has the fields of accd_program_spec, with
 * lists of tables in place of arrays; code is a list of five values for each instruction. Raises for wrong fields, or
 * without memory. The program lives as long as the table and the context. */
accd_program *accd__check_program(lua_State *L, struct accd__lua_context *context, int index);
/* Returns the core's label for the table at `index`: {name=, unit=, section=, member=, element=, round=, file=, line=,
 * layout=, pointer=, array=}. Only name is required. The fields are members of accd_label; section, member, element and
 * round set its flags, round ACCD_LABEL_PARENTHESES; layout is the table of a program. Raises for wrong fields, or
 * without memory. */
const accd_label *accd__check_label(lua_State *L, struct accd__lua_context *context, int index);
/* Returns the label of the table in field `label` of the table at `link`; NULL: the field is nil. */
const accd_label *accd__get_label(lua_State *L, struct accd__lua_context *context, int link);

struct accd__lua_construct;
struct accd_ir_statement;
/* Pushes a construct object for a construct of a text of the construct IR, which may be freed afterwards. `index`:
 * stack index of the context. Raises without memory. */
void accd__push_ir_construct(lua_State *L, int index, const struct accd_ir_statement *statement);
/* Returns the prepared construct at `index`. Raises if the value is no construct, or its context is closed. */
struct accd__lua_construct *accd__check_construct(lua_State *L, int index);
/* Locates the items of a construct (computes their addresses), and executes it on a device and a queue (0: none).
 * *item_p is the number, from 1, of the item that could not be located; 0: all were located. region_p receives the
 * region; NULL: no region is wanted. Fails if the code of an item fails (accd_item_locate), or if the core refuses
 * the construct (accd_run_construct). */
accd_status accd__construct_run(struct accd__lua_construct *construct, int device, unsigned queue,
                                accd_region **region_p, size_t *item_p);

/* Pushes nil and an error table, which describes the last error of the context's core, and returns 2. `status`: the
 * result of the function that failed, not ACCD_OK. Fields of the table:
 *
 *     code, rule, message   texts: code of `status`, id of the rule that the error cites, a sentence
 *     item                  number of the failed item of the construct, from 1; nil: no single item
 *     asked                 the object that the construct asked for (table of accd__push_object_info), or nil
 *     other                 the present object that conflicts with `asked` (such a table), or nil
 *     named, named_end      positions in message of the first and last byte of the text that names `asked`, or nil
 *     advice                "whole rows": use whole rows of the array, or one row; nil: no advice
 *     cause                 the error that a Lua function raised, for ACCD_ERROR_CALLBACK; otherwise nil
 *
 * If the scenario's limit of memory was the reason of ACCD_ERROR_OUT_OF_MEMORY, code and rule are those of the limit
 * (ACCD_ERROR_LIMIT). */
int accd__push_error(lua_State *L, struct accd__lua_context *context, accd_status status);
/* Pushes nil and an error table (accd__push_error), whose `item` is the number that accd__construct_run reported; 0:
 * the table keeps the item that the core reported. Returns 2. */
int accd__push_item_error(lua_State *L, struct accd__lua_context *context, accd_status status, size_t item);
/* Pushes true for ACCD_OK, else nil and an error table (accd__push_error). Returns the number of results. */
int accd__push_result(lua_State *L, struct accd__lua_context *context, accd_status status);
/* Pushes a table {name, host, bytes, file, line} about an object, without file and line if the file is not known.
 * Pushes nil if `info` has neither bytes nor a name. */
void accd__push_object_info(lua_State *L, const accd_object_info *info);

/* Returns the argument at `index`, the number of a device. Raises if it is no integer. */
static inline int accd__device_argument(lua_State *L, int index)
{
    return (int)luaL_checkinteger(L, index);
}
/* Returns the argument at `index`, an address or a number of bytes. Raises if it is no integer. */
static inline uint64_t accd__word_argument(lua_State *L, int index)
{
    return (uint64_t)luaL_checkinteger(L, index);
}
/* Returns the argument at `index`, an address of the host. Raises if it is no integer. */
static inline const void *accd__address_argument(lua_State *L, int index)
{
    return (const void *)(uintptr_t)accd__word_argument(L, index);
}

/* Pushes an array of instructions as userdata, and returns the array; sets *n to their number. The list at `index`
 * has five values for each instruction: op, to, a, b, k, integers or symbols (accd__symbol_value). Raises for other
 * values, or if one of the first four is not in 0 to 255. */
accd_instruction *accd__read_code(lua_State *L, int index, size_t *n);
/* Returns the integer in field `key` of the table at `index`; `otherwise` if the field is nil. Raises for other values.
 */
lua_Integer accd__get_integer(lua_State *L, int index, const char *key, lua_Integer otherwise);
/* Returns true if field `key` of the table at `index` is neither nil nor false. */
bool accd__get_boolean(lua_State *L, int index, const char *key);
/* Returns the address of the userdata in field `key` of the table at `index`; NULL: the field is nil or no userdata. */
void *accd__get_pointer(lua_State *L, int index, const char *key);
/* Returns the value at stack index `index`: an integer, or the integer in field `value` of a table, a symbol, which
 * stands for an address or a function. Raises for other values. */
lua_Integer accd__symbol_value(lua_State *L, int index);
/* Set field `key` of the table on top of the stack to `value`; a text that is NULL becomes nil. */
void accd__set_integer(lua_State *L, const char *key, lua_Integer value);
void accd__set_text(lua_State *L, const char *key, const char *value);
void accd__set_boolean(lua_State *L, const char *key, bool value);
void accd__set_function(lua_State *L, const char *key, lua_CFunction value);

/* Functions that add functions to the module on top of the stack, and create the class of one kind of objects. */
void accd__open_context_class(lua_State *L);
void accd__open_rules(lua_State *L);
void accd__open_program_class(lua_State *L);
void accd__open_construct_class(lua_State *L);
void accd__open_memory(lua_State *L);
void accd__open_checkpoint_class(lua_State *L);
void accd__open_limits(lua_State *L);
void accd__open_routines(lua_State *L);
void accd__open_debug(lua_State *L);
/* Fills `rules` from the table on top of the stack: field `base` names a rule profile (default "tr14"), and other
 * fields change knobs (settings) of the profile. Raises for an unknown profile or value. */
void accd__read_rules(lua_State *L, accd_rules *rules);
/* Method context:construct, which prepares a construct (construct.c). */
int accd__l_construct(lua_State *L);
/* Method context:read_ir, which reads a text of the construct IR (ir.c). */
int accd__l_read_ir(lua_State *L);
/* Frees the names of all recorded events, empties the list, and clears `is_incomplete`. */
void accd__forget_events(struct accd__lua_events *event_log);
/* Methods of a context: inspection (inspect.c), memory (memory.c), queues (queue.c), kernels (kernel.c), checkpoints
 * (checkpoint.c), routines (routine.c). */
extern const luaL_Reg accd__inspect_methods[], accd__memory_methods[], accd__queue_methods[], accd__kernel_methods[],
    accd__checkpoint_methods[], accd__routine_methods[];
/* Returns the core's region of the region object at `index`. Raises if the region is closed. */
accd_region *accd__check_region(lua_State *L, int index);
/* Pushes the integers of the list on top of the stack as an array (a userdata), and returns the array; sets *n to their
 * number. Raises for other values. */
uint64_t *accd__get_words(lua_State *L, size_t *n);
/* Fills *kernel from the table at `index`, the argument of context:kernel_run (kernel.c lists its fields). Pushes the
 * arrays and the text that *kernel refers to; they must stay on the stack while *kernel is used. Raises for fields of
 * another type. */
void accd__read_kernel(lua_State *L, int index, accd_kernel *kernel);
/* Pushes the outcome of a kernel: "done" or "under way"; "stopped", reason, site; or "not run" or "rejected",
 * message. Returns the number of values pushed. */
int accd__push_kernel_result(lua_State *L, const accd_kernel_result *end);

/* Opens the module accdeep.core: pushes its table and returns 1. Raises without memory. */
int luaopen_accdeep_core(lua_State *L);

#endif
