/* Lists of items: many more entries than a list has room for, labels, fix-ups of pointers, items of present objects. */
#include "../tap.h"

#include <base/runtime.h>
#include <diag/errors.h>
#include <rt/items.h>

static accd_label site_label;

_Noreturn void rt_fatal(const char *code, const char *format, ...) /* the tested file calls it without memory */
{
    printf("Bail out! %s: %s\n", code, format);
    exit(1);
}
const accd_label *rt_get_site_label(void)
{
    return &site_label;
}
void rt_resolve_item_label(accd_item *item)
{
    item->start = 42;
}

/* The only present object: BYTES bytes at `present`, whose device address is 0x1000. */
enum { BYTES = 16 };
static char memory[4 * BYTES], *const present = memory + BYTES;

int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p, uint64_t *bytes_p)
{
    (void)context;
    if (device != 0 || (uintptr_t)host - (uintptr_t)present >= BYTES)
        return 0;
    *start_p = (uintptr_t)present;
    *bytes_p = BYTES;
    return 1;
}
int accd_present_overlapping(accd_context *context, int device, uint64_t *at_p, uint64_t end, uint64_t *start_p,
                             uint64_t *bytes_p)
{
    (void)context;
    if (device != 0 || *at_p >= (uintptr_t)present + BYTES || end <= (uintptr_t)present)
        return 0;
    *start_p = (uintptr_t)present;
    *bytes_p = BYTES;
    return 1;
}
uint64_t accd_device_address(accd_context *context, int device, const void *host)
{
    (void)context, (void)device;
    const uintptr_t offset = (uintptr_t)host - (uintptr_t)present;
    return offset < BYTES ? 0x1000 + offset : 0;
}
accd_presence accd_get_presence(accd_context *context, int device, const void *host, uint64_t bytes)
{
    (void)context, (void)device, (void)host;
    return bytes > BYTES ? ACCD_PRESENCE_PARTIAL : ACCD_PRESENCE_FULL;
}

int main(void)
{
    struct rt_site site = {.construct_name = "enter data"};
    struct rt_items items;
    rt.site = &site;
    rt.context = (accd_context *)&site; /* passed on only */
    for (size_t entries = 0; entries < 200; entries += 13) {
        rt_items_init(&items, entries);
        for (size_t i = 0; i < entries; i++) {
            rt_add_item(&items, ACCD_ACTION_COPYIN, (void *)(i + 1), i);
            rt_add_item(&items, ACCD_ACTION_ATTACH, (void *)(i + 1), 8)->flags = ACCD_ITEM_BASE_POINTER;
            rt_add_fixup(&items, (void *)(i + 1))->section = (void *)(i + 2);
        }
        must(items.n == 2 * entries && items.nfixups == entries, "%zu entries make two items and a fix-up each", entries);
        for (size_t i = 0; i < entries; i++) {
            const accd_item *map = &items.at[2 * i], *attach = map + 1;
            must(map->bytes == i && map->label == &site_label && map->action == ACCD_ACTION_COPYIN && !map->flags,
                 "item %zu", i);
            must(attach->flags == ACCD_ITEM_BASE_POINTER, "flags of item %zu", i);
            must(items.fixups[i].section == (void *)(i + 2) && !items.fixups[i].descriptor_bytes, "fix-up %zu", i);
        }
        rt_items_free(&items);
    }
    ok(!tap_failed, "lists of up to 199 entries keep all items, in order");

    rt_items_init(&items, 4);
    rt.names_eagerly = true;
    is_number(rt_add_item(&items, ACCD_ACTION_COPY, present, 4)->start, 42, "names that are needed at once are looked up");
    rt.names_eagerly = false;
    ok(rt_add_present_item(&items, ACCD_ACTION_COPYOUT, present + 5, ACCD_ITEM_ALWAYS_OUT), "a byte of a present object");
    ok(items.at[1].host == present && items.at[1].bytes == BYTES && items.at[1].flags == ACCD_ITEM_ALWAYS_OUT,
       "makes an item for all of the object");
    ok(!rt_add_present_item(&items, ACCD_ACTION_COPYOUT, present + 16, 0) && items.n == 2, "an absent byte makes none");
    const struct rt_thread *self = &rt_this_thread;
    is_number((uintptr_t)rt_find_partly_present_address(self, present - 8, 24), 0x1000 - 8,
              "a range that begins before present data has the address before theirs");
    ok(!rt_find_partly_present_address(self, present + 16, 8), "absent data have none");
    ok(rt_is_partly_present(self, present, 24) && !rt_is_partly_present(self, present, 8), "partly and wholly present ranges are distinguished");
    rt_items_free(&items);
    return done();
}
