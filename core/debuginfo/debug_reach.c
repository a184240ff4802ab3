/* debug_reach.c - objects that pointers point to, nearest first, from the variables in scope. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <stdlib.h>

/* NODES: objects that one search looks at. STEPS: pointers that one name follows. ELEMENTS: of one
 * array, GUESSES: behind one pointer. REACH: bytes behind a pointer that can still be what it
 * points at. */
enum { NODES_MOST = 1024, STEPS_MOST = 2, ELEMENTS_MOST = 64, GUESSES_MOST = 16, REACH = 1 << 20 };

static void push(struct goacc_search *s, struct goacc_node node)
{
    if (s->n < NODES_MOST && node.type)
        s->nodes[s->n++] = node;
}

/* An object that the i-th points to, seen as it is. */
static struct goacc_node child_of(const struct goacc_search *s, uint32_t i, struct goacc_type *type,
                                  uint64_t at)
{
    struct goacc_node node = s->nodes[i];
    return (struct goacc_node){.type = type,
                               .at = at,
                               .block = node.block,
                               .parent = i,
                               .how = GOACC_POINTEE,
                               .steps = node.steps,
                               .is_guess = node.is_guess};
}

static bool is_better(const struct goacc_search *s, enum goacc_rank rank, uint64_t distance)
{
    return rank < s->rank || (rank == s->rank && distance < s->distance);
}

static void accept(struct goacc_search *s, enum goacc_rank rank, uint64_t distance,
                   const struct goacc_name *name)
{
    s->rank = rank;
    s->distance = distance;
    *s->name_p = *name;
}

/* Behind the end of a block of memory lies what has nothing to do with it. Where the start looks
 * like what glibc's malloc returned, the words before the block and before the next tell; any other
 * is believed. */
static bool in_block(uint64_t start, uint64_t end)
{
    enum { IN_USE = 1, MAPPED = 2, FLAGS = 7, LEAST = 32 };
    uint64_t head, next;
    if (start % 16 || !goacc_read(start - sizeof head, &head, sizeof head))
        return true;
    uint64_t bytes = head & ~(uint64_t)FLAGS;
    if (bytes < LEAST || bytes % 16 || bytes >> 40)
        return true;
    uint64_t behind = start - sizeof head + bytes;
    if (!(head & MAPPED) && (!goacc_read(behind, &next, sizeof next) || !(next & IN_USE)))
        return true;
    return end <= behind;
}

/* Whether the range can lie behind a start without a known end. What is static has names of its
 * own. */
static bool is_behind(struct goacc_search *s, uint64_t start)
{
    return in_block(start, s->address + s->bytes) && !goacc_module_at(s->view.debug, s->address);
}

static enum goacc_rank rank_of(struct goacc_search *s, const struct goacc_node *node,
                               uint64_t start, uint64_t bytes, bool fits)
{
    if (fits && s->address == start)
        return !bytes ? GOACC_UNTYPED : node->is_guess ? GOACC_GUESSED : GOACC_EXACT;
    if (node->is_guess || !bytes)
        return GOACC_NOTHING;
    if (goacc_contains(s, start, bytes))
        return GOACC_INSIDE;
    /* in Fortran there is nothing behind what a pointer points at */
    return !node->type->fortran && is_behind(s, start) ? GOACC_BEHIND : GOACC_NOTHING;
}

/* Bytes of one element where those of the pointee are not known: of an array of unknown bounds its innermost element. */
static uint64_t unit_of(struct goacc_search *s, const struct goacc_type *type)
{
    while (type && type->kind == GOACC_ARRAY && !goacc_bytes(&s->view, type, 0))
        type = type->target;
    const uint64_t bytes = type ? goacc_bytes(&s->view, type, 0) : 0;
    return bytes ? bytes : 1;
}

/* What the i-th object, a pointer, points at. */
static void try_pointee(struct goacc_search *s, uint32_t i, struct goacc_type *type, uint64_t start)
{
    const struct goacc_node *node = &s->nodes[i];
    uint64_t bytes = type ? goacc_bytes(&s->view, type, start) : 0, unit = bytes ? bytes : unit_of(s, type);
    uint64_t offset = s->address - start, element = s->address - offset % unit;
    struct goacc_name name = {.unit = 0};
    struct goacc_path path = {name.name, 0, ""};
    if (s->address < start || offset > REACH || (type && type->open && offset >= unit))
        return;
    bool fits = goacc_as_section(s, offset, unit, &name);
    enum goacc_rank rank = rank_of(s, node, start, bytes, fits);
    if (!is_better(s, rank, offset) || (!fits && !goacc_contains(s, element, unit)))
        return;
    goacc_add_node(s, &path, i);
    path.dot = node->type->fortran ? "%" : "->";
    if (fits && node->type->fortran) {
        goacc_as_whole(0, &name);
        goacc_is_about(&name, type, start, start, 0);
    } else if (fits) {
        goacc_is_about(&name, node->type, start, start, 0);
    } else if (element != start || type->kind != GOACC_STRUCT) {
        goacc_add_index(s, &path, node->type, start, (int64_t)(offset / unit), 0);
    }
    if (fits || goacc_describe(s, &path, type, element, &name))
        accept(s, rank, offset, &name);
}

/* Elements of an array; 0: not known. */
static uint64_t count_of(struct goacc_search *s, const struct goacc_type *type, uint64_t object)
{
    uint64_t count = type->ndims > 0, extent;
    for (size_t i = 0; i < type->ndims; i++)
        if (!goacc_extent(&s->view, type, i, object, &extent) ||
            __builtin_mul_overflow(count, extent, &count))
            return 0;
    return count;
}

/* The elements of the i-th object, an array whose storage is elsewhere or has no known end. */
static void try_elements(struct goacc_search *s, uint32_t i, uint64_t data, uint64_t count)
{
    const struct goacc_node *node = &s->nodes[i];
    uint64_t unit = node->type->target ? goacc_bytes(&s->view, node->type->target, 0) : 0;
    uint64_t offset = s->address - data, total = unit * count;
    struct goacc_name name = {.unit = 0};
    struct goacc_path path = {name.name, 0, ""};
    if (s->address < data || (total ? !goacc_contains(s, data, total) : offset > REACH))
        return;
    enum goacc_rank rank = node->is_guess     ? GOACC_GUESSED
                           : total || !offset ? GOACC_EXACT
                                              : GOACC_BEHIND;
    if (!is_better(s, rank, offset) ||
        (rank == GOACC_BEHIND && !is_behind(s, node->block ? node->block : data)))
        return;
    goacc_add_node(s, &path, i);
    goacc_is_about(&name, node->type, node->at, data, 0);
    if (total && goacc_is_whole(s, data, total)
            ? goacc_as_whole(unit, &name)
            : goacc_describe_elements(s, &path, node->type, node->at, data, &name))
        accept(s, rank, offset, &name);
}

/* The k-th element behind the i-th object; unit is 0 where it has no pointers. */
static struct goacc_node element_of(struct goacc_search *s, uint32_t i, uint64_t data, uint64_t k,
                                    uint64_t *unit_p)
{
    struct goacc_node node = child_of(s, i, s->nodes[i].type->target, data);
    *unit_p = node.type && node.type->points ? goacc_bytes(&s->view, node.type, data) : 0;
    node.at += k * *unit_p;
    node.index = k;
    node.how = GOACC_ELEMENT;
    return node;
}

static void push_elements(struct goacc_search *s, uint32_t i, uint64_t data, uint64_t count)
{
    uint64_t unit;
    struct goacc_node node = element_of(s, i, data, 0, &unit);
    for (; unit && node.index < count; node.index++, node.at += unit)
        push(s, node);
}

/* How many elements there are behind a pointer is not known: what lies there may be others. */
static void push_guesses(struct goacc_search *s, uint32_t i, uint64_t start)
{
    uint64_t unit;
    struct goacc_node node = element_of(s, i, start, 1, &unit);
    node.is_guess = true;
    for (; unit && node.index < GUESSES_MOST && in_block(start, node.at + unit); node.at += unit) {
        push(s, node);
        node.index++;
    }
}

static void visit_pointer(struct goacc_search *s, uint32_t i)
{
    struct goacc_node *node = &s->nodes[i];
    struct goacc_type *type = goacc_target(s->view.debug, node->type);
    uint64_t start = node->at;
    if ((!node->is_value && !goacc_read(node->at, &start, sizeof start)) || !start)
        return;
    try_pointee(s, i, type, start);
    if (!type || !type->points || node->steps >= STEPS_MOST || node->is_guess)
        return;
    node->steps++; /* what follows has taken one more */
    node->block = start;
    if (type->kind == GOACC_STRUCT)
        push(s, child_of(s, i, type, start));
    else
        push_elements(s, i, start, 1);
    if (!node->type->fortran && !type->open)
        push_guesses(s, i, start);
}

static void visit_reference(struct goacc_search *s, uint32_t i)
{
    const struct goacc_node *node = &s->nodes[i];
    struct goacc_type *type = goacc_target(s->view.debug, node->type);
    uint64_t start = node->at;
    struct goacc_name name = {.unit = 0};
    struct goacc_path path = {name.name, 0, ""};
    if (!type || (!node->is_value && !goacc_read(node->at, &start, sizeof start)) || !start)
        return;
    enum goacc_rank rank = node->is_guess ? GOACC_GUESSED : GOACC_EXACT;
    if (is_better(s, rank, 0) && goacc_contains(s, start, goacc_bytes(&s->view, type, start))) {
        goacc_add_node(s, &path, i);
        path.dot = goacc_dot(type);
        if (goacc_describe(s, &path, type, start, &name))
            accept(s, rank, 0, &name);
    }
    if (type->points && node->steps < STEPS_MOST) {
        s->nodes[i].steps++;
        push(s, child_of(s, i, type, start));
    }
}

static void visit_array(struct goacc_search *s, uint32_t i)
{
    const struct goacc_type *type = s->nodes[i].type;
    uint64_t object = s->nodes[i].at;
    struct goacc_place data = {.at = object};
    if (type->kind == GOACC_DESCRIPTOR &&
        (!goacc_evaluate(&s->view, type->data, type->bias, &object, &data) || !data.at))
        return;
    uint64_t count = count_of(s, type, object);
    if (type->kind == GOACC_DESCRIPTOR || type->open)
        try_elements(s, i, data.at, count);
    push_elements(s, i, data.at, count < ELEMENTS_MOST ? count : ELEMENTS_MOST);
}

static void visit(struct goacc_search *s, uint32_t i)
{
    const struct goacc_type *type = s->nodes[i].type;
    uint64_t at = s->nodes[i].at;
    switch (type->kind) {
    case GOACC_POINTER:
        visit_pointer(s, i);
        break;
    case GOACC_REFERENCE:
        visit_reference(s, i);
        break;
    case GOACC_STRUCT:
        for (size_t k = 0; k < type->nmembers; k++) {
            const struct goacc_member *member = &type->members[k];
            struct goacc_node node = child_of(s, i, member->type, at + member->offset);
            node.how = GOACC_MEMBER;
            node.name = member->name;
            if (member->type->points)
                push(s, node);
        }
        break;
    case GOACC_ARRAY:
    case GOACC_DESCRIPTOR:
        visit_array(s, i);
        break;
    default:
        break;
    }
}

static void push_variable(struct goacc_search *s, struct goacc_variable *variable,
                          struct goacc_place place)
{
    struct goacc_type *type = goacc_variable_type(s->view.debug, variable);
    if (!type || !type->points)
        return;
    if (!place.is_value || type->kind == GOACC_POINTER || type->kind == GOACC_REFERENCE)
        push(s, (struct goacc_node){.type = type,
                                    .at = place.at,
                                    .name = variable->name,
                                    .how = GOACC_ROOT,
                                    .is_value = place.is_value});
}

/* Variables from which pointers start: those in scope, then globals of the unit, then others. */
static void push_variables(struct goacc_search *s, struct goacc_site *site)
{
    struct goacc_place place;
    for (size_t i = 0; i < site->variables.n; i++) {
        struct goacc_variable *variable = &site->variables.at[i];
        if (goacc_locate(&s->view, variable, &place))
            push_variable(s, variable, place);
    }
    const struct goacc_variables *globals = goacc_globals(s->view.debug, site->module);
    for (int others = 0; others <= 1; others++)
        for (size_t i = 0; i < globals->n; i++)
            if ((globals->at[i].die.cu != site->unit.cu) == others)
                push_variable(s, &globals->at[i],
                              (struct goacc_place){.at = globals->at[i].address});
}

bool goacc_reach(struct goacc_search *s, struct goacc_site *site)
{
    struct goacc_debug *debug = s->view.debug;
    if (!debug->nodes)
        debug->nodes = malloc(NODES_MOST * sizeof *debug->nodes);
    s->nodes = debug->nodes;
    if (!s->nodes)
        return false;
    push_variables(s, site);
    for (uint32_t i = 0; i < s->n && s->rank != GOACC_EXACT; i++)
        visit(s, i);
    return s->rank != GOACC_NOTHING;
}

#endif
