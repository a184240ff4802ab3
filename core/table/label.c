/* label.c - labels: interned copies of the names that callers give to objects. A hash table holds one copy of each
 * label, which lives as long as the context. */
#include "accdeep_programs.h"
#include "table/inside.h"
#include "label.h"

/* Frees a text that was allocated from `mem` with its exact length; NULL does nothing. */
static void free_string(struct accd__mem *mem, const char *text)
{
    accd__mem_free(mem, (void *)(uintptr_t)text, text ? strlen(text) + 1 : 0);
}

/* Frees a label with the texts and the array that it owns. */
static void free_label(struct accd__mem *mem, accd_label *label)
{
    accd_array *array = (accd_array *)(uintptr_t)label->array;
    if (array)
        free_string(mem, array->name);
    accd__mem_free(mem, array, sizeof *array);
    free_string(mem, label->name);
    free_string(mem, label->file);
    free_string(mem, label->pointer);
    accd__mem_free(mem, label, sizeof *label);
}

/* Replaces the text *text by a copy; NULL stays NULL. Without memory, returns false and sets *text to NULL. */
static bool own_string(struct accd__mem *mem, const char **text)
{
    if (!*text)
        return true;
    *text = accd__mem_copy_string(mem, *text);
    return *text;
}

/* Replaces the array *array_p by a copy with a name of its own; NULL stays NULL. Returns false without memory; *array_p
 * is then NULL or a copy without a name. */
static bool own_array(struct accd__mem *mem, const accd_array **array_p)
{
    if (!*array_p)
        return true;
    accd_array *array = accd__mem_alloc(mem, sizeof *array);
    if (array)
        *array = **array_p;
    *array_p = array;
    return array && own_string(mem, &array->name);
}

/* --------------------------------------------------------------------------- interned labels -- */

/* Returns `hash` continued by a value. */
static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* Returns `hash` continued by a text; NULL and an empty text give different results. */
static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = mix_hash(hash, (unsigned char)*text);
    return mix_hash(hash, !text);
}

/* Returns a hash of the members of a label that same_label compares, except `array`. */
static uint64_t hash_label(const accd_label *label)
{
    uint64_t hash = mix_text(label->unit << 8 ^ label->flags, label->name);
    hash = mix_hash(mix_text(hash, label->file), (uint64_t)label->line);
    return mix_hash(mix_text(hash, label->pointer), accd__address(label->layout));
}

/* Returns true if two texts are equal, or both NULL. */
static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if two arrays are equal in all members, or both NULL. */
static bool same_array(const accd_array *a, const accd_array *b)
{
    if (!a || !b)
        return a == b;
    return same_text(a->name, b->name) && a->shift == b->shift && a->rank == b->rank && a->described == b->described &&
           a->span == b->span && !memcmp(a->dimensions, b->dimensions, a->rank * sizeof a->dimensions[0]);
}

/* Returns true if two labels are equal in all members that callers set: all except `id`. */
static bool same_label(const accd_label *a, const accd_label *b)
{
    return a->unit == b->unit && a->flags == b->flags && a->line == b->line && a->layout == b->layout &&
           same_text(a->name, b->name) && same_text(a->file, b->file) && same_text(a->pointer, b->pointer) &&
           same_array(a->array, b->array);
}

/* Returns the slot of the hash table that holds a label equal to `label`, or else the free slot for it. A slot holds
 * the label's id + 1, or 0 if it is free. The table is at most half full. */
static uint32_t *find_label_slot(const struct accd__persistent *persistent, const accd_label *label)
{
    assert(persistent->label_slots_capacity > persistent->nlabels);
    const size_t last = persistent->label_slots_capacity - 1;
    size_t k = (size_t)hash_label(label) & last;
    while (persistent->label_slots[k] && !same_label(persistent->labels[persistent->label_slots[k] - 1], label))
        k = (k + 1) & last;
    return &persistent->label_slots[k];
}

/* Makes space for one more label in persistent->labels and in the hash table. Returns false without memory; all labels
 * and the hash table are then unchanged. */
static bool reserve_label(struct accd__persistent *persistent)
{
    struct accd__mem *mem = persistent->mem;
    const size_t capacity = persistent->label_slots_capacity, more = capacity ? 2 * capacity : 64;
    if (!ACCD_GROW(mem, persistent->labels, persistent->labels_capacity, persistent->nlabels + 1))
        return false;
    if (2 * (persistent->nlabels + 1) <= capacity)
        return true;
    uint32_t *places = accd__mem_alloc_zeroed(mem, more * sizeof *places);
    if (!places)
        return false;
    accd__mem_free(mem, persistent->label_slots, capacity * sizeof *places);
    persistent->label_slots = places;
    persistent->label_slots_capacity = more;
    for (size_t i = 0; i < persistent->nlabels; i++)
        *find_label_slot(persistent, persistent->labels[i]) = (uint32_t)i + 1;
    return true;
}

/* Returns the context's copy of `label`, whose name is not NULL; makes the copy if no equal label exists. NULL: no
 * memory. */
static const accd_label *intern_label(accd_context *context, accd_label label)
{
    struct accd__persistent *persistent = context->persistent;
    struct accd__mem *mem = persistent->mem;
    if (strchr(label.name, '#'))
        label.flags |= ACCD_LABEL_INDEXED;
    uint32_t *slot = reserve_label(persistent) ? find_label_slot(persistent, &label) : NULL;
    if (slot && *slot)
        return persistent->labels[*slot - 1];
    accd_label *copy = slot ? accd__mem_alloc(mem, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    *copy = label;
    bool complete = own_string(
        mem, &copy->name); /* copies all texts, even after a failure, so that free_label never frees a caller's text */
    complete &= own_string(mem, &copy->file);
    complete &= own_string(mem, &copy->pointer);
    complete &= own_array(mem, &copy->array);
    if (!complete) {
        free_label(mem, copy);
        return NULL;
    }
    copy->id = (uint32_t)persistent->nlabels;
    *slot = copy->id + 1;
    if (copy->layout) {
        accd_program_retain((accd_program *)(uintptr_t)copy->layout);
        context->layouts = persistent->layouts = true;
    }
    persistent->labels[persistent->nlabels++] = copy;
    return copy;
}

/* Returns the context's copy of a label; a NULL name counts as "". Returns NULL, after recording the error, if an
 * argument is NULL, the array has too many dimensions, or there is no memory. */
const accd_label *accd_label_intern(accd_context *context, const accd_label *label)
{
    if (!context || !label || (label->array && label->array->rank > ACCD_MAX_RANK)) {
        (void)accd__report_missing_argument(context, __func__, label ? "array" : "label");
        return NULL;
    }
    accd_label key = *label;
    key.name = label->name ? label->name : "";
    const accd_label *copy = intern_label(context, key);
    if (!copy)
        accd__report_out_of_memory(context, "for a label");
    return copy;
}

/* Returns the context's copy of a text; NULL if `name` is NULL, or without memory. */
const char *accd__intern_name(accd_context *context, const char *name)
{
    const accd_label *label = name ? intern_label(context, (accd_label){.name = name}) : NULL;
    return label ? label->name : NULL;
}

/* Frees all labels with their texts, and releases their layouts. */
void accd__labels_free(accd_context *context)
{
    struct accd__persistent *persistent = context->persistent;
    for (size_t i = 0; i < persistent->nlabels; i++) {
        accd_program_release((accd_program *)(uintptr_t)persistent->labels[i]->layout);
        free_label(persistent->mem, persistent->labels[i]);
    }
    accd__mem_free(persistent->mem, persistent->labels, persistent->labels_capacity * sizeof persistent->labels[0]);
    accd__mem_free(persistent->mem, persistent->label_slots,
                   persistent->label_slots_capacity * sizeof persistent->label_slots[0]);
}
