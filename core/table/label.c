/* label.c - labels: copies of what callers say objects are called, one of each, kept as long as the context. */
#include "table/inside.h"

static void free_string(struct accd_mem *mem, const char *text)
{
    accd_mem_free(mem, (void *)(uintptr_t)text, text ? strlen(text) + 1 : 0);
}

static void free_label(struct accd_mem *mem, accd_label *label)
{
    accd_array *array = (accd_array *)(uintptr_t)label->array;
    if (array)
        free_string(mem, array->name);
    accd_mem_free(mem, array, sizeof *array);
    free_string(mem, label->name);
    free_string(mem, label->file);
    free_string(mem, label->pointer);
    accd_mem_free(mem, label, sizeof *label);
}

/* A copy of a text in its place. What there was none of stays away; false: no memory. */
static bool own_string(struct accd_mem *mem, const char **text)
{
    if (!*text)
        return true;
    *text = accd_mem_string(mem, *text);
    return *text;
}

static bool own_array(struct accd_mem *mem, const accd_array **array_p)
{
    if (!*array_p)
        return true;
    accd_array *array = accd_mem_new(mem, sizeof *array);
    if (array)
        *array = **array_p;
    *array_p = array;
    return array && own_string(mem, &array->name);
}

/* --------------------------------------------------------------------------- one of each -- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, !text);
}

static uint64_t hash_of(const accd_label *label)
{
    uint64_t hash = mix_text(label->unit << 8 ^ label->flags, label->name);
    hash = mix(mix_text(hash, label->file), (uint64_t)label->line);
    return mix(mix_text(hash, label->pointer), accd_address(label->layout));
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_array(const accd_array *a, const accd_array *b)
{
    if (!a || !b)
        return a == b;
    return same_text(a->name, b->name) && a->shift == b->shift && a->rank == b->rank &&
           a->described == b->described && a->span == b->span &&
           !memcmp(a->dimensions, b->dimensions, a->rank * sizeof a->dimensions[0]);
}

static bool same_label(const accd_label *a, const accd_label *b)
{
    return a->unit == b->unit && a->flags == b->flags && a->line == b->line && a->layout == b->layout &&
           same_text(a->name, b->name) && same_text(a->file, b->file) && same_text(a->pointer, b->pointer) &&
           same_array(a->array, b->array);
}

/* The place of a label in the table, which has room: its own, or a free one. */
static uint32_t *place_of(const accd_context *context, const accd_label *label)
{
    const size_t last = context->label_places_room - 1;
    size_t k = (size_t)hash_of(label) & last;
    while (context->label_places[k] && !same_label(context->labels[context->label_places[k] - 1], label))
        k = (k + 1) & last;
    return &context->label_places[k];
}

/* Room for one more. */
static bool reserve(accd_context *context)
{
    struct accd_mem *mem = &context->mem;
    const size_t room = context->label_places_room, more = room ? 2 * room : 64;
    if (!accd_mem_grow(mem, (void **)&context->labels, &context->labels_room, context->nlabels + 1,
                       sizeof context->labels[0]))
        return false;
    if (2 * (context->nlabels + 1) <= room)
        return true;
    uint32_t *places = accd_mem_zero(mem, more * sizeof *places);
    if (!places)
        return false;
    accd_mem_free(mem, context->label_places, room * sizeof *places);
    context->label_places = places;
    context->label_places_room = more;
    for (size_t i = 0; i < context->nlabels; i++)
        *place_of(context, context->labels[i]) = (uint32_t)i + 1;
    return true;
}

const accd_label *accd_label_new(accd_context *context, const accd_label *label)
{
    if (!context || !label || (label->array && label->array->rank > ACCD_RANK_MOST)) {
        (void)accd_not_given(context, __func__, label ? "array" : "label");
        return NULL;
    }
    struct accd_mem *mem = &context->mem;
    accd_label wanted = *label;
    wanted.name = label->name ? label->name : "";
    if (strchr(wanted.name, '#'))
        wanted.flags |= ACCD_LABEL_INDEXED;
    const bool room = reserve(context);
    uint32_t *place = room ? place_of(context, &wanted) : NULL;
    if (room && *place)
        return context->labels[*place - 1];
    accd_label *copy = room ? accd_mem_new(mem, sizeof *copy) : NULL;
    bool whole = copy;
    if (copy) { /* all of them, so that what there is can be freed */
        *copy = wanted;
        whole &= own_string(mem, &copy->name);
        whole &= own_string(mem, &copy->file);
        whole &= own_string(mem, &copy->pointer);
        whole &= own_array(mem, &copy->array);
    }
    if (!whole) {
        if (copy)
            free_label(mem, copy);
        accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory for a label");
        return NULL;
    }
    copy->id = (uint32_t)context->nlabels;
    *place = copy->id + 1;
    if (label->layout)
        accd_program_retain((accd_program *)(uintptr_t)label->layout);
    context->labels[context->nlabels++] = copy;
    return copy;
}

void accd_labels_close(accd_context *context)
{
    for (size_t i = 0; i < context->nlabels; i++) {
        accd_program_release((accd_program *)(uintptr_t)context->labels[i]->layout);
        free_label(&context->mem, context->labels[i]);
    }
    accd_mem_free(&context->mem, context->labels, context->labels_room * sizeof context->labels[0]);
    accd_mem_free(&context->mem, context->label_places, context->label_places_room * sizeof context->label_places[0]);
}

/* Names belong to constructs, which may be gone when their work is done. NULL: there is none, or no memory. */
const char *accd_keep_name(accd_context *context, const char *name)
{
    struct accd_name *kept = context->names;
    while (name && kept && strcmp(kept->text, name) != 0)
        kept = kept->next;
    if (!name || kept)
        return name ? kept->text : NULL;
    kept = accd_mem_new(&context->mem, sizeof *kept);
    if (!kept)
        return NULL;
    kept->text = accd_mem_string(&context->mem, name);
    if (!kept->text) {
        accd_mem_free(&context->mem, kept, sizeof *kept);
        return NULL;
    }
    kept->next = context->names;
    context->names = kept;
    return kept->text;
}

void accd_names_close(accd_context *context)
{
    while (context->names) {
        struct accd_name *name = context->names;
        context->names = name->next;
        accd_mem_free(&context->mem, name->text, strlen(name->text) + 1);
        accd_mem_free(&context->mem, name, sizeof *name);
    }
}
