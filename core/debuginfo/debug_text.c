/* debug_text.c - the text of a name: the way to an object, and what of the object the range is. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- paths -- */

void goacc_add(struct goacc_path *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = sizeof((struct goacc_name *)0)->name - path->used;
    int n = vsnprintf(path->to + path->used, left, format, args);
    va_end(args);
    if (n > 0)
        path->used += (size_t)n < left ? (size_t)n : left - 1;
}

const char *goacc_dot(const struct goacc_type *type)
{
    return type->fortran ? "%" : ".";
}

static void add_member(struct goacc_path *path, const struct goacc_type *type, const char *name)
{
    if (!name)
        return;
    goacc_add(path, "%s%s", path->dot, name);
    path->dot = goacc_dot(type);
}

/* Rounded towards less. */
static int64_t quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void goacc_add_index(struct goacc_search *s, struct goacc_path *path, const struct goacc_type *type,
                     uint64_t object, int64_t index, unsigned first)
{
    long long subscript[GOACC_DIMS_MOST] = {0};
    size_t n = type->ndims;
    path->dot = goacc_dot(type);
    for (size_t i = 0; i + first < n; i++) { /* the dimension that varies fastest comes first */
        size_t dim = type->fortran ? i : n - 1 - i;
        uint64_t extent = 0;
        int64_t rest = index;
        if (i + first + 1 < n && goacc_extent(&s->view, type, dim, object, &extent) && extent && extent <= INT64_MAX) {
            index = quotient(rest, (int64_t)extent);
            rest -= index * (int64_t)extent;
        }
        subscript[dim] = (long long)(rest + goacc_lower(&s->view, type, dim, object));
    }
    if (!n)
        goacc_add(path, type->fortran ? "(%lld)" : "[%lld]", (long long)(index + type->fortran));
    for (size_t i = first; i < n && !type->fortran; i++)
        goacc_add(path, "[%lld]", subscript[i]);
    for (size_t i = 0; i < n && type->fortran; i++)
        goacc_add(path, "%s%lld%s", i ? "," : "(", subscript[i], i + 1 < n ? "" : ")");
}

void goacc_add_node(struct goacc_search *s, struct goacc_path *path, uint32_t i)
{
    const struct goacc_node *node = &s->nodes[i], *parent = &s->nodes[node->parent];
    if (node->how != GOACC_ROOT)
        goacc_add_node(s, path, node->parent);
    switch (node->how) {
    case GOACC_ROOT:
        goacc_add(path, "%s", node->name);
        path->dot = goacc_dot(node->type);
        break;
    case GOACC_MEMBER:
        add_member(path, parent->type, node->name);
        break;
    case GOACC_ELEMENT:
        goacc_add_index(s, path, parent->type, parent->at, (int64_t)node->index, 0);
        break;
    default:
        if (parent->type->kind == GOACC_POINTER && !parent->type->fortran)
            path->dot = "->";
    }
}

/* ----------------------------------------------------------------------------------- storage -- */

/* Bytes of one element of each dimension that a C program can name a part of; Fortran's arrays are
 * taken as one row. Returns the number of dimensions, 0: not known. */
static size_t units_of(struct goacc_search *s, const struct goacc_type *type, uint64_t object,
                       uint64_t *unit)
{
    size_t n = type->fortran || !type->ndims ? 1 : type->ndims;
    unit[n - 1] = type->target ? goacc_bytes(&s->view, type->target, 0) : 0;
    for (size_t i = n - 1; i > 0; i--) {
        uint64_t count;
        if (!goacc_extent(&s->view, type, i, object, &count) ||
            __builtin_mul_overflow(unit[i], count, &unit[i - 1]))
            return 0;
    }
    return unit[0] ? n : 0;
}

bool goacc_is_whole(struct goacc_search *s, uint64_t start, uint64_t bytes)
{
    return s->address == start && (s->bytes == 0 || s->bytes == bytes);
}

bool goacc_as_whole(uint64_t unit, struct goacc_name *name)
{
    name->section = 0;
    name->start = 0;
    name->unit = unit;
    return true;
}

bool goacc_as_section(struct goacc_search *s, uint64_t offset, uint64_t unit,
                      struct goacc_name *name)
{
    if (offset % unit || s->bytes % unit)
        return false;
    name->section = 1;
    name->start = (int64_t)(offset / unit);
    name->unit = unit;
    return true;
}

bool goacc_describe_elements(struct goacc_search *s, struct goacc_path *path, struct goacc_type *type,
                             uint64_t object, uint64_t data, struct goacc_name *name)
{
    uint64_t unit[GOACC_DIMS_MOST], offset = s->address - data;
    size_t n = units_of(s, type, object, unit);
    for (size_t i = 0; i < n; i++) {
        if (goacc_as_section(s, offset, unit[i], name)) {
            goacc_is_about(name, type, object, s->address - offset, (unsigned)i);
            return true;
        }
        if (offset % unit[i] + s->bytes > unit[i])
            return false;
        if (type->fortran)
            goacc_add_index(s, path, type, object, (int64_t)(offset / unit[i]), 0);
        else
            goacc_add(path, "[%llu]", (unsigned long long)(offset / unit[i]));
        offset %= unit[i];
    }
    path->dot = goacc_dot(type);
    return n && goacc_describe(s, path, type->target, s->address - offset, name);
}

/* The member that is the range, or else one that contains it. */
static const struct goacc_member *member_at(struct goacc_search *s, const struct goacc_type *type,
                                            uint64_t object)
{
    const struct goacc_member *found = NULL;
    uint64_t offset = s->address - object;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct goacc_member *member = &type->members[i];
        uint64_t bytes = goacc_bytes(&s->view, member->type, object + member->offset);
        if (offset < member->offset || offset - member->offset + s->bytes > bytes)
            continue;
        if (goacc_is_whole(s, object + member->offset, bytes) && bytes)
            return member;
        if (!found && offset - member->offset < bytes)
            found = member;
    }
    return found;
}

/* Several members, from where the first one begins to where the last one ends: "s.a to s.c". */
static bool describe_members(struct goacc_search *s, struct goacc_path *path, const struct goacc_type *type,
                             uint64_t object, struct goacc_name *name)
{
    const struct goacc_member *first = NULL, *last = NULL;
    char whole[sizeof name->name];
    const char *dot = path->dot;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct goacc_member *member = &type->members[i];
        const uint64_t at = object + member->offset;
        if (member->name && at == s->address)
            first = member;
        if (member->name && at + goacc_bytes(&s->view, member->type, at) == s->address + s->bytes)
            last = member;
    }
    if (!first || !last || first == last)
        return false;
    memcpy(whole, path->to, sizeof whole);
    add_member(path, type, first->name);
    goacc_add(path, " to %s%s%s", whole, dot, last->name);
    return goacc_as_whole(0, name);
}

static bool describe_inside(struct goacc_search *s, struct goacc_path *path,
                            struct goacc_type *type, uint64_t object, struct goacc_name *name)
{
    const struct goacc_member *member;
    switch (type->kind) {
    case GOACC_STRUCT:
        member = member_at(s, type, object);
        if (!name->aggregate_end)
            name->aggregate_end = object + goacc_bytes(&s->view, type, object);
        if (!member)
            return describe_members(s, path, type, object, name);
        object += member->offset;
        if (!member->name && member->type->kind == GOACC_STRUCT)
            return describe_inside(s, path, member->type, object, name);
        add_member(path, type, member->name);
        return goacc_describe(s, path, member->type, object, name);
    case GOACC_ARRAY:
        return goacc_describe_elements(s, path, type, object, object, name);
    case GOACC_DESCRIPTOR: /* its words have no names */
        return goacc_as_whole(0, name);
    default:
        return false;
    }
}

bool goacc_describe(struct goacc_search *s, struct goacc_path *path, struct goacc_type *type,
                    uint64_t object, struct goacc_name *name)
{
    uint64_t unit[GOACC_DIMS_MOST];
    if (!goacc_is_whole(s, object, goacc_bytes(&s->view, type, object)))
        return describe_inside(s, path, type, object, name);
    bool has_unit = type->kind == GOACC_ARRAY && units_of(s, type, object, unit);
    goacc_is_about(name, type->kind == GOACC_DESCRIPTOR ? NULL : type, object, object, 0);
    return goacc_as_whole(has_unit ? unit[0] : 0, name);
}

void goacc_is_about(struct goacc_name *name, struct goacc_type *type, uint64_t object, uint64_t data,
                    unsigned subscripts)
{
    name->type = type;
    name->object = object;
    name->data = data;
    name->subscripts = subscripts;
}

/* The member that has the byte; NULL: none, or one of several that share it. */
static const struct goacc_member *member_with(struct goacc_search *s, const struct goacc_type *type, uint64_t object,
                                              uint64_t address)
{
    Dwarf_Die die = type->die;
    if (s->view.debug->dw.dwarf_tag(&die) == DW_TAG_union_type)
        return NULL;
    for (size_t i = 0; i < type->nmembers; i++) {
        const uint64_t at = object + type->members[i].offset;
        if (address >= at && address - at < goacc_bytes(&s->view, type->members[i].type, at))
            return &type->members[i];
    }
    return NULL;
}

bool goacc_descend(struct goacc_search *s, struct goacc_path *path, const struct goacc_name *name, uint64_t address,
                   struct goacc_name *element)
{
    enum { NESTING_MOST = 64 };
    struct goacc_type *type = name->type;
    const struct goacc_member *member;
    uint64_t object = name->object, data = name->data, unit;
    unsigned first = name->subscripts;
    bool is_first = true;
    for (int i = 0; type && i < NESTING_MOST; i++) {
        const bool is_apart =
            (type->kind == GOACC_POINTER && name->section) || type->kind == GOACC_DESCRIPTOR;
        if (type->kind == GOACC_ARRAY || (is_first && is_apart)) {
            struct goacc_type *target = type->kind == GOACC_POINTER ? goacc_target(s->view.debug, type) : type->target;
            unit = target ? goacc_bytes(&s->view, target, 0) : 0;
            if (!unit || unit > INT64_MAX)
                return !is_first;
            const int64_t index = quotient((int64_t)(address - data), (int64_t)unit);
            goacc_add_index(s, path, type, object, index, first);
            object = data + (uint64_t)index * unit;
            type = target;
        } else if (type->kind == GOACC_STRUCT && (member = member_with(s, type, object, address))) {
            add_member(path, type, member->name);
            object += member->offset;
            type = member->type;
        } else {
            return !is_first;
        }
        element->type = type;
        element->object = data = object;
        first = 0;
        is_first = false;
    }
    return !is_first;
}

bool goacc_contains(struct goacc_search *s, uint64_t start, uint64_t bytes)
{
    uint64_t offset = s->address - start;
    return s->address >= start && offset < bytes && s->bytes <= bytes - offset;
}

#endif
