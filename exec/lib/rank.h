/* rank.h - rank of an MPI program, and names of output files. */
#ifndef RT_RANK_H
#define RT_RANK_H

#include <stddef.h>

int rt_get_mpi_rank(void); /* returns the MPI rank of this process; -1: no MPI program */
/* Copies the file name `pattern` to the buffer `to`, with the MPI rank (0 without MPI) in place of %r, and the process
 * id in place of %p. Cuts off what exceeds `capacity`. */
void rt_expand_file_name(const char *pattern, char *to, size_t capacity);

#endif
