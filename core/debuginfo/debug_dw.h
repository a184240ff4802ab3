/* debug_dw.h - data shared by the files that read debug information.
 *
 *     accd__debug_info
 *      |- modules       files of the program in memory; each has its globals, sorted by address
 *      |- sites         places of calls, by return address: line, function, variables in scope
 *      |- types         types, by address of their entry (DIE), without typedefs and qualifiers
 *      '- chunks        memory of all of these, freed by accd__debug_close
 *
 * A site, a module's globals and a type are read once, at their first use. */
#ifndef ACCD__DEBUG_DW_H
#define ACCD__DEBUG_DW_H

#include "debug.h"
#include "debuginfo/dw.h"

#include <stdbool.h>
#include <stddef.h>

/* Hash table from nonzero numbers to pointers: open addressing, a power of two of entries, at most half full. */
struct accd__pointer_table {
    struct accd__pointer_table_entry *at;
    size_t room, used;
};
struct accd__pointer_table_entry {
    uintptr_t key; /* never 0 */
    void *value;
};
/* Returns the value of a key, or NULL. */
void *accd__pointer_table_find(const struct accd__pointer_table *table, uintptr_t key);
/* Sets the value of a key, which is not 0. Returns false without memory. */
bool accd__pointer_table_add(struct accd__pointer_table *table, uintptr_t key, void *value);

/* ------------------------------------------------------------------------------------- types -- */

/* Location expression or other expression of debug information; n is 0 if it does not exist. */
struct accd__debug_expr {
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Attribute from;
};

/* Bound of an array: a constant, an expression, or the value of a variable (DIE). */
struct accd__debug_bound {
    enum { ACCD__DEBUG_BOUND_NONE, ACCD__DEBUG_BOUND_CONST, ACCD__DEBUG_BOUND_EXPR, ACCD__DEBUG_BOUND_DIE } kind;
    int64_t value;
    struct accd__debug_expr expr;
    Dwarf_Die die;
};

enum { ACCD__DEBUG_DIMS_MAX = 15 };

struct accd__debug_dim {
    struct accd__debug_bound lower, upper, count;
};

enum accd__debug_type_kind {
    ACCD__DEBUG_SCALAR,
    ACCD__DEBUG_POINTER,
    ACCD__DEBUG_REFERENCE,
    ACCD__DEBUG_STRUCT,
    ACCD__DEBUG_ARRAY,
    ACCD__DEBUG_DESCRIPTOR /* descriptor of a Fortran array, whose elements are elsewhere */
};

/* Type without typedefs and qualifiers. void is a null pointer. */
struct accd__debug_type {
    enum accd__debug_type_kind kind;
    bool fortran;
    bool points;    /* the type contains pointers, or arrays without a known end */
    bool open;      /* the type is an array without a known end, or a structure that ends in one */
    uint64_t bytes; /* size; 0: not known, or not constant */
    Dwarf_Die die;
    Dwarf_Addr bias;                 /* load bias of the module that has `die` */
    struct accd__debug_type *target; /* type of elements, or of what a pointer points to once has_target is set */
    bool has_target;
    struct accd__debug_member *members;
    size_t nmembers;
    struct accd__debug_dim *dims;
    size_t ndims;
    struct accd__debug_expr data; /* expression for the address of a descriptor's elements */
};

struct accd__debug_member {
    const char *name; /* name; NULL: its members count as members of the structure around it */
    uint64_t offset;
    struct accd__debug_type *type;
};

/* Returns the type of a variable, member or pointer; NULL if it has none, or without memory. */
struct accd__debug_type *accd__get_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias);
/* Returns the type that a pointer or reference points to, or NULL. */
struct accd__debug_type *accd__type_target(struct accd__debug_info *debug, struct accd__debug_type *type);
/* True if a byte of an object that is in none of its members holds no value. */
bool accd__debug_is_type_gap(const struct accd__debug_info *debug, const struct accd__debug_type *type,
                             uint64_t offset);

/* ----------------------------------------------------------------------- calls and variables -- */

struct accd__debug_variable {
    const char *name;
    Dwarf_Die die;
    Dwarf_Addr bias;
    struct accd__debug_expr where; /* location at the call or, with at_entry, at the entry of the function */
    bool at_entry;
    uint64_t address;              /* address of a global */
    struct accd__debug_type *type; /* type, once has_type is set */
    bool has_type;
};

/* Growing list of variables. */
struct accd__debug_variables {
    struct accd__debug_variable *at;
    size_t n, room;
};

/* File of the program, in memory. */
struct accd__debug_module {
    struct accd__debug_module *next;
    Dwfl_Module *dwfl;
    bool indexed;                         /* globals have been read */
    struct accd__debug_variables globals; /* ascending addresses */
    /* The file is libc. It calls functions of programs by their addresses, so nothing says what it passes, and its
     * debug information is large. */
    bool is_libc;
    bool is_system; /* the file is in a folder of the system, or a runtime library */
};

enum { ACCD__DEBUG_REGISTERS = 17 }; /* DWARF's registers of x86-64: 16 and the return address */

/* Place of a call in the code. */
struct accd__code_site {
    uintptr_t pc;
    const char *file, *function;
    int line;
    bool near;      /* `line` belongs to code shortly before the call */
    bool in_header; /* the function is in a header of the system */
    struct accd__debug_module *module;
    Dwarf_Addr bias;
    Dwarf_Die unit;
    struct accd__debug_variables variables; /* variables in scope, innermost first */
    struct accd__debug_expr frame_base;
    Dwarf_Frame *frame; /* rules for unwinding, allocated by libdw with malloc; owns cfa */
    struct accd__debug_expr cfa;
    bool has_unit;
    /* Names of the function that contains the place and of the function it calls, and expressions for what it passes in
     * registers. */
    const char *caller, *callee;
    Dwarf_Addr entry; /* entry of the function that contains the place */
    struct accd__debug_expr passed[ACCD__DEBUG_REGISTERS];
};

struct accd__debug_info {
    struct accd__dw dw;
    Dwfl *dwfl;
    unsigned long long loads; /* number of loads when the files were last listed */
    struct accd__debug_module *modules;
    struct accd__pointer_table sites, types, symbols;
    struct accd__debug_chunk *chunks; /* blocks of memory that live until accd__debug_close */
    size_t chunk_used;
    struct accd__search_node *nodes; /* nodes of a search (debug_search.c), allocated at its first use */
};

/* Returns `bytes` zeroed bytes that live until accd__debug_close, or NULL. */
void *accd__debug_alloc(struct accd__debug_info *debug, size_t bytes);
/* Frees all memory of accd__debug_alloc. */
void accd__debug_free_memory(struct accd__debug_info *debug);
/* Returns an attribute that is an expression, or n = 0. */
struct accd__debug_expr accd__get_expression(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name);
/* Returns an attribute that is a location, as it is valid at address pc of the file, or n = 0. */
struct accd__debug_expr accd__get_location(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name,
                                           Dwarf_Addr pc);
/* Gets the address that an operation of an expression gives, itself or by an index into the file's address table. */
bool accd__dwarf_op_address(const struct accd__debug_info *debug, const struct accd__debug_expr *expr,
                            const Dwarf_Op *op, uint64_t *to);

/* True if a source file is a header of the system or of a compiler's library. */
bool accd__debug_is_system_header(const char *file);
/* Returns the module that contains an address, or NULL. */
struct accd__debug_module *accd__find_module(struct accd__debug_info *debug, uint64_t address);
/* Returns the site of a call, read at its first use; NULL without memory, or for pc 0. */
struct accd__code_site *accd__find_code_site(struct accd__debug_info *debug, uintptr_t pc);
/* Returns the rules for unwinding before a return address, which the caller frees with free; NULL: not known. */
Dwarf_Frame *accd__find_frame(const struct accd__debug_info *debug, const struct accd__debug_module *module,
                              uintptr_t pc);
/* Sets function, variables in scope and unwinding rules of a new site, whose unit is known. */
void accd__read_site_scope(struct accd__debug_info *debug, struct accd__code_site *site);
/* Returns the global and static variables of a module, read at the first use. */
const struct accd__debug_variables *accd__module_globals(struct accd__debug_info *debug,
                                                         struct accd__debug_module *module);
struct accd__debug_type *accd__get_variable_type(struct accd__debug_info *debug, struct accd__debug_variable *variable);

/* ------------------------------------------------------------------------------------ places -- */

/* Values of a call's frame, read while a name is looked for. */
struct accd__frame_view {
    struct accd__debug_info *debug;
    const struct accd__code_site *site; /* NULL: no call; only globals can be located */
    const struct accd__debug_call_frame *call;
    enum {
        ACCD__DEBUG_UNREAD,
        ACCD__DEBUG_READ,
        ACCD__DEBUG_FAILED
    } cfa_state,
        kept_state; /* states of cfa, and of `kept`: the registers that calls keep */
    uint64_t cfa, kept[6];
    unsigned callers; /* number of callers that were followed to this one */
};

/* Result of a location expression: an address in memory, or a value, which is in a register or computed. */
struct accd__value_location {
    bool is_value;
    uint64_t at;
};

/* Copies memory of this process to `to`; returns false if the address is not readable. */
bool accd__read_memory(uint64_t address, void *to, size_t bytes);
/* Evaluates an expression. `object` is the address that an array's expressions start from, or NULL. Returns false if it
 * cannot be evaluated. */
bool accd__evaluate_location(struct accd__frame_view *view, struct accd__debug_expr expr, Dwarf_Addr bias,
                             const uint64_t *object, struct accd__value_location *place_p);
/* Locates a variable at the call of the view. */
bool accd__locate_variable(struct accd__frame_view *view, const struct accd__debug_variable *variable,
                           struct accd__value_location *place_p);
/* Gets the number of elements of a dimension of the array at `object`; dim < type->ndims. */
bool accd__dimension_extent(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                            uint64_t object, uint64_t *count_p);
/* Returns the lower bound of a dimension. */
int64_t accd__dimension_lower(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                              uint64_t object);
/* Returns the bytes of an object of a type; 0: not known. */
uint64_t accd__type_bytes_of_object(struct accd__frame_view *view, const struct accd__debug_type *type,
                                    uint64_t object);

#endif
