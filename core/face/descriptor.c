/* descriptor.c - Fortran descriptors as compilers hand them over: the steps of document FLANG, on constructs
 * of the waist. */
#include "ops/ops.h"

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

/* What makes the type record present, and attaches it, unless it is already: 0 or 1 items.
 * Decides FLANG-api-5. */
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

/* Decides FLANG-composite-1. */
accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor,
                                   const void *data, uint64_t offset, uint64_t size,
                                   const char *file, int line)
{
    ACCD_ON_DEVICE(dir, context, device);
    struct accd_attach *attach;
    struct accd_object *object;
    enum accd_relation relation;
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    if (!bytes)
        return no_rank(context);
    if (accd_load_pointer(accd_address(descriptor)) != accd_address(data))
        return accd_fail(context, ACCD_POINTER_CHANGED, R_DESCRIPTOR,
                         "the data are not those the descriptor points to");
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
    /* groups among them are looked into: missing memory is no absence */
    ACCD_TRY(accd_relate(dir, accd_address(section), size ? size : 1, &relation, &object));
    ACCD_TRY(accd_relate(dir, accd_address(descriptor), bytes, &relation, &object));
    if (context->rules.attach == ACCD_ATTACH_NEW || /* what is there already is not attached */
        accd_presence_of(context, device, section, size) != ACCD_WHOLLY ||
        accd_presence_of(context, device, descriptor, bytes) != ACCD_WHOLLY)
        return ACCD_OK;
    ACCD_TRY(accd_find_attach(dir, accd_address(descriptor), &attach));
    accd_item items[2];
    size_t n = 0;
    const bool counts = attach && (context->rules.reattach == ACCD_REATTACH_COUNTS ||
                                   accd_attached_as_now(attach, bytes));
    if (!counts)
        n = plan_type(context, attached_type(dir, descriptor, attach, bytes),
                      accd_descriptor_type_slot(context, descriptor), items);
    const bool has_record = n > 0;
    items[n++] = (accd_item){.host = section,
                             .bytes = size ? size : 1, /* present counts so, too */
                             .slot = descriptor,
                             .slot_bytes = bytes,
                             .action = ACCD_NO_CREATE,
                             .flags = ACCD_ITEM_UNCOUNTED | ACCD_ITEM_TRY};
    ACCD_TRY(run(context, device, ACCD_ENTER_DATA, 0, items, n, file, line));
    struct accd_attach *typed = has_record ? accd_attach_inside(dir, accd_address(descriptor), bytes) : NULL;
    if (typed) { /* the reference is its own: it ends with the attachment */
        typed->holds_record = 1;
        dir->attached.nrecords++;
    }
    return ACCD_OK;
}

accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor,
                                   int finalize, const char *file, int line)
{
    ACCD_ON_DEVICE(dir, context, device);
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    const accd_item item = {.slot = descriptor, .slot_bytes = bytes, .action = ACCD_DETACH};
    if (!bytes)
        return no_rank(context);
    return run(context, device, ACCD_EXIT_DATA, finalize, &item, 1, file, line);
}
