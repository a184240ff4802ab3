/* program.h - mapping programs as the walk runs them: a machine whose registers are columns of rows. */
#ifndef ACCD_PROGRAM_H
#define ACCD_PROGRAM_H

#include "walk/inside.h"

enum { ACCD_REGISTERS = 64 };

typedef int64_t accd__column[ACCD_ROWS];

static const uint8_t accd__scalar_bytes[ACCD_SCALAR_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 1};

enum { ACCD_NO_ADDRESS = -1 }; /* an address of which nothing is read */

struct accd__machine {
    accd_context *context;
    const accd_program *program;
    const int64_t *params;
    const struct accd__rowset *set;
    int64_t *const *inherit; /* columns of the enclosing rowset's registers, by number */
    enum accd__fault fault;
    size_t fault_row; /* in the rowset */
    accd__column *r;
    uint64_t constants; /* registers that hold a constant in all rows */
    uint8_t
        max_bits[ACCD_REGISTERS]; /* of each register that was written: no value is larger than 2 to the power of it */
    const int64_t *equal;         /* a register known to hold one value in all rows of the block */
};

/* One instruction of arithmetic in a type (ACCD_SCALAR_I32, ACCD_SCALAR_U32, ACCD_SCALAR_I64, ACCD_SCALAR_U64) over n
 * rows. Returns n, or the number of a row that C leaves undefined, and why. */
size_t accd__eval_arithmetic(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b,
                             size_t n, enum accd__fault *fault);

/* Runs instructions [from, to_end) over rows [first, first + n); false leaves the fault. What cannot
 * be computed in 64 bits becomes ACCD_UNREPRESENTABLE: it stays negative through further arithmetic that matters,
 * so that it ends as a section that is not valid. */
bool accd__machine_run(struct accd__machine *m, size_t from, size_t to_end, size_t first, size_t n);

#endif
