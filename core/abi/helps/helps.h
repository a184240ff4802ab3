/* helps.h - accdeep's codes for runtimes in C: the meaning of each, and what to do. lua/helps.lua writes the table. */
#ifndef ACCD_HELPS_H
#define ACCD_HELPS_H

/* In a help, {1|the data} is the name of an object, or "the data" if that is not known. openmp: in words of OpenMP. */
struct accd__help {
    const char *code, *meaning, *help, *openmp;
};
extern const struct accd__help accd__help_table[]; /* the last one has no code */

#endif
