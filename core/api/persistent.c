/* persistent.c - the two arenas (ranges of memory) of contexts with checkpoints. One has the state that is saved and
 * restored; the side arena has what a restore must not change. */
#include "api/inside.h"

#include <assert.h>

/* Size of the address space of each arena. The system provides memory only for the pages in use. */
static const size_t arena_capacity = (size_t)1 << 30;

/* Frees the memory of a checkpoint with the allocator of the caller, which is stored in the memory's header. */
static void free_checkpoint_memory(struct accd__checkpoint_memory *saved)
{
    struct accd__mem mem;
    accd__mem_init(&mem, saved->alloc, saved->alloc_ud);
    accd__mem_free(&mem, saved, saved->bytes);
    accd__mem_drop_cache(&mem);
}

/* Makes both arenas, and sets *mem to an allocator in the first one, which checkpoints save. Returns a record of the
 * arenas, which is in the side arena; NULL: no memory. */
struct accd__persistent *accd__persistent_new(struct accd__mem *mem)
{
    assert(mem);
    struct accd__arena *arena = accd__arena_new(arena_capacity), *side_arena = accd__arena_new(arena_capacity);
    struct accd__mem own;
    accd__mem_init(&own, accd__arena_alloc, side_arena);
    struct accd__persistent *persistent = arena && side_arena ? accd__mem_alloc_zeroed(&own, sizeof *persistent) : NULL;
    if (!persistent) {
        accd__arena_free(arena);
        accd__arena_free(side_arena);
        return NULL;
    }
    persistent->own = own;
    persistent->mem = &persistent->own;
    persistent->arena = arena;
    persistent->side_arena = side_arena;
    accd__mem_init(mem, accd__arena_alloc, arena);
    mem->small_slabs = true;
    return persistent;
}

/* Frees both arenas, and the memory of all freed checkpoints; NULL does nothing. */
void accd__persistent_free(struct accd__persistent *persistent)
{
    if (!persistent)
        return;
    while (persistent->spare) {
        struct accd__checkpoint_memory *spare = persistent->spare;
        persistent->spare = spare->next;
        free_checkpoint_memory(spare);
    }
    accd__arena_free(persistent->arena);
    accd__arena_free(persistent->side_arena);
}

/* Returns memory of at least `bytes` bytes for a checkpoint: that of the checkpoint freed last if it is large enough,
 * otherwise new memory, and the old one is freed. NULL: no memory. */
struct accd__checkpoint_memory *accd__checkpoint_memory_alloc(accd_context *context, size_t bytes)
{
    struct accd__checkpoint_memory **spare = &context->persistent->spare, *found = *spare;
    if (found) {
        *spare = found->next;
        if (found->bytes >= bytes)
            return found;
        free_checkpoint_memory(found);
    }
    struct accd__mem mem;
    accd__mem_init(&mem, context->config.alloc, context->config.alloc_ud);
    bytes += bytes / 4; /* more than needed, because a later checkpoint, which may be larger, will reuse the memory */
    found = accd__mem_alloc(&mem, bytes);
    if (found)
        *found = (struct accd__checkpoint_memory){
            .alloc = context->config.alloc, .alloc_ud = context->config.alloc_ud, .bytes = bytes};
    return found;
}

/* Keeps the memory of a freed checkpoint for the next checkpoint, in the list `spare`. */
void accd__checkpoint_memory_recycle(accd_context *context, struct accd__checkpoint_memory *saved)
{
    assert(saved);
    saved->next = context->persistent->spare;
    context->persistent->spare = saved;
}
