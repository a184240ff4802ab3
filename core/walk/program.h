/* program.h - the machine that runs the code of mapping programs (walk.h); machine.c describes the machine. */
#ifndef ACCD_PROGRAM_H
#define ACCD_PROGRAM_H

#include "walk/inside.h"

/* Greatest number of registers of a program. */
enum { ACCD_REGISTERS = 64 };

/* Column: the values of one register in all rows of a block. */
typedef int64_t accd__column[ACCD_ROWS];

/* Bytes of each scalar type. */
static const uint8_t accd__scalar_bytes[ACCD_SCALAR_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 1};

enum { ACCD_NO_ADDRESS = -1 }; /* address for which ACCD_I_LOAD_AT gives 0, without reading memory */

/* State of a run of a mapping program over the elements of a rowset, block by block (machine.c). */
struct accd__machine {
    accd_context *context;
    const accd_program *program;
    const int64_t *params;          /* parameters of the item, for ACCD_I_PARAM */
    const struct accd__rowset *set; /* elements for which the program runs */
    int64_t *const *inherit; /* columns of the enclosing rowset's registers, by register number, for ACCD_I_INHERIT */
    enum accd__fault fault;  /* reason why the last run failed */
    size_t fault_row;        /* number of the row, in the rowset, for which the fault occurred */
    accd__column *r;         /* registers: r[k] is the column of register k */
    uint64_t constants;      /* set of registers that hold one constant in all rows; bit k: register k */
    uint8_t max_bits[ACCD_REGISTERS]; /* number of bits that suffice for the magnitude of all values of a register, by
                                         register number */
    const int64_t *equal; /* column of a register that is known to hold one value in all rows of the block; NULL: no
                             such register is known */
};

/* Computes one typed instruction over n rows, n <= ACCD_ROWS: to[i] = a[i] op b[i] in the C type `type`
 * (ACCD_SCALAR_I32, U32, I64 or U64). Returns n, or the number of the first row whose result is undefined in C; *fault
 * is then the reason. */
size_t accd__eval_arithmetic(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b,
                             size_t n, enum accd__fault *fault);

/* Runs instructions [from, to_end) of m->program over rows [first, first + n), n <= ACCD_ROWS. On failure returns false
 * and sets m->fault and m->fault_row. A 64-bit result that is not representable becomes ACCD_UNREPRESENTABLE, a
 * negative number, and is no fault. The usual arithmetic on bounds keeps such a value negative, so that the section is
 * rejected. */
bool accd__machine_run(struct accd__machine *m, size_t from, size_t to_end, size_t first, size_t n);

#endif
