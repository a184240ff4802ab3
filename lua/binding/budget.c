/* budget.c - memory outside of Lua that counts against a scenario's limit: of the core, and of simulated devices. */
#include "binding.h"

#include <assert.h>
#include <stdlib.h>

/* Budget of the function that core.limited runs in this thread; NULL: no limits. The TLS model is one that needs no
 * function of another library. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct accd__budget *current;

/* Sets the budget that allocations of this thread charge; NULL: none. */
void accd__set_budget(struct accd__budget *budget)
{
    current = budget;
}

/* Adds bytes to a budget and returns true; NULL: there is no budget. Returns false, with nothing changed, if the limit
 * would be exceeded. */
bool charge(struct accd__budget *budget, size_t bytes)
{
    if (!budget)
        return true;
    if (budget->most && (bytes > budget->most || budget->used > budget->most - bytes))
        return false;
    budget->used += bytes;
    return true;
}

/* Subtracts bytes from a budget, at most down to 0; NULL: does nothing. */
void accd__discharge(struct accd__budget *budget, size_t bytes)
{
    assert(bytes <= SIZE_MAX / 2);
    if (budget)
        budget->used -= bytes < budget->used ? bytes : budget->used;
}

/* Charges bytes of simulated devices to this thread's budget, even beyond the limit; negative bytes are given back. */
void accd__charge_device(void *ud, int64_t bytes)
{
    (void)ud;
    if (bytes < 0)
        accd__discharge(current, (size_t)-bytes);
    else if (current)
        current->used += (size_t)bytes;
}

/* Allocates, resizes or frees a block, charged to this thread's budget. Returns NULL after freeing the block if n is 0.
 * Also returns NULL, with the block unchanged, if the host has no memory or the limit refuses, which sets `denied`. */
void *accd__charged_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud;
    const size_t before = ptr ? old : 0;
    if (n > before && !charge(current, n - before)) {
        current->denied = true;
        return NULL;
    }
    void *block = n ? realloc(ptr, n) : NULL;
    if (!n)
        free(ptr);
    if (n > before && !block)
        accd__discharge(current, n - before);
    else if (n < before)
        accd__discharge(current, before - n);
    return block;
}

/* Clears `denied`, and returns true if the limit refused an allocation of this thread since the last call. */
bool accd__was_denied(void)
{
    const bool denied = current && current->denied;
    if (denied)
        current->denied = false;
    return denied;
}
