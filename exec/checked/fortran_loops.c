/* fortran_loops.c - the calls that `accdeep cc` adds to loops of Fortran (loops.c), with Fortran's names and arguments
 * by reference. The lengths of strings, which compilers pass as last arguments, are not needed: the strings end with
 * a zero. */
#include "fast_path.h"

void accdeep_iteration(const char *names, unsigned id, unsigned flags, long a, long b, long c);
void accdeep_loop_end(unsigned id, unsigned flags);
void accdeep_scalar(const char *names, const void *at, unsigned long n, int kind);

/* Begins an iteration of a loop (accdeep_iteration). */
API void accdeep_iteration_f_(const char *names, const int *id, const int *flags, const long *a, const long *b,
                              const long *c);
void accdeep_iteration_f_(const char *names, const int *id, const int *flags, const long *a, const long *b,
                          const long *c)
{
    accdeep_iteration(names, (unsigned)*id, (unsigned)*flags, *a, *b, *c);
}

/* Ends a loop (accdeep_loop_end). */
API void accdeep_loop_end_f_(const int *id, const int *flags);
void accdeep_loop_end_f_(const int *id, const int *flags)
{
    accdeep_loop_end((unsigned)*id, (unsigned)*flags);
}

/* Names a scalar variable that the innermost loop assigns or reduces (accdeep_scalar). */
API void accdeep_scalar_f_(const char *name, const long *at, const long *n, const int *kind);
void accdeep_scalar_f_(const char *name, const long *at, const long *n, const int *kind)
{
    accdeep_scalar(name, (const void *)*at, (unsigned long)*n, *kind);
}
