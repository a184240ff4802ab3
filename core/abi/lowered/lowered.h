/* lowered.h - what the files of the library for lowered programs share. */
#ifndef ACCD_LOWERED_INSIDE_H
#define ACCD_LOWERED_INSIDE_H

#include "accdeep_lowered.h"

#include <accdeep_core.h>

#include <stdbool.h>

/* The array that an item is of: what the program gives from first on, its address, and lower bound and number of
 * elements of each dimension; and what the item's label says of it now. */
struct accd__lowered_rows {
    int first;
    accd_array array;
};

/* An item of a plan: what of it is the same each time, and the code that locates it. */
struct accd__lowered_item {
    accd_item item;
    accd_item_code place;
    int64_t *params;
    struct accd__lowered_rows *rows; /* or NULL */
};

/* What text.c makes of a directive's plan. It lives as long as the process. */
struct accd__lowered_plan {
    accd_construct_kind kind;
    int finalize;
    const char *name;
    struct accd__lowered_item *items;
    accd_item *located; /* room for the items of a construct */
    size_t nitems;
};

/* One thread at a time is in the library's functions. */
void accd__lowered_lock(void);

/* Ends the process with an error at a directive. The caller has the lock. */
_Noreturn void accd__lowered_end_with_error(const accd_lowered *directive, const char *code, const char *rule,
                                            const char *message);

/* Moves bytes at once, as a plan's construct with one item does: its kind, finalize and name count. Returns the device
 * address of what enter data has brought, or NULL. */
void *accd__lowered_move(accd_lowered *directive, const struct accd__lowered_plan *plan, accd_action action, void *host,
                         unsigned long bytes);

/* The number of a function of a unit among those that the core calls. */
int accd__lowered_bound_number(const accd_lowered *directive, accd_lowered_bound *bound);

/* Reads a directive's plan. Ends the process if there is no memory, or if another version has written it. */
struct accd__lowered_plan *accd__lowered_read_plan(accd_context *context, const accd_lowered *directive);

#endif
