/* structures.c - mapping programs of structures of which a directive of OpenMP names some members.
 */
#include "abi/program/base/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 64 };

/* Programs of structures whose members asked for the same before. */
static struct kept {
    size_t n;
    uint64_t bytes;
    accd_piece *pieces;
    accd_program *program;
} kept[KEPT];

void goacc_forget_structures(void)
{
    for (size_t i = 0; i < KEPT; i++) {
        accd_program_release(kept[i].program);
        free(kept[i].pieces);
    }
    memset(kept, 0, sizeof kept);
}

accd_program *goacc_structure_program(uint64_t bytes, accd_piece *pieces, size_t n)
{
    accd_program_spec spec = {
        .stride = bytes, .pieces = pieces, .npieces = n, .registers = 1};
    uint64_t at = bytes + n;
    for (size_t i = 0; i < n; i++)
        at = at * 31 + pieces[i].offset + 7 * pieces[i].bytes + pieces[i].action;
    struct kept *found = &kept[at % KEPT];
    if (found->n == n && found->bytes == bytes &&
        !memcmp(found->pieces, pieces, n * sizeof *pieces)) {
        free(pieces);
        return found->program;
    }
    accd_program_release(found->program);
    free(found->pieces);
    *found = (struct kept){n, bytes, pieces, NULL};
    accd_member *gaps = calloc(n, sizeof *gaps); /* bytes that no member has: in front of each */
    if (!gaps)
        goacc_die("out-of-memory", "no memory for a structure of %zu members", n);
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].offset > end)
            gaps[spec.nexcluded++] = (accd_member){.offset = end, .bytes = pieces[i].offset - end};
        end = pieces[i].offset + pieces[i].bytes > end ? pieces[i].offset + pieces[i].bytes : end;
    }
    spec.excluded = gaps;
    goacc_must(accd_program_new(goacc.context, &spec, &found->program));
    free(gaps);
    return found->program;
}
