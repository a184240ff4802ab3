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
static uint32_t *place_of(const struct accd_lasting *lasting, const accd_label *label)
{
    const size_t last = lasting->label_places_room - 1;
    size_t k = (size_t)hash_of(label) & last;
    while (lasting->label_places[k] && !same_label(lasting->labels[lasting->label_places[k] - 1], label))
        k = (k + 1) & last;
    return &lasting->label_places[k];
}

/* Room for one more. */
static bool reserve(struct accd_lasting *lasting)
{
    struct accd_mem *mem = lasting->mem;
    const size_t room = lasting->label_places_room, more = room ? 2 * room : 64;
    if (!ACCD_GROW(mem, lasting->labels, lasting->labels_room, lasting->nlabels + 1))
        return false;
    if (2 * (lasting->nlabels + 1) <= room)
        return true;
    uint32_t *places = accd_mem_zero(mem, more * sizeof *places);
    if (!places)
        return false;
    accd_mem_free(mem, lasting->label_places, room * sizeof *places);
    lasting->label_places = places;
    lasting->label_places_room = more;
    for (size_t i = 0; i < lasting->nlabels; i++)
        *place_of(lasting, lasting->labels[i]) = (uint32_t)i + 1;
    return true;
}

/* The context's copy of a label, or NULL: no memory. */
static const accd_label *intern(accd_context *context, accd_label wanted)
{
    struct accd_lasting *lasting = context->lasting;
    struct accd_mem *mem = lasting->mem;
    if (strchr(wanted.name, '#'))
        wanted.flags |= ACCD_LABEL_INDEXED;
    uint32_t *place = reserve(lasting) ? place_of(lasting, &wanted) : NULL;
    if (place && *place)
        return lasting->labels[*place - 1];
    accd_label *copy = place ? accd_mem_new(mem, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    *copy = wanted;
    bool whole = own_string(mem, &copy->name); /* all of them, so that what there is can be freed */
    whole &= own_string(mem, &copy->file);
    whole &= own_string(mem, &copy->pointer);
    whole &= own_array(mem, &copy->array);
    if (!whole) {
        free_label(mem, copy);
        return NULL;
    }
    copy->id = (uint32_t)lasting->nlabels;
    *place = copy->id + 1;
    if (copy->layout) {
        accd_program_retain((accd_program *)(uintptr_t)copy->layout);
        context->layouts = lasting->layouts = true;
    }
    lasting->labels[lasting->nlabels++] = copy;
    return copy;
}

const accd_label *accd_label_new(accd_context *context, const accd_label *label)
{
    if (!context || !label || (label->array && label->array->rank > ACCD_RANK_MOST)) {
        (void)accd_not_given(context, __func__, label ? "array" : "label");
        return NULL;
    }
    accd_label wanted = *label;
    wanted.name = label->name ? label->name : "";
    const accd_label *copy = intern(context, wanted);
    if (!copy)
        accd_out_of_memory(context, "for a label");
    return copy;
}

const char *accd_keep_name(accd_context *context, const char *name)
{
    const accd_label *kept = name ? intern(context, (accd_label){.name = name}) : NULL;
    return kept ? kept->name : NULL;
}

void accd_labels_close(accd_context *context)
{
    struct accd_lasting *lasting = context->lasting;
    for (size_t i = 0; i < lasting->nlabels; i++) {
        accd_program_release((accd_program *)(uintptr_t)lasting->labels[i]->layout);
        free_label(lasting->mem, lasting->labels[i]);
    }
    accd_mem_free(lasting->mem, lasting->labels, lasting->labels_room * sizeof lasting->labels[0]);
    accd_mem_free(lasting->mem, lasting->label_places, lasting->label_places_room * sizeof lasting->label_places[0]);
}
