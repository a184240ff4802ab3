/* lowered.h - plans of directives, and internal functions of the library for lowered programs. */
#ifndef ACCD_LOWERED_INSIDE_H
#define ACCD_LOWERED_INSIDE_H

#include "accdeep_lowered.h"

#include <abi/ir/accdeep_ir.h>

#include <stdbool.h>

/* Plan of a directive: its construct as plan.c reads it; never freed. */
struct accd__lowered_plan {
    accd_construct_kind kind;
    int finalize;
    const char *name;
    accd_ir *ir; /* the text, which has the items */
    accd_ir_item *items;
    accd_item *construct_items; /* items of the next construct, located; space for `nitems` */
    size_t nitems;
};

/* Takes the lock of the library, which lets only one thread at a time execute its functions. */
void accd__lowered_lock(void);

/* Ends the process with an error at a directive. The caller holds the lock. */
_Noreturn void accd__lowered_end_with_error(const accd_lowered *directive, const char *code, const char *rule,
                                            const char *message);

/* Ends the process with the error that another version wrote a plan, or that the plan is damaged. The caller holds the
 * lock. */
_Noreturn void accd__lowered_end_with_bad_plan(const accd_lowered *directive);

/* Executes the routine of OpenACC `name` for the `bytes` bytes at `host`, at once. Takes the lock. Returns the device
 * address of data that the routine has mapped, else NULL. Ends the process on failure. */
void *accd__lowered_call_routine(accd_lowered *directive, const char *name, void *host, unsigned long bytes);

/* Returns the number by which the core calls `bound`, a function of a unit, which gets a number at first use. Ends the
 * process without memory. The caller holds the lock. */
int accd__lowered_bound_number(const accd_lowered *directive, accd_lowered_bound *bound);

/* Reads and returns a directive's plan. Ends the process if there is no memory, or if another version wrote the plan.
 * The caller holds the lock. */
struct accd__lowered_plan *accd__lowered_read_plan(accd_context *context, const accd_lowered *directive);

#endif
