/* debug_dw.h - what the parts of debug.c share: the program's files, types as naming needs them,
 * variables in scope at a call and where they lie. */
#ifndef GOACC_DEBUG_DW_H
#define GOACC_DEBUG_DW_H

#include "debug.h"
#include "debuginfo/dw.h"

#include <stdbool.h>
#include <stddef.h>

/* Pointers by number, open addressing, half full at most. */
struct goacc_table {
    struct goacc_table_entry *at;
    size_t room, used;
};
struct goacc_table_entry {
    uintptr_t key; /* never 0 */
    void *value;
};
void *goacc_table_find(const struct goacc_table *table, uintptr_t key);
bool goacc_table_add(struct goacc_table *table, uintptr_t key, void *value);

/* ------------------------------------------------------------------------------------- types -- */

/* An expression that debug information gives; n is 0 when there is none. */
struct goacc_expr {
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Attribute from;
};

/* A bound of an array: a constant, an expression, or the value of a variable. */
struct goacc_bound {
    enum { GOACC_BOUND_NONE, GOACC_BOUND_CONST, GOACC_BOUND_EXPR, GOACC_BOUND_DIE } kind;
    int64_t value;
    struct goacc_expr expr;
    Dwarf_Die die;
};

enum { GOACC_DIMS_MOST = 15 };

struct goacc_dim {
    struct goacc_bound lower, upper, count;
};

enum goacc_kind {
    GOACC_SCALAR,
    GOACC_POINTER,
    GOACC_REFERENCE,
    GOACC_STRUCT,
    GOACC_ARRAY,
    GOACC_DESCRIPTOR /* of a Fortran array that lies elsewhere */
};

/* Without typedef and qualifiers. void is a null pointer. */
struct goacc_type {
    enum goacc_kind kind;
    bool fortran;
    bool points;    /* there are pointers in it, or arrays without a known end */
    bool open;      /* an array without a known end, or a structure that ends in one */
    uint64_t bytes; /* 0: not known, or not constant */
    Dwarf_Die die;
    Dwarf_Addr bias;           /* of its file */
    struct goacc_type *target; /* element; pointee as soon as goacc_target was asked */
    bool has_target;
    struct goacc_member *members;
    size_t nmembers;
    struct goacc_dim *dims;
    size_t ndims;
    struct goacc_expr data; /* of a descriptor: where the elements lie */
};

struct goacc_member {
    const char *name; /* NULL: its members are those of the structure around it */
    uint64_t offset;
    struct goacc_type *type;
};

/* The type of a variable, member or pointer; NULL when it has none or memory is out. */
struct goacc_type *goacc_type_of(struct goacc_debug *debug, Dwarf_Die *die, Dwarf_Addr bias);
struct goacc_type *goacc_target(struct goacc_debug *debug, struct goacc_type *type);
/* Whether a byte of an object, which lies in none of its members, holds no value. */
bool goacc_type_has_gap(const struct goacc_debug *debug, const struct goacc_type *type, uint64_t offset);

/* ----------------------------------------------------------------------- calls and variables -- */

struct goacc_variable {
    const char *name;
    Dwarf_Die die;
    Dwarf_Addr bias;
    struct goacc_expr where; /* at the call, or with at_entry at the function's */
    bool at_entry;
    uint64_t address;        /* of a global */
    struct goacc_type *type; /* as soon as has_type */
    bool has_type;
};

struct goacc_variables {
    struct goacc_variable *at;
    size_t n, room;
};

/* A file of the program that is in memory. */
struct goacc_module {
    struct goacc_module *next;
    Dwfl_Module *dwfl;
    bool indexed;
    struct goacc_variables globals; /* ascending addresses */
    /* It calls functions of programs by their addresses: nothing in it says what it passes, and its debug information
     * is large. */
    bool is_libc;
    bool is_system; /* of a folder of the system */
};

enum { GOACC_REGISTERS = 17 };

/* A place that calls come from. */
struct goacc_site {
    uintptr_t pc;
    const char *file, *function;
    int line;
    bool near; /* the line is one before the code */
    bool in_header; /* of the system: the function is not the program's */
    struct goacc_module *module;
    Dwarf_Addr bias;
    Dwarf_Die unit;
    struct goacc_variables variables; /* in scope, innermost first */
    struct goacc_expr frame_base;
    Dwarf_Frame *frame; /* owns cfa; malloc'd by libdw */
    struct goacc_expr cfa;
    bool has_unit;
    /* The function that contains the place, the function it calls, and what is passed to that in
     * registers. */
    const char *caller, *callee;
    Dwarf_Addr entry; /* of the function that contains the place */
    struct goacc_expr passed[GOACC_REGISTERS];
};

struct goacc_debug {
    struct accd_dw dw;
    Dwfl *dwfl;
    unsigned long long loads; /* how often files were loaded when they were last listed */
    struct goacc_module *modules;
    struct goacc_table sites, types, symbols;
    struct goacc_chunk *chunks; /* memory until goacc_debug_close */
    size_t chunk_used;
    struct goacc_node *nodes; /* work space of naming */
};

void *goacc_take(struct goacc_debug *debug, size_t bytes); /* zeros; NULL: out of memory */
void goacc_give_back(struct goacc_debug *debug);           /* all that was taken */
/* Attributes that are expressions, the second kind at a place in the code. */
struct goacc_expr goacc_expression(const struct goacc_debug *debug, Dwarf_Die *die, unsigned name);
struct goacc_expr goacc_location(const struct goacc_debug *debug, Dwarf_Die *die, unsigned name,
                                 Dwarf_Addr pc);
/* The address that an operation of an expression gives, itself or by its number in the file's table. */
bool goacc_address_of(const struct goacc_debug *debug, const struct goacc_expr *expr, const Dwarf_Op *op,
                      uint64_t *to);

bool goacc_is_header(const char *file); /* of the system or of a library */
struct goacc_module *goacc_module_at(struct goacc_debug *debug, uint64_t address);
struct goacc_site *goacc_site_at(struct goacc_debug *debug, uintptr_t pc);
/* How the code before a return address finds its caller; malloc'd by libdw. NULL: not known. */
Dwarf_Frame *goacc_frame_at(const struct goacc_debug *debug, const struct goacc_module *module, uintptr_t pc);
/* Fills in function and variables in scope of a new site. */
void goacc_site_scope(struct goacc_debug *debug, struct goacc_site *site);
/* The global or static variables of a file, made on first use. */
const struct goacc_variables *goacc_globals(struct goacc_debug *debug, struct goacc_module *module);
struct goacc_type *goacc_variable_type(struct goacc_debug *debug, struct goacc_variable *variable);

/* ------------------------------------------------------------------------------------ places -- */

/* What can be read of a call while it is looked at. bp 0: found like the other registers. */
struct goacc_view {
    struct goacc_debug *debug;
    const struct goacc_site *site; /* NULL: no call; only globals can be located */
    const struct goacc_call *call;
    enum { GOACC_UNREAD, GOACC_READ, GOACC_FAILED } cfa_state, kept_state;
    uint64_t cfa, kept[6];
    unsigned callers; /* on the way to this one */
};

/* Memory, or just a value, in a register or computed. */
struct goacc_place {
    bool is_value;
    uint64_t at;
};

/* Memory of the program, wherever it points. */
bool goacc_read(uint64_t address, void *to, size_t bytes);
/* object: what an array's expressions start from, or NULL. */
bool goacc_evaluate(struct goacc_view *view, struct goacc_expr expr, Dwarf_Addr bias,
                    const uint64_t *object, struct goacc_place *place_p);
bool goacc_locate(struct goacc_view *view, const struct goacc_variable *variable,
                  struct goacc_place *place_p);
/* Elements of a dimension and its first index. */
bool goacc_extent(struct goacc_view *view, const struct goacc_type *type, size_t dim,
                  uint64_t object, uint64_t *count_p);
int64_t goacc_lower(struct goacc_view *view, const struct goacc_type *type, size_t dim,
                    uint64_t object);
/* Bytes of an object of a type; 0: not known. */
uint64_t goacc_bytes(struct goacc_view *view, const struct goacc_type *type, uint64_t object);

#endif
