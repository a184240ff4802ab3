/* label.c - labels: copies of what callers say objects are called, kept as long as the context. */
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

const accd_label *accd_label_new(accd_context *context, const accd_label *label)
{
    if (!context || !label || (label->array && label->array->rank > ACCD_RANK_MOST)) {
        (void)accd_not_given(context, __func__, label ? "array" : "label");
        return NULL;
    }
    struct accd_mem *mem = &context->mem;
    accd_label *copy = accd_mem_new(mem, sizeof *copy);
    bool whole = copy;
    if (copy) { /* all of them, so that what there is can be freed */
        *copy = *label;
        copy->name = label->name ? label->name : "";
        whole &= own_string(mem, &copy->name);
        whole &= own_string(mem, &copy->file);
        whole &= own_string(mem, &copy->pointer);
        whole &= own_array(mem, &copy->array);
    }
    if (!whole || !accd_mem_grow(mem, (void **)&context->labels, &context->labels_room,
                                 context->nlabels + 1, sizeof context->labels[0])) {
        if (copy)
            free_label(mem, copy);
        accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory for a label");
        return NULL;
    }
    copy->id = (uint32_t)context->nlabels;
    if (strchr(copy->name, '#'))
        copy->flags |= ACCD_LABEL_INDEXED;
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
