/* debug_dw.h - what the parts of debug.c share: the program's files, types as naming needs them,
 * variables in scope at a call and where they lie. */
#ifndef ACCD__DEBUG_DW_H
#define ACCD__DEBUG_DW_H

#include "debug.h"
#include "debuginfo/dw.h"

#include <stdbool.h>
#include <stddef.h>

/* Pointers by number, open addressing, half full at most. */
struct accd__pointer_table {
    struct accd__pointer_table_entry *at;
    size_t room, used;
};
struct accd__pointer_table_entry {
    uintptr_t key; /* never 0 */
    void *value;
};
void *accd__pointer_table_find(const struct accd__pointer_table *table, uintptr_t key);
bool accd__pointer_table_add(struct accd__pointer_table *table, uintptr_t key, void *value);

/* ------------------------------------------------------------------------------------- types -- */

/* An expression that debug information gives; n is 0 when there is none. */
struct accd__debug_expr {
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Attribute from;
};

/* A bound of an array: a constant, an expression, or the value of a variable. */
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
    ACCD__DEBUG_DESCRIPTOR /* of a Fortran array that lies elsewhere */
};

/* Without typedef and qualifiers. void is a null pointer. */
struct accd__debug_type {
    enum accd__debug_type_kind kind;
    bool fortran;
    bool points;    /* there are pointers in it, or arrays without a known end */
    bool open;      /* an array without a known end, or a structure that ends in one */
    uint64_t bytes; /* 0: not known, or not constant */
    Dwarf_Die die;
    Dwarf_Addr bias;                 /* of its file */
    struct accd__debug_type *target; /* element; pointee as soon as its target was looked up */
    bool has_target;
    struct accd__debug_member *members;
    size_t nmembers;
    struct accd__debug_dim *dims;
    size_t ndims;
    struct accd__debug_expr data; /* of a descriptor: where the elements lie */
};

struct accd__debug_member {
    const char *name; /* NULL: its members are those of the structure around it */
    uint64_t offset;
    struct accd__debug_type *type;
};

/* The type of a variable, member or pointer; NULL when it has none or memory is out. */
struct accd__debug_type *accd__get_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias);
struct accd__debug_type *accd__type_target(struct accd__debug_info *debug, struct accd__debug_type *type);
/* Whether a byte of an object, which lies in none of its members, holds no value. */
bool accd__debug_is_type_gap(const struct accd__debug_info *debug, const struct accd__debug_type *type,
                             uint64_t offset);

/* ----------------------------------------------------------------------- calls and variables -- */

struct accd__debug_variable {
    const char *name;
    Dwarf_Die die;
    Dwarf_Addr bias;
    struct accd__debug_expr where; /* at the call, or with at_entry at the function's */
    bool at_entry;
    uint64_t address;              /* of a global */
    struct accd__debug_type *type; /* as soon as has_type */
    bool has_type;
};

struct accd__debug_variables {
    struct accd__debug_variable *at;
    size_t n, room;
};

/* A file of the program that is in memory. */
struct accd__debug_module {
    struct accd__debug_module *next;
    Dwfl_Module *dwfl;
    bool indexed;
    struct accd__debug_variables globals; /* ascending addresses */
    /* It calls functions of programs by their addresses: nothing in it says what it passes, and its debug information
     * is large. */
    bool is_libc;
    bool is_system; /* of a folder of the system */
};

enum { ACCD__DEBUG_REGISTERS = 17 };

/* A place that calls come from. */
struct accd__code_site {
    uintptr_t pc;
    const char *file, *function;
    int line;
    bool near;      /* the line is one before the code */
    bool in_header; /* of the system: the function is not the program's */
    struct accd__debug_module *module;
    Dwarf_Addr bias;
    Dwarf_Die unit;
    struct accd__debug_variables variables; /* in scope, innermost first */
    struct accd__debug_expr frame_base;
    Dwarf_Frame *frame; /* owns cfa; malloc'd by libdw */
    struct accd__debug_expr cfa;
    bool has_unit;
    /* The function that contains the place, the function it calls, and what is passed to that in
     * registers. */
    const char *caller, *callee;
    Dwarf_Addr entry; /* of the function that contains the place */
    struct accd__debug_expr passed[ACCD__DEBUG_REGISTERS];
};

struct accd__debug_info {
    struct accd__dw dw;
    Dwfl *dwfl;
    unsigned long long loads; /* how often files were loaded when they were last listed */
    struct accd__debug_module *modules;
    struct accd__pointer_table sites, types, symbols;
    struct accd__debug_chunk *chunks; /* memory until accd__debug_close */
    size_t chunk_used;
    struct accd__search_node *nodes; /* work space of naming */
};

void *accd__debug_alloc(struct accd__debug_info *debug, size_t bytes); /* zeros; NULL: out of memory */
void accd__debug_free_memory(struct accd__debug_info *debug);          /* all that was taken */
/* Attributes that are expressions, the second kind at a place in the code. */
struct accd__debug_expr accd__get_expression(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name);
struct accd__debug_expr accd__get_location(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name,
                                           Dwarf_Addr pc);
/* The address that an operation of an expression gives, itself or by its number in the file's table. */
bool accd__dwarf_op_address(const struct accd__debug_info *debug, const struct accd__debug_expr *expr,
                            const Dwarf_Op *op, uint64_t *to);

bool accd__debug_is_system_header(const char *file); /* of the system or of a library */
struct accd__debug_module *accd__find_module(struct accd__debug_info *debug, uint64_t address);
struct accd__code_site *accd__find_code_site(struct accd__debug_info *debug, uintptr_t pc);
/* How the code before a return address finds its caller; malloc'd by libdw. NULL: not known. */
Dwarf_Frame *accd__find_frame(const struct accd__debug_info *debug, const struct accd__debug_module *module,
                              uintptr_t pc);
/* Fills in function and variables in scope of a new site. */
void accd__read_site_scope(struct accd__debug_info *debug, struct accd__code_site *site);
/* The global or static variables of a file, made on first use. */
const struct accd__debug_variables *accd__module_globals(struct accd__debug_info *debug,
                                                         struct accd__debug_module *module);
struct accd__debug_type *accd__get_variable_type(struct accd__debug_info *debug, struct accd__debug_variable *variable);

/* ------------------------------------------------------------------------------------ places -- */

/* What can be read of a call while it is looked at. bp 0: found like the other registers. */
struct accd__frame_view {
    struct accd__debug_info *debug;
    const struct accd__code_site *site; /* NULL: no call; only globals can be located */
    const struct accd__debug_call_frame *call;
    enum { ACCD__DEBUG_UNREAD, ACCD__DEBUG_READ, ACCD__DEBUG_FAILED } cfa_state, kept_state;
    uint64_t cfa, kept[6];
    unsigned callers; /* on the way to this one */
};

/* Memory, or just a value, in a register or computed. */
struct accd__value_location {
    bool is_value;
    uint64_t at;
};

/* Memory of the program, wherever it points. */
bool accd__read_memory(uint64_t address, void *to, size_t bytes);
/* object: what an array's expressions start from, or NULL. */
bool accd__evaluate_location(struct accd__frame_view *view, struct accd__debug_expr expr, Dwarf_Addr bias,
                             const uint64_t *object, struct accd__value_location *place_p);
bool accd__locate_variable(struct accd__frame_view *view, const struct accd__debug_variable *variable,
                           struct accd__value_location *place_p);
/* Elements of a dimension and its first index. */
bool accd__dimension_extent(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                            uint64_t object, uint64_t *count_p);
int64_t accd__dimension_lower(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                              uint64_t object);
/* Bytes of an object of a type; 0: not known. */
uint64_t accd__type_bytes_of_object(struct accd__frame_view *view, const struct accd__debug_type *type,
                                    uint64_t object);

#endif
