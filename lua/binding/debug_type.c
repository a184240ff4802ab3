/* debug_type.c - converts types of debug information to Lua tables.
 *
 * Every entry (DIE) becomes one table, however often it is referred to, so types may be recursive. Tables wait in a
 * list until they are filled, so the depth of types does not matter. Qualifiers are left out; a table has `qualified`
 * if the type that it refers to has one. Functions read_X fill the table on top of the stack from an entry. They and
 * push_entry raise only without memory; what is missing in damaged files stays nil. Fields by kind:
 *
 * - base: name, size, encoding ("signed", "unsigned", "float", "boolean", "complex", "other")
 * - pointer: to (nil: void)
 * - array: of, size, rank, dims = list of {lower, count (nil: not known)}, column_major
 * - descriptor: of, rank, attribute ("allocatable", "pointer", "other"): gfortran's descriptor of an array
 * - character: size
 * - record: name, id (of the entry), union, size, align, declaration, fortran,
 *   members = list of {name, type, offset (nil: not constant), bits, base, closed}
 * - enum: name, size, signed, scoped, declaration, values = list of {name, value}
 * - typedef: name, to (nil: void)
 * - function
 * - other: name, size */
#ifdef HAVE_LIBDW
#include "debug.h"

#include <assert.h>
#include <string.h>

/* State of a conversion. */
struct reader {
    lua_State *L;
    struct accd__lua_debug *debug;
    int names, tables, waiting; /* stack indices of: the handle's table of names; tables of types, by entry; list of the
                                   tables to fill, each followed by its entry */
};

/* Returns true if an entry has the attribute `name` (DW_AT_*). */
static bool has_attribute(const struct reader *r, Dwarf_Die *die, unsigned name)
{
    return r->debug->dw.dwarf_hasattr(die, name) != 0;
}

/* Stores the integer of the attribute `name` in *to and returns true. Returns false, without a change, if the entry has
 * no such attribute. */
static bool read_integer(const struct reader *r, Dwarf_Die *die, unsigned name, lua_Integer *to)
{
    uint64_t value;
    if (!accd__dw_get_number(&r->debug->dw, die, name, &value))
        return false;
    *to = (lua_Integer)value;
    return true;
}

/* ------------------------------------------------------------------------------- references -- */

/* Replaces *die, step by step, by the type without qualifiers and, for a placeholder, by the entry that defines the
 * type. Returns false for void, for a reference that cannot be read, or after 16 steps. */
static bool resolve_entry(const struct reader *r, Dwarf_Die *die)
{
    assert(die->addr);
    for (int most = 16; most > 0; most--) {
        switch (r->debug->dw.dwarf_tag(die)) {
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_immutable_type:
        case DW_TAG_shared_type:
        case DW_TAG_packed_type:
        case DW_TAG_subrange_type:
            if (!accd__dw_get_reference(&r->debug->dw, die, DW_AT_type, die))
                return false;
            break;
        default:
            if (!has_attribute(r, die, DW_AT_signature))
                return true;
            if (!accd__dw_get_reference(&r->debug->dw, die, DW_AT_signature, die))
                return false;
        }
    }
    return false;
}

/* Pushes the table of an entry's type, or nil for void. A new table is appended to `waiting`, and filled later. */
static void push_entry(struct reader *r, Dwarf_Die die)
{
    lua_State *L = r->L;
    if (!resolve_entry(r, &die)) {
        lua_pushnil(L);
        return;
    }
    if (lua_rawgetp(L, r->tables, die.addr) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, r->tables, die.addr);
    lua_Integer n = (lua_Integer)lua_rawlen(L, r->waiting);
    lua_pushvalue(L, -1);
    lua_rawseti(L, r->waiting, n + 1);
    memcpy(lua_newuserdatauv(L, sizeof die, 0), &die, sizeof die);
    lua_rawseti(L, r->waiting, n + 2);
}

/* Sets field `key` of the table on top of the stack to the type that an entry refers to; nil: void. Sets the field
 * `qualified` to true if that type is const, volatile or atomic. */
static void set_type(struct reader *r, const char *key, Dwarf_Die *die)
{
    Dwarf_Die to;
    if (!accd__dw_get_reference(&r->debug->dw, die, DW_AT_type, &to))
        return;
    const int tag = r->debug->dw.dwarf_tag(&to);
    if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_atomic_type) {
        lua_pushboolean(r->L, true);
        lua_setfield(r->L, -2, "qualified");
    }
    push_entry(r, to);
    lua_setfield(r->L, -2, key);
}

/* Sets field `name` of the table on top of the stack to the name of an entry, with its scopes. */
static void set_name(struct reader *r, Dwarf_Die *die)
{
    accd__debug_push_name(r->L, r->debug, r->names, die);
    lua_setfield(r->L, -2, "name");
}

/* ---------------------------------------------------------------------------------- records -- */

/* Returns true if an entry is a base class, or a member that each object stores, so that it is not static. */
static bool is_member(const struct reader *r, Dwarf_Die *die)
{
    int tag = r->debug->dw.dwarf_tag(die);
    return tag == DW_TAG_inheritance ||
           (tag == DW_TAG_member && !accd__dw_get_flag(&r->debug->dw, die, DW_AT_declaration) &&
            !accd__dw_get_flag(&r->debug->dw, die, DW_AT_external)); /* static members have the attribute external */
}

/* Fills the table of a member or base class. of_class: the entry belongs to a class, whose members are private by
 * default. Sets field `closed` if the member is not public, and `bits` if it is a bit-field. */
static void read_member(struct reader *r, Dwarf_Die *die, bool of_class)
{
    const struct accd__dw *dw = &r->debug->dw;
    uint64_t offset;
    lua_Integer access = of_class ? DW_ACCESS_private : DW_ACCESS_public;
    bool is_base = dw->dwarf_tag(die) == DW_TAG_inheritance;
    if (is_base)
        accd__set_boolean(r->L, "base", true);
    else
        accd__set_text(r->L, "name", dw->dwarf_diename(die));
    if (has_attribute(r, die, DW_AT_bit_size))
        accd__set_boolean(r->L, "bits", true);
    read_integer(r, die, DW_AT_accessibility, &access);
    if (access != DW_ACCESS_public)
        accd__set_boolean(r->L, "closed", true);
    if (accd__dw_member_offset(dw, die, &offset))
        accd__set_integer(r->L, "offset", (lua_Integer)offset);
    set_type(r, "type", die);
}

/* Fills the table of a structure, class or union. */
static void read_record(struct reader *r, Dwarf_Die *die)
{
    lua_State *L = r->L;
    struct accd__lua_debug *debug = r->debug;
    Dwarf_Die child;
    lua_Integer n = 0, value;
    accd__set_text(r->L, "kind", "record");
    set_name(r, die);
    accd__set_integer(r->L, "id", (lua_Integer)(intptr_t)die->addr);
    if (debug->dw.dwarf_tag(die) == DW_TAG_union_type)
        accd__set_boolean(r->L, "union", true);
    if (accd__dw_get_flag(&debug->dw, die, DW_AT_declaration))
        accd__set_boolean(r->L, "declaration", true);
    if (accd__dw_is_fortran(&debug->dw, die))
        accd__set_boolean(r->L, "fortran", true);
    if (read_integer(r, die, DW_AT_byte_size, &value))
        accd__set_integer(r->L, "size", value);
    if (read_integer(r, die, DW_AT_alignment, &value))
        accd__set_integer(r->L, "align", value);
    lua_newtable(L);
    for (bool more = accd__dw_first_child(&debug->dw, die, &child); more;
         more = accd__dw_next_sibling(&debug->dw, &child)) {
        if (!is_member(r, &child))
            continue;
        lua_newtable(L);
        read_member(r, &child, debug->dw.dwarf_tag(die) == DW_TAG_class_type);
        lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "members");
}

/* ----------------------------------------------------------------------------------- arrays -- */

/* Returns the default lower bound in the language of an array: 1 in Fortran, else 0. */
static lua_Integer get_first_index(const struct reader *r, Dwarf_Die *array)
{
    return accd__dw_is_fortran(&r->debug->dw, array) ? 1 : 0;
}

/* Fills the table of a dimension: lower and, unless it is not known, count. lower: default lower bound of the language.
 */
static void read_dimension(struct reader *r, Dwarf_Die *die, lua_Integer lower)
{
    lua_Integer upper, count;
    read_integer(r, die, DW_AT_lower_bound, &lower);
    accd__set_integer(r->L, "lower", lower);
    if (read_integer(r, die, DW_AT_count, &count))
        accd__set_integer(r->L, "count", count);
    else if (read_integer(r, die, DW_AT_upper_bound, &upper))
        accd__set_integer(r->L, "count", upper >= lower ? upper - lower + 1 : 0);
}

/* Fills the table of an array or of a Fortran descriptor. */
static void read_array(struct reader *r, Dwarf_Die *die)
{
    lua_State *L = r->L;
    struct accd__lua_debug *debug = r->debug;
    Dwarf_Die child;
    lua_Integer n = 0, size;
    bool is_described = has_attribute(r, die, DW_AT_data_location);
    accd__set_text(r->L, "kind", is_described ? "descriptor" : "array");
    set_type(r, "of", die);
    if (read_integer(r, die, DW_AT_byte_size, &size))
        accd__set_integer(r->L, "size", size);
    if (is_described)
        accd__set_text(r->L, "attribute",
                       has_attribute(r, die, DW_AT_allocated)    ? "allocatable"
                       : has_attribute(r, die, DW_AT_associated) ? "pointer"
                                                                 : "other");
    if (accd__dw_is_fortran(&debug->dw, die))
        accd__set_boolean(r->L, "column_major", true);
    lua_newtable(L);
    for (bool more = accd__dw_first_child(&debug->dw, die, &child); more;
         more = accd__dw_next_sibling(&debug->dw, &child)) {
        if (debug->dw.dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        lua_newtable(L);
        read_dimension(r, &child, get_first_index(r, die));
        lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "dims");
    accd__set_integer(r->L, "rank", n);
}

/* ---------------------------------------------------------------------------------- scalars -- */

/* Returns the encoding of a base type, one of the texts listed at the head of this file; "other" if it is not known. */
static const char *get_encoding(const struct reader *r, Dwarf_Die *die)
{
    lua_Integer encoding = 0;
    read_integer(r, die, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_signed:
    case DW_ATE_signed_char:
        return "signed";
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
        return "unsigned";
    case DW_ATE_boolean:
        return "boolean";
    case DW_ATE_float:
        return "float";
    case DW_ATE_complex_float:
        return "complex";
    default:
        return "other";
    }
}

/* Fills the table of a base type. */
static void read_base(struct reader *r, Dwarf_Die *die)
{
    accd__set_text(r->L, "kind", "base");
    accd__set_text(r->L, "encoding", get_encoding(r, die));
    accd__set_text(r->L, "name", r->debug->dw.dwarf_diename(die));
    accd__set_integer(r->L, "size", r->debug->dw.dwarf_bytesize(die));
}

/* Fills the table of an enumeration. */
static void read_enum(struct reader *r, Dwarf_Die *die)
{
    lua_State *L = r->L;
    struct accd__lua_debug *debug = r->debug;
    Dwarf_Die child, under;
    lua_Integer n = 0, value;
    accd__set_text(r->L, "kind", "enum");
    set_name(r, die);
    accd__set_integer(r->L, "size", debug->dw.dwarf_bytesize(die));
    if (accd__dw_get_flag(&debug->dw, die, DW_AT_declaration))
        accd__set_boolean(r->L, "declaration", true);
    if (accd__dw_get_flag(&debug->dw, die, DW_AT_enum_class))
        accd__set_boolean(r->L, "scoped", true);
    if (accd__dw_get_reference(&debug->dw, die, DW_AT_type, &under) && resolve_entry(r, &under) &&
        !strcmp(get_encoding(r, &under), "signed"))
        accd__set_boolean(r->L, "signed", true);
    lua_newtable(L);
    for (bool more = accd__dw_first_child(&debug->dw, die, &child); more;
         more = accd__dw_next_sibling(&debug->dw, &child)) {
        if (debug->dw.dwarf_tag(&child) != DW_TAG_enumerator || !read_integer(r, &child, DW_AT_const_value, &value))
            continue;
        lua_createtable(L, 0, 2);
        accd__set_text(r->L, "name", debug->dw.dwarf_diename(&child));
        accd__set_integer(r->L, "value", value);
        lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "values");
}

/* Returns the size of a pointer to a member: that of an offset; or for a function, that of an address and an offset. */
static lua_Integer get_member_pointer_size(const struct reader *r, Dwarf_Die *die)
{
    Dwarf_Die to;
    bool is_function = accd__dw_get_reference(&r->debug->dw, die, DW_AT_type, &to) &&
                       r->debug->dw.dwarf_tag(&to) == DW_TAG_subroutine_type;
    return (is_function ? 2 : 1) * (lua_Integer)sizeof(void *);
}

/* Fills the table of a type for which this file has no other function (kind "other"). size: bytes of the type; <= 0:
 * not known. */
static void read_other(struct reader *r, Dwarf_Die *die, lua_Integer size)
{
    const char *name = r->debug->dw.dwarf_diename(die);
    accd__set_text(r->L, "kind", "other");
    accd__set_text(r->L, "name", name ? name : "a type of its own kind");
    accd__set_integer(r->L, "size", size > 0 ? size : 0);
}

/* Fills the table on top of the stack with the type at an entry, by the entry's tag. */
static void read_type(struct reader *r, Dwarf_Die *die)
{
    const struct accd__dw *dw = &r->debug->dw;
    switch (dw->dwarf_tag(die)) {
    case DW_TAG_base_type:
        read_base(r, die);
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        accd__set_text(r->L, "kind", "pointer");
        set_type(r, "to", die);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        read_record(r, die);
        break;
    case DW_TAG_array_type:
        read_array(r, die);
        break;
    case DW_TAG_string_type:
        accd__set_text(r->L, "kind", "character");
        accd__set_integer(r->L, "size", dw->dwarf_bytesize(die));
        break;
    case DW_TAG_enumeration_type:
        read_enum(r, die);
        break;
    case DW_TAG_typedef:
    case DW_TAG_template_alias:
        accd__set_text(r->L, "kind", "typedef");
        set_name(r, die);
        set_type(r, "to", die);
        break;
    case DW_TAG_subroutine_type:
        accd__set_text(r->L, "kind", "function");
        break;
    case DW_TAG_ptr_to_member_type:
        read_other(r, die, get_member_pointer_size(r, die));
        break;
    default:
        read_other(r, die, dw->dwarf_bytesize(die));
    }
}

/* Pushes the table of the type at an entry, with all types that it refers to. Fills the waiting tables one after the
 * other, instead of by recursion. */
void accd__debug_push_type(lua_State *L, struct accd__lua_debug *debug, int names, const Dwarf_Die *die)
{
    assert(die->addr && names > 0);
    luaL_checkstack(L, 20, NULL);
    lua_newtable(L);
    lua_newtable(L);
    int top = lua_gettop(L);
    struct reader r = {.L = L, .debug = debug, .names = names, .tables = top - 1, .waiting = top};
    push_entry(&r, *die);
    for (lua_Integer i = 1; lua_rawgeti(L, r.waiting, i) == LUA_TTABLE; i += 2) {
        lua_rawgeti(L, r.waiting, i + 1);
        Dwarf_Die next;
        memcpy(&next, lua_touserdata(L, -1), sizeof next);
        lua_pop(L, 1);
        read_type(&r, &next);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

#endif
