/* helps.h - table of error codes for runtimes in C: the meaning of each, and advice. lua/helps.lua writes the table. */
#ifndef ACCD_HELPS_H
#define ACCD_HELPS_H

/* Entry of an error code. `openmp` is the help in words of OpenMP. In a help, {1|the data} stands for the name of an
 * object, or for "the data" if the name is not known. */
struct accd__help {
    const char *code, *meaning, *help, *openmp;
};
extern const struct accd__help accd__help_table[]; /* entries; an entry without a code ends the table */

#endif
