/* struct_programs.h - cache of the mapping programs of structures. */
#ifndef RT_STRUCT_PROGRAMS_H
#define RT_STRUCT_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the cached mapping program of a structure of `bytes` bytes with n requested pieces.
 * Takes ownership of `pieces`, from malloc. The cache keeps the reference. */
accd_program *rt_get_struct_program(uint64_t bytes, accd_piece *pieces, size_t n);
void rt_clear_struct_programs(void); /* frees all programs, before the context */

#endif
