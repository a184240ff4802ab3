/* debug_text.c - the text of a name: the way to an object, and what of the object the range is. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- paths -- */

void accd__path_append(struct accd__debug_name_path *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = sizeof((struct accd__debug_name *)0)->name - path->used;
    int n = vsnprintf(path->to + path->used, left, format, args);
    va_end(args);
    if (n > 0)
        path->used += (size_t)n < left ? (size_t)n : left - 1;
}

const char *accd__member_separator(const struct accd__debug_type *type)
{
    return type->fortran ? "%" : ".";
}

static void add_member(struct accd__debug_name_path *path, const struct accd__debug_type *type, const char *name)
{
    if (!name)
        return;
    accd__path_append(path, "%s%s", path->dot, name);
    path->dot = accd__member_separator(type);
}

/* Rounded towards less. */
static int64_t quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void accd__path_append_index(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, int64_t index, unsigned first)
{
    long long subscript[ACCD__DEBUG_DIMS_MAX] = {0};
    size_t n = type->ndims;
    path->dot = accd__member_separator(type);
    for (size_t i = 0; i + first < n; i++) { /* the dimension that varies fastest comes first */
        size_t dim = type->fortran ? i : n - 1 - i;
        uint64_t extent = 0;
        int64_t rest = index;
        if (i + first + 1 < n && accd__dimension_extent(&s->view, type, dim, object, &extent) && extent &&
            extent <= INT64_MAX) {
            index = quotient(rest, (int64_t)extent);
            rest -= index * (int64_t)extent;
        }
        subscript[dim] = (long long)(rest + accd__dimension_lower(&s->view, type, dim, object));
    }
    if (!n)
        accd__path_append(path, type->fortran ? "(%lld)" : "[%lld]", (long long)(index + type->fortran));
    for (size_t i = first; i < n && !type->fortran; i++)
        accd__path_append(path, "[%lld]", subscript[i]);
    for (size_t i = 0; i < n && type->fortran; i++)
        accd__path_append(path, "%s%lld%s", i ? "," : "(", subscript[i], i + 1 < n ? "" : ")");
}

void accd__path_append_node(struct accd__debug_search *s, struct accd__debug_name_path *path, uint32_t i)
{
    const struct accd__search_node *node = &s->nodes[i], *parent = &s->nodes[node->parent];
    if (node->how != ACCD__DEBUG_ROOT)
        accd__path_append_node(s, path, node->parent);
    switch (node->how) {
    case ACCD__DEBUG_ROOT:
        accd__path_append(path, "%s", node->name);
        path->dot = accd__member_separator(node->type);
        break;
    case ACCD__DEBUG_MEMBER:
        add_member(path, parent->type, node->name);
        break;
    case ACCD__DEBUG_ELEMENT:
        accd__path_append_index(s, path, parent->type, parent->at, (int64_t)node->index, 0);
        break;
    default:
        if (parent->type->kind == ACCD__DEBUG_POINTER && !parent->type->fortran)
            path->dot = "->";
    }
}

/* ----------------------------------------------------------------------------------- storage -- */

/* Bytes of one element of each dimension that a C program can name a part of; Fortran's arrays are
 * taken as one row. Returns the number of dimensions, 0: not known. */
static size_t units_of(struct accd__debug_search *s, const struct accd__debug_type *type, uint64_t object,
                       uint64_t *unit)
{
    size_t n = type->fortran || !type->ndims ? 1 : type->ndims;
    unit[n - 1] = type->target ? accd__type_bytes_of_object(&s->view, type->target, 0) : 0;
    for (size_t i = n - 1; i > 0; i--) {
        uint64_t count;
        if (!accd__dimension_extent(&s->view, type, i, object, &count) ||
            __builtin_mul_overflow(unit[i], count, &unit[i - 1]))
            return 0;
    }
    return unit[0] ? n : 0;
}

bool accd__debug_is_exact_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes)
{
    return s->address == start && (s->bytes == 0 || s->bytes == bytes);
}

bool accd__name_as_whole(uint64_t unit, struct accd__debug_name *name)
{
    name->section = 0;
    name->start = 0;
    name->unit = unit;
    return true;
}

bool accd__name_as_section(struct accd__debug_search *s, uint64_t offset, uint64_t unit, struct accd__debug_name *name)
{
    if (offset % unit || s->bytes % unit)
        return false;
    name->section = 1;
    name->start = (int64_t)(offset / unit);
    name->unit = unit;
    return true;
}

bool accd__path_describe_elements(struct accd__debug_search *s, struct accd__debug_name_path *path,
                                  struct accd__debug_type *type, uint64_t object, uint64_t data,
                                  struct accd__debug_name *name)
{
    uint64_t unit[ACCD__DEBUG_DIMS_MAX], offset = s->address - data;
    size_t n = units_of(s, type, object, unit);
    for (size_t i = 0; i < n; i++) {
        if (accd__name_as_section(s, offset, unit[i], name)) {
            accd__name_set_object(name, type, object, s->address - offset, (unsigned)i);
            return true;
        }
        if (offset % unit[i] + s->bytes > unit[i])
            return false;
        if (type->fortran)
            accd__path_append_index(s, path, type, object, (int64_t)(offset / unit[i]), 0);
        else
            accd__path_append(path, "[%llu]", (unsigned long long)(offset / unit[i]));
        offset %= unit[i];
    }
    path->dot = accd__member_separator(type);
    return n && accd__path_describe(s, path, type->target, s->address - offset, name);
}

/* The member that is the range, or else one that contains it. */
static const struct accd__debug_member *member_at(struct accd__debug_search *s, const struct accd__debug_type *type,
                                                  uint64_t object)
{
    const struct accd__debug_member *found = NULL;
    uint64_t offset = s->address - object;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct accd__debug_member *member = &type->members[i];
        uint64_t bytes = accd__type_bytes_of_object(&s->view, member->type, object + member->offset);
        if (offset < member->offset || offset - member->offset + s->bytes > bytes)
            continue;
        if (accd__debug_is_exact_range(s, object + member->offset, bytes) && bytes)
            return member;
        if (!found && offset - member->offset < bytes)
            found = member;
    }
    return found;
}

/* Several members, from where the first one begins to where the last one ends: "s.a to s.c". */
static bool describe_members(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    const struct accd__debug_member *first = NULL, *last = NULL;
    char whole[sizeof name->name];
    const char *dot = path->dot;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct accd__debug_member *member = &type->members[i];
        const uint64_t at = object + member->offset;
        if (member->name && at == s->address)
            first = member;
        if (member->name && at + accd__type_bytes_of_object(&s->view, member->type, at) == s->address + s->bytes)
            last = member;
    }
    if (!first || !last || first == last)
        return false;
    memcpy(whole, path->to, sizeof whole);
    add_member(path, type, first->name);
    accd__path_append(path, " to %s%s%s", whole, dot, last->name);
    return accd__name_as_whole(0, name);
}

static bool describe_inside(struct accd__debug_search *s, struct accd__debug_name_path *path,
                            struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    const struct accd__debug_member *member;
    switch (type->kind) {
    case ACCD__DEBUG_STRUCT:
        member = member_at(s, type, object);
        if (!name->aggregate_end)
            name->aggregate_end = object + accd__type_bytes_of_object(&s->view, type, object);
        if (!member)
            return describe_members(s, path, type, object, name);
        object += member->offset;
        if (!member->name && member->type->kind == ACCD__DEBUG_STRUCT)
            return describe_inside(s, path, member->type, object, name);
        add_member(path, type, member->name);
        return accd__path_describe(s, path, member->type, object, name);
    case ACCD__DEBUG_ARRAY:
        return accd__path_describe_elements(s, path, type, object, object, name);
    case ACCD__DEBUG_DESCRIPTOR: /* its words have no names */
        return accd__name_as_whole(0, name);
    default:
        return false;
    }
}

bool accd__path_describe(struct accd__debug_search *s, struct accd__debug_name_path *path,
                         struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    uint64_t unit[ACCD__DEBUG_DIMS_MAX];
    if (!accd__debug_is_exact_range(s, object, accd__type_bytes_of_object(&s->view, type, object)))
        return describe_inside(s, path, type, object, name);
    bool has_unit = type->kind == ACCD__DEBUG_ARRAY && units_of(s, type, object, unit);
    accd__name_set_object(name, type->kind == ACCD__DEBUG_DESCRIPTOR ? NULL : type, object, object, 0);
    return accd__name_as_whole(has_unit ? unit[0] : 0, name);
}

void accd__name_set_object(struct accd__debug_name *name, struct accd__debug_type *type, uint64_t object, uint64_t data,
                           unsigned subscripts)
{
    name->type = type;
    name->object = object;
    name->data = data;
    name->subscripts = subscripts;
}

/* The member that has the byte; NULL: none, or one of several that share it. */
static const struct accd__debug_member *member_with(struct accd__debug_search *s, const struct accd__debug_type *type,
                                                    uint64_t object, uint64_t address)
{
    Dwarf_Die die = type->die;
    if (s->view.debug->dw.dwarf_tag(&die) == DW_TAG_union_type)
        return NULL;
    for (size_t i = 0; i < type->nmembers; i++) {
        const uint64_t at = object + type->members[i].offset;
        if (address >= at && address - at < accd__type_bytes_of_object(&s->view, type->members[i].type, at))
            return &type->members[i];
    }
    return NULL;
}

bool accd__path_descend(struct accd__debug_search *s, struct accd__debug_name_path *path,
                        const struct accd__debug_name *name, uint64_t address, struct accd__debug_name *element)
{
    enum { NESTING_MOST = 64 };
    struct accd__debug_type *type = name->type;
    const struct accd__debug_member *member;
    uint64_t object = name->object, data = name->data, unit;
    unsigned first = name->subscripts;
    bool is_first = true;
    for (int i = 0; type && i < NESTING_MOST; i++) {
        const bool is_apart =
            (type->kind == ACCD__DEBUG_POINTER && name->section) || type->kind == ACCD__DEBUG_DESCRIPTOR;
        if (type->kind == ACCD__DEBUG_ARRAY || (is_first && is_apart)) {
            struct accd__debug_type *target =
                type->kind == ACCD__DEBUG_POINTER ? accd__type_target(s->view.debug, type) : type->target;
            unit = target ? accd__type_bytes_of_object(&s->view, target, 0) : 0;
            if (!unit || unit > INT64_MAX)
                return !is_first;
            const int64_t index = quotient((int64_t)(address - data), (int64_t)unit);
            accd__path_append_index(s, path, type, object, index, first);
            object = data + (uint64_t)index * unit;
            type = target;
        } else if (type->kind == ACCD__DEBUG_STRUCT && (member = member_with(s, type, object, address))) {
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

bool accd__debug_contains_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes)
{
    uint64_t offset = s->address - start;
    return s->address >= start && offset < bytes && s->bytes <= bytes - offset;
}

#endif
