/* program.h - the machine that runs the code of mapping programs; machine.c describes it. */
#ifndef ACCD_PROGRAM_H
#define ACCD_PROGRAM_H

#include "walk/inside.h"

enum { ACCD_REGISTERS = 64 };

typedef int64_t accd__column[ACCD_ROWS];

static const uint8_t accd__scalar_bytes[ACCD_SCALAR_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 1};

enum { ACCD_NO_ADDRESS = -1 }; /* address from which ACCD_I_LOAD_AT reads nothing */

struct accd__machine {
    accd_context *context;
    const accd_program *program;
    const int64_t *params;
    const struct accd__rowset *set;
    int64_t *const *inherit; /* columns of the enclosing rowset's registers, by number */
    enum accd__fault fault;
    size_t fault_row; /* row in the rowset */
    accd__column *r;
    uint64_t constants;               /* registers that hold one constant in all rows, one bit each */
    uint8_t max_bits[ACCD_REGISTERS]; /* log2 bound of the magnitude in each written register */
    const int64_t *equal;             /* register known to hold one value in all rows of the block, or NULL */
};

/* Computes one typed instruction over n rows (ACCD_SCALAR_I32, ACCD_SCALAR_U32, ACCD_SCALAR_I64, ACCD_SCALAR_U64).
 * Returns n; or the first row whose result is undefined in C, with the reason in *fault. */
size_t accd__eval_arithmetic(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b,
                             size_t n, enum accd__fault *fault);

/* Runs instructions [from, to_end) over rows [first, first + n), n <= ACCD_ROWS. Returns false with m->fault set on
 * failure. A 64-bit result that does not exist becomes ACCD_UNREPRESENTABLE. It stays negative through further
 * arithmetic that matters, so that the section ends as invalid. */
bool accd__machine_run(struct accd__machine *m, size_t from, size_t to_end, size_t first, size_t n);

#endif
