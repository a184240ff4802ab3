/* debug_type.c - types of the program: read from debug information once, pointees on demand. */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <string.h>

/* Deeper nesting is not a program's, but that of a broken file. */
enum { NESTING_MOST = 64 };

static struct goacc_type *make_type(struct goacc_debug *debug, Dwarf_Die *die, Dwarf_Addr bias,
                                    unsigned nesting);

/* The type that a variable, a member, an array or a pointer refers to, without its qualifiers. */
static bool peeled(const struct goacc_debug *debug, Dwarf_Die *die, Dwarf_Die *to)
{
    return accd_dw_refers(&debug->dw, die, DW_AT_type, to) && debug->dw.dwarf_peel_type(to, to) == 0;
}

static uint64_t constant_bytes(const struct goacc_debug *debug, Dwarf_Die *die)
{
    int bytes = debug->dw.dwarf_bytesize(die);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* ----------------------------------------------------------------------------------- members -- */

/* What compilers and libraries put inside, and what a program cannot point at, has no name. Where
 * the elements of a C++ container begin is called by the container. */
static bool is_member(const struct goacc_debug *debug, Dwarf_Die *die)
{
    static const char *const ends[] = {"_M_finish", "_M_end_of_storage"};
    const struct accd_dw *dw = &debug->dw;
    const char *name = dw->dwarf_diename(die);
    int tag = dw->dwarf_tag(die);
    if (tag == DW_TAG_inheritance)
        return true;
    if (tag != DW_TAG_member || dw->dwarf_hasattr(die, DW_AT_bit_size) ||
        dw->dwarf_hasattr(die, DW_AT_declaration) || dw->dwarf_hasattr(die, DW_AT_artificial))
        return false;
    for (size_t i = 0; name && i < sizeof ends / sizeof ends[0]; i++)
        if (!strcmp(name, ends[i]))
            return false;
    return !name || (!strchr(name, '.') && strcmp(name, "_vptr") != 0);
}

static const char *member_name(const struct goacc_debug *debug, Dwarf_Die *die, bool fortran)
{
    const char *name =
        debug->dw.dwarf_tag(die) == DW_TAG_inheritance ? NULL : debug->dw.dwarf_diename(die);
    if (name && (!strncmp(name, "_M_", 3) || (fortran && !strcmp(name, "_data"))))
        return NULL;
    return name;
}

static void read_members(struct goacc_debug *debug, struct goacc_type *type, unsigned nesting)
{
    Dwarf_Die child;
    size_t n = 0;
    bool more = accd_dw_first(&debug->dw, &type->die, &child);
    for (; more; more = accd_dw_next(&debug->dw, &child))
        n += is_member(debug, &child);
    type->members = n ? goacc_take(debug, n * sizeof *type->members) : NULL;
    if (!type->members)
        return;
    more = accd_dw_first(&debug->dw, &type->die, &child);
    for (; more; more = accd_dw_next(&debug->dw, &child)) {
        struct goacc_member member = {.name = member_name(debug, &child, type->fortran)};
        Dwarf_Die of;
        if (!is_member(debug, &child) || !accd_dw_member_offset(&debug->dw, &child, &member.offset) ||
            !peeled(debug, &child, &of))
            continue;
        member.type = make_type(debug, &of, type->bias, nesting + 1);
        if (!member.type)
            continue;
        type->points |= member.type->points;
        type->open = member.type->open; /* of the last one */
        type->members[type->nmembers++] = member;
    }
}

/* ------------------------------------------------------------------------------------ arrays -- */

static struct goacc_bound read_bound(const struct goacc_debug *debug, Dwarf_Die *die, unsigned name)
{
    struct goacc_bound bound = {.kind = GOACC_BOUND_NONE};
    Dwarf_Attribute attribute;
    if (!debug->dw.dwarf_attr(die, name, &attribute))
        return bound;
    if (debug->dw.dwarf_formsdata(&attribute, &bound.value) == 0)
        bound.kind = GOACC_BOUND_CONST;
    else if (debug->dw.dwarf_formref_die(&attribute, &bound.die))
        bound.kind = GOACC_BOUND_DIE;
    else if ((bound.expr = goacc_expression(debug, die, name)).n)
        bound.kind = GOACC_BOUND_EXPR;
    return bound;
}

static void read_dimensions(struct goacc_debug *debug, struct goacc_type *type)
{
    struct goacc_dim dims[GOACC_DIMS_MOST];
    Dwarf_Die child;
    bool more = accd_dw_first(&debug->dw, &type->die, &child);
    for (; more && type->ndims < GOACC_DIMS_MOST; more = accd_dw_next(&debug->dw, &child))
        if (debug->dw.dwarf_tag(&child) == DW_TAG_subrange_type)
            dims[type->ndims++] = (struct goacc_dim){
                .lower = read_bound(debug, &child, DW_AT_lower_bound),
                .upper = read_bound(debug, &child, DW_AT_upper_bound),
                .count = read_bound(debug, &child, DW_AT_count),
            };
    type->dims = type->ndims ? goacc_take(debug, type->ndims * sizeof *dims) : NULL;
    if (type->dims)
        memcpy(type->dims, dims, type->ndims * sizeof *dims);
    else
        type->ndims = 0;
}

static bool is_constant(const struct goacc_type *type)
{
    for (size_t i = 0; i < type->ndims; i++)
        if (type->dims[i].lower.kind > GOACC_BOUND_CONST ||
            type->dims[i].upper.kind > GOACC_BOUND_CONST ||
            type->dims[i].count.kind > GOACC_BOUND_CONST)
            return false;
    return true;
}

static void read_array(struct goacc_debug *debug, struct goacc_type *type, unsigned nesting)
{
    /* Of gfortran's descriptors: five words, and three for each dimension. */
    enum { HEAD = 40, DIMENSION = 24 };
    struct goacc_view constants = {.debug = debug};
    Dwarf_Die element;
    if (peeled(debug, &type->die, &element))
        type->target = make_type(debug, &element, type->bias, nesting + 1);
    type->has_target = true;
    read_dimensions(debug, type);
    type->data = goacc_expression(debug, &type->die, DW_AT_data_location);
    if (type->data.n) {
        type->kind = GOACC_DESCRIPTOR;
        type->bytes = HEAD + DIMENSION * (type->ndims ? type->ndims : 1);
        type->points = true;
    } else {
        type->kind = GOACC_ARRAY;
        type->bytes = is_constant(type) ? goacc_bytes(&constants, type, 0) : 0;
        type->open = !type->bytes;
        type->points = type->open || (type->target && type->target->points);
    }
}

/* ------------------------------------------------------------------------------------- types -- */

static bool points_at_code(const struct goacc_debug *debug, Dwarf_Die *die)
{
    Dwarf_Die target;
    return peeled(debug, die, &target) && debug->dw.dwarf_tag(&target) == DW_TAG_subroutine_type;
}

static void read_type(struct goacc_debug *debug, struct goacc_type *type, unsigned nesting)
{
    type->bytes = constant_bytes(debug, &type->die);
    switch (debug->dw.dwarf_tag(&type->die)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        type->kind = GOACC_STRUCT;
        read_members(debug, type, nesting);
        break;
    case DW_TAG_array_type:
        read_array(debug, type, nesting);
        break;
    case DW_TAG_pointer_type:
        type->kind = points_at_code(debug, &type->die) ? GOACC_SCALAR : GOACC_POINTER;
        type->points = type->kind == GOACC_POINTER;
        type->bytes = sizeof(void *);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = GOACC_REFERENCE;
        type->points = true;
        type->bytes = sizeof(void *);
        break;
    default:
        type->kind = GOACC_SCALAR;
    }
}

/* die is without qualifiers. A type is known before what it is made of is read: pointees refer
 * back to it. */
static struct goacc_type *make_type(struct goacc_debug *debug, Dwarf_Die *die, Dwarf_Addr bias,
                                    unsigned nesting)
{
    struct goacc_type *type = goacc_table_find(&debug->types, (uintptr_t)die->addr);
    if (type || nesting > NESTING_MOST || !(type = goacc_take(debug, sizeof *type)))
        return type;
    type->die = *die;
    type->bias = bias;
    type->fortran = accd_dw_is_fortran(&debug->dw, die);
    if (!goacc_table_add(&debug->types, (uintptr_t)die->addr, type))
        return NULL;
    read_type(debug, type, nesting);
    return type;
}

struct goacc_type *goacc_type_of(struct goacc_debug *debug, Dwarf_Die *die, Dwarf_Addr bias)
{
    Dwarf_Die type;
    return peeled(debug, die, &type) ? make_type(debug, &type, bias, 0) : NULL;
}

struct goacc_type *goacc_target(struct goacc_debug *debug, struct goacc_type *type)
{
    if (!type->has_target) {
        type->has_target = true;
        type->target = goacc_type_of(debug, &type->die, type->bias);
    }
    return type->target;
}

bool goacc_type_has_gap(const struct goacc_debug *debug, const struct goacc_type *type, uint64_t offset)
{
    enum { VALUE = 10, WIDE = 16 }; /* bytes of x87's numbers, and of their objects */
    static const char *const wide[] = {"long double", "complex long double", "real(kind=10)", "complex(kind=10)"};
    const struct accd_dw *dw = &debug->dw;
    Dwarf_Die die = type->die, child;
    const char *name = dw->dwarf_diename(&die);
    if (type->kind == GOACC_SCALAR)
        for (size_t i = 0; name && i < sizeof wide / sizeof wide[0]; i++)
            if (!strcmp(name, wide[i]))
                return type->bytes % WIDE == 0 && offset % WIDE >= VALUE;
    if (type->kind != GOACC_STRUCT || dw->dwarf_tag(&die) == DW_TAG_union_type || offset >= type->bytes)
        return false;
    bool more = accd_dw_first(dw, &die, &child), all_known = type->nmembers;
    for (; more; more = accd_dw_next(dw, &child)) /* bit-fields, the compiler's own members */
        if (dw->dwarf_tag(&child) == DW_TAG_member && !dw->dwarf_hasattr(&child, DW_AT_declaration))
            all_known &= is_member(debug, &child);
    return all_known;
}

struct goacc_type *goacc_variable_type(struct goacc_debug *debug, struct goacc_variable *variable)
{
    if (!variable->has_type) {
        variable->has_type = true;
        variable->type = goacc_type_of(debug, &variable->die, variable->bias);
    }
    return variable->type;
}

#endif
