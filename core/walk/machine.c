/* machine.c - runs the code of mapping programs over columns, one instruction for up to ACCD_ROWS elements at a time.
 *
 * Input: instructions [from, to_end) of a program, and rows [first, first + n) of a rowset: the elements for which the
 * program runs. Output: registers, or a fault (why a value cannot be computed) with its row. columns.c runs the machine
 * for each block of rows and each field, program.c for expressions without an element.
 *
 * Data structure. A register is a column of ACCD_ROWS values of 64 bits, one for each row of the block:
 *
 *               row 0   row 1   row 2        row n-1
 *     r[0]    |   4   |   7   |   4   | ... |   9   |     r0 = LOAD n
 *     r[1]    |   1   |   1   |   1   | ... |   1   |     r1 = CONST 1      (constants has bit 1)
 *     r[2]    |   3   |   6   |   3   | ... |   8   |     r2 = r0 - r1
 *
 * One dispatch serves up to 256 rows, so interpretation costs little for each row, and the compiler vectorizes the
 * loops.
 *
 * Invariants:
 * - A register whose bit is set in `constants` holds one constant in all rows of the block. The constant may come from
 * an earlier block, which has no fewer rows.
 * - No value of a register is larger in magnitude than 2 to the power of max_bits. If the operands' bits prove that a
 *   sum or product fits, no check for overflow is needed.
 * - The instructions from ACCD_I_ADD to ACCD_I_LE with k = 0 compute in 64 bits; a result that is not representable
 * becomes ACCD_UNREPRESENTABLE. With another k they compute in C type k - 1 (arithmetic.c), where an undefined result
 * is a fault.
 *
 * The life of an instruction: accd__machine_run selects the loop of its opcode, writes r[to] and updates constants and
 * max_bits. A fault ends the run with m->fault and m->fault_row; the section that needed the value is then reported. */
#include "walk/program.h"

/* Returns `v` converted to the scalar type `type` (accd_scalar), as a C cast converts it. */
static int64_t cast_scalar(int64_t v, uint8_t type)
{
    switch ((accd_scalar)type) {
    case ACCD_SCALAR_I8:
        return (int8_t)v;
    case ACCD_SCALAR_U8:
        return (uint8_t)v;
    case ACCD_SCALAR_I16:
        return (int16_t)v;
    case ACCD_SCALAR_U16:
        return (uint16_t)v;
    case ACCD_SCALAR_I32:
        return (int32_t)v;
    case ACCD_SCALAR_U32:
        return (uint32_t)v;
    case ACCD_SCALAR_BOOL:
        return v != 0;
    default:
        return v;
    }
}

/* Runs a statement with `at`, the address of row i of a block, for all n rows; then leaves the enclosing switch.
 * Whether the rows are contiguous (`address` is NULL) is tested once. Contiguous rows are processed in fours, because a
 * chain of dependent additions would take longer than the statements. */
#define EACH_ROW(statement)                                                \
    if (address) {                                                         \
        for (size_t i = 0; i < n; i++) {                                   \
            const char *at = accd__pointer(address[i]);                    \
            statement;                                                     \
        }                                                                  \
        break;                                                             \
    }                                                                      \
    for (size_t four = 0; four < n / 4 * 4; four += 4)                     \
        for (size_t next = 0; next < 4; next++) {                          \
            const size_t i = four + next;                                  \
            const char *at = accd__pointer(base + (four + next) * stride); \
            statement;                                                     \
        }                                                                  \
    for (size_t i = n / 4 * 4; i < n; i++) {                               \
        const char *at = accd__pointer(base + i * stride);                 \
        statement;                                                         \
    }                                                                      \
    break

/* Sets to[i] to an expression for all n rows, and leaves the enclosing switch. */
#define FOR_EACH_VALUE(expression)   \
    for (size_t i = 0; i < n; i++) { \
        to[i] = (expression);        \
    }                                \
    break

/* Defines a function that computes a sum, difference or product of two numbers with `builtin`, and returns
 * ACCD_UNREPRESENTABLE on overflow. */
#define CHECKED(name, builtin)                               \
    static inline int64_t name(int64_t a, int64_t b)         \
    {                                                        \
        int64_t v;                                           \
        return builtin(a, b, &v) ? ACCD_UNREPRESENTABLE : v; \
    }
CHECKED(sum, __builtin_add_overflow)
CHECKED(difference, __builtin_sub_overflow)
CHECKED(product, __builtin_mul_overflow)

/* Returns a / b, or ACCD_UNREPRESENTABLE if b is 0 or the quotient overflows. */
static inline int64_t quotient(int64_t a, int64_t b)
{
    return b == 0 || (b == -1 && a == INT64_MIN) ? ACCD_UNREPRESENTABLE : a / b;
}

/* Returns the distance, in elements of `bytes` bytes, of two pointers `a` and `b`; ACCD_UNREPRESENTABLE if their
 * difference overflows. */
static inline int64_t distance(int64_t a, int64_t b, int64_t bytes)
{
    assert(bytes > 0);
    int64_t v = difference(a, b);
    return v == ACCD_UNREPRESENTABLE ? v : v / bytes;
}

/* Greatest number of bits of a result that certainly neither overflows nor equals ACCD_UNREPRESENTABLE. */
enum { SAFE_BITS = 62 };

/* Number of bits of the greatest magnitude of each scalar type. */
static const uint8_t scalar_bits[ACCD_SCALAR_COUNT] = {7, 8, 15, 16, 31, 32, 64, 64, 1};

/* Returns the number of bits of the magnitude (absolute value) of `k`; 0 for 0. */
static uint8_t bits_of_constant(int64_t k)
{
    const uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    return size ? (uint8_t)(64 - __builtin_clzll(size)) : 0;
}

/* Sign bit of a 64-bit word. FOR_EACH_FAST collects words computed from operands and result in which this bit is set if
 * the row overflowed. */
#define SIGN ((uint64_t)1 << 63)

/* Sets to[i] to `result`, an expression of x = a[i], y = b[i] and v = `v_of_x_y`, without a branch for each row, and
 * leaves the enclosing switch. If the expression `check_bits` of some row has one of the bits `bits`, or if `to` is a
 * or b, computes all rows by `checked_result` instead. Shifts in `result` are logical, because all machines have vector
 * instructions for those. */
#define FOR_EACH_FAST(v_of_x_y, check_bits, bits, result, checked_result)    \
    if (to != a && to != b) {                                                \
        uint64_t found = 0;                                                  \
        for (size_t i = 0; i < n; i++) {                                     \
            uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], v = (v_of_x_y); \
            found |= (check_bits);                                           \
            to[i] = (int64_t)(result);                                       \
        }                                                                    \
        if (!(found & (bits)))                                               \
            break;                                                           \
    }                                                                        \
    FOR_EACH_VALUE(checked_result)

/* Loads n values of a scalar type at byte `offset` of n elements into `to`. Element i is at address[i] or, if `address`
 * is NULL, at base + i * stride. */
static void load_column(int64_t *to, uint8_t type, int64_t offset, const uint64_t *address, uint64_t base,
                        uint64_t stride, size_t n)
{
#define LOAD(T) EACH_ROW(T v; memcpy(&v, at + offset, sizeof v); to[i] = (int64_t)v)
    switch ((accd_scalar)type) {
    case ACCD_SCALAR_I8:
        LOAD(int8_t);
    case ACCD_SCALAR_U8:
        LOAD(uint8_t);
    case ACCD_SCALAR_I16:
        LOAD(int16_t);
    case ACCD_SCALAR_U16:
        LOAD(uint16_t);
    case ACCD_SCALAR_I32:
        LOAD(int32_t);
    case ACCD_SCALAR_U32:
        LOAD(uint32_t);
    case ACCD_SCALAR_I64:
        LOAD(int64_t);
    case ACCD_SCALAR_U64:
        LOAD(uint64_t);
    default:
        EACH_ROW(to[i] = at[offset] != 0);
    }
#undef LOAD
}

/* Loads n values of a scalar type at the addresses a[i] + k into `to`; the address ACCD_NO_ADDRESS gives 0. Returns
 * false with a fault for a null address or, with check_host, for an address outside of live registered memory. `first`:
 * number of the block's first row. */
static bool load_at(struct accd__machine *m, int64_t *to, const int64_t *a, int64_t k, uint8_t type, size_t first,
                    size_t n)
{
    assert(type < ACCD_SCALAR_COUNT);
    for (size_t i = 0; i < n; i++) {
        uint64_t address = (uint64_t)a[i] + (uint64_t)k;
        if (a[i] == ACCD_NO_ADDRESS) {
            to[i] = 0;
            continue;
        }
        bool valid = a[i] != 0 && (!m->context->config.check_host ||
                                   accd__is_live_host_range(m->context, address, accd__scalar_bytes[type]));
        if (!valid) {
            m->fault = ACCD_FAULT_BAD_LOAD;
            m->fault_row = first + i;
            return false;
        }
        load_column(to + i, type, 0, NULL, address, 0, 1);
    }
    return true;
}

/* Computes instruction `in` in the C type number in->k - 1 for the n rows of a block that begins at row `first`.
 * Returns false, with m->fault and m->fault_row set, where C leaves the result undefined. */
static bool eval_typed(struct accd__machine *m, const accd_instruction *in, size_t first, size_t n)
{
    enum accd__fault fault;
    size_t row = accd__eval_arithmetic((accd_opcode)in->op, (accd_scalar)(in->k - 1), m->r[in->to], m->r[in->a],
                                       m->r[in->b], n, &fault);
    if (row == n)
        return true;
    m->fault = fault;
    m->fault_row = first + row;
    return false;
}

/* Executes ACCD_I_REQUIRE for the n rows of a block that begins at row `first`: copies register in->a, whose values
 * must not be 0. Returns false at the first value 0. The fault is then that the section covers parts of several rows of
 * its array (in->k is not 0), or runs off its row (in->k is 0). */
static bool check_requirement(struct accd__machine *m, const accd_instruction *in, size_t first, size_t n)
{
    const int64_t *a = m->r[in->a];
    int64_t *to = m->r[in->to];
    for (size_t i = 0; i < n; i++) {
        to[i] = a[i];
        if (!a[i]) {
            m->fault = in->k ? ACCD_FAULT_NOT_CONTIGUOUS : ACCD_FAULT_OUTSIDE_ROW;
            m->fault_row = first + i;
            return false;
        }
    }
    return true;
}

/* Calls function number in->k of the host program, through config.on_bound, for rows [from, end) of a block whose first
 * row is `first`. The in->b arguments are in the registers from `args` on. Returns false with a fault if the function
 * fails, or config.on_bound is NULL. */
static bool call_function(struct accd__machine *m, const accd_instruction *in, unsigned args, size_t first, size_t from,
                          size_t end)
{
    assert(in->b <= ACCD_MAX_ARGUMENTS && from < end);
    const int64_t *columns[ACCD_MAX_ARGUMENTS];
    for (unsigned i = 0; i < in->b; i++)
        columns[i] = m->r[args + i] + from;
    const accd_context_config *config = &m->context->config;
    if (config->on_bound &&
        !config->on_bound(config->bound_ud, (int)in->k, end - from, in->b, columns, m->r[in->to] + from))
        return true;
    m->fault = ACCD_FAULT_CALL_FAILED;
    m->fault_row = first + from;
    return false;
}

/* Executes ACCD_I_CALL_IF for the n rows of a block that begins at row `first`. Calls the function for those rows whose
 * condition, register in->a, is not 0; the result of other rows is 0. The arguments are the registers after the
 * condition. Returns false with a fault if a call fails. */
static bool call_where_true(struct accd__machine *m, const accd_instruction *in, size_t first, size_t n)
{
    const int64_t *condition = m->r[in->a];
    for (size_t from = 0, end; from < n; from = end) {
        const bool is_true = condition[from] != 0;
        for (end = from + 1; end < n && (condition[end] != 0) == is_true;)
            end++;
        if (!is_true)
            memset(m->r[in->to] + from, 0, (end - from) * sizeof m->r[0][0]);
        else if (!call_function(m, in, in->a + 1u, first, from, end))
            return false;
    }
    return true;
}

/* Executes instructions [from, to_end), one after the other, each for the n rows of the block at row `first`. Returns
 * false, with m->fault and m->fault_row set, if one fails. */
bool accd__machine_run(struct accd__machine *m, size_t from, size_t to_end, size_t first, size_t n)
{
    assert(from <= to_end && to_end <= m->program->spec.ncode && n > 0 && n <= ACCD_ROWS);
    const struct accd__rowset *set = m->set;
    const uint64_t stride = m->program->spec.stride;
    const uint64_t *address = set->address ? set->address + first : NULL;
    const uint64_t base = set->base + first * stride;
    const accd_instruction *in = m->program->spec.code + from, *end = m->program->spec.code + to_end;
    for (; in < end; in++) {
        int64_t *to = m->r[in->to];
        const int64_t *a = m->r[in->a], *b = m->r[in->b];
        const int64_t k = in->k;
        unsigned max_bits = 64;
        if (in->op >= ACCD_I_ADD && in->op <= ACCD_I_LE && k) {
            if (!eval_typed(m, in, first, n))
                return false;
            m->constants &= ~((uint64_t)1 << in->to);
            m->max_bits[in->to] = 64;
            continue;
        }
        switch ((accd_opcode)in->op) {
        case ACCD_I_CONST: /* writes nothing if an earlier block has left this constant in the register */
            if (m->constants >> in->to & 1 && to[0] == k)
                continue;
            for (size_t i = 0; i < n; i++) /* n rows suffice also for later blocks, which have at most n rows */
                to[i] = k;
            m->constants |= (uint64_t)1 << in->to;
            m->max_bits[in->to] = bits_of_constant(k);
            continue;
        case ACCD_I_PARAM:
            FOR_EACH_VALUE(m->params[k]);
        case ACCD_I_INHERIT: {
            const int64_t *outer = m->inherit[k];
            if (set->owner) {
                FOR_EACH_VALUE(outer[set->owner[first + i]]);
            }
            FOR_EACH_VALUE(outer[(first + i) / set->per]);
        }
        case ACCD_I_SELF:
            EACH_ROW(to[i] = (int64_t)accd__address(at));
        case ACCD_I_LOAD:
            max_bits = scalar_bits[in->b];
            load_column(to, in->b, k, address, base, stride, n);
            break;
        case ACCD_I_LOAD_AT:
            if (!load_at(m, to, a, k, in->b, first, n))
                return false;
            break;
        case ACCD_I_ADD:
            max_bits = 1 + (m->max_bits[in->a] > m->max_bits[in->b] ? m->max_bits[in->a] : m->max_bits[in->b]);
            if (max_bits <= SAFE_BITS) {
                FOR_EACH_VALUE((int64_t)((uint64_t)a[i] + (uint64_t)b[i]));
            }
            FOR_EACH_FAST(x + y, (v ^ x) & (v ^ y), SIGN, v, sum(a[i], b[i]));
        case ACCD_I_SUB:
            FOR_EACH_FAST(x - y, (x ^ y) & (v ^ x), SIGN, v, difference(a[i], b[i]));
        case ACCD_I_MUL:
            max_bits = m->max_bits[in->a] + m->max_bits[in->b];
            if (max_bits <= SAFE_BITS && m->constants >> in->a & 1 && a[0] > 0 && !(a[0] & (a[0] - 1))) {
                const int shift = __builtin_ctzll((uint64_t)a[0]);
                FOR_EACH_VALUE((int64_t)((uint64_t)b[i] << shift));
            }
            if (max_bits <= SAFE_BITS) {
                FOR_EACH_VALUE((int64_t)((uint64_t)a[i] * (uint64_t)b[i]));
            }
            FOR_EACH_VALUE(product(a[i], b[i]));
        case ACCD_I_DIV:
            FOR_EACH_VALUE(quotient(a[i], b[i]));
        case ACCD_I_MOD:
            FOR_EACH_VALUE(b[i] == 0 ? ACCD_UNREPRESENTABLE : b[i] == -1 ? 0 : a[i] % b[i]);
        case ACCD_I_AND:
            FOR_EACH_VALUE(a[i] & b[i]);
        case ACCD_I_OR:
            FOR_EACH_VALUE(a[i] | b[i]);
        case ACCD_I_XOR:
            FOR_EACH_VALUE(a[i] ^ b[i]);
        case ACCD_I_SHL:
            FOR_EACH_VALUE(b[i] < 0 || b[i] > 63 ? ACCD_UNREPRESENTABLE : (int64_t)((uint64_t)a[i] << b[i]));
        case ACCD_I_SHR:
            if (m->constants >> in->b & 1 && b[0] >= 0 && b[0] < 64) {
                const int shift = (int)b[0];
                FOR_EACH_VALUE(a[i] >> shift);
            }
            FOR_EACH_VALUE(b[i] < 0 || b[i] > 63 ? ACCD_UNREPRESENTABLE : a[i] >> b[i]);
        case ACCD_I_EQ:
            FOR_EACH_VALUE(a[i] == b[i]);
        case ACCD_I_NE:
            FOR_EACH_VALUE(a[i] != b[i]);
        case ACCD_I_LT:
            FOR_EACH_VALUE(a[i] < b[i]);
        case ACCD_I_LE:
            FOR_EACH_VALUE(a[i] <= b[i]);
        case ACCD_I_NEG:
            FOR_EACH_VALUE(a[i] == INT64_MIN ? ACCD_UNREPRESENTABLE : -a[i]);
        case ACCD_I_NOT:
            FOR_EACH_VALUE(~a[i]);
        case ACCD_I_LNOT:
            FOR_EACH_VALUE(!a[i]);
        case ACCD_I_DISTANCE: {
            const uint64_t low_bits = (uint64_t)k - 1;
            const int shift = __builtin_ctzll((uint64_t)k);
            if (!(k & (k - 1))) /* fast if k is a power of two; distances that are negative or no multiple of k take the
                                   checked result */
                FOR_EACH_FAST(x - y, v | ((x | y) & SIGN), SIGN | low_bits, v >> shift, distance(a[i], b[i], k));
            FOR_EACH_VALUE(distance(a[i], b[i], k));
        }
        case ACCD_I_SELECT: {
            const int64_t *otherwise = m->r[k];
            FOR_EACH_VALUE(a[i] ? b[i] : otherwise[i]);
        }
        case ACCD_I_CAST:
            FOR_EACH_VALUE(cast_scalar(a[i], in->b));
        case ACCD_I_CALL:
            if (!call_function(m, in, in->a, first, 0, n))
                return false;
            break;
        case ACCD_I_CALL_IF:
            if (!call_where_true(m, in, first, n))
                return false;
            break;
        case ACCD_I_REQUIRE:
            if (!check_requirement(m, in, first, n))
                return false;
            break;
        case ACCD_I_COUNT:
            break;
        }
        m->constants &= ~((uint64_t)1 << in->to);
        m->max_bits[in->to] = (uint8_t)(max_bits < 64 ? max_bits : 64);
    }
    return true;
}
