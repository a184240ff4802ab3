/* lasting.c - what contexts with checkpoints lie in, and what lasts when a state is restored. */
#include "face/inside.h"

/* Address space of each range. Memory is what is used of it. */
static const size_t arena_room = (size_t)1 << 30;

static void give_back(struct accd_saved *saved)
{
    struct accd_mem mem;
    accd_mem_init(&mem, saved->alloc, saved->alloc_ud);
    accd_mem_free(&mem, saved, saved->bytes);
    accd_mem_close(&mem);
}

struct accd_lasting *accd_lasting_open(struct accd_mem *mem)
{
    struct accd_arena *arena = accd_arena_open(arena_room), *beside = accd_arena_open(arena_room);
    struct accd_mem own;
    accd_mem_init(&own, accd_arena_alloc, beside);
    struct accd_lasting *lasting = arena && beside ? accd_mem_zero(&own, sizeof *lasting) : NULL;
    if (!lasting) {
        accd_arena_close(arena);
        accd_arena_close(beside);
        return NULL;
    }
    lasting->own = own;
    lasting->mem = &lasting->own;
    lasting->arena = arena;
    lasting->beside = beside;
    accd_mem_init(mem, accd_arena_alloc, arena);
    mem->frugal = true;
    return lasting;
}

void accd_lasting_close(struct accd_lasting *lasting)
{
    if (!lasting)
        return;
    while (lasting->spare) {
        struct accd_saved *spare = lasting->spare;
        lasting->spare = spare->next;
        give_back(spare);
    }
    accd_arena_close(lasting->arena);
    accd_arena_close(lasting->beside);
}

struct accd_saved *accd_saved_new(accd_context *context, size_t bytes)
{
    struct accd_saved **spare = &context->lasting->spare, *found = *spare;
    if (found) {
        *spare = found->next;
        if (found->bytes >= bytes)
            return found;
        give_back(found);
    }
    struct accd_mem mem;
    accd_mem_init(&mem, context->config.alloc, context->config.alloc_ud);
    bytes += bytes / 4; /* the next one may be larger */
    found = accd_mem_new(&mem, bytes);
    if (found)
        *found = (struct accd_saved){
            .alloc = context->config.alloc, .alloc_ud = context->config.alloc_ud, .bytes = bytes};
    return found;
}

void accd_saved_give(accd_context *context, struct accd_saved *saved)
{
    saved->next = context->lasting->spare;
    context->lasting->spare = saved;
}
