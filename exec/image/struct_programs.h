/* struct_programs.h - cache of the mapping programs of structures. A mapping program tells the core which bytes of an
 * item are mapped, and how. */
#ifndef RT_STRUCT_PROGRAMS_H
#define RT_STRUCT_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the mapping program of a structure of `bytes` bytes, of which clauses request n pieces, from the cache or a
 * new one. `pieces` must be sorted by offset and come from malloc; the function frees or keeps it. The cache owns the
 * program: the caller must not release it. Ends the program without memory. The lock must be held. */
accd_program *rt_get_struct_program(uint64_t bytes, accd_piece *pieces, size_t n);
void rt_clear_struct_programs(void); /* frees all cached mapping programs, before the context is freed */

#endif
