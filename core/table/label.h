/* label.h - labels and names that live as long as the context. */
#ifndef ACCD_TABLE_LABEL_H
#define ACCD_TABLE_LABEL_H

#include "table.h"

/* Frees all labels of the context, and releases the programs that they refer to. Called when the context is closed. */
void accd__labels_free(accd_context *context);
/* Returns a copy of `name` that lives as long as the context, for work that ends after its construct. Returns NULL if
 * `name` is NULL or there is no memory. */
const char *accd__intern_name(accd_context *context, const char *name);

#endif
