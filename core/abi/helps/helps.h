/* helps.h - table of error codes for runtimes in C, written by lua/helps.lua from lua/accdeep/base/error_codes.lua. */
#ifndef ACCD_HELPS_H
#define ACCD_HELPS_H

#include <stdbool.h>

/* Entry of an error code. `openmp` is the help in words of OpenMP. In a help, {1|the data} stands for the name of an
 * object, or for "the data" if the name is not known. rule: the rule of findings that name no other, NULL: none. cwe:
 * number of the weakness in the list CWE, 0: none. is_limit: a limit of accdeep, not a defect of the program. */
struct accd__help {
    const char *code, *meaning, *help, *openmp, *rule;
    int cwe;
    bool is_limit;
};
extern const struct accd__help accd__help_table[]; /* entries; an entry without a code ends the table */

#endif
