/* name.c - formats the names of objects, pointers and members, when an event, an error or a table needs them. The
 * records hold only the source of a name: a label, a name origin, or a group and a section. */
#include "accdeep_checkpoints.h"
#include "table/inside.h"
#include "table/name.h"
#include "table/tuples.h"
#include "find.h"

#include <stdarg.h>
#include <stdio.h>

/* Greatest number of pointers in a name. A name with more begins with dots instead of the first pointers, so that its
 * cost is bounded. */
enum { MAX_DEPTH = 17 };

/* Text buffer that is cut at its capacity. */
struct text {
    char *to;
    size_t capacity, used;
    unsigned depth;        /* number of pointers followed from the named object */
    accd_context *context; /* context, for tests whether descriptors in host memory may be read; NULL: none is read */
    /* First the named object, then the objects that contain the pointers followed so far; used to detect cycles. */
    const struct accd__object *holders[MAX_DEPTH];
};

/* Appends text formatted as by printf to `text`, and cuts it at the capacity. */
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

/* Returns an empty text that is written to `to`, of `capacity` bytes. `context`: for tests whether descriptors in host
 * memory may be read; NULL: none is read. */
static struct text new_text(char *to, size_t capacity, accd_context *context)
{
    to[0] = 0;
    return (struct text){.to = to, .capacity = capacity, .context = context};
}

/* Appends the name `label` of a member after the name of its object; with a dot before it unless the name is empty or
 * begins with Fortran's %. Appends nothing if `label` is NULL. */
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

/* Writes the dimensions of `array` to `dimensions` and returns true. If the array is described, takes them from the
 * descriptor at host address `slot`. Returns false if there is no array or its rank is 0 or too large, or if the
 * descriptor is not readable. */
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

/* Writes to `index` the subscripts of the element at byte `offset` from the first element, in memory, of the array of
 * `label`. `slot`: host address of the pointer or descriptor, or 0. Returns the number of dimensions; 0: the dimensions
 * are unknown, or there is no such element. Strides may be negative. */
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

/* Appends the C subscripts of *n_p elements from element `start` of an object with `label`: "[1][0:2]", or "[0:2]" for
 * two whole rows. If n_p is NULL, appends the subscripts of one element, without a length. */
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

/* Appends the Fortran subscripts of `n` elements from element `start`: as a section if they form one, otherwise as the
 * first and the last element, "(1,2):(2,1)". `slot`: host address of the pointer to the object, or 0. */
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

/* Appends the subscripts of the element with number `index` of an object with `label` (or NULL): Fortran's if the label
 * has ACCD_LABEL_PARENTHESES, otherwise C's. `slot`: host address of the pointer to the object, or 0. */
static void append_index(struct text *text, const accd_label *label, int64_t index, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_PARENTHESES)
        append_fortran_elements(text, label, index, 1, slot);
    else
        append_c_index(text, label, index, NULL);
}

/* Appends the subscripts of `n` elements, from element `start`, of an object with `label` (or NULL), as Fortran or C
 * writes them. `slot`: host address of the pointer to the object, or 0. */
static void append_range(struct text *text, const accd_label *label, int64_t start, uint64_t n, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_PARENTHESES)
        append_fortran_elements(text, label, start, n ? n : 1, slot);
    else
        append_c_index(text, label, start, &n);
}

/* Appends the section of `bytes` bytes from element `start` of an object with `label`, or only the element, if names
 * with this label have a section or an element. `is_part`: only a part of the named data is meant, so that the section
 * is always appended. `slot`: host address of the pointer to the object, or 0. */
static void append_section(struct text *text, const accd_label *label, int64_t start, uint64_t bytes, bool is_part,
                           uint64_t slot)
{
    if (label->flags & ACCD_LABEL_SECTION || is_part)
        append_range(text, label, start, bytes / (label->unit ? label->unit : 1), slot);
    else if (label->flags & ACCD_LABEL_ELEMENT)
        append_index(text, label, start, slot);
}

/* Appends the name of a label, with the numbers in `index` in place of each #; NULL: # stays. `element`: a subscript
 * follows; if the label names a part of an array, the name of the whole array is then appended. */
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

/* Writes the text label->pointer or, if that is NULL, the label's name with the numbers in `index` (or NULL) in place
 * of each #. Writes an empty name if `label` is NULL. */
void accd__format_pointer(const accd_label *label, const int64_t *index, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, NULL);
    if (label && label->pointer)
        append_format(&text, "%s", label->pointer);
    else if (label)
        append_label_name(&text, label, index, false);
}

/* Writes the name of `label` with the numbers in `index` in place of each #. Appends the section of `bytes` bytes from
 * element `start`, if names with this label have one. NULL label: an empty name. */
void accd__format_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes, char *to,
                        size_t capacity)
{
    struct text text = new_text(to, capacity, NULL);
    if (!label)
        return;
    append_label_name(&text, label, index, false);
    append_section(&text, label, start, bytes, false, 0);
}

/* Returns the index of the element at `host` of the item `source`: the item's first index plus the distance in
 * elements. */
int64_t accd__source_start(const struct accd__item_source *source, uint64_t host)
{
    if (host == source->host || !source->label || !source->label->unit)
        return source->start;
    return source->start + (int64_t)((host - source->host) / source->label->unit);
}

/* Writes the name of the range of `bytes` bytes at `host` of the item `source`. The name has a section if the range is
 * a part of the item, or names with this label have one. Writes an empty name if the item has no label. */
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

/* Returns the number of elements of an embedded field (elements inside the element): the constant that the program's
 * code assigns last to the field's count register. 0: that assignment is not a constant. */
static uint64_t embedded_count(const accd_program_spec *spec, const accd_field *field)
{
    for (size_t i = field->code_end; i-- > 0;)
        if (spec->code[i].to == field->count)
            return spec->code[i].op == ACCD_I_CONST ? (uint64_t)spec->code[i].k : 0;
    return 0;
}

static bool append_field(struct text *text, const accd_program_spec *spec, const accd_field *field, uint64_t offset,
                         const accd_label *preferred);

/* Appends the name of the part at byte `offset` of an element: the first that contains the offset of the fields,
 * members and pieces of its program `layout` (or NULL). If no part does, appends the offset, unless it is 0.
 * `preferred`: label of the field to take if several begin there, or NULL. */
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

/* Appends the name of `field`; if its elements lie inside the element, also the subscript and member at byte `offset`
 * of the field. Returns false, with nothing appended, if the field is too short or has no name of its own. `preferred`:
 * label of the field to take if several begin at an offset, or NULL. */
static bool append_field(struct text *text, const accd_program_spec *spec, const accd_field *field, uint64_t offset,
                         const accd_label *preferred)
{
    if (field->in_place) { /* an array in place has a name of its own only if the whole array is one member with several
                              elements */
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

/* Appends the name of the pointer through which the section in row `row` of `segment` (column of sections) was reached.
 */
static void append_row_slot(struct text *text, const struct accd_walk *walk, const struct accd__segment *segment,
                            size_t row)
{
    append_row(text, walk, &walk->rowsets[segment->rowset], row);
    append_member_label(text, segment->field->label);
}

/* Returns true if names of the elements `set` of a root (an item that was walked) have subscripts. That is so for
 * several elements, or if names with the root's label have a section or an element. */
static bool is_element(const struct accd__walk_root *root, const struct accd__rowset *set)
{
    return set->rows > 1 || (root->label && label_is_indexed(root->label));
}

/* Returns the index of the element in row `row` of `set`, the elements of a root (an item that was walked). */
static int64_t root_index(const struct accd__walk_root *root, const struct accd__rowset *set, size_t row)
{
    return root->start + (int64_t)((accd__row_address(set, row) - root->host) / set->program->spec.stride);
}

/* Returns where the pointer to the section in a row lies: in the clause's item, in one of several elements of that
 * item, or in the target of another pointer. Writes ACCD_MAX_LABEL_INDICES indices to `index`: those of the item's
 * label. For a pointer in one of several elements, the last one is instead the index of that element. */
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

/* Appends the name of the element in a row of a rowset (array of elements), such as "Y[3]", "X.q[0]" or "X.in[2]".
 * Appends "..." if the name has too many pointers. */
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

/* Writes the name of the pointer to section number `section` of a walk. */
void accd__format_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, walk->context);
    size_t row;
    const struct accd__segment *segment = accd__find_segment(walk, section, &row);
    append_row_slot(&text, walk, segment, row);
}

/* Writes the name of section number `section` of a walk: that of its pointer and, unless names with the field's label
 * have neither section nor element, its subscripts. */
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

/* Writes the name of the element in a row of the rowset `set`, then the name of `piece` (NULL: none). */
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
    const accd_label *label; /* label of the section or, for an object without a walk, of the item */
    const accd_label *item;  /* label of the clause */
    uint64_t slot;
    enum accd__root_kind root;
    int64_t start;
    const int64_t *index;
    struct accd__group *group; /* group to which the object belongs as number `section`; else NULL */
    size_t section;
};

/* Returns the source of the name of an object: its group (deep structure in one record) and section, its name origin
 * (record of start and indices), or its label only. The label is NULL if the object has no name. */
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

/* Returns the layout (program that describes the elements) of the object's label; NULL: the object has no label, or the
 * label no layout. */
const accd_program *accd__object_layout(struct accd__device_env *env, const struct accd__object *object)
{
    const accd_label *label = get_name_source(env, object).label;
    return label ? label->layout : NULL;
}

static void append_slot(struct text *text, struct accd__device_env *env, uint64_t slot, const accd_label *label,
                        const struct name_source *from);

/* Appends the name of the pointer to an object, made from the clause whose walk followed the pointer. Used if no
 * present object contains the pointer, or the name would be a cycle. */
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

/* Appends the name of the object with the source `s`, without its section. `element`: a subscript follows. */
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

/* Adds `object` to text->holders, the objects that contain the followed pointers, by which cycles are detected.
 * Requires that fewer than MAX_DEPTH were added. */
static void push_holder(struct text *text, const struct accd__object *object)
{
    assert(text->depth < MAX_DEPTH);
    text->holders[text->depth++] = object;
}

/* Appends the name of the element at byte `offset` of an object and, if `member`, of the member there. `preferred`:
 * label to take if several fields begin there, or NULL. */
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

/* Appends the name of the pointer at host address `slot`: by `label` if that is a full name, otherwise by the element
 * that contains the pointer. Without such an element, or in a cycle, takes the clause that followed the pointer, or
 * `label`. `from`: source of the name of the pointer's target, if that is being named, or NULL. */
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

/* Writes the name of the clause of `original` (fusion's record of a clause). The name has a section if the original is
 * a part of the clause, or names with the label have one. Writes an empty name if the clause has no label. */
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

/* Writes the name of `bytes` bytes at byte `offset` of an object. The base name is followed by a section if the range
 * is a part of the object, or names with its label have a section. */
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

/* Writes the name of the element and member at byte `offset` of an object. */
void accd__format_member(struct accd__device_env *env, const struct accd__object *object, uint64_t offset, char *to,
                         size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    push_holder(&text, object);
    append_location(&text, env, object, offset, true, NULL);
}

/* Returns the only member that overlaps the `bytes` bytes at `offset` of an element; NULL if several members or none
 * overlap them. `layout`: program of the element, or NULL. */
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

/* Writes the name of the only member that overlaps the range or, if several members or none do, the name of the
 * element. */
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

/* Writes the name of the pointer at host address `slot`; `label`: id of its label. */
void accd__format_slot(struct accd__device_env *env, uint64_t slot, uint32_t label, char *to, size_t capacity)
{
    struct text text = new_text(to, capacity, env->context);
    append_slot(&text, env, slot, find_label(env, label), NULL);
}

/* Returns an object info with an empty name, the given range, and the source location of `label` (NULL: none). */
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
