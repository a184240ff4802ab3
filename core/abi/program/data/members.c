/* members.c - pointers that are present only because the compiler maps them along with the section
 * they point to, which OpenACC does not ask for (ACC33-att-6). When the aggregate that they are
 * members of is mapped itself, it would be partly present: they give way. */
#include "abi/program/base/runtime.h"

/* Whether all that is present of an item are such pointers, which no region uses. */
static bool only_pointers(const struct goacc_thread *self, const accd_item *item)
{
    uint64_t at = (uintptr_t)item->host, end = at + item->bytes;
    accd_present object;
    while (accd_present_next(goacc.context, self->device, &at, &object) && object.info.host < end)
        if (!object.pointer || object.structured || object.info.host < (uintptr_t)item->host ||
            at > end)
            return false;
    return true;
}

static void remove_pointers(const struct goacc_thread *self, const accd_item *item)
{
    uint64_t at = (uintptr_t)item->host, end = at + item->bytes;
    accd_present object;
    while (accd_present_next(goacc.context, self->device, &at, &object) && object.info.host < end) {
        accd_item pointer = {.host = (const void *)(uintptr_t)object.info.host,
                             .bytes = object.info.bytes,
                             .action = ACCD_DELETE};
        goacc_name_item(&pointer);
        goacc_must(accd_run(goacc.context,
                            &(accd_construct){.device = self->device,
                                              .kind = ACCD_EXIT_DATA,
                                              .finalize = 1,
                                              .items = &pointer,
                                              .nitems = 1},
                            NULL));
    }
}

bool goacc_members_give_way(const struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    bool gave = false;
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        if (accd_presence_of(goacc.context, self->device, item->host, item->bytes) != ACCD_PARTLY)
            continue;
        if (!only_pointers(self, item))
            return false;
        remove_pointers(self, item);
        gave = true;
    }
    return gave;
}

bool goacc_carries(const accd_item *items, size_t nitems, const accd_item *item)
{
    if (!item->host || (item->bytes != sizeof(void *) && !goacc_is_descriptor(item->host, item->bytes)))
        return false;
    const uintptr_t target = goacc_word(item->host);
    for (size_t i = 0; i < nitems; i++)
        if (&items[i] != item && target && target - (uintptr_t)items[i].host < items[i].bytes)
            return true;
    return false;
}
