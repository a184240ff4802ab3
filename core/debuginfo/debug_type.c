/* debug_type.c - reads types of the program from debug information, each once; pointees at their first use. */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <assert.h>
#include <string.h>

/* Limit of nested types; only a damaged file has deeper ones. */
enum { NESTING_MOST = 64 };

static struct accd__debug_type *make_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias,
                                          unsigned nesting);

/* Sets *to to the type that the entry `die` refers to, without typedefs and qualifiers; returns false if `die` has no
 * type (void). */
static bool get_peeled_type(const struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Die *to)
{
    return accd__dw_get_reference(&debug->dw, die, DW_AT_type, to) && debug->dw.dwarf_peel_type(to, to) == 0;
}

/* Returns the size of the type `die` in bytes; 0: not known, or not constant. */
static uint64_t get_constant_bytes(const struct accd__debug_info *debug, Dwarf_Die *die)
{
    int bytes = debug->dw.dwarf_bytesize(die);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* ----------------------------------------------------------------------------------- members -- */

/* Returns true if an entry is a member or base class that the program can name or point to. Members that compilers
 * and libraries add do not count, and neither do pointers to the end of a C++ container, because the container's
 * first pointer names the elements. */
static bool is_member(const struct accd__debug_info *debug, Dwarf_Die *die)
{
    static const char *const ends[] = {"_M_finish", "_M_end_of_storage"};
    const struct accd__dw *dw = &debug->dw;
    const char *name = dw->dwarf_diename(die);
    int tag = dw->dwarf_tag(die);
    if (tag == DW_TAG_inheritance)
        return true;
    if (tag != DW_TAG_member || dw->dwarf_hasattr(die, DW_AT_bit_size) || dw->dwarf_hasattr(die, DW_AT_declaration) ||
        dw->dwarf_hasattr(die, DW_AT_artificial))
        return false;
    for (size_t i = 0; name && i < sizeof ends / sizeof ends[0]; i++)
        if (!strcmp(name, ends[i]))
            return false;
    return !name || (!strchr(name, '.') && strcmp(name, "_vptr") != 0);
}

/* Returns the name of the member `die`. NULL: the program has no name for the member, so that its members count as
 * members of the enclosing structure. */
static const char *member_name(const struct accd__debug_info *debug, Dwarf_Die *die, bool fortran)
{
    const char *name = debug->dw.dwarf_tag(die) == DW_TAG_inheritance ? NULL : debug->dw.dwarf_diename(die);
    if (name && (!strncmp(name, "_M_", 3) || (fortran && !strcmp(name, "_data"))))
        return NULL;
    return name;
}

/* Sets the members of a structure; also `points` (some member contains pointers) and `open` (the last member has no
 * known end). nesting: depth of the type. Without memory the structure gets no members. */
static void read_members(struct accd__debug_info *debug, struct accd__debug_type *type, unsigned nesting)
{
    Dwarf_Die child;
    size_t n = 0;
    bool more = accd__dw_first_child(&debug->dw, &type->die, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child))
        n += is_member(debug, &child);
    type->members = n ? accd__debug_alloc(debug, n * sizeof *type->members) : NULL;
    if (!type->members)
        return;
    more = accd__dw_first_child(&debug->dw, &type->die, &child);
    for (; more; more = accd__dw_next_sibling(&debug->dw, &child)) {
        struct accd__debug_member member = {.name = member_name(debug, &child, type->fortran)};
        Dwarf_Die of;
        if (!is_member(debug, &child) || !accd__dw_member_offset(&debug->dw, &child, &member.offset) ||
            !get_peeled_type(debug, &child, &of))
            continue;
        member.type = make_type(debug, &of, type->bias, nesting + 1);
        if (!member.type)
            continue;
        type->points |= member.type->points;
        type->open = member.type->open; /* overwritten by each member, so that the last one decides */
        type->members[type->nmembers++] = member;
    }
}

/* ------------------------------------------------------------------------------------ arrays -- */

/* Returns the bound `name` (DW_AT_*) of the dimension `die`; of kind NONE if it does not exist. */
static struct accd__debug_bound read_bound(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name)
{
    struct accd__debug_bound bound = {.kind = ACCD__DEBUG_BOUND_NONE};
    Dwarf_Attribute attribute;
    if (!debug->dw.dwarf_attr(die, name, &attribute))
        return bound;
    if (debug->dw.dwarf_formsdata(&attribute, &bound.value) == 0)
        bound.kind = ACCD__DEBUG_BOUND_CONST;
    else if (debug->dw.dwarf_formref_die(&attribute, &bound.die))
        bound.kind = ACCD__DEBUG_BOUND_DIE;
    else if ((bound.expr = accd__get_expression(debug, die, name)).n)
        bound.kind = ACCD__DEBUG_BOUND_EXPR;
    return bound;
}

/* Sets the dimensions of an array, at most 15. Without memory the array gets no dimensions. */
static void read_dimensions(struct accd__debug_info *debug, struct accd__debug_type *type)
{
    assert(!type->ndims);
    struct accd__debug_dim dims[ACCD__DEBUG_DIMS_MAX];
    Dwarf_Die child;
    bool more = accd__dw_first_child(&debug->dw, &type->die, &child);
    for (; more && type->ndims < ACCD__DEBUG_DIMS_MAX; more = accd__dw_next_sibling(&debug->dw, &child))
        if (debug->dw.dwarf_tag(&child) == DW_TAG_subrange_type)
            dims[type->ndims++] = (struct accd__debug_dim){
                .lower = read_bound(debug, &child, DW_AT_lower_bound),
                .upper = read_bound(debug, &child, DW_AT_upper_bound),
                .count = read_bound(debug, &child, DW_AT_count),
            };
    type->dims = type->ndims ? accd__debug_alloc(debug, type->ndims * sizeof *dims) : NULL;
    if (type->dims)
        memcpy(type->dims, dims, type->ndims * sizeof *dims);
    else
        type->ndims = 0;
}

/* Returns true if all bounds of an array that exist are constants. */
static bool is_constant(const struct accd__debug_type *type)
{
    for (size_t i = 0; i < type->ndims; i++)
        if (type->dims[i].lower.kind > ACCD__DEBUG_BOUND_CONST || type->dims[i].upper.kind > ACCD__DEBUG_BOUND_CONST ||
            type->dims[i].count.kind > ACCD__DEBUG_BOUND_CONST)
            return false;
    return true;
}

/* Sets kind, size, elements and dimensions of an array, or of a Fortran descriptor, which has an expression for the
 * address of its elements. nesting: depth of the type. */
static void read_array(struct accd__debug_info *debug, struct accd__debug_type *type, unsigned nesting)
{
    /* gfortran's descriptors have five words, and three more for each dimension. */
    enum { HEAD = 40, DIMENSION = 24 };
    struct accd__frame_view constants = {.debug = debug};
    Dwarf_Die element;
    if (get_peeled_type(debug, &type->die, &element))
        type->target = make_type(debug, &element, type->bias, nesting + 1);
    type->has_target = true;
    read_dimensions(debug, type);
    type->data = accd__get_expression(debug, &type->die, DW_AT_data_location);
    if (type->data.n) {
        type->kind = ACCD__DEBUG_DESCRIPTOR;
        type->bytes = HEAD + DIMENSION * (type->ndims ? type->ndims : 1);
        type->points = true;
    } else {
        type->kind = ACCD__DEBUG_ARRAY;
        type->bytes = is_constant(type) ? accd__type_bytes_of_object(&constants, type, 0) : 0;
        type->open = !type->bytes;
        type->points = type->open || (type->target && type->target->points);
    }
}

/* ------------------------------------------------------------------------------------- types -- */

/* Returns true if the pointer type `die` points to a function. */
static bool points_at_code(const struct accd__debug_info *debug, Dwarf_Die *die)
{
    Dwarf_Die target;
    return get_peeled_type(debug, die, &target) && debug->dw.dwarf_tag(&target) == DW_TAG_subroutine_type;
}

/* Sets kind, size and parts of a type from its entry. nesting: depth of the type. */
static void read_type(struct accd__debug_info *debug, struct accd__debug_type *type, unsigned nesting)
{
    type->bytes = get_constant_bytes(debug, &type->die);
    switch (debug->dw.dwarf_tag(&type->die)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        type->kind = ACCD__DEBUG_STRUCT;
        read_members(debug, type, nesting);
        break;
    case DW_TAG_array_type:
        read_array(debug, type, nesting);
        break;
    case DW_TAG_pointer_type:
        type->kind = points_at_code(debug, &type->die) ? ACCD__DEBUG_SCALAR : ACCD__DEBUG_POINTER;
        type->points = type->kind == ACCD__DEBUG_POINTER;
        type->bytes = sizeof(void *);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = ACCD__DEBUG_REFERENCE;
        type->points = true;
        type->bytes = sizeof(void *);
        break;
    default:
        type->kind = ACCD__DEBUG_SCALAR;
    }
}

/* Returns the type of an entry without typedefs and qualifiers, read at its first use; NULL: no memory, or nested too
 * deeply. The type is entered in the table before its parts are read, because they may refer to it. */
static struct accd__debug_type *make_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias,
                                          unsigned nesting)
{
    assert(die->addr);
    struct accd__debug_type *type = accd__pointer_table_find(&debug->types, (uintptr_t)die->addr);
    if (type || nesting > NESTING_MOST || !(type = accd__debug_alloc(debug, sizeof *type)))
        return type;
    type->die = *die;
    type->bias = bias;
    type->fortran = accd__dw_is_fortran(&debug->dw, die);
    if (!accd__pointer_table_add(&debug->types, (uintptr_t)die->addr, type))
        return NULL;
    read_type(debug, type, nesting);
    return type;
}

/* Returns the type to which the entry `die` of a variable, member, array or pointer refers, without typedefs and
 * qualifiers; NULL: void, or no memory. */
struct accd__debug_type *accd__get_type(struct accd__debug_info *debug, Dwarf_Die *die, Dwarf_Addr bias)
{
    Dwarf_Die type;
    return get_peeled_type(debug, die, &type) ? make_type(debug, &type, bias, 0) : NULL;
}

/* Returns the type that a pointer or reference points to, read at its first use; NULL: void, or no memory. */
struct accd__debug_type *accd__type_target(struct accd__debug_info *debug, struct accd__debug_type *type)
{
    if (!type->has_target) {
        type->has_target = true;
        type->target = accd__get_type(debug, &type->die, type->bias);
    }
    return type->target;
}

/* Returns true if the byte at `offset` of an object of `type` is padding: of an x87 number, or of a structure whose
 * members are all known. The byte must be in none of the known members. */
bool accd__debug_is_type_gap(const struct accd__debug_info *debug, const struct accd__debug_type *type, uint64_t offset)
{
    enum { VALUE = 10, WIDE = 16 }; /* bytes of an x87 number, and of its object with padding */
    static const char *const x87_types[] = {"long double", "complex long double", "real(kind=10)", "complex(kind=10)"};
    const struct accd__dw *dw = &debug->dw;
    Dwarf_Die die = type->die, child;
    const char *name = dw->dwarf_diename(&die);
    if (type->kind == ACCD__DEBUG_SCALAR)
        for (size_t i = 0; name && i < sizeof x87_types / sizeof x87_types[0]; i++)
            if (!strcmp(name, x87_types[i]))
                return type->bytes % WIDE == 0 && offset % WIDE >= VALUE;
    if (type->kind != ACCD__DEBUG_STRUCT || dw->dwarf_tag(&die) == DW_TAG_union_type || offset >= type->bytes)
        return false;
    bool more = accd__dw_first_child(dw, &die, &child), is_complete = type->nmembers;
    for (; more; more = accd__dw_next_sibling(dw, &child)) /* members that is_member rejects may hold the byte */
        if (dw->dwarf_tag(&child) == DW_TAG_member && !dw->dwarf_hasattr(&child, DW_AT_declaration))
            is_complete &= is_member(debug, &child);
    return is_complete;
}

/* Returns the type of a variable, read at its first use. */
struct accd__debug_type *accd__get_variable_type(struct accd__debug_info *debug, struct accd__debug_variable *variable)
{
    if (!variable->has_type) {
        variable->has_type = true;
        variable->type = accd__get_type(debug, &variable->die, variable->bias);
    }
    return variable->type;
}

#endif
