/* helps.h - tables for runtimes in C: error codes, written by lua/helps.lua from lua/accdeep/base/error_codes.lua, and
 * titles of rules, written by lua/rule_titles.lua from spec/rules. */
#ifndef ACCD_HELPS_H
#define ACCD_HELPS_H

#include <stdbool.h>
#include <stddef.h>

/* Entry of an error code. `openmp` is the help in words of OpenMP. In a help, {1|the data} stands for the name of an
 * object, or for "the data" if the name is not known. rule: the rule of findings that name no other, NULL: none. cwe:
 * number of the weakness in the list CWE, 0: none. is_limit: a limit of accdeep, not a defect of the program. */
struct accd__help {
    const char *code, *meaning, *help, *openmp, *rule;
    int cwe;
    bool is_limit;
};
extern const struct accd__help accd__help_table[]; /* entries; an entry without a code ends the table */

/* Id and title of a rule. The table is sorted by id as a C string. */
struct accd__rule_title {
    const char *id, *title;
};
extern const struct accd__rule_title accd__rule_titles[];
extern const size_t accd__rule_title_count;

#endif
