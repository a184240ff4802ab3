/* arithmetic.c - executes typed instructions of mapping programs (walk.h), which compute as C does in one of its
 * integer types.
 *
 * Input: columns `a` and `b` of n rows. Output: the column `to`, or the first row whose result C leaves undefined.
 * machine.c calls it. Operands are values of the type already, because ACCD_I_CAST instructions have made C's usual
 * arithmetic conversions. */
#include "walk/program.h"

/* Sets to[i] to an expression for all n rows, and returns n from the function. */
#define FOR_EACH_ROW(expression)     \
    for (size_t i = 0; i < n; i++) { \
        to[i] = (expression);        \
    }                                \
    return n

/* Returns from the enclosing function with the number of the first row i that satisfies the condition; continues if
 * there is no such row. The first loop has no branch, so that the compiler vectorizes it: bad rows are rare. */
#define FIND_BAD_ROW(condition)    \
    bool bad = false;              \
    for (size_t i = 0; i < n; i++) \
        bad |= (condition);        \
    for (size_t i = 0; bad; i++)   \
        if (condition)             \
    return i

/* Computes n rows in the signed type T with `builtin`. Returns from the enclosing function with n, or with the number
 * of the first row that overflows. */
#define CHECKED_SIGNED(T, builtin)                   \
    {                                                \
        T v;                                         \
        FIND_BAD_ROW(builtin((T)a[i], (T)b[i], &v)); \
        for (size_t i = 0; i < n; i++) {             \
            builtin((T)a[i], (T)b[i], &v);           \
            to[i] = v;                               \
        }                                            \
        return n;                                    \
    }

/* Computes a sum, difference or product in `type`, and returns from the enclosing function: with n or, in a signed
 * type, with the number of the first row that overflows. */
#define CHECKED_RING(operator, builtin)                                            \
    switch (type) {                                                                \
    case ACCD_SCALAR_I32:                                                          \
        CHECKED_SIGNED(int32_t, builtin)                                           \
    case ACCD_SCALAR_I64:                                                          \
        CHECKED_SIGNED(int64_t, builtin)                                           \
    case ACCD_SCALAR_U32:                                                          \
        FOR_EACH_ROW((int64_t)(uint32_t)((uint64_t)a[i] operator(uint64_t) b[i])); \
    default:                                                                       \
        FOR_EACH_ROW((int64_t)((uint64_t)a[i] operator(uint64_t) b[i]));           \
    }

/* Returns the number of bits, 32 or 64, of one of the four types of typed arithmetic. */
static unsigned bits_of_type(accd_scalar type)
{
    return type == ACCD_SCALAR_I32 || type == ACCD_SCALAR_U32 ? 32 : 64;
}

/* Returns the least value of one of the two signed types of typed arithmetic. */
static int64_t min_of_type(accd_scalar type)
{
    return type == ACCD_SCALAR_I32 ? INT32_MIN : INT64_MIN;
}

/* Returns true for the two signed types of typed arithmetic, int32_t and int64_t. */
static bool is_signed(accd_scalar type)
{
    return type == ACCD_SCALAR_I32 || type == ACCD_SCALAR_I64;
}

/* Returns true if a << b is not representable in the signed type of `bits` bits. Requires 0 <= b < bits. */
static bool shift_overflows(int64_t a, int64_t b, unsigned bits)
{
    assert(b >= 0 && b < (int64_t)bits);
    int64_t v = (int64_t)((uint64_t)a << b);
    if (bits == 32)
        v = (int32_t)v;
    return v >> b != a;
}

/* Computes n rows of a quotient (op is ACCD_I_DIV) or of a remainder. Returns n, or the number of the first row whose
 * result is undefined, with the reason in *fault. */
static size_t eval_division(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b, size_t n,
                            enum accd__fault *fault)
{
    const int64_t min_value = min_of_type(type);
    *fault = ACCD_FAULT_DIVISION_BY_ZERO;
    {
        FIND_BAD_ROW(b[i] == 0);
    }
    *fault = ACCD_FAULT_OVERFLOW;
    if (is_signed(type)) {
        FIND_BAD_ROW(b[i] == -1 && a[i] == min_value);
    }
    if (type != ACCD_SCALAR_U64 && op == ACCD_I_DIV) {
        FOR_EACH_ROW(a[i] / b[i]);
    } else if (type != ACCD_SCALAR_U64) {
        FOR_EACH_ROW(a[i] % b[i]);
    } else if (op == ACCD_I_DIV) {
        FOR_EACH_ROW((int64_t)((uint64_t)a[i] / (uint64_t)b[i]));
    }
    FOR_EACH_ROW((int64_t)((uint64_t)a[i] % (uint64_t)b[i]));
}

/* Computes n rows of a shift to the right (op is ACCD_I_SHR) or to the left. Returns n, or the number of the first row
 * whose result is undefined, with the reason in *fault. */
static size_t eval_shift(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b, size_t n,
                         enum accd__fault *fault)
{
    const unsigned bits = bits_of_type(type);
    *fault = ACCD_FAULT_BAD_SHIFT;
    {
        FIND_BAD_ROW(b[i] < 0 || b[i] >= bits);
    }
    if (op == ACCD_I_SHR && type == ACCD_SCALAR_U64) {
        FOR_EACH_ROW((int64_t)((uint64_t)a[i] >> b[i]));
    } else if (op == ACCD_I_SHR) {
        FOR_EACH_ROW(a[i] >> b[i]);
    }
    *fault = ACCD_FAULT_OVERFLOW;
    if (is_signed(type)) {
        FIND_BAD_ROW(shift_overflows(a[i], b[i], bits));
    }
    if (type == ACCD_SCALAR_U32) {
        FOR_EACH_ROW((int64_t)(uint32_t)((uint64_t)a[i] << b[i]));
    }
    FOR_EACH_ROW((int64_t)((uint64_t)a[i] << b[i]));
}

/* Computes to[i] = a[i] op b[i] in `type` for n rows; LT and LE always compare unsigned. Returns n, or the number of
 * the first row whose result C leaves undefined, with the reason in *fault. */
size_t accd__eval_arithmetic(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a, const int64_t *b,
                             size_t n, enum accd__fault *fault)
{
    assert(n <= ACCD_ROWS);
    *fault = ACCD_FAULT_OVERFLOW;
    switch (op) {
    case ACCD_I_ADD:
        CHECKED_RING(+, __builtin_add_overflow)
    case ACCD_I_SUB:
        CHECKED_RING(-, __builtin_sub_overflow)
    case ACCD_I_MUL:
        CHECKED_RING(*, __builtin_mul_overflow)
    case ACCD_I_DIV:
    case ACCD_I_MOD:
        return eval_division(op, type, to, a, b, n, fault);
    case ACCD_I_LT:
        FOR_EACH_ROW((uint64_t)a[i] < (uint64_t)b[i]);
    case ACCD_I_LE:
        FOR_EACH_ROW((uint64_t)a[i] <= (uint64_t)b[i]);
    default:
        return eval_shift(op, type, to, a, b, n, fault);
    }
}
