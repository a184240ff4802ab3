/* name.c - formats the names of objects, pointers and members, when an event, an error or a table needs them. The
 * records hold only the source of a name: a label, a name origin, or a group and a section. */
#include "accdeep_checkpoints.h"
#include "table/inside.h"
#include "table/name.h"
#include "table/tuples.h"
#include "find.h"

#include <stdarg.h>
#include <stdio.h>

/* Greatest number of pointers in a name; names of longer chains of pointers begin with dots, which bounds their cost.
 */
enum { MAX_DEPTH = 17 };

/* Text buffer that is cut at its capacity. */
struct text {
    char *to;
    size_t capacity, used;
    unsigned depth;        /* number of pointers followed from the named object */
    accd_context *context; /* context whose host memory may be read, or NULL */
    /* The named object, and the objects that hold the followed pointers. */
    const struct accd__object *holders[MAX_DEPTH];
};

/* Appends formatted text, cut at the capacity. */
static __attribute__((format(printf, 2, 3))) void append_format(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = text->capacity - text->used;
    int n = vsnprintf(text->to + text->used, left, format, args);
    va_end(args);
    if (n > 0)
        text->used += (size_t)n < left ? (size_t)n : left - 1;
}

/* Returns an empty text that is written to `to`. `context`: context whose host memory may be read for descriptors, or
 * NULL. */
static struct text new_text(char *to, size_t capacity, accd_context *context)
{
    to[0] = 0;
    return (struct text){.to = to, .capacity = capacity, .context = context};
}

/* Appends the name of a member after that of its object, with a dot unless the label begins with Fortran's %. Appends
 * nothing if `label` is NULL. */
static void append_member_label(struct text *text, const accd_label *label)
{
    if (label)
        append_format(text, "%s%s", *label->name && *label->name != '%' ? "." : "", label->name);
}

/* Returns true if names with this label end with a section or an element. */
static bool label_is_indexed(const accd_label *label)
{
    return label->flags & (ACCD_LABEL_SECTION | ACCD_LABEL_ELEMENT);
}

/* Writes the dimensions of an array: those of `array` or, if it is described, those of the descriptor at host address
 * `slot`. Returns false if there are none, or the descriptor is not readable. */
static bool dimensions_of(const struct text *text, const accd_array *array, uint64_t slot, accd_dimension *dimensions)
{
    int64_t words[3 * ACCD_MAX_RANK], span = 1;
    if (!array || !array->rank || array->rank > ACCD_MAX_RANK)
        return false;
    memcpy(dimensions, array->dimensions, array->rank * sizeof *dimensions);
    if (!array->described)
        return true;
    const size_t bytes = array->rank * sizeof *dimensions;
    if (!slot || !text->context || !accd__is_host_accessible(text->context, slot, array->described + bytes))
        return false;
    memcpy(words, accd__pointer(slot + array->described), bytes);
    if (array->span)
        memcpy(&span, accd__pointer(slot + array->span), sizeof span);
    for (unsigned i = 0; i < array->rank; i++) {
        const int64_t *word = &words[3 * i];
        if (array->span)
            dimensions[i] = (accd_dimension){word[1], word[2] - word[1] + 1, word[0] * span};
        else
            dimensions[i] = (accd_dimension){word[0], word[1], word[2]};
    }
    return true;
}

/* Writes to `index` the subscripts of the element at byte `offset` from the first element of an array. `slot`: host
 * address of the pointer or descriptor, or 0. Returns the number of dimensions; 0: the label has no array, or the array
 * no such element. Strides may be negative. */
static unsigned subscripts_at(const struct text *text, const accd_label *label, int64_t offset, uint64_t slot,
                              int64_t *index)
{
    accd_dimension dimensions[ACCD_MAX_RANK];
    const accd_array *array = label->array;
    if (!dimensions_of(text, array, slot, dimensions))
        return 0;
    offset += array->shift;
    for (unsigned i = 0; i < array->rank; i++)
        if (dimensions[i].stride < 0)
            offset -= dimensions[i].stride * (dimensions[i].extent - 1);
    for (unsigned i = array->rank; i-- > 0;) {
        const accd_dimension *d = &dimensions[i];
        int64_t stride = d->stride < 0 ? -d->stride : d->stride;
        int64_t at = stride ? offset / stride : 0;
        if (offset < 0 || at >= d->extent)
            return 0;
        offset -= at * stride;
        index[i] = d->lower + (d->stride < 0 ? d->extent - 1 - at : at);
    }
    return array->rank;
}

/* Appends the `rank` subscripts from `first` to `last`: "(1,2)" for one element, "(51:70)" or "(1:3,2)" for several. */
static void append_subscripts(struct text *text, unsigned rank, const int64_t *first, const int64_t *last)
{
    for (unsigned i = 0; i < rank; i++) {
        append_format(text, "%c%lld", i ? ',' : '(', (long long)first[i]);
        if (last[i] != first[i])
            append_format(text, ":%lld", (long long)last[i]);
    }
    append_format(text, ")");
}

/* Appends the C subscripts of *n_p elements from element `start`: "[1][0:2]", whole rows as "[0:2]". If n_p is NULL,
 * appends those of one element, without a length. */
static void append_c_index(struct text *text, const accd_label *label, int64_t start, const uint64_t *n_p)
{
    const accd_array *rows = label && start >= 0 ? label->array : NULL;
    const unsigned rank = rows && rows->rank <= ACCD_MAX_RANK ? rows->rank : 0;
    uint64_t at = (uint64_t)start, n = n_p ? *n_p : 0;
    uint64_t index[ACCD_MAX_RANK] = {0};
    unsigned whole = 0;
    for (unsigned i = 0; i < rank; i++) {
        const uint64_t extent = (uint64_t)rows->dimensions[i].extent;
        if (!extent)
            break;
        if (n_p && whole == i && at % extent == 0 && n % extent == 0) {
            n /= extent;
            whole++;
        }
        index[i] = at % extent;
        at /= extent;
    }
    if (whole < rank) {
        append_format(text, "[%lld]", (long long)at);
        for (unsigned i = rank - 1; i > whole; i--)
            append_format(text, "[%llu]", (unsigned long long)index[i]);
        at = index[whole];
    }
    append_format(text, "[%lld", (long long)at);
    if (n_p)
        append_format(text, ":%llu", (unsigned long long)n);
    append_format(text, "]");
}

/* Appends `n` Fortran elements from element `start`: as a section if they form one, otherwise as the first and the last
 * element, "(1,2):(2,1)". `slot` as for append_index. */
static void append_fortran_elements(struct text *text, const accd_label *label, int64_t start, uint64_t n,
                                    uint64_t slot)
{
    int64_t from = start, to = start + (int64_t)n - 1, low[ACCD_MAX_RANK], high[ACCD_MAX_RANK];
    const int64_t unit = (int64_t)label->unit;
    unsigned rank = subscripts_at(text, label, from * unit, slot, low);
    if (!rank || !subscripts_at(text, label, to * unit, slot, high)) {
        rank = 1;
        low[0] = from + 1;
        high[0] = to + 1;
    }
    uint64_t inside = 1;
    for (unsigned i = 0; i < rank; i++)
        inside *= (uint64_t)(high[i] < low[i] ? low[i] - high[i] : high[i] - low[i]) + 1;
    if (inside == n) {
        append_subscripts(text, rank, low, high);
        return;
    }
    append_subscripts(text, rank, low, low);
    append_format(text, ":");
    append_subscripts(text, rank, high, high);
}

/* Appends the subscript of one element of an object with `label` (or NULL). `slot`: host address of the pointer to the
 * object, or 0. */
static void append_index(struct text *text, const accd_label *label, int64_t index, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_PARENTHESES)
        append_fortran_elements(text, label, index, 1, slot);
    else
        append_c_index(text, label, index, NULL);
}

/* Appends the subscripts of `n` elements, from element `start`, of an object with `label`. `slot` as for append_index.
 */
static void append_range(struct text *text, const accd_label *label, int64_t start, uint64_t n, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_PARENTHESES)
        append_fortran_elements(text, label, start, n ? n : 1, slot);
    else
        append_c_index(text, label, start, &n);
}

/* Appends the section of `bytes` bytes from element `start` of an object with `label`, if names with this label have
 * one. `is_part`: only a part of the named data is meant, so that the section is always appended. `slot` as for
 * append_index. */
static void append_section(struct text *text, const accd_label *label, int64_t start, uint64_t bytes, bool is_part,
                           uint64_t slot)
{
    if (label->flags & ACCD_LABEL_SECTION || is_part)
        append_range(text, label, start, bytes / (label->unit ? label->unit : 1), slot);
    else if (label->flags & ACCD_LABEL_ELEMENT)
        append_index(text, label, start, slot);
}

/* Appends the name of a label, with `index` (or NULL) for each #. `element`: a subscript follows; if the label names a
 * part of an array, the whole array is then named. */
static void append_label_name(struct text *text, const accd_label *label, const int64_t *index, bool element)
{
    size_t used = 0;
    if (element && label->array && label->array->name) {
        append_format(text, "%s", label->array->name);
        return;
    }
    for (const char *at = label->name; *at; at++)
        if (*at == '#' && index && used < ACCD_MAX_LABEL_INDICES)
            append_format(text, "%lld", (long long)index[used++]);
        else
            append_format(text, "%c", *at);
}

/* Writes the text of `label` for pointers or, without one, its name with `index` for each #. */
void accd__format_pointer(const accd_label *label, const int64_t *index, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, NULL);
    if (label && label->pointer)
        append_format(&text, "%s", label->pointer);
    else if (label)
        append_label_name(&text, label, index, false);
}

/* Writes the name of `label` with `index` for each # and, if it has one, the section of `bytes` bytes from element
 * `start`. */
void accd__format_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes, char *to,
                        size_t capacity)
{
    struct text text = new_text(to, capacity, NULL);
    if (!label)
        return;
    append_label_name(&text, label, index, false);
    append_section(&text, label, start, bytes, false, 0);
}

/* Returns the index of the element of an item at `host`: the item's first index plus the distance in elements. */
int64_t accd__source_start(const struct accd__item_source *source, uint64_t host)
{
    if (host == source->host || !source->label || !source->label->unit)
        return source->start;
    return source->start + (int64_t)((host - source->host) / source->label->unit);
}

/* Writes the name of an item, with a section if only a part is meant or its label has one. */
void accd__format_source(const struct accd__item_source *source, uint64_t host, uint64_t bytes, char *to,
                         size_t capacity)
{
    struct text text = new_text(to, capacity, NULL);
    if (!source->label)
        return;
    const bool is_part = bytes != source->bytes;
    append_label_name(&text, source->label, source->index, is_part);
    append_section(&text, source->label, accd__source_start(source, host), bytes, is_part, 0);
}

/* Returns the number of elements of an embedded field: the last constant assigned to the register with its count. 0:
 * that register does not hold a constant. */
static uint64_t embedded_count(const accd_program_spec *spec, const accd_field *field)
{
    for (size_t i = field->code_end; i-- > 0;)
        if (spec->code[i].to == field->count)
            return spec->code[i].op == ACCD_I_CONST ? (uint64_t)spec->code[i].k : 0;
    return 0;
}

static bool append_field(struct text *text, const accd_program_spec *spec, const accd_field *field, uint64_t offset,
                         const accd_label *preferred);

/* Appends the member at byte `offset` of an element, found among the fields, members and pieces of its program `layout`
 * (or NULL). If there is none, appends the offset. `preferred`: label of the field to take if several begin there, or
 * NULL. */
static void append_member_at(struct text *text, const accd_program *layout, uint64_t offset,
                             const accd_label *preferred)
{
    static const accd_program_spec empty_spec;
    const accd_program_spec *spec = layout ? &layout->spec : &empty_spec;
    for (size_t i = 0; preferred && i < spec->nfields; i++) /* several pointers of a union have the same offset */
        if (spec->fields[i].label == preferred && spec->fields[i].offset == offset &&
            append_field(text, spec, &spec->fields[i], 0, preferred))
            return;
    for (size_t i = 0; i < spec->nfields; i++)
        if (offset >= spec->fields[i].offset &&
            append_field(text, spec, &spec->fields[i], offset - spec->fields[i].offset, preferred))
            return;
    for (size_t i = 0; i < spec->nmembers; i++) {
        const accd_member *member = &spec->members[i];
        if (offset - member->offset < member->bytes && member->label) {
            append_member_label(text, member->label);
            return;
        }
    }
    for (size_t i = 0; i < spec->npieces; i++) {
        const accd_piece *piece = &spec->pieces[i];
        if (offset - piece->offset < piece->bytes && piece->label) {
            append_member_label(text, piece->label);
            return;
        }
    }
    if (offset)
        append_format(text, "+%llu", (unsigned long long)offset);
}

/* Appends the field that contains the byte at `offset` from the beginning of the field, with the member of its
 * element. Returns false, with nothing appended, if the field is too short or has no name of its own. `preferred` as
 * for append_member_at. */
static bool append_field(struct text *text, const accd_program_spec *spec, const accd_field *field, uint64_t offset,
                         const accd_label *preferred)
{
    if (field->in_place) { /* has a name only if the whole array is one member with several elements */
        const accd_member *array = NULL;
        for (size_t i = 0; i < spec->nmembers && field->child && !array; i++)
            if (spec->members[i].offset == field->offset && offset < spec->members[i].bytes)
                array = &spec->members[i];
        if (!array || array->bytes <= field->unit)
            return false;
    } else if (field->embedded ? offset / field->unit >= embedded_count(spec, field) : offset >= sizeof(void *)) {
        return false;
    }
    append_member_label(text, field->label);
    if (accd__is_inline_field(field)) {
        append_index(text, field->label, (int64_t)(offset / field->unit), 0);
        append_member_at(text, field->child, offset % field->unit, preferred);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ walks -- */

static void append_row(struct text *text, const struct accd_walk *walk, const struct accd__rowset *set, size_t row);

/* Appends the pointer through which the section in a row of `segment` was reached. */
static void append_row_slot(struct text *text, const struct accd_walk *walk, const struct accd__segment *segment,
                            size_t row)
{
    append_row(text, walk, &walk->rowsets[segment->rowset], row);
    append_member_label(text, segment->field->label);
}

/* Returns true if names of elements of a root (an item that was walked) have subscripts: there are several, or its
 * label has a section or an element. */
static bool is_element(const struct accd__walk_root *root, const struct accd__rowset *set)
{
    return set->rows > 1 || (root->label && label_is_indexed(root->label));
}

/* Returns the index of the element in a row of the rowset `set` of a root. */
static int64_t root_index(const struct accd__walk_root *root, const struct accd__rowset *set, size_t row)
{
    return root->start + (int64_t)((accd__row_address(set, row) - root->host) / set->program->spec.stride);
}

/* Returns where the pointer to a section lies relative to the item of the clause: in it, in an element of it, or in the
 * target of another pointer. Writes the indices of the root and of its element to `index`. */
enum accd__root_kind accd__get_root_kind(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                                         int64_t *index)
{
    const struct accd__rowset *set = &walk->rowsets[segment->rowset];
    const struct accd__walk_root *root = &walk->roots[set->root];
    memcpy(index, root->index, sizeof root->index);
    if (set->parent >= 0)
        return ACCD_ROOT_FAR;
    if (!is_element(root, set))
        return ACCD_ROOT_WHOLE;
    index[ACCD_MAX_LABEL_INDICES - 1] = root_index(root, set, row);
    return ACCD_ROOT_ELEMENT;
}

/* Appends the element in a row of a rowset: "Y[3]", "X.q[0]", "X.in[2]". */
static void append_row(struct text *text, const struct accd_walk *walk, const struct accd__rowset *set, size_t row)
{
    if (++text->depth > MAX_DEPTH) {
        append_format(text, "...");
        return;
    }
    if (set->parent < 0) {
        const struct accd__walk_root *root = &walk->roots[-1 - set->parent];
        const bool element = is_element(root, set);
        if (root->label)
            append_label_name(text, root->label, root->index, element);
        if (element)
            append_index(text, root->label, root_index(root, set, row), 0);
        return;
    }
    const struct accd__segment *segment = &walk->segments[set->parent];
    size_t section = set->owner ? set->owner[row] : row / set->per;
    int64_t element = (int64_t)((accd__row_address(set, row) - segment->host[section]) / segment->field->unit);
    append_row_slot(text, walk, segment, section);
    append_index(text, segment->field->label, accd__section_start(segment, section) + element,
                 accd__section_slot(walk, segment, section));
}

/* Finds the section with number `section`, and writes the name of its pointer. */
void accd__format_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, walk->context);
    size_t row;
    const struct accd__segment *segment = accd__find_segment(walk, section, &row);
    append_row_slot(&text, walk, segment, row);
}

/* Writes the name of the pointer to a section, and its elements unless its label has neither section nor element. */
void accd__format_section(const struct accd_walk *walk, size_t section, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, walk->context);
    size_t row;
    const struct accd__segment *segment = accd__find_segment(walk, section, &row);
    const accd_label *label = segment->field->label;
    append_row_slot(&text, walk, segment, row);
    if (!label || label_is_indexed(label))
        append_range(&text, label, accd__section_start(segment, row),
                     accd__section_bytes(segment, row) / segment->field->unit, accd__section_slot(walk, segment, row));
}

/* Writes the name of the element in a row, then that of the piece. */
void accd__format_piece(const struct accd_walk *walk, const struct accd__rowset *set, size_t row,
                        const accd_piece *piece, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, walk->context);
    append_row(&text, walk, set, row);
    append_member_label(&text, piece ? piece->label : NULL);
}

/* ---------------------------------------------------------------------------------- objects -- */

/* Returns the label with an id; NULL: no label has that id. */
static const accd_label *find_label(struct accd__device_env *env, uint32_t id)
{
    return id < env->context->persistent->nlabels ? env->context->persistent->labels[id] : NULL;
}

/* Data from which the name of an object is formatted. */
struct name_source {
    const accd_label *label; /* label of the section */
    const accd_label *item;  /* label of the clause */
    uint64_t slot;
    enum accd__root_kind root;
    int64_t start;
    const int64_t *index;
    struct accd__group *group; /* group to which the object belongs as number `section`; else NULL */
    size_t section;
};

/* Returns the source of the name of an object: its group and section, its name origin, or its label. The label is NULL
 * if the object has no name. */
static struct name_source get_name_source(struct accd__device_env *env, const struct accd__object *object)
{
    struct name_source s = {0};
    if (object->size & ACCD_OBJECT_MEMBER) {
        s.group = env->groups.at[object->where];
        s.section = (size_t)(object - s.group->objects);
        size_t row;
        const struct accd__segment *column = accd__find_segment(s.group->walk, s.section, &row);
        s.item = accd__segment_root(s.group->walk, column)->label;
        s.label = column->field->label;
        s.slot = accd__section_slot(s.group->walk, column, row);
        s.start = accd__section_start(column, row);
    } else if (object->size & ACCD_OBJECT_ORIGIN) {
        const struct accd__name_origin *origin = &env->present.origins[object->where];
        s.label = find_label(env, origin->label);
        s.item = find_label(env, origin->item);
        s.slot = origin->slot;
        s.start = origin->start;
        s.root = origin->root;
        s.index = origin->index;
    } else {
        s.label = s.item = find_label(env, object->where);
    }
    return s;
}

/* Returns the layout of the object's label; NULL: the object has no label, or the label no layout. */
const accd_program *accd__object_layout(struct accd__device_env *env, const struct accd__object *object)
{
    const accd_label *label = get_name_source(env, object).label;
    return label ? label->layout : NULL;
}

static void append_slot(struct text *text, struct accd__device_env *env, uint64_t slot, const accd_label *label,
                        const struct name_source *from);

/* Appends the pointer to an object by the clause whose walk followed the pointer. Used if no present object holds the
 * pointer, or the name would be a cycle. */
static void append_followed_pointer(struct text *text, const struct name_source *s)
{
    const bool element = s->root == ACCD_ROOT_ELEMENT;
    if (!s->item || s->root == ACCD_ROOT_NONE) {
        append_format(text, "%s", s->label->name);
        return;
    }
    append_label_name(text, s->item, s->index, element);
    if (element)
        append_index(text, s->item, s->index[ACCD_MAX_LABEL_INDICES - 1], 0);
    if (s->root == ACCD_ROOT_FAR)
        append_format(text, "..");
    append_member_label(text, s->label);
}

/* Appends the name of an object without its section. `element`: a subscript follows. */
static void append_base_name(struct text *text, struct accd__device_env *env, const struct name_source *s, bool element)
{
    if (s->group) {
        size_t row;
        const struct accd__segment *segment = accd__find_segment(s->group->walk, s->section, &row);
        append_row_slot(text, s->group->walk, segment, row);
    } else if (s->label && (s->label->flags & ACCD_LABEL_MEMBER) && s->slot) {
        append_slot(text, env, s->slot, s->label, s);
    } else if (s->label) {
        append_label_name(text, s->label, s->index, element);
    }
}

/* Adds `object` to the holders of followed pointers, by which cycles are detected. Requires that fewer than
 * MAX_DEPTH were added. */
static void push_holder(struct text *text, const struct accd__object *object)
{
    assert(text->depth < MAX_DEPTH);
    text->holders[text->depth++] = object;
}

/* Appends the element of an object at byte `offset` and, if `member`, the member there. `preferred`: label to take if
 * several members are there, or NULL. */
static void append_location(struct text *text, struct accd__device_env *env, const struct accd__object *object,
                            uint64_t offset, bool member, const accd_label *preferred)
{
    struct name_source s = get_name_source(env, object);
    uint64_t unit = s.label && s.label->unit ? s.label->unit : accd__object_bytes(object);
    const bool element = s.label && (s.group || label_is_indexed(s.label) || unit < accd__object_bytes(object));
    append_base_name(text, env, &s, element);
    if (!s.label)
        return;
    if (element) {
        append_index(text, s.label, s.start + (int64_t)(offset / unit), s.slot);
        offset %= unit;
    }
    if (member)
        append_member_at(text, s.label->layout, offset, preferred);
}

/* Appends the pointer at host address `slot`, by the element that holds it or else by `label`. `from` is the source of
 * the name of its target, if that is being named, or NULL. */
static void append_slot(struct text *text, struct accd__device_env *env, uint64_t slot, const accd_label *label,
                        const struct name_source *from)
{
    if (text->depth == MAX_DEPTH) {
        append_format(text, "...");
        return;
    }
    if (label && !(label->flags & ACCD_LABEL_MEMBER) && !strchr(label->name, '#')) {
        append_format(text, "%s", label->pointer ? label->pointer : label->name);
        return;
    }
    const struct accd__object *holder = accd__object_at(env, slot, false);
    bool is_cycle = !holder;
    for (unsigned i = 0; from && i < text->depth; i++)
        is_cycle = is_cycle || text->holders[i] == holder;
    if (!is_cycle) {
        push_holder(text, holder);
        append_location(text, env, holder, slot - holder->host, true, label);
    } else if (from) {
        append_followed_pointer(text, from);
    } else if (label) {
        append_format(text, "%s", label->name);
    }
}

/* Writes the name of the original's clause, with a section if only a part is meant or its label has one. */
void accd__format_original(struct accd__device_env *env, const struct accd__original *original, char *to,
                           size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    const struct accd__item_source *whole = &original->source;
    struct name_source s = {.label = whole->label, .slot = original->slot, .index = whole->index};
    if (!whole->label)
        return;
    const bool is_part = original->bytes != whole->bytes;
    append_base_name(&text, env, &s, is_part);
    append_section(&text, whole->label, accd__source_start(whole, original->host), original->bytes, is_part, s.slot);
}

/* Writes the base name of the object and, if the range is a part or names have sections, the section. */
void accd__format_range(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                        uint64_t bytes, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    push_holder(&text, object);
    struct name_source s = get_name_source(env, object);
    uint64_t unit = s.label && s.label->unit ? s.label->unit : 1;
    int64_t start = s.start + (int64_t)(offset / unit);
    const bool is_part = bytes != accd__object_bytes(object) || object->size & ACCD_OBJECT_PIECE;
    const bool round = s.label && s.label->flags & ACCD_LABEL_PARENTHESES;
    append_base_name(&text, env, &s, is_part);
    if (s.group && (is_part || !round || label_is_indexed(s.label)))
        append_range(&text, s.label, start, bytes / unit, s.slot);
    else if (s.label && !s.group)
        append_section(&text, s.label, start, bytes, is_part, s.slot);
}

/* Writes the name of the whole object. */
void accd__format_object(struct accd__device_env *env, const struct accd__object *object, char *to, size_t capacity)
{
    accd__format_range(env, object, 0, accd__object_bytes(object), to, capacity);
}

/* Writes the name of the element and member at `offset`. */
void accd__format_member(struct accd__device_env *env, const struct accd__object *object, uint64_t offset, char *to,
                         size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    push_holder(&text, object);
    append_location(&text, env, object, offset, true, NULL);
}

/* Returns the only member that overlaps `bytes` bytes at `offset` of an element; NULL if several or none overlap.
 * `layout`: program of the element, or NULL. */
static const accd_member *find_single_member(const accd_program *layout, uint64_t offset, uint64_t bytes)
{
    const accd_member *found = NULL;
    for (size_t i = 0; layout && i < layout->spec.nmembers; i++) {
        const accd_member *member = &layout->spec.members[i];
        if (member->offset >= offset + bytes || offset >= member->offset + member->bytes)
            continue;
        if (found)
            return NULL;
        found = member;
    }
    return found;
}

/* Writes the name of the only member in the range or, if there is none or several, that of the element. */
void accd__format_element(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                          uint64_t bytes, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    const accd_label *label = get_name_source(env, object).label;
    const uint64_t unit = label && label->unit ? label->unit : accd__object_bytes(object);
    const accd_member *member = label ? find_single_member(label->layout, offset % unit, bytes) : NULL;
    push_holder(&text, object);
    if (member)
        offset += member->offset - offset % unit;
    append_location(&text, env, object, offset, member, NULL);
}

/* Writes the name of the pointer at `slot`. */
void accd__format_slot(struct accd__device_env *env, uint64_t slot, uint32_t label, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    append_slot(&text, env, slot, find_label(env, label), NULL);
}

/* Returns an object info with the given range and the location of `label`. */
accd_object_info accd__make_object_info(const accd_label *label, uint64_t host, uint64_t bytes)
{
    return (accd_object_info){
        .host = host, .bytes = bytes, .file = label ? label->file : NULL, .line = label ? label->line : 0};
}

/* Fills host range, source location and name of `info` for a present object. */
void accd__describe_object(struct accd__device_env *env, const struct accd__object *object, accd_object_info *info)
{
    *info = accd__make_object_info(get_name_source(env, object).item, object->host, accd__object_bytes(object));
    accd__format_object(env, object, info->name, sizeof info->name);
}

/* Sets *range_p to the registered host block, live or freed, that contains `address`, and returns 1. Returns 0 if there
 * is none, or an argument is NULL. */
int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p)
{
    const struct accd__host_block *block =
        context && range_p ? accd__host_block_at(context, accd__address(address)) : NULL;
    if (!block)
        return 0;
    *range_p = (accd_host_range){.info = accd__make_object_info(block->label, block->start, block->bytes),
                                 .live = block->live};
    accd__format_label(block->label, NULL, 0, block->bytes, range_p->info.name, sizeof range_p->info.name);
    return 1;
}
