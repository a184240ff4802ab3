/* lowered.h - plans of directives, and internal functions of the library for lowered programs. */
#ifndef ACCD_LOWERED_INSIDE_H
#define ACCD_LOWERED_INSIDE_H

#include "accdeep_lowered.h"

#include <accdeep_core.h>

#include <stdbool.h>

/* Array that the section of an item belongs to. */
struct accd__lowered_rows {
    int first; /* index of the array's first argument: its address; lower bound and extent of each dimension follow */
    accd_array array; /* address and bounds of the array as the item's label (its name for errors) has them now */
};

/* Item of a plan: the constant part, and the code `place` that locates the item (computes its address) at each run. */
struct accd__lowered_item {
    accd_item item;
    accd_item_code place;
    int64_t *params;                 /* values of `place.params` at the last run, for the item's mapping program */
    struct accd__lowered_rows *rows; /* array that the item belongs to; NULL: not known */
};

/* Plan of a directive: its construct as text.c reads it; never freed. */
struct accd__lowered_plan {
    accd_construct_kind kind;
    int finalize;
    const char *name;
    struct accd__lowered_item *items;
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

/* Executes a construct with one item, with the kind, `finalize` and name of `plan`. With 0 bytes nothing is executed.
 * Takes the lock. Returns the device address of data that enter data has mapped, else NULL. Ends the process on
 * failure. */
void *accd__lowered_move(accd_lowered *directive, const struct accd__lowered_plan *plan, accd_action action, void *host,
                         unsigned long bytes);

/* Returns the number by which the core calls `bound`, a function of a unit, which gets a number at first use. Ends the
 * process without memory. The caller holds the lock. */
int accd__lowered_bound_number(const accd_lowered *directive, accd_lowered_bound *bound);

/* Reads and returns a directive's plan. Ends the process if there is no memory, or if another version wrote the plan.
 * The caller holds the lock. */
struct accd__lowered_plan *accd__lowered_read_plan(accd_context *context, const accd_lowered *directive);

#endif
