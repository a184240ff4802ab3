/* routine_steps.c - does what the core has decided for a call of a routine: device memory, copies, mappings. The lock
 * must be held. */
#include "routine_steps.h"

#include "diag/errors.h"

#include <assert.h>
#include <stdlib.h>

/* Returns what `call` does. Ends the program with a report of a call that must not happen. */
accd__routine_step rt_decide_routine(const accd__routine_call *call)
{
    assert(rt.site && rt.context);
    accd__routine_step step;
    rt_check_status(accd__decide_routine(rt.context, call, &step));
    return step;
}

/* Allocates memory of a device or of the host, and informs the checks of device memory. The result is 0 if memory is
 * exhausted. */
static void allocate_memory(const accd__routine_call *call, accd__routine_step *step)
{
    if (step->device < 0) {
        step->result = (uintptr_t)malloc(step->bytes);
        return;
    }
    rt_check_status(accd__perform_routine(rt.context, call, step));
    if (step->result)
        RT_CALL_HOOKS(allocate, step->device, step->result, step->bytes);
}

/* Frees memory of a device or of the host, and informs the checks of device memory. */
static void free_memory(const accd__routine_call *call, accd__routine_step *step)
{
    if (step->device < 0) {
        free((void *)(uintptr_t)step->address);
        return;
    }
    RT_CALL_HOOKS(begin_free, step->device, step->address);
    rt_check_status(accd__perform_routine(rt.context, call, step));
    RT_CALL_HOOKS(end_free, step->device, step->address);
}

/* Copies a piece for the routine `*ud` (an accd__piece_fn), and informs the checks. */
static accd_status copy_piece(void *ud, const accd__piece *piece)
{
    const accd__routine *routine = ud;
    const struct rt_copy copy = {piece->to, piece->from, piece->bytes, piece->to_device, piece->from_device};
    RT_CALL_HOOKS(begin_copy, &copy);
    accd_status status = accd__copy_piece(rt.context, *routine, piece);
    if (status == ACCD_OK)
        RT_CALL_HOOKS(copy, &copy);
    return status;
}

/* Does a step that runs no construct, and sets step->result. Ends the program on failure. */
void rt_perform_routine(const accd__routine_call *call, accd__routine_step *step)
{
    assert(rt.site && rt.context && step->operation != ACCD__DO_CONSTRUCT);
    const void *host = (const void *)(uintptr_t)step->address;
    accd__routine routine = call->routine;
    rt.construct.nitems = 0; /* tools must not take the items of an earlier construct for those of this call */
    switch (step->operation) {
    case ACCD__DO_ALLOCATE:
        allocate_memory(call, step);
        break;
    case ACCD__DO_FREE:
        free_memory(call, step);
        break;
    case ACCD__DO_MAP:
        rt_check_status(accd__perform_routine(rt.context, call, step));
        if (!step->result)
            RT_CALL_HOOKS(map, host, step->bytes);
        break;
    case ACCD__DO_UNMAP:
        RT_CALL_HOOKS(unmap, step->device, host);
        rt_check_status(accd__perform_routine(rt.context, call, step));
        break;
    case ACCD__DO_COPY:
    case ACCD__DO_FILL:
        rt_check_status(call->queue && routine != ACCD__ROUTINE_MEMCPY_D2D
                            ? accd__perform_routine(rt.context, call, step)
                            : accd__for_each_piece(call, step, copy_piece, &routine));
        break;
    default:
        break;
    }
}
