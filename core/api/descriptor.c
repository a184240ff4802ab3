/* descriptor.c - attaches and detaches Fortran descriptors (records with address and bounds of an array) as compilers
 * pass them: the steps of document FLANG, expressed as constructs. */
#include "accdeep_constructs.h"
#include "accdeep_memory.h"
#include "accdeep_present.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/objects.h"

#include <assert.h>

/* Returns the attachment of the pointer to a type record (description of the derived type) inside a descriptor; NULL if
 * that pointer is not attached. `attach` is the attachment of the descriptor, which has its size; if `attach` is NULL,
 * the descriptor has `bytes` bytes. */
static struct accd__attachment *find_type_attachment(struct accd__device_env *env, const void *descriptor,
                                                     const struct accd__attachment *attach, uint32_t bytes)
{
    uint64_t slot = accd__address(descriptor);
    return accd__find_attachment_within(env, slot, attach ? accd__attachment_end(attach) - slot : bytes);
}

/* Sets the last error for a missing descriptor, or one whose rank is not from 0 to 15; returns ACCD_ERROR_MISUSE. */
static accd_status report_invalid_rank(accd_context *context)
{
    return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                           "there is no descriptor, or it has no rank from 0 to 15");
}

/* Runs a construct of n items that attaches pointers (kind ACCD_KIND_ENTER_DATA) or detaches them
 * (ACCD_KIND_EXIT_DATA). `finalize`, `file`, `line`: members of the construct. Returns the errors of
 * accd_run_construct. */
static accd_status run_attach_construct(accd_context *context, int device, accd_construct_kind kind, int finalize,
                                        const accd_item *items, size_t n, const char *file, int line)
{
    return accd_run_construct(context,
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

/* Sets *item to an item that maps the type record of a descriptor, and attaches the pointer to the record at `slot` (0:
 * the descriptor has no such pointer). type_attachment: attachment of that pointer, or NULL. Returns the number of
 * items made: 1; or 0 if the pointer is null, or attached to this record already. Decides FLANG-api-5. */
static size_t make_type_record_item(accd_context *context, const struct accd__attachment *type_attachment,
                                    uint64_t slot, accd_item *item)
{
    assert(item);
    const uint64_t record = slot ? accd__load_pointer(slot) : 0;
    if (!record || (type_attachment && type_attachment->slot == slot && type_attachment->target == record))
        return 0;
    *item = (accd_item){.host = accd__pointer(record),
                        .bytes = accd__type_record_bytes(context, record),
                        .slot = accd__pointer(slot),
                        .action = ACCD_ACTION_COPYIN,
                        .flags = ACCD_ITEM_PRESENT_OR};
    return 1;
}

/* Attaches a Fortran descriptor, and the pointer to its type record, to the device copy of its data. Does nothing
 * unless data and descriptor are present. Decides FLANG-composite-1. */
accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor, const void *data,
                                   uint64_t offset, uint64_t size, const char *file, int line)
{
    ACCD_ON_DEVICE(env, context, device);
    struct accd__attachment *attach;
    struct accd__object *object;
    enum accd__containment relation;
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    if (!bytes)
        return report_invalid_rank(context);
    if (accd__load_pointer(accd__address(descriptor)) != accd__address(data))
        return accd__set_error(context, ACCD_ERROR_POINTER_CHANGED, R_DESCRIPTOR,
                               "the data are not those the descriptor points to");
    const void *section = accd__pointer(accd__address(data) + offset);
    if (!data) { /* null data: if the rules ignore the attach of a null pointer, copies the descriptor to the device
                    (ACC33-att-4) */
        const accd_item null = {
            .slot = descriptor, .slot_bytes = bytes, .action = ACCD_ACTION_ATTACH, .flags = ACCD_ITEM_IF_PRESENT};
        return context->rules.attach_null == ACCD_CHOICE_IGNORE
                   ? run_attach_construct(context, device, ACCD_KIND_ENTER_DATA, 0, &null, 1, file, line)
                   : ACCD_OK;
    }
    /* called for its errors: accd_get_presence below would report missing memory as absence */
    ACCD_TRY(accd__find_containment(env, accd__address(section), size ? size : 1, &relation, &object));
    ACCD_TRY(accd__find_containment(env, accd__address(descriptor), bytes, &relation, &object));
    /* nothing is attached if the rules attach new data only, or if the section or the descriptor is not present */
    if (context->rules.attach == ACCD_ATTACH_POLICY_NEW ||
        accd_get_presence(context, device, section, size) != ACCD_PRESENCE_FULL ||
        accd_get_presence(context, device, descriptor, bytes) != ACCD_PRESENCE_FULL)
        return ACCD_OK;
    ACCD_TRY(accd__find_attachment(env, accd__address(descriptor), &attach));
    accd_item items[2];
    size_t n = 0;
    const bool is_current =
        attach && (context->rules.reattach == ACCD_REATTACH_COUNTS || accd__is_attachment_current(attach, bytes));
    if (!is_current)
        n = make_type_record_item(context, find_type_attachment(env, descriptor, attach, bytes),
                                  accd__descriptor_type_slot(context, descriptor), items);
    const bool has_record = n > 0;
    items[n++] =
        (accd_item){.host = section,
                    .bytes = size ? size : 1, /* an empty section counts as present if the byte at its address is */
                    .slot = descriptor,
                    .slot_bytes = bytes,
                    .action = ACCD_ACTION_NO_CREATE,
                    .flags = ACCD_ITEM_UNCOUNTED | ACCD_ITEM_IF_PRESENT};
    ACCD_TRY(run_attach_construct(context, device, ACCD_KIND_ENTER_DATA, 0, items, n, file, line));
    struct accd__attachment *type_attachment =
        has_record ? accd__find_attachment_within(env, accd__address(descriptor), bytes) : NULL;
    if (type_attachment) { /* the attachment owns the reference that the item above has added to the record */
        type_attachment->holds_record = 1;
        env->attached.ntype_records++;
    }
    return ACCD_OK;
}

/* Decrements the attach counter of a descriptor, or sets it to 0 if `finalize` is not 0. Returns ACCD_ERROR_MISUSE for
 * an invalid descriptor, or the errors of an exit data construct. */
accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor, int finalize,
                                   const char *file, int line)
{
    ACCD_ON_DEVICE(env, context, device);
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    const accd_item item = {.slot = descriptor, .slot_bytes = bytes, .action = ACCD_ACTION_DETACH};
    if (!bytes)
        return report_invalid_rank(context);
    return run_attach_construct(context, device, ACCD_KIND_EXIT_DATA, finalize, &item, 1, file, line);
}
