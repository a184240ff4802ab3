/* struct_programs.c - makes and caches the mapping programs of structures of which an OpenMP directive names some
 * members. A mapping program tells the core which bytes of an item are mapped, and how; a piece is the part of the
 * structure that one clause names. Called by frontend/gcc_entries.c, with the lock held. */
#include "base/runtime.h"
#include "diag/errors.h"
#include "struct_programs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_CACHE = 64 };

/* Cached mapping programs, one for each value of a hash of the structure's size and its n pieces. The cache owns the
 * pieces and the program. Pieces are compared as bytes, padding included. */
static struct cached_program {
    size_t n;
    uint64_t bytes;
    accd_piece *pieces;
    accd_program *program;
} program_cache[PROGRAM_CACHE];

/* Releases all cached mapping programs, and frees their pieces. Must be called before the context is freed. */
void rt_clear_struct_programs(void)
{
    for (size_t i = 0; i < PROGRAM_CACHE; i++) {
        accd_program_release(program_cache[i].program);
        free(program_cache[i].pieces);
    }
    memset(program_cache, 0, sizeof program_cache);
}

/* Returns the mapping program of a structure of `bytes` bytes with these n pieces, sorted by offset, from the cache or
 * a new one. Frees `pieces` or passes them to the cache. Ends the program without memory. */
accd_program *rt_get_struct_program(uint64_t bytes, accd_piece *pieces, size_t n)
{
    assert(pieces && n > 0);
    accd_program_spec spec = {.stride = bytes, .pieces = pieces, .npieces = n, .registers = 1};
    uint64_t at = bytes + n;
    for (size_t i = 0; i < n; i++)
        at = at * 31 + pieces[i].offset + 7 * pieces[i].bytes + pieces[i].action;
    struct cached_program *slot = &program_cache[at % PROGRAM_CACHE];
    if (slot->n == n && slot->bytes == bytes && !memcmp(slot->pieces, pieces, n * sizeof *pieces)) {
        free(pieces);
        return slot->program;
    }
    accd_program_release(slot->program);
    free(slot->pieces);
    *slot = (struct cached_program){n, bytes, pieces, NULL};
    /* gaps between the members, which the program excludes from the mapping */
    accd_member *gaps = calloc(n, sizeof *gaps);
    if (!gaps)
        rt_fatal("out-of-memory", "no memory for a structure of %zu members", n);
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].offset > end)
            gaps[spec.nexcluded++] = (accd_member){.offset = end, .bytes = pieces[i].offset - end};
        end = pieces[i].offset + pieces[i].bytes > end ? pieces[i].offset + pieces[i].bytes : end;
    }
    spec.excluded = gaps;
    rt_check_status(accd_program_new(rt.context, &spec, &slot->program));
    free(gaps);
    return slot->program;
}
