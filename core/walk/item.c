/* item.c - computes where the item of a clause (a range of host memory) lies: from given bounds of a section, or by
 * running the code that computes the bounds. Part of the public API. */
#include "accdeep_constructs.h"
#include "accdeep_programs.h"
#include "walk/walk.h"

/* Sets address, size, start and base of `item` to the section of `count` elements of `unit` bytes that begins at
 * element `start` from `base`. Returns ACCD_ERROR_INVALID_SECTION if `count` is negative, or a bound is too large or
 * unrepresentable; ACCD_ERROR_MISUSE if an argument is NULL. After an error nothing has changed. Decides TR14-3.1.1-23.
 */
accd_status accd_item_set_section(accd_context *context, accd_item *item, uint64_t base, int64_t start, int64_t count,
                                  uint64_t unit)
{
    uint64_t bytes, shift, size = (uint64_t)(start < 0 ? -(start + 1) : start);
    if (!context || !item)
        return accd__report_missing_argument(context, __func__, "item");
    if (count == ACCD_UNREPRESENTABLE || start == ACCD_UNREPRESENTABLE)
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_SECTION,
                               "a bound of the section cannot be computed");
    if (count < 0)
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_SECTION,
                               "the section has a negative length, %lld", (long long)count);
    if (__builtin_mul_overflow((uint64_t)count, unit, &bytes) || bytes >> (ACCD_SIZE_BITS - 1) ||
        __builtin_mul_overflow(size, unit, &shift) || shift >> (ACCD_SIZE_BITS - 1))
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_SECTION, "the section [%lld:%lld] is too large",
                               (long long)start, (long long)count);
    uint64_t host = base ? base + (uint64_t)start * unit : 0;
    if (base && (start < 0 ? host > base : host < base || host + bytes < host))
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_SECTION,
                               "the section [%lld:%lld] does not fit into memory", (long long)start, (long long)count);
    item->host = accd__pointer(host);
    item->bytes = bytes;
    item->start = start;
    item->base = accd__pointer(base);
    return ACCD_OK;
}

/* Returns true if `code` has a register for the base, and all registers that it names exist: those for bounds, slot,
 * origin, indices and parameters. */
static bool is_valid_item_code(const accd_item_code *code)
{
    const int nregisters = (int)code->registers;
    bool valid = code->registers <= ACCD_MAX_ITEM_REGISTERS && code->base >= 0 && code->base < nregisters &&
                 code->start < nregisters && code->count < nregisters && code->slot < nregisters &&
                 code->origin < nregisters;
    for (int i = 0; i < ACCD_MAX_LABEL_INDICES; i++)
        valid &= code->index[i] < nregisters;
    for (unsigned i = 0; i < code->nparams && valid; i++)
        valid = code->params[i] >= 0 && code->params[i] < nregisters;
    return valid;
}

/* Runs the code of a clause with `arguments`, and sets `item` and `params` from the registers that `code` names
 * (accdeep_constructs.h). Returns an error if an argument is NULL, the code names missing registers or cannot be
 * evaluated, or the section is invalid. */
accd_status accd_item_locate(accd_context *context, const accd_item_code *code, const int64_t *arguments,
                             int64_t *params, accd_item *item)
{
    int64_t r[ACCD_MAX_ITEM_REGISTERS];
    if (!context || !code || !item || (code->nparams && !params))
        return accd__report_missing_argument(context, __func__, !code ? "code" : !item ? "item" : "params");
    if (!is_valid_item_code(code))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "registers of an item are out of range");
    accd_status status = accd_evaluate(context, code->code, code->ncode, code->registers, arguments, r);
    if (status != ACCD_OK)
        return status;
    if (code->slot >= 0)
        item->slot = accd__pointer((uint64_t)r[code->slot]);
    for (unsigned i = 0; i < code->nparams; i++)
        params[i] = r[code->params[i]];
    item->params = params;
    for (int i = 0; i < ACCD_MAX_LABEL_INDICES; i++)
        item->index[i] = code->index[i] >= 0 ? r[code->index[i]] : 0;
    status = accd_item_set_section(context, item, (uint64_t)r[code->base], code->start >= 0 ? r[code->start] : 0,
                                   code->count >= 0 ? r[code->count] : 1, code->unit);
    if (code->origin >= 0)
        item->base = accd__pointer((uint64_t)r[code->origin]);
    return status;
}
