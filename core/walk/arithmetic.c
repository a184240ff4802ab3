/* arithmetic.c - instructions of mapping programs that compute as C does in one of its types.
 *
 * Operands are values of the type: the usual arithmetic conversions have been made (ACCD_I_CAST).
 */
#include "walk/program.h"

#define EACH(expression)             \
    for (size_t i = 0; i < n; i++) { \
        to[i] = (expression);        \
    }                                \
    return n

/* The first row that is bad; n if none is. No branch for each row: next to none is. */
#define BAD(condition)             \
    bool bad = false;              \
    for (size_t i = 0; i < n; i++) \
        bad |= (condition);        \
    for (size_t i = 0; bad; i++)   \
        if (condition)             \
    return i

#define SIGNED(T, builtin)                  \
    {                                       \
        T v;                                \
        BAD(builtin((T)a[i], (T)b[i], &v)); \
        for (size_t i = 0; i < n; i++) {    \
            builtin((T)a[i], (T)b[i], &v);  \
            to[i] = v;                      \
        }                                   \
        return n;                           \
    }

/* Sums, differences and products. */
#define RING(operator, builtin)                                            \
    switch (type) {                                                        \
    case ACCD_I32:                                                         \
        SIGNED(int32_t, builtin)                                           \
    case ACCD_I64:                                                         \
        SIGNED(int64_t, builtin)                                           \
    case ACCD_U32:                                                         \
        EACH((int64_t)(uint32_t)((uint64_t)a[i] operator(uint64_t) b[i])); \
    default:                                                               \
        EACH((int64_t)((uint64_t)a[i] operator(uint64_t) b[i]));           \
    }

static unsigned bits_of(accd_scalar type)
{
    return type == ACCD_I32 || type == ACCD_U32 ? 32 : 64;
}

static int64_t least_of(accd_scalar type)
{
    return type == ACCD_I32 ? INT32_MIN : INT64_MIN;
}

static bool is_signed(accd_scalar type)
{
    return type == ACCD_I32 || type == ACCD_I64;
}

/* a << b of a signed type, if that is a value of the type. */
static bool shifts_out(int64_t a, int64_t b, unsigned bits)
{
    int64_t v = (int64_t)((uint64_t)a << b);
    if (bits == 32)
        v = (int32_t)v;
    return v >> b != a;
}

/* Each computes n rows and returns n, or the number of a row that cannot be computed. */

static size_t divide(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a,
                     const int64_t *b, size_t n, enum accd_fault *fault)
{
    const int64_t least = least_of(type);
    *fault = ACCD_DIVIDES_BY_ZERO;
    {
        BAD(b[i] == 0);
    }
    *fault = ACCD_OVERFLOWS;
    if (is_signed(type)) {
        BAD(b[i] == -1 && a[i] == least);
    }
    if (type != ACCD_U64 && op == ACCD_I_DIV) {
        EACH(a[i] / b[i]);
    } else if (type != ACCD_U64) {
        EACH(a[i] % b[i]);
    } else if (op == ACCD_I_DIV) {
        EACH((int64_t)((uint64_t)a[i] / (uint64_t)b[i]));
    }
    EACH((int64_t)((uint64_t)a[i] % (uint64_t)b[i]));
}

static size_t shift(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a,
                    const int64_t *b, size_t n, enum accd_fault *fault)
{
    const unsigned bits = bits_of(type);
    *fault = ACCD_SHIFTS_OUT;
    {
        BAD(b[i] < 0 || b[i] >= bits);
    }
    if (op == ACCD_I_SHR && type == ACCD_U64) {
        EACH((int64_t)((uint64_t)a[i] >> b[i]));
    } else if (op == ACCD_I_SHR) {
        EACH(a[i] >> b[i]);
    }
    *fault = ACCD_OVERFLOWS;
    if (is_signed(type)) {
        BAD(shifts_out(a[i], b[i], bits));
    }
    if (type == ACCD_U32) {
        EACH((int64_t)(uint32_t)((uint64_t)a[i] << b[i]));
    }
    EACH((int64_t)((uint64_t)a[i] << b[i]));
}

size_t accd_arithmetic(accd_opcode op, accd_scalar type, int64_t *to, const int64_t *a,
                       const int64_t *b, size_t n, enum accd_fault *fault)
{
    *fault = ACCD_OVERFLOWS;
    switch (op) {
    case ACCD_I_ADD:
        RING(+, __builtin_add_overflow)
    case ACCD_I_SUB:
        RING(-, __builtin_sub_overflow)
    case ACCD_I_MUL:
        RING(*, __builtin_mul_overflow)
    case ACCD_I_DIV:
    case ACCD_I_MOD:
        return divide(op, type, to, a, b, n, fault);
    case ACCD_I_LT:
        EACH((uint64_t)a[i] < (uint64_t)b[i]);
    case ACCD_I_LE:
        EACH((uint64_t)a[i] <= (uint64_t)b[i]);
    default:
        return shift(op, type, to, a, b, n, fault);
    }
}
