/* debug_scope.c - reads variables: those in scope at a call, and the globals of a module. */
#ifdef HAVE_LIBDW
#include "debug_dw.h"
#include "demangle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of nested scopes; only a damaged file has deeper ones. */
enum { NESTING_MOST = 64 };

/* Appends a variable to a list, and returns its address; the caller sets the variable. NULL: no memory. */
static struct accd__debug_variable *append_variable(struct accd__debug_variables *list)
{
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct accd__debug_variable *at = realloc(list->at, capacity * sizeof *at);
        if (!at)
            return NULL;
        list->at = at;
        list->capacity = capacity;
    }
    return &list->at[list->n++];
}

/* Returns true if an entry is a variable that the program has a name for. Some variables that compilers make count,
 * because each stands for a variable of the program: `this`, captures of a lambda, arrays of Fortran. */
static bool has_program_name(const struct accd__debug_info *debug, Dwarf_Die *die)
{
    const struct accd__dw *dw = &debug->dw;
    int tag = dw->dwarf_tag(die);
    const char *name = dw->dwarf_diename(die);
    Dwarf_Attribute attribute;
    /* names with a dot, and those that begin with __, were made by the compiler or its headers */
    if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !name || strchr(name, '.') ||
        !strncmp(name, "__", 2))
        return false;
    return *name != '_' || !dw->dwarf_attr_integrate(die, DW_AT_artificial, &attribute);
}

/* -------------------------------------------------------------------------- scopes at a call -- */

/* Returns true if the code of the entry `die` contains the address `pc` of its file. */
static bool covers_pc(const struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr pc)
{
    return debug->dw.dwarf_haspc(die, pc) > 0;
}

/* Sets *to to the function within the entry `in` whose code contains pc; returns false if there is none. nesting: depth
 * of `in`. Nested functions are not within the code of the outer one, so all are searched. */
static bool find_function(const struct accd__debug_info *debug, Dwarf_Die *in, Dwarf_Addr pc, unsigned nesting,
                          Dwarf_Die *to)
{
    Dwarf_Die child;
    bool more = nesting < NESTING_MOST && accd__dw_first_child(&debug->dw, in, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child)) {
        switch (debug->dw.dwarf_tag(&child)) {
        case DW_TAG_subprogram:
            if (covers_pc(debug, &child, pc)) {
                *to = child;
                return true;
            }
            break;
        case DW_TAG_module:
        case DW_TAG_namespace:
        case DW_TAG_lexical_block:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            break;
        default:
            continue;
        }
        if (find_function(debug, &child, pc, nesting + 1, to))
            return true;
    }
    return false;
}

/* Returns the location in the frame of the variable `die` just before the call, for variables that the call uses last;
 * n = 0: none. The location list may end at the call, but memory in the frame still holds the variable during the call.
 */
static struct accd__debug_expr locate_before_call(const struct accd__debug_info *debug, struct accd__code_site *site,
                                                  Dwarf_Die *die)
{
    enum { LONGEST_CALL = 6 };
    Dwarf_Addr pc = site->pc - site->bias - LONGEST_CALL - 1;
    struct accd__debug_expr location = accd__get_location(debug, die, DW_AT_location, pc);
    bool in_frame = location.n == 1 && location.ops->atom == DW_OP_fbreg;
    return in_frame ? location : (struct accd__debug_expr){.n = 0};
}

/* Returns the location that the parameter `die` had at the function's entry, if the parameter was passed by
 * reference, so that it has not moved since. n = 0: it was passed otherwise. */
static struct accd__debug_expr locate_at_entry(const struct accd__debug_info *debug, struct accd__code_site *site,
                                               Dwarf_Die *die)
{
    struct accd__debug_expr location = accd__get_location(debug, die, DW_AT_location, site->entry);
    bool referred = location.n == 1 && location.ops->atom >= DW_OP_breg0 &&
                    location.ops->atom < DW_OP_breg0 + ACCD__DEBUG_REGISTERS && !location.ops->number;
    return referred ? location : (struct accd__debug_expr){.n = 0};
}

/* Appends the entry `die` to the variables in scope of a site, if it is a named variable with a location. Ignores it
 * without memory. */
static void add_local(struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *die)
{
    struct accd__debug_variable variable = {.die = *die, .bias = site->bias};
    if (!has_program_name(debug, die))
        return;
    variable.name = debug->dw.dwarf_diename(die);
    variable.location = accd__get_location(debug, die, DW_AT_location, site->pc - 1 - site->bias);
    if (!variable.location.n)
        variable.location = locate_before_call(debug, site, die);
    if (!variable.location.n && debug->dw.dwarf_tag(die) == DW_TAG_formal_parameter) {
        variable.location = locate_at_entry(debug, site, die);
        variable.at_entry = true;
    }
    struct accd__debug_variable *place = variable.location.n ? append_variable(&site->variables) : NULL;
    if (place)
        *place = variable;
}

/* Returns the name of the function that `name` was outlined from: a copy of `name` up to its first dot. Names of C++
 * and of procedures of Fortran modules become those of the source. Returns `name` itself if it has no dot, or without
 * memory. */
static const char *strip_outline_suffix(struct accd__debug_info *debug, const char *name)
{
    size_t length = name ? strcspn(name, ".") : 0;
    char *copy = length && name[length] ? accd__debug_alloc(debug, length + 1) : NULL;
    if (!copy)
        return name;
    memcpy(copy, name, length);
    const char *procedure = strncmp(copy, "__", 2) == 0 ? strstr(copy, "_MOD_") : NULL;
    if (procedure)
        return procedure + strlen("_MOD_");
    char *source_name = accd__demangle(copy);
    if (source_name)
        snprintf(copy, length + 1, "%s", accd__strip_classes(source_name));
    free(source_name);
    return copy;
}

/* Stores in `site` the callee and the values that a call passes in registers, if the entry `call` describes the call of
 * the site. Values that a function received in registers and has overwritten can only be found there. */
static void read_passed(struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *call)
{
    const struct accd__dw *dw = &debug->dw;
    Dwarf_Attribute attribute;
    Dwarf_Addr pc;
    Dwarf_Die callee, child;
    /* compilers also write call sites in GNU's form, which was used before DWARF 5 */
    bool gnu = dw->dwarf_tag(call) == DW_TAG_GNU_call_site;
    if (!dw->dwarf_attr(call, gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &attribute) ||
        dw->dwarf_formaddr(&attribute, &pc) != 0 || pc != site->pc - site->bias ||
        !accd__dw_get_reference(&debug->dw, call, gnu ? DW_AT_abstract_origin : DW_AT_call_origin, &callee))
        return;
    site->callee = dw->dwarf_diename(&callee);
    bool more = accd__dw_first_child(&debug->dw, call, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child)) {
        struct accd__debug_expr to = accd__get_expression(debug, &child, DW_AT_location);
        unsigned number = to.n == 1 ? to.ops->atom - DW_OP_reg0 : ACCD__DEBUG_REGISTERS;
        if (number < ACCD__DEBUG_REGISTERS)
            site->passed[number] =
                accd__get_expression(debug, &child, gnu ? DW_AT_GNU_call_site_value : DW_AT_call_value);
    }
}

/* Returns true if the path `file` is that of a header of the system or of a compiler. */
bool accd__debug_is_system_header(const char *file)
{
    return file && (!strncmp(file, "/usr/include/", 13) || strstr(file, "/include/c++/") || strstr(file, "/lib/gcc/"));
}

/* Sets file and line of `site`, if they are known. Code without a line of its own (line 0) was made by the compiler.
 * For such a call uses a line shortly before it, and sets site->is_line_inexact. is_in_program: lines of headers of the
 * system count as none. */
void accd__find_line(struct accd__debug_info *debug, struct accd__code_site *site, bool is_in_program)
{
    enum { STEPS = 8 };
    Dwarf_Addr at = site->pc - 1 - site->bias;
    for (int i = 0; i < STEPS; i++) {
        int number;
        Dwarf_Line *line = debug->dw.dwarf_getsrc_die(&site->unit, at);
        if (!line || debug->dw.dwarf_lineno(line, &number) || debug->dw.dwarf_lineaddr(line, &at))
            return;
        const char *file = debug->dw.dwarf_linesrc(line, NULL, NULL);
        if (number && !(is_in_program && accd__debug_is_system_header(file))) {
            site->file = file;
            site->line = number;
            site->is_line_inexact = i > 0;
            return;
        }
        at--;
    }
}

/* Returns true if a function is declared in a file of the program. */
static bool is_program_function(const struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *function)
{
    const struct accd__dw *dw = &debug->dw;
    Dwarf_Attribute attribute;
    Dwarf_Word file;
    Dwarf_Files *files;
    size_t nfiles;
    if (!dw->dwarf_attr_integrate(function, DW_AT_decl_file, &attribute) || dw->dwarf_formudata(&attribute, &file) ||
        dw->dwarf_getsrcfiles(&site->unit, &files, &nfiles) != 0 || file >= nfiles)
        return false;
    const char *name = dw->dwarf_filesrc(files, file, NULL, NULL);
    return name && !accd__debug_is_system_header(name);
}

/* Stores in `caller` the place where a function calls the function `inlined` there, if that place is in a file of the
 * program. As outer calls are visited first, the innermost place remains. */
static void note_caller(struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *inlined,
                        struct accd__code_site *caller)
{
    const struct accd__dw *dw = &debug->dw;
    uint64_t file, line;
    Dwarf_Files *files;
    size_t nfiles;
    if (!accd__dw_get_number(dw, inlined, DW_AT_call_file, &file) ||
        !accd__dw_get_number(dw, inlined, DW_AT_call_line, &line) ||
        dw->dwarf_getsrcfiles(&site->unit, &files, &nfiles) != 0 || file >= nfiles)
        return;
    const char *name = dw->dwarf_filesrc(files, file, NULL, NULL);
    if (!name || accd__debug_is_system_header(name))
        return;
    caller->file = name;
    caller->line = (int)line;
    caller->function = site->function;
}

/* Reads a scope and the inner scopes that contain the call into `site`: function, variables (innermost first), values
 * passed by the call. Stores in `caller` the innermost place of an inlined call (note_caller). nesting: depth of the
 * scope. */
static void add_scope(struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *scope, unsigned nesting,
                      struct accd__code_site *caller)
{
    Dwarf_Die child, inside;
    Dwarf_Addr pc = site->pc - 1 - site->bias;
    int tag = debug->dw.dwarf_tag(scope);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
        site->function = strip_outline_suffix(debug, debug->dw.dwarf_diename(scope));
    bool more = nesting < NESTING_MOST && accd__dw_first_child(&debug->dw, scope, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child)) {
        tag = debug->dw.dwarf_tag(&child);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && covers_pc(debug, &child, pc)) {
            if (tag == DW_TAG_inlined_subroutine)
                note_caller(debug, site, &child, caller);
            add_scope(debug, site, &child, nesting + 1, caller);
            break;
        }
    }
    more = accd__dw_first_child(&debug->dw, scope, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child)) {
        tag = debug->dw.dwarf_tag(&child);
        if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
            read_passed(debug, site, &child);
        bool common = tag == DW_TAG_common_block && accd__dw_first_child(&debug->dw, &child, &inside);
        for (; common; common = accd__dw_next_sibling(&debug->dw, &inside))
            add_local(debug, site, &inside);
        add_local(debug, site, &child);
    }
}

/* Returns the unwinding rules at a return address, from .eh_frame or else .debug_frame; NULL: not known. */
Dwarf_Frame *accd__find_frame(const struct accd__debug_info *debug, const struct accd__debug_module *module,
                              uintptr_t pc)
{
    const struct accd__dw *dw = &debug->dw;
    Dwarf_Frame *frame;
    Dwarf_Addr bias;
    Dwarf_CFI *cfi = dw->dwfl_module_eh_cfi(module->dwfl, &bias);
    if (cfi && dw->dwarf_cfi_addrframe(cfi, pc - 1 - bias, &frame) == 0)
        return frame;
    cfi = dw->dwfl_module_dwarf_cfi(module->dwfl, &bias);
    return cfi && dw->dwarf_cfi_addrframe(cfi, pc - 1 - bias, &frame) == 0 ? frame : NULL;
}

/* Stores in `site` (place of a call) the name, first address, frame base and unwinding rules of `function`, which
 * contains the call. */
static void read_frame(struct accd__debug_info *debug, struct accd__code_site *site, Dwarf_Die *function)
{
    const struct accd__dw *dw = &debug->dw;
    site->caller = dw->dwarf_diename(function);
    if (dw->dwarf_lowpc(function, &site->entry) != 0)
        site->entry = 0;
    site->frame_base = accd__get_location(debug, function, DW_AT_frame_base, site->pc - 1 - site->bias);
    site->frame = accd__find_frame(debug, site->module, site->pc);
    if (site->frame && dw->dwarf_frame_cfa(site->frame, &site->cfa.ops, &site->cfa.n) != 0)
        site->cfa.n = 0;
}

/* Reads the function that contains a site (place of a call), with its variables and frame. Code inlined from a system
 * header gets the place in the program that it was inlined into. A call of the program itself may have a line of such a
 * header, because the compiler has moved code; it gets a line of the program shortly before it. */
void accd__read_site_scope(struct accd__debug_info *debug, struct accd__code_site *site)
{
    Dwarf_Die function;
    assert(site->has_unit && site->module);
    if (!find_function(debug, &site->unit, site->pc - 1 - site->bias, 0, &function))
        return;
    struct accd__code_site caller = {.line = 0};
    read_frame(debug, site, &function);
    add_scope(debug, site, &function, 0, &caller);
    if (!caller.line && accd__debug_is_system_header(site->file) && is_program_function(debug, site, &function))
        accd__find_line(debug, site, true);
    site->in_header = accd__debug_is_system_header(site->file) && !caller.line;
    if (caller.line && accd__debug_is_system_header(site->file)) {
        site->file = caller.file;
        site->line = caller.line;
        site->function = caller.function;
        site->is_line_inexact = false;
    }
}

/* ----------------------------------------------------------------------------------- globals -- */

/* Appends the entry `die` to the globals of a module, if it is a named variable with a constant address. Ignores it
 * without memory. */
static void add_global(struct accd__debug_info *debug, struct accd__debug_module *module, Dwarf_Die *die,
                       Dwarf_Addr bias)
{
    struct accd__debug_variable variable = {.die = *die, .bias = bias};
    struct accd__debug_expr location = accd__get_expression(debug, die, DW_AT_location);
    if (location.n != 1 || !has_program_name(debug, die) ||
        !accd__dwarf_op_address(debug, &location, location.ops, &variable.address))
        return;
    variable.name = debug->dw.dwarf_diename(die);
    variable.address += bias;
    struct accd__debug_variable *place = append_variable(&module->globals);
    if (place)
        *place = variable;
}

/* Appends the globals and statics among the children of the entry `in`, and in scopes within them, to the module's
 * globals. nesting: depth of `in`; scopes at NESTING_MOST or deeper are ignored. */
static void add_globals(struct accd__debug_info *debug, struct accd__debug_module *module, Dwarf_Die *in,
                        Dwarf_Addr bias, unsigned nesting)
{
    Dwarf_Die child;
    bool more = nesting < NESTING_MOST && accd__dw_first_child(&debug->dw, in, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child))
        switch (debug->dw.dwarf_tag(&child)) {
        case DW_TAG_variable:
            add_global(debug, module, &child, bias);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_common_block:
        case DW_TAG_module:
        case DW_TAG_namespace:
            add_globals(debug, module, &child, bias, nesting + 1);
            break;
        default:
            break;
        }
}

/* Compares two variables by address, for qsort. */
static int compare_addresses(const void *a, const void *b)
{
    const struct accd__debug_variable *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Returns the globals of a module (file of the program in memory), sorted by address; reads them at the first use. */
const struct accd__debug_variables *accd__module_globals(struct accd__debug_info *debug,
                                                         struct accd__debug_module *module)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    if (module->indexed)
        return &module->globals;
    module->indexed = true;
    while ((unit = debug->dw.dwfl_module_nextcu(module->dwfl, unit, &bias)))
        add_globals(debug, module, unit, bias, 0);
    if (module->globals.n)
        qsort(module->globals.at, module->globals.n, sizeof *module->globals.at, compare_addresses);
    return &module->globals;
}

#endif
