/* parts.c - uploads in parts: the core fills one window (a block of host memory) while earlier windows are copied.
 *
 *     stage_part, stage_part, ... -> window (slot) -> send_parts -> copies, event -> the window can be filled again
 *
 * The memory of a window, its slot, is a chunk of page-locked memory, or of ordinary memory if no page-locked one is
 * free. Parts go to device memory that is not used yet, so a batch that fails half-way changes no data in use. */
#include "backend.h"

#include <assert.h>

/* Allocates host memory and an event for one more window. Returns false if the batch has ACCD_CUDA_SLOTS windows, if
 * there is no memory, or if no event can be created. */
static bool add_window_slot(struct accd__cuda_batch *batch)
{
    assert(batch->nslots <= ACCD_CUDA_SLOTS);
    struct accd__cuda *cuda = batch->cuda;
    struct accd__cuda_slot *slot = &batch->slots[batch->nslots];
    if (batch->nslots == ACCD_CUDA_SLOTS || !accd__cuda_new_event(cuda, &slot->sent_event))
        return false;
    slot->pinned = accd__cuda_alloc_pinned(cuda);
    slot->at = slot->pinned ? slot->pinned->at : accd__mem_alloc(cuda->mem, ACCD_CUDA_CHUNK);
    if (!slot->at)
        return false;
    slot->sent = 0;
    batch->nslots++;
    return true;
}

/* Allocates the first window, if parts were announced. Returns false if there is no memory, or no event can be
 * created. */
bool accd__cuda_parts_begin(struct accd__cuda_batch *batch)
{
    batch->slot = NULL;
    batch->windows = 0;
    return !batch->parts.n || add_window_slot(batch);
}

/* Releases the host memory of all windows of a batch, and empties the list of parts; the events of the windows stay. */
void accd__cuda_parts_end(struct accd__cuda_batch *batch)
{
    for (size_t i = 0; i < batch->nslots; i++) {
        struct accd__cuda_slot *slot = &batch->slots[i];
        if (slot->pinned)
            slot->pinned->in_use = false;
        else
            accd__mem_free(batch->cuda->mem, slot->at, ACCD_CUDA_CHUNK);
    }
    batch->nslots = batch->filled.n = 0;
    batch->parts.n = 0;
}

/* Returns true if the copies of a window that was sent have ended. */
static bool is_window_done(const struct accd__cuda_batch *batch, const struct accd__cuda_slot *slot)
{
    const struct accd__cuda *cuda = batch->cuda;
    return !cuda->is_lost && cuda->driver.cuEventQuery(slot->sent_event) == CU_OK;
}

/* Returns a window that the core can fill. It is the window that was sent longest ago, if its copies have ended, or a
 * window that was never sent. Otherwise it is a new window, if one can be added. Otherwise waits for the copies of
 * the window sent longest ago; a failure marks the batch as failed. */
static struct accd__cuda_slot *next_window_slot(struct accd__cuda_batch *batch)
{
    assert(batch->nslots > 0);
    struct accd__cuda_slot *first = &batch->slots[0];
    for (size_t i = 1; i < batch->nslots; i++)
        if (batch->slots[i].sent < first->sent)
            first = &batch->slots[i];
    if (batch->failed != ACCD_OK || !first->sent)
        return first;
    if (batch->nslots < ACCD_CUDA_SLOTS) {
        if (is_window_done(batch, first))
            return first;
        if (add_window_slot(batch))
            return &batch->slots[batch->nslots - 1];
    }
    if (!accd__cuda_wait_event(batch->cuda, first->sent_event))
        accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
    return first;
}

/* Adds a part, which the core fills at host address `at`, to the copies of the window. Parts of one allocation that
 * are adjacent both on the host and on the device become one copy. Returns false without memory. */
static bool add_window_part(struct accd__cuda_batch *batch, uint64_t dev, uint64_t bytes, char *at)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(batch->cuda, dev);
    struct accd__cuda_piece *last = batch->filled.n ? &batch->filled.at[batch->filled.n - 1] : NULL;
    if (last && last->memory == memory && last->dev + last->bytes == dev && last->at + last->bytes == at) {
        last->bytes += bytes;
        return true;
    }
    if (!ACCD_GROW(batch->cuda->mem, batch->filled.at, batch->filled.capacity, batch->filled.n + 1))
        return false;
    batch->filled.at[batch->filled.n++] =
        (struct accd__cuda_piece){.dev = dev, .bytes = bytes, .memory = memory, .at = at};
    return true;
}

/* Returns host memory for a part of an upload to `dev`, in the current window; the caller fills the memory. Never
 * fails: without memory for its records, marks the batch as failed. */
void *accd__cuda_stage_part(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd__cuda_batch *batch = ((struct accd__cuda *)device)->batch;
    if (!batch->slot) {
        batch->slot = next_window_slot(batch);
        batch->slot->used = 0;
    }
    struct accd__cuda_slot *slot = batch->slot;
    char *at = slot->at + slot->used;
    slot->used += (bytes + ACCD_CUDA_PART - 1) / ACCD_CUDA_PART * ACCD_CUDA_PART;
    if (!add_window_part(batch, dev, bytes, at))
        accd__cuda_batch_fail(batch, ACCD_ERROR_OUT_OF_MEMORY);
    return at;
}

/* Issues the copies of the current window, which is filled again only after these copies have ended. Does nothing if
 * no window is being filled, or the batch has failed. */
void accd__cuda_send_parts(void *device)
{
    struct accd__cuda_batch *batch = ((struct accd__cuda *)device)->batch;
    if (batch->slot && batch->failed == ACCD_OK) {
        batch->slot->sent = ++batch->windows;
        if (!accd__cuda_move_window(batch, batch->slot))
            accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
    }
    batch->filled.n = 0;
    batch->slot = NULL;
}
