/* plan.c - reads the plan of a directive: a text of the construct IR (core/abi/ir) with one construct, which `accdeep
 * lower --to accdeep` has written. Which arguments a directive has is not checked, since the unit passes them without
 * their number. */
#include "lowered.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process with the error that another version wrote the plan; a damaged plan has this error, too. */
_Noreturn void accd__lowered_end_with_bad_plan(const accd_lowered *directive)
{
    accd__lowered_end_with_error(directive, "misuse", "HOUSE-version",
                                 "the unit was lowered by another version of accdeep: compile it again");
}

/* Returns the number by which the core calls the unit's function "bound_N", which is at index N of directive->bounds;
 * -1: there is none (accd_ir_config.find_function). */
static int find_bound(void *ud, const char *name)
{
    static const char prefix[] = "bound_";
    const accd_lowered *directive = ud;
    accd_lowered_bound *const *bound = directive->bounds;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    for (long number = strtol(name + sizeof prefix - 1, NULL, 10); bound && *bound && number > 0; number--)
        bound++;
    return bound && *bound ? accd__lowered_bound_number(directive, *bound) : -1;
}

/* Reads the plan of a directive, which is never freed. */
struct accd__lowered_plan *accd__lowered_read_plan(accd_context *context, const accd_lowered *directive)
{
    assert(context && directive && directive->plan);
    const accd_ir_config config = {.file = directive->file,
                                   .line = directive->line,
                                   .find_function = find_bound,
                                   .ud = (void *)(uintptr_t)directive};
    accd_ir_error error;
    accd_ir *ir = NULL;
    struct accd__lowered_plan *plan = calloc(1, sizeof *plan);
    const accd_status status = plan ? accd_ir_read(context, directive->plan, &config, &ir, &error) : ACCD_OK;
    const accd_ir_statement *construct = ir && ir->nstatements == 1 ? ir->statements : NULL;
    if (status == ACCD_ERROR_MISUSE || (ir && (!construct || construct->kind != ACCD_IR_CONSTRUCT)))
        accd__lowered_end_with_bad_plan(directive);
    if (ir)
        *plan = (struct accd__lowered_plan){
            .ir = ir,
            .kind = construct->construct,
            .finalize = construct->finalize,
            .name = construct->name,
            .items = construct->items,
            .nitems = construct->nitems,
            .construct_items = calloc(construct->nitems + 1, sizeof plan->construct_items[0]),
        };
    if (!ir || !plan->construct_items)
        accd__lowered_end_with_error(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a directive");
    return plan;
}
