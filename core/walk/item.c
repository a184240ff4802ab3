/* item.c - where the item of a clause lies: sections, and code that computes them. */
#include "walk/walk.h"

/* Decides TR14-3.1.1-23. */
accd_status accd_item_section(accd_context *context, accd_item *item, uint64_t base, int64_t start,
                              int64_t count, uint64_t unit)
{
    uint64_t bytes, shift, size = (uint64_t)(start < 0 ? -(start + 1) : start);
    if (!context || !item)
        return accd_not_given(context, __func__, "item");
    if (count == ACCD_UNREPRESENTABLE || start == ACCD_UNREPRESENTABLE)
        return accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                         "a bound of the section cannot be computed");
    if (count < 0)
        return accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                         "the section has a negative length, %lld", (long long)count);
    if (__builtin_mul_overflow((uint64_t)count, unit, &bytes) || bytes >> (ACCD_SIZE_BITS - 1) ||
        __builtin_mul_overflow(size, unit, &shift) || shift >> (ACCD_SIZE_BITS - 1))
        return accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                         "the section [%lld:%lld] is too large", (long long)start,
                         (long long)count);
    uint64_t host = base ? base + (uint64_t)start * unit : 0;
    if (base && (start < 0 ? host > base : host < base || host + bytes < host))
        return accd_fail(context, ACCD_INVALID_SECTION, R_SECTION,
                         "the section [%lld:%lld] does not fit into memory", (long long)start,
                         (long long)count);
    item->host = accd_pointer(host);
    item->bytes = bytes;
    item->start = start;
    item->base = accd_pointer(base);
    return ACCD_OK;
}

static bool sound_item(const accd_item_code *code)
{
    const int most = (int)code->registers;
    bool good = code->registers <= ACCD_ITEM_REGISTERS && code->base >= 0 && code->base < most && code->start < most &&
                code->count < most && code->slot < most && code->origin < most;
    for (int i = 0; i < ACCD_INDICES; i++)
        good &= code->index[i] < most;
    for (unsigned i = 0; i < code->nparams && good; i++)
        good = code->params[i] >= 0 && code->params[i] < most;
    return good;
}

accd_status accd_item_locate(accd_context *context, const accd_item_code *code, const int64_t *given, int64_t *params,
                             accd_item *item)
{
    int64_t r[ACCD_ITEM_REGISTERS];
    if (!context || !code || !item || (code->nparams && !params))
        return accd_not_given(context, __func__, !code ? "code" : !item ? "item" : "params");
    if (!sound_item(code))
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "registers of an item are out of range");
    accd_status status = accd_evaluate(context, code->code, code->ncode, code->registers, given, r);
    if (status != ACCD_OK)
        return status;
    if (code->slot >= 0)
        item->slot = accd_pointer((uint64_t)r[code->slot]);
    for (unsigned i = 0; i < code->nparams; i++)
        params[i] = r[code->params[i]];
    item->params = params;
    for (int i = 0; i < ACCD_INDICES; i++)
        item->index[i] = code->index[i] >= 0 ? r[code->index[i]] : 0;
    status = accd_item_section(context, item, (uint64_t)r[code->base], code->start >= 0 ? r[code->start] : 0,
                               code->count >= 0 ? r[code->count] : 1, code->unit);
    if (code->origin >= 0)
        item->base = accd_pointer((uint64_t)r[code->origin]);
    return status;
}
