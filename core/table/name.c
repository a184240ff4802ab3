/* name.c - how objects, pointers and members are called. Names are made when they are asked for: for an
 * event, an error or a table; the records hold only where a name comes from. */
#include "table/inside.h"
#include "table/name.h"
#include "table/tuples.h"

#include <stdarg.h>
#include <stdio.h>

/* Names of what is behind many pointers begin with dots: long chains do not cost more than short ones. */
enum { DEPTH_MOST = 17 };

/* Text that is cut off where the room ends. */
struct text {
    char *to;
    size_t room, used;
    unsigned depth;        /* pointers behind the name's end */
    accd_context *context; /* whose host memory may be looked at, or NULL */
    const struct accd_object *through[DEPTH_MOST]; /* what is named, and what held these pointers */
};

static __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = text->room - text->used;
    int n = vsnprintf(text->to + text->used, left, format, args);
    va_end(args);
    if (n > 0)
        text->used += (size_t)n < left ? (size_t)n : left - 1;
}

static struct text text_in(char *to, size_t room, accd_context *context)
{
    to[0] = 0;
    return (struct text){.to = to, .room = room, .context = context};
}

/* A member, behind what has it: names of Fortran bring their own point. NULL: it has no name. */
static void add_part(struct text *text, const accd_label *label)
{
    if (label)
        add(text, "%s%s", *label->name && *label->name != '%' ? "." : "", label->name);
}

static bool indexed(const accd_label *label)
{
    return label->flags & (ACCD_LABEL_SECTION | ACCD_LABEL_ELEMENT);
}

/* The dimensions of an array: those of its label, or those that the descriptor at slot has now. */
static bool dimensions_of(const struct text *text, const accd_array *array, uint64_t slot,
                          accd_dimension *dimensions)
{
    int64_t words[3 * ACCD_RANK_MOST], span = 1;
    if (!array || !array->rank || array->rank > ACCD_RANK_MOST)
        return false;
    memcpy(dimensions, array->dimensions, array->rank * sizeof *dimensions);
    if (!array->described)
        return true;
    const size_t bytes = array->rank * sizeof *dimensions;
    if (!slot || !text->context || !accd_host_usable(text->context, slot, array->described + bytes))
        return false;
    memcpy(words, accd_pointer(slot + array->described), bytes);
    if (array->span)
        memcpy(&span, accd_pointer(slot + array->span), sizeof span);
    for (unsigned i = 0; i < array->rank; i++) {
        const int64_t *word = &words[3 * i];
        if (array->span)
            dimensions[i] = (accd_dimension){word[1], word[2] - word[1] + 1, word[0] * span};
        else
            dimensions[i] = (accd_dimension){word[0], word[1], word[2]};
    }
    return true;
}

/* The subscripts of what lies at an offset from an array's first element. Returns the number of dimensions; 0:
 * there is no array, or no such element. Strides may be negative. */
static unsigned subscripts_at(const struct text *text, const accd_label *label, int64_t offset,
                              uint64_t slot, int64_t *index)
{
    accd_dimension dimensions[ACCD_RANK_MOST];
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

/* Subscripts from the first to the last, which are equal for one element: "(1,2)", "(51:70)", "(1:3,2)". */
static void add_subscripts(struct text *text, unsigned rank, const int64_t *first, const int64_t *last)
{
    for (unsigned i = 0; i < rank; i++) {
        add(text, "%c%lld", i ? ',' : '(', (long long)first[i]);
        if (last[i] != first[i])
            add(text, ":%lld", (long long)last[i]);
    }
    add(text, ")");
}

/* Elements as in C, from one on: "[1][0:2]", whole rows as such: "[0:2]". n_p: how many, NULL: the one. */
static void add_square(struct text *text, const accd_label *label, int64_t start, const uint64_t *n_p)
{
    const accd_array *rows = label && start >= 0 ? label->array : NULL;
    const unsigned rank = rows && rows->rank <= ACCD_RANK_MOST ? rows->rank : 0;
    uint64_t at = (uint64_t)start, n = n_p ? *n_p : 0;
    uint64_t index[ACCD_RANK_MOST] = {0};
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
        add(text, "[%lld]", (long long)at);
        for (unsigned i = rank - 1; i > whole; i--)
            add(text, "[%llu]", (unsigned long long)index[i]);
        at = index[whole];
    }
    add(text, "[%lld", (long long)at);
    if (n_p)
        add(text, ":%llu", (unsigned long long)n);
    add(text, "]");
}

/* Elements of a Fortran array, from one on: as a section where they are one, otherwise the first and the last. */
static void add_elements(struct text *text, const accd_label *label, int64_t start, uint64_t n, uint64_t slot)
{
    int64_t from = start, to = start + (int64_t)n - 1, low[ACCD_RANK_MOST], high[ACCD_RANK_MOST];
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
        add_subscripts(text, rank, low, high);
        return;
    }
    add_subscripts(text, rank, low, low);
    add(text, ":");
    add_subscripts(text, rank, high, high);
}

/* One element of what a label names. slot: the pointer to it, or 0. */
static void add_index(struct text *text, const accd_label *label, int64_t index, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_ROUND)
        add_elements(text, label, index, 1, slot);
    else
        add_square(text, label, index, NULL);
}

/* Elements of what a label names, from one on. */
static void add_range(struct text *text, const accd_label *label, int64_t start, uint64_t n, uint64_t slot)
{
    if (label && label->flags & ACCD_LABEL_ROUND)
        add_elements(text, label, start, n ? n : 1, slot);
    else
        add_square(text, label, start, &n);
}

/* part: of an object that has a name as a whole. */
static void add_section(struct text *text, const accd_label *label, int64_t start, uint64_t bytes,
                        bool part, uint64_t slot)
{
    if (label->flags & ACCD_LABEL_SECTION || part)
        add_range(text, label, start, bytes / (label->unit ? label->unit : 1), slot);
    else if (label->flags & ACCD_LABEL_ELEMENT)
        add_index(text, label, start, slot);
}

/* element: one of it is named next, or several: then the whole array, where the label names a part of it. */
static void add_name(struct text *text, const accd_label *label, const int64_t *index, bool element)
{
    size_t used = 0;
    if (element && label->array && label->array->name) {
        add(text, "%s", label->array->name);
        return;
    }
    for (const char *at = label->name; *at; at++)
        if (*at == '#' && index && used < ACCD_INDICES)
            add(text, "%lld", (long long)index[used++]);
        else
            add(text, "%c", *at);
}

void accd_name_pointer(const accd_label *label, const int64_t *index, char *to, size_t room)
{
    struct text text = text_in(to, room, NULL);
    if (label && label->pointer)
        add(&text, "%s", label->pointer);
    else if (label)
        add_name(&text, label, index, false);
}

void accd_name_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes,
                     char *to, size_t room)
{
    struct text text = text_in(to, room, NULL);
    if (!label)
        return;
    add_name(&text, label, index, false);
    add_section(&text, label, start, bytes, false, 0);
}

int64_t accd_source_start(const struct accd_source *source, uint64_t host)
{
    if (host == source->host || !source->label || !source->label->unit)
        return source->start;
    return source->start + (int64_t)((host - source->host) / source->label->unit);
}

void accd_name_source(const struct accd_source *source, uint64_t host, uint64_t bytes, char *to, size_t room)
{
    struct text text = text_in(to, room, NULL);
    if (!source->label)
        return;
    const bool part = bytes != source->bytes;
    add_name(&text, source->label, source->index, part);
    add_section(&text, source->label, accd_source_start(source, host), bytes, part, 0);
}

/* Number of embedded elements: a constant of the program, the last one that the register was given. */
static uint64_t embedded_count(const accd_program_spec *spec, const accd_field *field)
{
    for (size_t i = field->code_end; i-- > 0;)
        if (spec->code[i].to == field->count)
            return spec->code[i].op == ACCD_I_CONST ? (uint64_t)spec->code[i].k : 0;
    return 0;
}

static bool add_field(struct text *text, const accd_program_spec *spec, const accd_field *field,
                      uint64_t into, const accd_label *want);

/* The member at an offset of an element: what the fields, members and pieces of its program call
 * it. want: the label of one that is preferred, or NULL. */
static void add_member(struct text *text, const accd_program *layout, uint64_t offset, const accd_label *want)
{
    static const accd_program_spec nothing;
    const accd_program_spec *spec = layout ? &layout->spec : &nothing;
    for (size_t i = 0; want && i < spec->nfields; i++) /* pointers of a union lie in one place */
        if (spec->fields[i].label == want && spec->fields[i].offset == offset &&
            add_field(text, spec, &spec->fields[i], 0, want))
            return;
    for (size_t i = 0; i < spec->nfields; i++)
        if (offset >= spec->fields[i].offset &&
            add_field(text, spec, &spec->fields[i], offset - spec->fields[i].offset, want))
            return;
    for (size_t i = 0; i < spec->nmembers; i++) {
        const accd_member *member = &spec->members[i];
        if (offset - member->offset < member->bytes && member->label) {
            add_part(text, member->label);
            return;
        }
    }
    for (size_t i = 0; i < spec->npieces; i++) {
        const accd_piece *piece = &spec->pieces[i];
        if (offset - piece->offset < piece->bytes && piece->label) {
            add_part(text, piece->label);
            return;
        }
    }
    if (offset)
        add(text, "+%llu", (unsigned long long)offset);
}

static bool add_field(struct text *text, const accd_program_spec *spec, const accd_field *field,
                      uint64_t into, const accd_label *want)
{
    if (field->in_place) { /* elements of an array that is one member: so many that it has one name */
        const accd_member *array = NULL;
        for (size_t i = 0; i < spec->nmembers && field->child && !array; i++)
            if (spec->members[i].offset == field->offset && into < spec->members[i].bytes)
                array = &spec->members[i];
        if (!array || array->bytes <= field->unit)
            return false;
    } else if (field->embedded ? into / field->unit >= embedded_count(spec, field) : into >= sizeof(void *)) {
        return false;
    }
    add_part(text, field->label);
    if (accd_field_lies_inside(field)) {
        add_index(text, field->label, (int64_t)(into / field->unit), 0);
        add_member(text, field->child, into % field->unit, want);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ walks -- */

static void add_row(struct text *text, const struct accd_walk *walk, const struct accd_rowset *set,
                    size_t row);

static void add_row_slot(struct text *text, const struct accd_walk *walk,
                         const struct accd_segment *segment, size_t row)
{
    add_row(text, walk, &walk->rowsets[segment->rowset], row);
    add_part(text, segment->field->label);
}

static bool is_element(const struct accd_walk_root *root, const struct accd_rowset *set)
{
    return set->rows > 1 || (root->label && indexed(root->label));
}

static int64_t root_index(const struct accd_walk_root *root, const struct accd_rowset *set, size_t row)
{
    return root->start + (int64_t)((accd_row_address(set, row) - root->host) / set->program->spec.stride);
}

enum accd_root_kind accd_name_root(const struct accd_walk *walk, const struct accd_segment *segment,
                                   size_t row, int64_t *index)
{
    const struct accd_rowset *set = &walk->rowsets[segment->rowset];
    const struct accd_walk_root *root = &walk->roots[set->root];
    memcpy(index, root->index, sizeof root->index);
    if (set->parent >= 0)
        return ACCD_ROOT_FAR;
    if (!is_element(root, set))
        return ACCD_ROOT_WHOLE;
    index[ACCD_INDICES - 1] = root_index(root, set, row);
    return ACCD_ROOT_ELEMENT;
}

/* An element: "Y[3]", "X.q[0]", "X.in[2]". */
static void add_row(struct text *text, const struct accd_walk *walk, const struct accd_rowset *set,
                    size_t row)
{
    if (++text->depth > DEPTH_MOST) {
        add(text, "...");
        return;
    }
    if (set->parent < 0) {
        const struct accd_walk_root *root = &walk->roots[-1 - set->parent];
        const bool element = is_element(root, set);
        if (root->label)
            add_name(text, root->label, root->index, element);
        if (element)
            add_index(text, root->label, root_index(root, set, row), 0);
        return;
    }
    const struct accd_segment *segment = &walk->segments[set->parent];
    size_t section = set->owner ? set->owner[row] : row / set->per;
    int64_t element = (int64_t)((accd_row_address(set, row) - segment->host[section]) / segment->field->unit);
    add_row_slot(text, walk, segment, section);
    add_index(text, segment->field->label, accd_section_start(segment, section) + element,
              accd_section_slot(walk, segment, section));
}

void accd_name_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t room)
{
    struct text text = text_in(to, room, walk->context);
    size_t row;
    const struct accd_segment *segment = accd_walk_locate(walk, section, &row);
    add_row_slot(&text, walk, segment, row);
}

void accd_name_section(const struct accd_walk *walk, size_t section, char *to, size_t room)
{
    struct text text = text_in(to, room, walk->context);
    size_t row;
    const struct accd_segment *segment = accd_walk_locate(walk, section, &row);
    const accd_label *label = segment->field->label;
    add_row_slot(&text, walk, segment, row);
    if (!label || indexed(label))
        add_range(&text, label, accd_section_start(segment, row),
                  accd_section_bytes(segment, row) / segment->field->unit,
                  accd_section_slot(walk, segment, row));
}

void accd_name_piece(const struct accd_walk *walk, const struct accd_rowset *set, size_t row,
                     const accd_piece *piece, char *to, size_t room)
{
    struct text text = text_in(to, room, walk->context);
    add_row(&text, walk, set, row);
    add_part(&text, piece ? piece->label : NULL);
}

/* ---------------------------------------------------------------------------------- objects -- */

static const accd_label *label_number(struct accd_directory *dir, uint32_t id)
{
    return id < dir->context->lasting->nlabels ? dir->context->lasting->labels[id] : NULL;
}

struct source {
    const accd_label *label; /* of the section */
    const accd_label *item;  /* of the clause */
    uint64_t slot;
    enum accd_root_kind root;
    int64_t start;
    const int64_t *index;
    struct accd_group *group; /* set for members of one; then section */
    size_t section;
};

static struct source source_of(struct accd_directory *dir, const struct accd_object *object)
{
    struct source s = {0};
    if (object->size & ACCD_OBJECT_MEMBER) {
        s.group = dir->groups.at[object->where];
        s.section = (size_t)(object - s.group->objects);
        size_t row;
        const struct accd_segment *column = accd_walk_locate(s.group->walk, s.section, &row);
        s.item = accd_section_root(s.group->walk, column)->label;
        s.label = column->field->label;
        s.slot = accd_section_slot(s.group->walk, column, row);
        s.start = accd_section_start(column, row);
    } else if (object->size & ACCD_OBJECT_ORIGIN) {
        const struct accd_origin *origin = &dir->present.origins[object->where];
        s.label = label_number(dir, origin->label);
        s.item = label_number(dir, origin->item);
        s.slot = origin->slot;
        s.start = origin->start;
        s.root = origin->root;
        s.index = origin->index;
    } else {
        s.label = s.item = label_number(dir, object->where);
    }
    return s;
}

const accd_program *accd_layout_of(struct accd_directory *dir, const struct accd_object *object)
{
    const accd_label *label = source_of(dir, object).label;
    return label ? label->layout : NULL;
}

static void add_slot(struct text *text, struct accd_directory *dir, uint64_t slot,
                     const accd_label *label, const struct source *from);

/* A pointer that was followed, when nothing present holds it, or only its target itself: by
 * the clause whose walk found it. */
static void add_followed(struct text *text, const struct source *s)
{
    const bool element = s->root == ACCD_ROOT_ELEMENT;
    if (!s->item || s->root == ACCD_ROOT_NONE) {
        add(text, "%s", s->label->name);
        return;
    }
    add_name(text, s->item, s->index, element);
    if (element)
        add_index(text, s->item, s->index[ACCD_INDICES - 1], 0);
    if (s->root == ACCD_ROOT_FAR)
        add(text, "..");
    add_part(text, s->label);
}

/* element: one of it is named next. */
static void add_base(struct text *text, struct accd_directory *dir, const struct source *s, bool element)
{
    if (s->group) {
        size_t row;
        const struct accd_segment *segment = accd_walk_locate(s->group->walk, s->section, &row);
        add_row_slot(text, s->group->walk, segment, row);
    } else if (s->label && (s->label->flags & ACCD_LABEL_MEMBER) && s->slot) {
        add_slot(text, dir, s->slot, s->label, s);
    } else if (s->label) {
        add_name(text, s->label, s->index, element);
    }
}

static void enter(struct text *text, const struct accd_object *object)
{
    text->through[text->depth++] = object;
}

/* The element of an object at an offset, and with member the member of it, want rather than others
 * there. */
static void add_inside(struct text *text, struct accd_directory *dir,
                       const struct accd_object *object, uint64_t offset, bool member,
                       const accd_label *want)
{
    struct source s = source_of(dir, object);
    uint64_t unit = s.label && s.label->unit ? s.label->unit : accd_object_bytes(object);
    const bool element = s.label && (s.group || indexed(s.label) || unit < accd_object_bytes(object));
    add_base(text, dir, &s, element);
    if (!s.label)
        return;
    if (element) {
        add_index(text, s.label, s.start + (int64_t)(offset / unit), s.slot);
        offset %= unit;
    }
    if (member)
        add_member(text, s.label->layout, offset, want);
}

/* A pointer is called by the element that holds it, or else by its own label. from: its
 * target, if that is named next, or NULL. */
static void add_slot(struct text *text, struct accd_directory *dir, uint64_t slot,
                     const accd_label *label, const struct source *from)
{
    if (text->depth == DEPTH_MOST) {
        add(text, "...");
        return;
    }
    if (label && !(label->flags & ACCD_LABEL_MEMBER) && !strchr(label->name, '#')) {
        add(text, "%s", label->pointer ? label->pointer : label->name);
        return;
    }
    const struct accd_object *holder = accd_object_at(dir, slot, false);
    bool circle = !holder;
    for (unsigned i = 0; from && i < text->depth; i++)
        circle = circle || text->through[i] == holder;
    if (!circle) {
        enter(text, holder);
        add_inside(text, dir, holder, slot - holder->host, true, label);
    } else if (from) {
        add_followed(text, from);
    } else if (label) {
        add(text, "%s", label->name);
    }
}

void accd_name_original(struct accd_directory *dir, const struct accd_original *original, char *to,
                        size_t room)
{
    struct text text = text_in(to, room, dir->context);
    const struct accd_source *whole = &original->source;
    struct source s = {.label = whole->label, .slot = original->slot, .index = whole->index};
    if (!whole->label)
        return;
    const bool part = original->bytes != whole->bytes;
    add_base(&text, dir, &s, part);
    add_section(&text, whole->label, accd_source_start(whole, original->host), original->bytes, part, s.slot);
}

void accd_name_range(struct accd_directory *dir, const struct accd_object *object, uint64_t into,
                     uint64_t bytes, char *to, size_t room)
{
    struct text text = text_in(to, room, dir->context);
    enter(&text, object);
    struct source s = source_of(dir, object);
    uint64_t unit = s.label && s.label->unit ? s.label->unit : 1;
    int64_t start = s.start + (int64_t)(into / unit);
    const bool part = bytes != accd_object_bytes(object) || object->size & ACCD_OBJECT_PIECE;
    const bool round = s.label && s.label->flags & ACCD_LABEL_ROUND;
    add_base(&text, dir, &s, part);
    if (s.group && (part || !round || indexed(s.label)))
        add_range(&text, s.label, start, bytes / unit, s.slot);
    else if (s.label && !s.group)
        add_section(&text, s.label, start, bytes, part, s.slot);
}

void accd_name_object(struct accd_directory *dir, const struct accd_object *object, char *to, size_t room)
{
    accd_name_range(dir, object, 0, accd_object_bytes(object), to, room);
}

void accd_name_inside(struct accd_directory *dir, const struct accd_object *object, uint64_t offset,
                      char *to, size_t room)
{
    struct text text = text_in(to, room, dir->context);
    enter(&text, object);
    add_inside(&text, dir, object, offset, true, NULL);
}

/* The member whose bytes these of an element are, NULL: those of several, or none. */
static const accd_member *one_member(const accd_program *layout, uint64_t offset, uint64_t bytes)
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

void accd_name_element(struct accd_directory *dir, const struct accd_object *object,
                       uint64_t offset, uint64_t bytes, char *to, size_t room)
{
    struct text text = text_in(to, room, dir->context);
    const accd_label *label = source_of(dir, object).label;
    const uint64_t unit = label && label->unit ? label->unit : accd_object_bytes(object);
    const accd_member *member = label ? one_member(label->layout, offset % unit, bytes) : NULL;
    enter(&text, object);
    if (member)
        offset += member->offset - offset % unit;
    add_inside(&text, dir, object, offset, member, NULL);
}

void accd_name_slot(struct accd_directory *dir, uint64_t slot, uint32_t label, char *to, size_t room)
{
    struct text text = text_in(to, room, dir->context);
    add_slot(&text, dir, slot, label_number(dir, label), NULL);
}

accd_object_info accd_info_of(const accd_label *label, uint64_t host, uint64_t bytes)
{
    return (accd_object_info){
        .host = host, .bytes = bytes, .file = label ? label->file : NULL, .line = label ? label->line : 0};
}

void accd_describe_object(struct accd_directory *dir, const struct accd_object *object,
                          accd_object_info *info)
{
    *info = accd_info_of(source_of(dir, object).item, object->host, accd_object_bytes(object));
    accd_name_object(dir, object, info->name, sizeof info->name);
}

int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p)
{
    const struct accd_host_block *block =
        context && range_p ? accd_host_block_around(context, accd_address(address)) : NULL;
    if (!block)
        return 0;
    *range_p = (accd_host_range){.info = accd_info_of(block->label, block->start, block->bytes),
                                 .live = block->live};
    accd_name_label(block->label, NULL, 0, block->bytes, range_p->info.name, sizeof range_p->info.name);
    return 1;
}
