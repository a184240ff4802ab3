/* rank.h - rank of an MPI program, and names of output files. */
#ifndef RT_RANK_H
#define RT_RANK_H

#include <stddef.h>

int rt_get_mpi_rank(void); /* returns the MPI rank of this process; -1: no MPI program */
/* Expands a file name: %r is the rank (0 without MPI), %p the process. Truncates to the capacity. */
void rt_expand_file_name(const char *pattern, char *to, size_t capacity);

#endif
