/* rank.c - MPI rank of this process, and file names with the rank or process id. Called for reports and
 * traces. */
#include "rank.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the rank as text, as set by Open MPI, PMIx, MPICH or Slurm; NULL: the environment has no rank.
 * lua/accdeep/tools/exec.lua has the same list. */
static const char *rank_text(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text && *text && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text))
            return text;
    }
    return NULL;
}

/* Returns the MPI rank, read from the environment at the first call; -1: not an MPI program. */
int rt_get_mpi_rank(void)
{
    static atomic_int rank = -2; /* -2: not yet read; -1: not an MPI program */
    if (rank == -2) {
        const char *text = rank_text();
        rank = text ? atoi(text) : -1;
    }
    return rank;
}

/* Copies the pattern to `to`, with the rank in place of %r and the process id in place of %p; cuts off what does not
 * fit. */
void rt_expand_file_name(const char *pattern, char *to, size_t capacity)
{
    assert(pattern && to && capacity > 0);
    size_t n = 0;
    for (const char *c = pattern; *c && n + 1 < capacity; c++) {
        if (c[0] == '%' && (c[1] == 'r' || c[1] == 'p')) {
            int rank = rt_get_mpi_rank() < 0 ? 0 : rt_get_mpi_rank();
            n += (size_t)snprintf(to + n, capacity - n, "%d", *++c == 'r' ? rank : (int)getpid());
        } else {
            to[n++] = *c;
        }
    }
    to[n < capacity ? n : capacity - 1] = 0;
}
