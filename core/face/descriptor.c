/* descriptor.c - Fortran descriptors as compilers hand them over: the steps of document FLANG, on constructs
 * of the waist. */
#include "core.h"

/* Where a layout has what is needed here. */
static const struct layout {
    uint32_t header, dimension; /* bytes */
    uint32_t element;           /* offset of the bytes of an element */
    uint32_t rank;              /* offset of a byte */
    uint32_t extra;             /* offset of the byte whose lowest bit tells of an addendum; 0: none */
} layouts[] = {
    [ACCD_DESCRIPTOR_CFI] = {24, 24, 8, 20, 0},
    [ACCD_DESCRIPTOR_FLANG] = {24, 24, 8, 20, 23},
    [ACCD_DESCRIPTOR_GFORTRAN] = {40, 24, 16, 28, 0},
};
enum { ADDENDUM = 16 /* the type record, and one word */ };

static uint32_t bytes_without_addendum(const accd_context *context, const unsigned char *descriptor)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    return layout->header + layout->dimension * descriptor[layout->rank];
}

static bool has_addendum(const accd_context *context, const unsigned char *descriptor)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    return layout->extra && descriptor[layout->extra] & 1;
}

uint32_t accd_descriptor_bytes(const accd_context *context, const void *descriptor)
{
    const unsigned char *bytes = descriptor;
    if (!context || !bytes || bytes[layouts[context->config.descriptors].rank] > ACCD_RANK_MOST)
        return 0;
    return bytes_without_addendum(context, bytes) + (has_addendum(context, bytes) ? ADDENDUM : 0);
}

bool accd_descriptor_shape(const accd_context *context, const char *rest, uint32_t bytes,
                           struct accd_shape *shape)
{
    const struct layout *layout = &layouts[context->config.descriptors];
    const bool gfortran = context->config.descriptors == ACCD_DESCRIPTOR_GFORTRAN;
    const char *descriptor = rest - sizeof(void *);
    int64_t word[3], span;
    if (bytes < layout->header)
        return false;
    shape->rank = (unsigned char)descriptor[layout->rank];
    if (shape->rank > ACCD_RANK_MOST || bytes < layout->header + shape->rank * layout->dimension)
        return false;
    memcpy(&shape->element, descriptor + layout->element, sizeof shape->element);
    memcpy(&span, descriptor + layout->header - sizeof span, sizeof span); /* gfortran's unit of strides */
    for (unsigned i = 0; i < shape->rank; i++) {
        memcpy(word, descriptor + layout->header + i * layout->dimension, sizeof word);
        /* a lower bound, an extent and bytes; or elements and two bounds */
        if (gfortran ? __builtin_sub_overflow(word[2], word[1] - 1, &shape->count[i]) ||
                           __builtin_mul_overflow(word[0], span, &shape->step[i])
                     : (shape->count[i] = word[1], shape->step[i] = word[2], false))
            return false;
    }
    return true;
}

/* The address of the addendum's pointer to the type record, or 0. */
static uint64_t type_slot(const accd_context *context, const void *descriptor)
{
    return has_addendum(context, descriptor)
               ? accd_address(descriptor) + bytes_without_addendum(context, descriptor)
               : 0;
}

/* The attachment of that pointer, where the descriptor was attached with one, or NULL. */
static struct accd_attach *attached_type(struct accd_directory *dir, const void *descriptor,
                                         const struct accd_attach *attach, uint32_t bytes)
{
    uint64_t slot = accd_address(descriptor);
    return accd_attach_inside(dir, slot, attach ? accd_attach_end(attach) - slot : bytes);
}

static accd_status no_rank(accd_context *context)
{
    return accd_fail(context, ACCD_MISUSE, R_MISUSE, "there is no descriptor, or it has no rank from 0 to 15");
}

uint64_t accd_record_bytes(accd_context *context, uint64_t record)
{
    uint64_t bytes = 1;
    if (accd_host_usable(context, record, sizeof bytes))
        memcpy(&bytes, accd_pointer(record), sizeof bytes);
    return bytes;
}

static accd_status run(accd_context *context, int device, accd_kind kind, int finalize,
                       const accd_item *items, size_t n, const char *file, int line)
{
    return accd_run(context,
                    &(accd_construct){.device = device,
                                      .kind = kind,
                                      .finalize = finalize,
                                      .items = items,
                                      .nitems = n,
                                      .name = "attach",
                                      .file = file,
                                      .line = line},
                    NULL);
}

/* What makes the type record present, and attaches it, unless it is already: 0 or 1 items. */
static size_t plan_type(accd_context *context, const struct accd_attach *typed, uint64_t slot,
                        accd_item *item)
{
    const uint64_t record = slot ? accd_load_pointer(slot) : 0;
    if (!record || (typed && typed->slot == slot && typed->target == record))
        return 0;
    *item = (accd_item){.host = accd_pointer(record),
                        .bytes = accd_record_bytes(context, record),
                        .slot = accd_pointer(slot),
                        .action = ACCD_COPYIN,
                        .flags = ACCD_ITEM_PRESENT_OR};
    return 1;
}

accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor,
                                   const void *data, uint64_t offset, uint64_t size,
                                   const char *file, int line)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach;
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    if (!dir)
        return accd_no_device(context);
    if (!bytes)
        return no_rank(context);
    if (accd_load_pointer(accd_address(descriptor)) != accd_address(data))
        return accd_fail(context, ACCD_POINTER_CHANGED, R_DESCRIPTOR,
                         "the data are not those the descriptor leads to");
    const void *section = accd_pointer(accd_address(data) + offset);
    if (!data) { /* ACC33-att-4, unless the rules attach a null pointer to nothing */
        const accd_item null = {.slot = descriptor,
                                .slot_bytes = bytes,
                                .action = ACCD_ATTACH,
                                .flags = ACCD_ITEM_TRY};
        return context->rules.attach_null == ACCD_IGNORE
                   ? run(context, device, ACCD_ENTER_DATA, 0, &null, 1, file, line)
                   : ACCD_OK;
    }
    if (accd_presence_of(context, device, section, size) != ACCD_WHOLLY ||
        accd_presence_of(context, device, descriptor, bytes) != ACCD_WHOLLY)
        return ACCD_OK;
    ACCD_TRY(accd_find_attach(dir, accd_address(descriptor), &attach));
    accd_item items[2];
    size_t n = 0;
    const bool counts = attach && (context->rules.reattach == ACCD_REATTACH_COUNTS ||
                                   accd_attached_as_now(attach, bytes));
    if (!counts)
        n = plan_type(context, attached_type(dir, descriptor, attach, bytes),
                      type_slot(context, descriptor), items);
    const bool brings = n > 0;
    items[n++] = (accd_item){.host = section,
                             .bytes = size ? size : 1, /* present counts so, too */
                             .slot = descriptor,
                             .slot_bytes = bytes,
                             .action = ACCD_NO_CREATE,
                             .flags = ACCD_ITEM_UNCOUNTED | ACCD_ITEM_TRY};
    ACCD_TRY(run(context, device, ACCD_ENTER_DATA, 0, items, n, file, line));
    struct accd_attach *typed =
        brings ? accd_attach_inside(dir, accd_address(descriptor), bytes) : NULL;
    if (typed) { /* the reference is its own: it goes when the attachment does */
        typed->brings = 1;
        dir->nbrought++;
    }
    return ACCD_OK;
}

accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor,
                                   int finalize, const char *file, int line)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    const accd_item item = {.slot = descriptor, .slot_bytes = bytes, .action = ACCD_DETACH};
    if (!dir)
        return accd_no_device(context);
    if (!bytes)
        return no_rank(context);
    return run(context, device, ACCD_EXIT_DATA, finalize, &item, 1, file, line);
}
