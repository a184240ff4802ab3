/* debug_search.c - searches the memory that pointers in variables point to, for an object that contains a range.
 *
 * The search is breadth-first, so short names are found before long ones. Objects are nodes in one array, which is also
 * the queue:
 *
 *     nodes   [ variables in scope | globals of the unit | other globals | members, elements, pointees ... ]
 *                ^ visited from here on                                     n: new nodes are appended
 *
 * Each node knows its parent, so accd__path_append_node can write its path ("p->next->a"). Only objects whose types
 * contain pointers, or arrays without a known end, become nodes. Visiting a pointer compares the range with the
 * pointer's target (try_pointee), and appends the target as nodes. The best name so far is stored (rank, distance); the
 * search ends with an exact name, or with the last node. Functions try_X set that name if theirs is better.
 *
 * C does not say how many elements a pointer points to. Elements after the first one are guesses, limited to the block
 * of malloc if its header looks valid (is_in_block). */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <assert.h>
#include <stdlib.h>

/* Limits of a search. */
enum {
    NODES_MOST = 1024,  /* capacity of the array of nodes */
    STEPS_MOST = 2,     /* largest number of pointers that one name follows */
    ELEMENTS_MOST = 64, /* largest number of elements of one array that become nodes */
    GUESSES_MOST = 16,  /* largest number of guessed elements of one pointer that become nodes */
    REACH = 1 << 20     /* bytes after a pointer's target that the pointer can still name */
};

/* Appends a copy of `node`; does nothing if the search has NODES_MOST nodes or the node's type is void (NULL). */
static void push_node(struct accd__debug_search *s, struct accd__search_node node)
{
    if (s->n < NODES_MOST && node.type)
        s->nodes[s->n++] = node;
}

/* Returns a new node, not yet appended, for the object of `type` at `at` that node i points to or contains. Its kind is
 * POINTEE; callers change the kind for members and elements. */
static struct accd__search_node new_child_node(const struct accd__debug_search *s, uint32_t i,
                                               struct accd__debug_type *type, uint64_t at)
{
    assert(i < s->n);
    struct accd__search_node node = s->nodes[i];
    return (struct accd__search_node){.type = type,
                                      .at = at,
                                      .block = node.block,
                                      .parent = i,
                                      .kind = ACCD__DEBUG_POINTEE,
                                      .steps = node.steps,
                                      .is_guess = node.is_guess};
}

/* Returns true if a name of quality `rank` is better than the best name so far, or equally good with a smaller distance
 * from the pointer's target. */
static bool is_better(const struct accd__debug_search *s, enum accd__debug_rank rank, uint64_t distance)
{
    return rank < s->rank || (rank == s->rank && distance < s->distance);
}

/* Makes *name, of quality `rank`, the best name so far. `distance`: bytes from the pointer's target to the range. */
static void set_best_name(struct accd__debug_search *s, enum accd__debug_rank rank, uint64_t distance,
                          const struct accd__debug_name *name)
{
    s->rank = rank;
    s->distance = distance;
    *s->name_p = *name;
}

/* Returns true unless `end` is known to be after the end of the memory block that begins at `start`; a pointer to the
 * block does not name memory after it. The end is known if the words before this block and before the next one look
 * like headers of glibc's malloc. */
static bool is_in_block(uint64_t start, uint64_t end)
{
    enum { IN_USE = 1, MAPPED = 2, FLAGS = 7, LEAST = 32 };
    uint64_t head, next;
    if (start % 16 || !accd__read_memory(start - sizeof head, &head, sizeof head))
        return true;
    uint64_t bytes = head & ~(uint64_t)FLAGS;
    if (bytes < LEAST || bytes % 16 || bytes >> 40)
        return true;
    uint64_t block_end = start - sizeof head + bytes;
    if (!(head & MAPPED) && (!accd__read_memory(block_end, &next, sizeof next) || !(next & IN_USE)))
        return true;
    return end <= block_end;
}

/* Returns true if the range can belong to memory at `start` without a known end. Returns false if it ends after the
 * block of malloc at `start`, or begins in static memory, which has names of its own. */
static bool can_follow(struct accd__debug_search *s, uint64_t start)
{
    return is_in_block(start, s->address + s->bytes) && !accd__find_module(s->view.debug, s->address);
}

/* Returns the quality of a name for the range that uses the pointer `node` to `bytes` bytes at `start` (0: of unknown
 * size). `fits`: the range consists of whole elements. */
static enum accd__debug_rank get_rank(struct accd__debug_search *s, const struct accd__search_node *node,
                                      uint64_t start, uint64_t bytes, bool fits)
{
    if (fits && s->address == start)
        return !bytes ? ACCD__DEBUG_UNTYPED : node->is_guess ? ACCD__DEBUG_GUESSED : ACCD__DEBUG_EXACT;
    if (node->is_guess || !bytes)
        return ACCD__DEBUG_NOTHING;
    if (accd__debug_contains_range(s, start, bytes))
        return ACCD__DEBUG_INSIDE;
    /* A Fortran pointer points to its whole target, so that memory after the target has no name. */
    return !node->type->fortran && can_follow(s, start) ? ACCD__DEBUG_AFTER : ACCD__DEBUG_NOTHING;
}

/* Returns the size in bytes of the elements that a pointer to `type`, whose own size is not known, counts. This is the
 * size of the outermost element type with a known size; 1 if none is known, or `type` is NULL (void). */
static uint64_t get_element_bytes(struct accd__debug_search *s, const struct accd__debug_type *type)
{
    while (type && type->kind == ACCD__DEBUG_ARRAY && !accd__type_bytes_of_object(&s->view, type, 0))
        type = type->target;
    const uint64_t bytes = type ? accd__type_bytes_of_object(&s->view, type, 0) : 0;
    return bytes ? bytes : 1;
}

/* Tries to name the range by node i, a pointer to `start`, and sets the best name if this name is better. The range
 * must begin in the pointer's target or at most REACH bytes after `start`. `type`: type of the target; NULL: void. */
static void try_pointee(struct accd__debug_search *s, uint32_t i, struct accd__debug_type *type, uint64_t start)
{
    assert(i < s->n);
    const struct accd__search_node *node = &s->nodes[i];
    uint64_t bytes = type ? accd__type_bytes_of_object(&s->view, type, start) : 0,
             unit = bytes ? bytes : get_element_bytes(s, type);
    uint64_t offset = s->address - start, element = s->address - offset % unit;
    struct accd__debug_name name = {.unit = 0};
    struct accd__debug_name_path path = {name.name, 0, ""};
    if (s->address < start || offset > REACH || (type && type->open && offset >= unit))
        return;
    bool fits = accd__name_as_section(s, offset, unit, &name);
    enum accd__debug_rank rank = get_rank(s, node, start, bytes, fits);
    if (!is_better(s, rank, offset) || (!fits && !accd__debug_contains_range(s, element, unit)))
        return;
    accd__path_append_node(s, &path, i);
    path.dot = node->type->fortran ? "%" : "->";
    if (fits && node->type->fortran) {
        accd__name_as_whole(0, &name);
        accd__name_set_object(&name, type, start, start, 0);
    } else if (fits) {
        accd__name_set_object(&name, node->type, start, start, 0);
    } else if (element != start || type->kind != ACCD__DEBUG_STRUCT) {
        accd__path_append_index(s, &path, node->type, start, (int64_t)(offset / unit), 0);
    }
    if (fits || accd__path_describe(s, &path, type, element, &name))
        set_best_name(s, rank, offset, &name);
}

/* Returns the number of elements of the array of `type` at `object`; 0: not known, or the array is empty. */
static uint64_t count_elements(struct accd__debug_search *s, const struct accd__debug_type *type, uint64_t object)
{
    uint64_t count = type->ndims > 0, extent;
    for (size_t i = 0; i < type->ndims; i++)
        if (!accd__dimension_extent(&s->view, type, i, object, &extent) ||
            __builtin_mul_overflow(count, extent, &count))
            return 0;
    return count;
}

/* Sets the best name if the range is among the elements of node i and this gives a better one. Node i is a descriptor,
 * or an array without a known end. `count`: number of elements from address `data` on; 0: not known. */
static void try_elements(struct accd__debug_search *s, uint32_t i, uint64_t data, uint64_t count)
{
    assert(i < s->n);
    const struct accd__search_node *node = &s->nodes[i];
    uint64_t unit = node->type->target ? accd__type_bytes_of_object(&s->view, node->type->target, 0) : 0;
    uint64_t offset = s->address - data, total = unit * count;
    struct accd__debug_name name = {.unit = 0};
    struct accd__debug_name_path path = {name.name, 0, ""};
    if (s->address < data || (total ? !accd__debug_contains_range(s, data, total) : offset > REACH))
        return;
    enum accd__debug_rank rank = node->is_guess     ? ACCD__DEBUG_GUESSED
                                 : total || !offset ? ACCD__DEBUG_EXACT
                                                    : ACCD__DEBUG_AFTER;
    if (!is_better(s, rank, offset) || (rank == ACCD__DEBUG_AFTER && !can_follow(s, node->block ? node->block : data)))
        return;
    accd__path_append_node(s, &path, i);
    accd__name_set_object(&name, node->type, node->at, data, 0);
    if (total && accd__debug_is_exact_range(s, data, total)
            ? accd__name_as_whole(unit, &name)
            : accd__path_describe_elements(s, &path, node->type, node->at, data, &name))
        set_best_name(s, rank, offset, &name);
}

/* Returns a node for element `k` of node i, whose elements begin at `data`. Sets *unit_p to the size of an element; 0:
 * the element needs no node, because it has no pointers or its size is not known. */
static struct accd__search_node new_element_node(struct accd__debug_search *s, uint32_t i, uint64_t data, uint64_t k,
                                                 uint64_t *unit_p)
{
    struct accd__search_node node = new_child_node(s, i, s->nodes[i].type->target, data);
    *unit_p = node.type && node.type->points ? accd__type_bytes_of_object(&s->view, node.type, data) : 0;
    node.at += k * *unit_p;
    node.index = k;
    node.kind = ACCD__DEBUG_ELEMENT;
    return node;
}

/* Appends nodes for the first `count` elements of node i, if the elements contain pointers. `data`: address of the
 * first element. */
static void push_elements(struct accd__debug_search *s, uint32_t i, uint64_t data, uint64_t count)
{
    uint64_t unit;
    struct accd__search_node node = new_element_node(s, i, data, 0, &unit);
    for (; unit && node.index < count; node.index++, node.at += unit)
        push_node(s, node);
}

/* Appends nodes for guessed elements after the first one at `start`, to which node i points: at most GUESSES_MOST, and
 * none known to be after the block of malloc. The true number of elements is not known. */
static void push_guesses(struct accd__debug_search *s, uint32_t i, uint64_t start)
{
    uint64_t unit;
    struct accd__search_node node = new_element_node(s, i, start, 1, &unit);
    node.is_guess = true;
    for (; unit && node.index < GUESSES_MOST && is_in_block(start, node.at + unit); node.at += unit) {
        push_node(s, node);
        node.index++;
    }
}

/* Visits node i, a pointer: may set the best name, and appends nodes for the pointer's target. Appends none if the
 * target contains no pointers, the node is a guess, or its path follows STEPS_MOST pointers. Does nothing for a null or
 * unreadable pointer. */
static void visit_pointer(struct accd__debug_search *s, uint32_t i)
{
    struct accd__search_node *node = &s->nodes[i];
    struct accd__debug_type *type = accd__type_target(s->view.debug, node->type);
    uint64_t start = node->at;
    if ((!node->is_value && !accd__read_memory(node->at, &start, sizeof start)) || !start)
        return;
    try_pointee(s, i, type, start);
    if (!type || !type->points || node->steps >= STEPS_MOST || node->is_guess)
        return;
    node->steps++; /* nodes that are appended below have one more step */
    node->block = start;
    if (type->kind == ACCD__DEBUG_STRUCT)
        push_node(s, new_child_node(s, i, type, start));
    else
        push_elements(s, i, start, 1);
    if (!node->type->fortran && !type->open)
        push_guesses(s, i, start);
}

/* Visits node i, a reference of C++: may set the best name, and appends a node for the target. Names of the target use
 * the name of the reference. Appends none if the target contains no pointers or the path follows STEPS_MOST pointers;
 * does nothing for a null or unreadable reference. */
static void visit_reference(struct accd__debug_search *s, uint32_t i)
{
    const struct accd__search_node *node = &s->nodes[i];
    struct accd__debug_type *type = accd__type_target(s->view.debug, node->type);
    uint64_t start = node->at;
    struct accd__debug_name name = {.unit = 0};
    struct accd__debug_name_path path = {name.name, 0, ""};
    if (!type || (!node->is_value && !accd__read_memory(node->at, &start, sizeof start)) || !start)
        return;
    enum accd__debug_rank rank = node->is_guess ? ACCD__DEBUG_GUESSED : ACCD__DEBUG_EXACT;
    if (is_better(s, rank, 0) &&
        accd__debug_contains_range(s, start, accd__type_bytes_of_object(&s->view, type, start))) {
        accd__path_append_node(s, &path, i);
        path.dot = accd__member_separator(type);
        if (accd__path_describe(s, &path, type, start, &name))
            set_best_name(s, rank, 0, &name);
    }
    if (type->points && node->steps < STEPS_MOST) {
        s->nodes[i].steps++;
        push_node(s, new_child_node(s, i, type, start));
    }
}

/* Visits node i, an array or a Fortran descriptor: may set the best name, and appends nodes for the first ELEMENTS_MOST
 * elements. Does nothing for a descriptor whose elements cannot be located, or are not allocated. */
static void visit_array(struct accd__debug_search *s, uint32_t i)
{
    const struct accd__debug_type *type = s->nodes[i].type;
    uint64_t object = s->nodes[i].at;
    struct accd__value_location data = {.at = object};
    if (type->kind == ACCD__DEBUG_DESCRIPTOR &&
        (!accd__evaluate_location(&s->view, type->data, type->bias, &object, &data) || !data.at))
        return;
    uint64_t count = count_elements(s, type, object);
    if (type->kind == ACCD__DEBUG_DESCRIPTOR || type->open)
        try_elements(s, i, data.at, count);
    push_elements(s, i, data.at, count < ELEMENTS_MOST ? count : ELEMENTS_MOST);
}

/* Visits node i: may set the best name if it is a pointer, reference, array or descriptor, and appends nodes for what
 * it points to or contains. A structure only appends its members with pointers. */
static void visit_node(struct accd__debug_search *s, uint32_t i)
{
    const struct accd__debug_type *type = s->nodes[i].type;
    uint64_t at = s->nodes[i].at;
    switch (type->kind) {
    case ACCD__DEBUG_POINTER:
        visit_pointer(s, i);
        break;
    case ACCD__DEBUG_REFERENCE:
        visit_reference(s, i);
        break;
    case ACCD__DEBUG_STRUCT:
        for (size_t k = 0; k < type->nmembers; k++) {
            const struct accd__debug_member *member = &type->members[k];
            struct accd__search_node node = new_child_node(s, i, member->type, at + member->offset);
            node.kind = ACCD__DEBUG_MEMBER;
            node.name = member->name;
            if (member->type->points)
                push_node(s, node);
        }
        break;
    case ACCD__DEBUG_ARRAY:
    case ACCD__DEBUG_DESCRIPTOR:
        visit_array(s, i);
        break;
    default:
        break;
    }
}

/* Appends a node for the variable at `place`, if its type contains pointers or arrays without a known end. A variable
 * without an address, whose value is known, becomes a node only if it is a pointer or reference. */
static void push_variable(struct accd__debug_search *s, struct accd__debug_variable *variable,
                          struct accd__value_location place)
{
    struct accd__debug_type *type = accd__get_variable_type(s->view.debug, variable);
    if (!type || !type->points)
        return;
    if (!place.is_value || type->kind == ACCD__DEBUG_POINTER || type->kind == ACCD__DEBUG_REFERENCE)
        push_node(s, (struct accd__search_node){.type = type,
                                                .at = place.at,
                                                .name = variable->name,
                                                .kind = ACCD__DEBUG_ROOT,
                                                .is_value = place.is_value});
}

/* Appends nodes for the variables that names can start from: those in scope at `site`, then globals of its compilation
 * unit, then globals of other units in its file. */
static void push_variables(struct accd__debug_search *s, struct accd__code_site *site)
{
    struct accd__value_location place;
    for (size_t i = 0; i < site->variables.n; i++) {
        struct accd__debug_variable *variable = &site->variables.at[i];
        if (accd__locate_variable(&s->view, variable, &place))
            push_variable(s, variable, place);
    }
    const struct accd__debug_variables *globals = accd__module_globals(s->view.debug, site->module);
    for (int others = 0; others <= 1; others++)
        for (size_t i = 0; i < globals->n; i++)
            if ((globals->at[i].die.cu != site->unit.cu) == others)
                push_variable(s, &globals->at[i], (struct accd__value_location){.at = globals->at[i].address});
}

/* Searches from the variables of `site` and the globals of its module, and sets *s->name_p to the best name. Returns
 * false if no name was found, or without memory. */
bool accd__search_locals(struct accd__debug_search *s, struct accd__code_site *site)
{
    struct accd__debug_info *debug = s->view.debug;
    if (!debug->nodes)
        debug->nodes = malloc(NODES_MOST * sizeof *debug->nodes);
    s->nodes = debug->nodes;
    if (!s->nodes)
        return false;
    push_variables(s, site);
    for (uint32_t i = 0; i < s->n && s->rank != ACCD__DEBUG_EXACT; i++)
        visit_node(s, i);
    return s->rank != ACCD__DEBUG_NOTHING;
}

#endif
