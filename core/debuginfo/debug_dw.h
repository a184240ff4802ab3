/* debug_dw.h - data shared by the files that read debug information.
 *
 *     accd__debug_info
 *      |- modules       files of the program in memory; each has its globals, sorted by address
 *      |- sites         places of calls, by return address: line, function, variables in scope
 *      |- types         types, by address of their entry (DIE: libdw's record), without typedefs and qualifiers
 *      '- chunks        memory of all of these, freed by accd__debug_close
 *
 * A site, a module's globals and a type are read once, at their first use. A bias is the difference between an address
 * in memory and the address of the same byte in the file. The CFA of a call is the caller's stack pointer before it. */
#ifndef ACCD__DEBUG_DW_H
#define ACCD__DEBUG_DW_H

#include "debuginfo/dw.h"
#include "debug.h"

#include <stdbool.h>
#include <stddef.h>

/* Hash table from nonzero numbers to pointers: open addressing, a power of two of entries, at most half full. */
struct accd__pointer_table {
    struct accd__pointer_table_entry *at; /* entries; NULL: capacity is 0 */
    size_t capacity, used;                /* number of entries; number of entries with a key */
};
struct accd__pointer_table_entry {
    uintptr_t key; /* never 0 */
    void *value;
};
/* Returns the value of `key`; NULL: the table does not have the key. */
void *accd__pointer_table_find(const struct accd__pointer_table *table, uintptr_t key);
/* Sets the value of `key`, which is not 0, in place of an earlier one. Returns false without memory. */
bool accd__pointer_table_add(struct accd__pointer_table *table, uintptr_t key, void *value);

/* ------------------------------------------------------------------------------------- types -- */

/* Expression of debug information, such as a location: a program for a stack machine (debug_location.c). */
struct accd__debug_expr {
    Dwarf_Op *ops; /* operations, owned by libdw */
    size_t n;      /* number of operations; 0: the expression does not exist */
    /* attribute that contains the expression */
    Dwarf_Attribute from;
};

/* Bound of an array: a constant `value`, an expression `expr`, or the value of the variable with the entry `die`. NONE:
 * the array has no such bound. */
struct accd__debug_bound {
    enum { ACCD__DEBUG_BOUND_NONE, ACCD__DEBUG_BOUND_CONST, ACCD__DEBUG_BOUND_EXPR, ACCD__DEBUG_BOUND_DIE } kind;
    int64_t value;
    struct accd__debug_expr expr;
    Dwarf_Die die;
};

enum { ACCD__DEBUG_DIMS_MAX = 15 };

/* Dimension of an array: lower and upper bound, and number of elements. Each may be of kind NONE. */
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

/* Type without typedefs and qualifiers. The type void is represented by a null pointer to this structure. */
struct accd__debug_type {
    enum accd__debug_type_kind kind;
    bool fortran;   /* the type is from a unit in Fortran */
    bool points;    /* the type contains pointers, references, descriptors, or arrays without a known end */
    bool open;      /* the type is an array without a known end, or a structure that ends in one */
    uint64_t bytes; /* size; 0: not known, or not constant */
    Dwarf_Die die;
    Dwarf_Addr bias; /* difference between addresses in memory and in the file of `die` */
    /* array or descriptor: type of the elements; pointer or reference: type it points to, set once has_target is true
     */
    struct accd__debug_type *target;
    bool has_target;
    struct accd__debug_member *members;
    size_t nmembers;
    struct accd__debug_dim *dims;
    size_t ndims;
    struct accd__debug_expr data; /* expression for the address of a descriptor's elements */
};

/* Member of a structure. */
struct accd__debug_member {
    const char *name; /* name; NULL: the members of this member count as members of the enclosing structure */
    uint64_t offset;  /* bytes from the start of the structure */
    struct accd__debug_type *type;
};

/* Returns the type to which the entry `die` of a variable, member, pointer or array refers, without typedefs and
 * qualifiers. NULL: no type (void), or no memory. `bias`: that of the entry's file. */
struct accd__debug_type *accd__get_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias);
/* Returns the type that the pointer or reference type `type` points to; NULL: void or not known. */
struct accd__debug_type *accd__type_target(struct accd__debug_info *debug, struct accd__debug_type *type);
/* Returns true if the byte at `offset` of an object of `type` is padding: of a structure, or after the 10 bytes of an
 * x87 number. Requires that the byte is in none of the known members. Returns false if not all members are known, or
 * `type` is a union or another scalar. */
bool accd__debug_is_type_gap(const struct accd__debug_info *debug, const struct accd__debug_type *type,
                             uint64_t offset);

/* ----------------------------------------------------------------------- calls and variables -- */

/* Variable of the program. */
struct accd__debug_variable {
    const char *name;
    Dwarf_Die die;
    Dwarf_Addr bias;
    /* location of the variable at the call or, with at_entry, at the entry of the function */
    struct accd__debug_expr location;
    bool at_entry;                 /* true: `location` uses registers as they were at the entry of the function */
    uint64_t address;              /* address in memory; set for global and static variables only */
    struct accd__debug_type *type; /* type of the variable, set once has_type is true */
    bool has_type;
};

/* Growing list of variables. */
struct accd__debug_variables {
    struct accd__debug_variable *at;
    size_t n, capacity;
};

/* Loaded file of the process: its executable, or a shared library. */
struct accd__debug_module {
    struct accd__debug_module *next;
    Dwfl_Module *dwfl;
    bool indexed;                         /* the globals of the file have been read into `globals` */
    struct accd__debug_variables globals; /* sorted by address; set once `indexed` is true */
    /* The file is the C library. Its debug information is not read for the arguments of calls: it is large, and has no
     * arguments for indirect calls, by which the library calls functions of the program. */
    bool is_libc;
    bool is_system; /* the file is in a folder of the system, or a runtime library */
};

enum { ACCD__DEBUG_REGISTERS = 17 }; /* DWARF's registers of x86-64: 16 and the return address */

/* Place of a call in the code. */
struct accd__code_site {
    uintptr_t pc;                      /* return address of the call */
    const char *file, *function;       /* source location of the call; NULL: not known */
    int line;                          /* 0: not known */
    bool is_line_inexact;              /* the call has no line of its own; `line` belongs to code shortly before it */
    bool in_header;                    /* the function is in a header of the system */
    struct accd__debug_module *module; /* file that contains the call; NULL: not known */
    Dwarf_Addr bias;                   /* memory address minus file address, for that file */
    Dwarf_Die unit;                    /* compilation unit of the call, if has_unit */
    struct accd__debug_variables variables; /* variables in scope at the call, those of the innermost scope first */
    struct accd__debug_expr frame_base;     /* address to which locations in the function's frame are relative */
    Dwarf_Frame *frame;                     /* rules for unwinding, allocated by libdw with malloc; owns cfa */
    /* expression for the CFA: stack pointer of the caller before the call */
    struct accd__debug_expr cfa;
    bool has_unit; /* a compilation unit with debug information contains the call */
    /* names of two functions; caller: the one that contains the call; callee: the one that is called there */
    const char *caller, *callee;
    Dwarf_Addr entry; /* address of the first instruction of `caller`, in the file */
    /* expression for the value that the call passes in a register, by DWARF's number of the register */
    struct accd__debug_expr passed[ACCD__DEBUG_REGISTERS];
};

/* Reader of debug information. */
struct accd__debug_info {
    struct accd__dw dw;                 /* libdw */
    Dwfl *dwfl;                         /* libdw's session, which lists the files of this process */
    unsigned long long loads;           /* number of files ever loaded when the files were last listed */
    struct accd__debug_module *modules; /* list of the files in which an address was looked up */
    /* accd__code_site by return address; accd__debug_type by address of its entry; symbol's name by address of code */
    struct accd__pointer_table sites, types, symbols;
    struct accd__debug_chunk *chunks; /* blocks of memory that live until accd__debug_close */
    size_t chunk_used;                /* bytes in use of the newest block */
    struct accd__search_node *nodes;  /* nodes of a search (debug_search.c), allocated at its first use */
};

/* Returns `bytes` zeroed bytes that live until accd__debug_close; NULL: no memory. */
void *accd__debug_alloc(struct accd__debug_info *debug, size_t bytes);
/* Frees all memory of accd__debug_alloc. */
void accd__debug_free_memory(struct accd__debug_info *debug);
/* Returns the expression in the attribute `name` of `die`; n = 0: the attribute does not exist, or is no expression. */
struct accd__debug_expr accd__get_expression(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name);
/* Returns the location expression in the attribute `name` of `die` that is valid at address `pc` of the file; n = 0:
 * none is valid there. */
struct accd__debug_expr accd__get_location(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name,
                                           Dwarf_Addr pc);
/* Sets *to to the address operand of the operation `op` of `expr`, given directly or as an index into the address table
 * of the file. Returns false if `op` has no such operand. */
bool accd__dwarf_op_address(const struct accd__debug_info *debug, const struct accd__debug_expr *expr,
                            const Dwarf_Op *op, uint64_t *to);

/* Returns true if the source file `file` is a header of the system or of a compiler's library; false for NULL. */
bool accd__debug_is_system_header(const char *file);
/* Returns the module (file of the program in memory) that contains `address`; NULL: no module does. */
struct accd__debug_module *accd__find_module(struct accd__debug_info *debug, uint64_t address);
/* Returns the site of the call with return address `pc`, read at its first use; fields that are not known are 0 or
 * NULL. Returns NULL without memory, or if `pc` is 0. */
struct accd__code_site *accd__find_code_site(struct accd__debug_info *debug, uintptr_t pc);
/* Returns the rules for unwinding at the return address `pc`; the caller frees them with free. NULL: not known. */
Dwarf_Frame *accd__find_frame(const struct accd__debug_info *debug, const struct accd__debug_module *module,
                              uintptr_t pc);
/* Sets file and line of a call, if they are known. is_in_program: lines of headers of the system count as none. */
void accd__find_line(struct accd__debug_info *debug, struct accd__code_site *site, bool is_in_program);
/* Sets function, variables in scope, passed values and unwinding rules of a new site, whose unit is known. May replace
 * file and line: code inlined from a system header gets the place in the program where it was inlined. Does nothing if
 * no function contains the call. */
void accd__read_site_scope(struct accd__debug_info *debug, struct accd__code_site *site);
/* Returns the global and static variables of a module, by ascending address, read at the first use; an incomplete list
 * without memory. */
const struct accd__debug_variables *accd__module_globals(struct accd__debug_info *debug,
                                                         struct accd__debug_module *module);
/* Returns the type of `variable`, which is read when first asked for; NULL: void or not known. */
struct accd__debug_type *accd__get_variable_type(struct accd__debug_info *debug, struct accd__debug_variable *variable);

/* ------------------------------------------------------------------------------------ places -- */

/* View of a call's frame: its registers, each read when a location first needs it. */
struct accd__frame_view {
    struct accd__debug_info *debug;
    const struct accd__code_site *site; /* NULL: no call; only globals can be located */
    const struct accd__debug_call_frame *call;
    enum {
        ACCD__DEBUG_UNREAD,
        ACCD__DEBUG_READ,
        ACCD__DEBUG_FAILED
    } cfa_state,
        callee_saved_state; /* states of `cfa` and of `callee_saved` */
    /* CFA: stack pointer before the call of the function that contains the site; values of the registers that calls
     * preserve (rbx, rbp, r12 to r15) */
    uint64_t cfa, callee_saved[6];
    unsigned callers; /* 0: frame of the examined call; n: frame of the n-th caller outwards, viewed for the values that
                         it passed */
};

/* Result of a location expression. is_value false: `at` is an address in memory. is_value true: `at` is the variable's
 * value, which was in a register or computed. */
struct accd__value_location {
    bool is_value;
    uint64_t at;
};

/* Copies `bytes` bytes of this process at `address` to `to`; returns false if they are not readable. */
bool accd__read_memory(uint64_t address, void *to, size_t bytes);
/* Sets *place_p to the result of `expr`, from a file with the bias `bias`. `object`: points to the address of the array
 * to which the expression belongs; NULL: it belongs to no array. Returns false if `expr` cannot be evaluated. */
bool accd__evaluate_location(struct accd__frame_view *view, struct accd__debug_expr expr, Dwarf_Addr bias,
                             const uint64_t *object, struct accd__value_location *place_p);
/* Sets *place_p to the location of `variable` at the call of the view; returns false if it is not known. */
bool accd__locate_variable(struct accd__frame_view *view, const struct accd__debug_variable *variable,
                           struct accd__value_location *place_p);
/* Sets *count_p to the number of elements of dimension `dim` of the array at `object`; returns false if it is not
 * known. Requires dim < type->ndims. */
bool accd__dimension_extent(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                            uint64_t object, uint64_t *count_p);
/* Returns the lower bound of dimension `dim` of the array at `object`; the default of the language if the bound is not
 * known. */
int64_t accd__dimension_lower(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                              uint64_t object);
/* Returns the size in bytes of the object of `type` at `object`, computed from its bounds if it is an array whose size
 * is not constant; 0: not known. */
uint64_t accd__type_bytes_of_object(struct accd__frame_view *view, const struct accd__debug_type *type,
                                    uint64_t object);

#endif
