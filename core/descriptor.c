/* descriptor.c - Fortran descriptors as compilers hand them over: the steps of document FLANG, on constructs
 * of the waist. */
#include "core.h"

/* Where a layout has what is needed here. */
static const struct layout {
    uint32_t header, dimension; /* bytes */
    uint32_t rank;              /* offset of a byte */
    uint32_t extra;             /* offset of the byte whose lowest bit tells of an addendum; 0: none */
} layouts[] = {
    [ACCD_DESCRIPTOR_CFI] = {24, 24, 20, 0},
    [ACCD_DESCRIPTOR_FLANG] = {24, 24, 20, 23},
    [ACCD_DESCRIPTOR_GFORTRAN] = {40, 24, 28, 0},
};
enum { RANK_MOST = 15, ADDENDUM = 16 /* the type record, and one word */ };

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
    if (!bytes || bytes[layouts[context->config.descriptors].rank] > RANK_MOST)
        return 0;
    return bytes_without_addendum(context, bytes) + (has_addendum(context, bytes) ? ADDENDUM : 0);
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

static accd_item type_item(accd_context *context, uint64_t slot, uint64_t record,
                           accd_action action)
{
    uint64_t bytes = 1; /* of memory that is not to be read */
    if (accd_host_usable(context, record, sizeof bytes))
        memcpy(&bytes, accd_pointer(record), sizeof bytes);
    return (accd_item){.host = accd_pointer(record),
                       .bytes = bytes,
                       .slot = accd_pointer(slot),
                       .action = (uint8_t)action,
                       .flags = ACCD_ITEM_PRESENT_OR};
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

/* Where the type record is another one than before: what attaches it, 0 or 1 items, and, if there was
 * one, what takes a reference off that once this is done. */
static size_t plan_type(accd_context *context, const struct accd_attach *typed, uint64_t slot,
                        accd_item *item, accd_item *after)
{
    uint64_t record = slot ? accd_load_pointer(slot) : 0;
    bool in_place = typed && typed->slot == slot;
    if (in_place && typed->target == record)
        return 0;
    if (typed)
        *after = type_item(context, in_place ? 0 : typed->slot, typed->target, ACCD_DELETE);
    if (record)
        *item = type_item(context, slot, record, ACCD_COPYIN);
    else if (in_place) /* a null pointer ends the attachment */
        *item = (accd_item){
            .slot = accd_pointer(slot), .action = ACCD_ATTACH, .flags = ACCD_ITEM_TRY};
    return record || in_place;
}

accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor,
                                   const void *data, uint64_t offset, uint64_t size,
                                   const char *file, int line)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach;
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    if (!dir)
        return ACCD_NO_DEVICE;
    if (!bytes)
        return no_rank(context);
    if (accd_load_pointer(accd_address(descriptor)) != accd_address(data))
        return accd_fail(context, ACCD_POINTER_CHANGED, R_DESCRIPTOR,
                         "the data are not those the descriptor leads to");
    const void *section = accd_pointer(accd_address(data) + offset);
    if (!data || accd_is_present(context, device, section, size) != ACCD_WHOLLY ||
        accd_is_present(context, device, descriptor, bytes) != ACCD_WHOLLY)
        return ACCD_OK;
    ACCD_TRY(accd_find_attach(dir, accd_address(descriptor), &attach));
    accd_item items[2], after = {0};
    size_t n = 0;
    if (!attach || !accd_attached_as_now(attach, bytes)) {
        uint64_t slot = type_slot(context, descriptor);
        if (slot || attach)
            n = plan_type(context, attached_type(dir, descriptor, attach, bytes), slot, items,
                          &after);
    }
    items[n++] = (accd_item){.host = section,
                             .bytes = size ? size : 1, /* present counts so, too */
                             .slot = descriptor,
                             .slot_bytes = bytes,
                             .action = ACCD_NO_CREATE,
                             .flags = ACCD_ITEM_UNCOUNTED | ACCD_ITEM_TRY};
    ACCD_TRY(run(context, device, ACCD_ENTER_DATA, 0, items, n, file, line));
    return after.host ? run(context, device, ACCD_EXIT_DATA, 0, &after, 1, file, line) : ACCD_OK;
}

accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor,
                                   int finalize, const char *file, int line)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach;
    const uint32_t bytes = accd_descriptor_bytes(context, descriptor);
    accd_item items[2] = {{.slot = descriptor, .slot_bytes = bytes, .action = ACCD_DETACH}};
    if (!dir)
        return ACCD_NO_DEVICE;
    if (!bytes)
        return no_rank(context);
    ACCD_TRY(accd_find_attach(dir, accd_address(descriptor), &attach));
    const struct accd_attach *typed = attached_type(dir, descriptor, attach, bytes);
    if (!typed || (attach && attach->count > 1 && !finalize))
        return run(context, device, ACCD_EXIT_DATA, finalize, items, 1, file, line);
    /* The record may serve other descriptors: one reference is taken off it, not all of them. So all but
     * one come off the attachment first. */
    const uint32_t count = attach ? attach->count : 0;
    if (attach)
        attach->count = 1;
    items[1] = type_item(context, typed->slot, typed->target, ACCD_DELETE);
    accd_status status = run(context, device, ACCD_EXIT_DATA, 0, items, 2, file, line);
    if (attach && status != ACCD_OK)
        attach->count = count;
    return status;
}
