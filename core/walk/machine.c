/* machine.c - the code of mapping programs run over columns: an instruction over ACCD_ROWS elements at a time, so
 * that interpreting it costs next to nothing for each. */
#include "walk/program.h"

static int64_t cast_scalar(int64_t v, uint8_t type)
{
    switch ((accd_scalar)type) {
    case ACCD_I8: return (int8_t)v;
    case ACCD_U8: return (uint8_t)v;
    case ACCD_I16: return (int16_t)v;
    case ACCD_U16: return (uint16_t)v;
    case ACCD_I32: return (int32_t)v;
    case ACCD_U32: return (uint32_t)v;
    case ACCD_BOOL: return v != 0;
    default: return v;
    }
}

/* Address of row i of a block: contiguous ones are recognised once, not for each row, and go four at
 * a time, because each address waiting for the one before would take longer than the rest. */
#define EACH_ROW(statement)                                           \
    if (address) {                                                    \
        for (size_t i = 0; i < n; i++) {                              \
            const char *at = accd_pointer(address[i]);                \
            statement;                                                \
        }                                                             \
        break;                                                        \
    }                                                                 \
    for (size_t four = 0; four < n / 4 * 4; four += 4)                \
        for (size_t next = 0; next < 4; next++) {                     \
            const size_t i = four + next;                             \
            const char *at = accd_pointer(base + (four + next) * stride); \
            statement;                                                \
        }                                                             \
    for (size_t i = n / 4 * 4; i < n; i++) {                          \
        const char *at = accd_pointer(base + i * stride);             \
        statement;                                                    \
    }                                                                 \
    break

#define EACH(expression)             \
    for (size_t i = 0; i < n; i++) { \
        to[i] = (expression);        \
    }                                \
    break

#define CHECKED(name, builtin)                             \
    static inline int64_t name(int64_t a, int64_t b)       \
    {                                                      \
        int64_t v;                                         \
        return builtin(a, b, &v) ? ACCD_UNREPRESENTABLE : v; \
    }
CHECKED(sum, __builtin_add_overflow)
CHECKED(difference, __builtin_sub_overflow)
CHECKED(product, __builtin_mul_overflow)

static inline int64_t quotient(int64_t a, int64_t b)
{
    return b == 0 || (b == -1 && a == INT64_MIN) ? ACCD_UNREPRESENTABLE : a / b;
}

/* Of pointers to elements of so many bytes. */
static inline int64_t distance(int64_t a, int64_t b, int64_t bytes)
{
    int64_t v = difference(a, b);
    return v == ACCD_UNREPRESENTABLE ? v : v / bytes;
}

/* Values of at most so many bits neither overflow nor are ACCD_UNREPRESENTABLE. */
enum { EASY_BITS = 62 };

static const uint8_t scalar_bits[ACCD_SCALAR_COUNT] = {7, 8, 15, 16, 31, 32, 64, 64, 1};

static uint8_t bits_of(int64_t k)
{
    const uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    return size ? (uint8_t)(64 - __builtin_clzll(size)) : 0;
}

/* The sign, and what overflows into it. */
#define SIGN ((uint64_t)1 << 63)

/* What is computed of x and y by way of v, without a branch for each row: only if one of the rows is not so easy,
 * which some bits of hard tell, and the operands are still there, all are computed once more with care. Shifts are
 * logical ones: all machines have those for several rows at a time. */
#define EACH_EASY(v_of_x_y, hard, bits, result, careful)                     \
    if (to != a && to != b) {                                                \
        uint64_t found = 0;                                                  \
        for (size_t i = 0; i < n; i++) {                                     \
            uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], v = (v_of_x_y); \
            found |= (hard);                                                 \
            to[i] = (int64_t)(result);                                       \
        }                                                                    \
        if (!(found & (bits)))                                               \
            break;                                                           \
    }                                                                        \
    EACH(careful)

static void load_column(int64_t *to, uint8_t type, int64_t offset, const uint64_t *address,
                        uint64_t base, uint64_t stride, size_t n)
{
#define LOAD(T)                                          \
    EACH_ROW(T v; memcpy(&v, at + offset, sizeof v);     \
             to[i] = (int64_t)v)
    switch ((accd_scalar)type) {
    case ACCD_I8: LOAD(int8_t);
    case ACCD_U8: LOAD(uint8_t);
    case ACCD_I16: LOAD(int16_t);
    case ACCD_U16: LOAD(uint16_t);
    case ACCD_I32: LOAD(int32_t);
    case ACCD_U32: LOAD(uint32_t);
    case ACCD_I64: LOAD(int64_t);
    case ACCD_U64: LOAD(uint64_t);
    default: EACH_ROW(to[i] = at[offset] != 0);
    }
#undef LOAD
}

static bool load_at(struct accd_machine *m, int64_t *to, const int64_t *a, int64_t k, uint8_t type,
                    size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t address = (uint64_t)a[i] + (uint64_t)k;
        if (a[i] == ACCD_NOWHERE) {
            to[i] = 0;
            continue;
        }
        bool good = a[i] != 0 && (!m->context->config.check_host ||
                                  accd_host_covers(m->context, address, accd_scalar_bytes[type]));
        if (!good) {
            m->fault = ACCD_BAD_LOAD;
            m->fault_row = first + i;
            return false;
        }
        load_column(to + i, type, 0, NULL, address, 0, 1);
    }
    return true;
}

/* Arithmetic in a type of C, which fails where C leaves it undefined. */
static bool typed(struct accd_machine *m, const accd_instruction *in, size_t first, size_t n)
{
    enum accd_fault fault;
    size_t row = accd_arithmetic((accd_opcode)in->op, (accd_scalar)(in->k - 1), m->r[in->to],
                                 m->r[in->a], m->r[in->b], n, &fault);
    if (row == n)
        return true;
    m->fault = fault;
    m->fault_row = first + row;
    return false;
}

static bool required(struct accd_machine *m, const accd_instruction *in, size_t first, size_t n)
{
    const int64_t *a = m->r[in->a];
    int64_t *to = m->r[in->to];
    for (size_t i = 0; i < n; i++) {
        to[i] = a[i];
        if (!a[i]) {
            m->fault = in->k ? ACCD_NOT_CONTIGUOUS : ACCD_OUTSIDE_ROW;
            m->fault_row = first + i;
            return false;
        }
    }
    return true;
}

/* Calls a function for rows [from, end) of a block whose first row is `first`. args: register of the first argument. */
static bool call_function(struct accd_machine *m, const accd_instruction *in, unsigned args, size_t first, size_t from,
                          size_t end)
{
    const int64_t *columns[ACCD_ARGUMENTS_MOST];
    for (unsigned i = 0; i < in->b; i++)
        columns[i] = m->r[args + i] + from;
    const accd_context_config *config = &m->context->config;
    if (config->on_bound &&
        !config->on_bound(config->bound_ud, (int)in->k, end - from, in->b, columns, m->r[in->to] + from))
        return true;
    m->fault = ACCD_CALL_FAILED;
    m->fault_row = first + from;
    return false;
}

/* Calls a function for the rows of a block whose condition is not 0; other rows get 0. */
static bool call_where_true(struct accd_machine *m, const accd_instruction *in, size_t first, size_t n)
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

bool accd_machine_run(struct accd_machine *m, size_t from, size_t to_end, size_t first, size_t n)
{
    const struct accd_rowset *set = m->set;
    const uint64_t stride = m->program->spec.stride;
    const uint64_t *address = set->address ? set->address + first : NULL;
    const uint64_t base = set->base + first * stride;
    const accd_instruction *in = m->program->spec.code + from, *end = m->program->spec.code + to_end;
    for (; in < end; in++) {
        int64_t *to = m->r[in->to];
        const int64_t *a = m->r[in->a], *b = m->r[in->b];
        const int64_t k = in->k;
        unsigned wide = 64;
        if (in->op >= ACCD_I_ADD && in->op <= ACCD_I_LE && k) {
            if (!typed(m, in, first, n))
                return false;
            m->constants &= ~((uint64_t)1 << in->to);
            m->wide[in->to] = 64;
            continue;
        }
        switch ((accd_opcode)in->op) {
        case ACCD_I_CONST: /* may be there from the block before */
            if (m->constants >> in->to & 1 && to[0] == k)
                continue;
            for (size_t i = 0; i < n; i++) /* no later block has more rows */
                to[i] = k;
            m->constants |= (uint64_t)1 << in->to;
            m->wide[in->to] = bits_of(k);
            continue;
        case ACCD_I_PARAM: EACH(m->params[k]);
        case ACCD_I_INHERIT: {
            const int64_t *outer = m->inherit[k];
            if (set->owner) {
                EACH(outer[set->owner[first + i]]);
            }
            EACH(outer[(first + i) / set->per]);
        }
        case ACCD_I_SELF: EACH_ROW(to[i] = (int64_t)accd_address(at));
        case ACCD_I_LOAD:
            wide = scalar_bits[in->b];
            load_column(to, in->b, k, address, base, stride, n);
            break;
        case ACCD_I_LOAD_AT:
            if (!load_at(m, to, a, k, in->b, first, n))
                return false;
            break;
        case ACCD_I_ADD:
            wide = 1 + (m->wide[in->a] > m->wide[in->b] ? m->wide[in->a] : m->wide[in->b]);
            if (wide <= EASY_BITS) {
                EACH((int64_t)((uint64_t)a[i] + (uint64_t)b[i]));
            }
            EACH_EASY(x + y, (v ^ x) & (v ^ y), SIGN, v, sum(a[i], b[i]));
        case ACCD_I_SUB: EACH_EASY(x - y, (x ^ y) & (v ^ x), SIGN, v, difference(a[i], b[i]));
        case ACCD_I_MUL:
            wide = m->wide[in->a] + m->wide[in->b];
            if (wide <= EASY_BITS && m->constants >> in->a & 1 && a[0] > 0 && !(a[0] & (a[0] - 1))) {
                const int shift = __builtin_ctzll((uint64_t)a[0]);
                EACH((int64_t)((uint64_t)b[i] << shift));
            }
            if (wide <= EASY_BITS) {
                EACH((int64_t)((uint64_t)a[i] * (uint64_t)b[i]));
            }
            EACH(product(a[i], b[i]));
        case ACCD_I_DIV: EACH(quotient(a[i], b[i]));
        case ACCD_I_MOD: EACH(b[i] == 0 ? ACCD_UNREPRESENTABLE : b[i] == -1 ? 0 : a[i] % b[i]);
        case ACCD_I_AND: EACH(a[i] & b[i]);
        case ACCD_I_OR: EACH(a[i] | b[i]);
        case ACCD_I_XOR: EACH(a[i] ^ b[i]);
        case ACCD_I_SHL:
            EACH(b[i] < 0 || b[i] > 63 ? ACCD_UNREPRESENTABLE : (int64_t)((uint64_t)a[i] << b[i]));
        case ACCD_I_SHR:
            if (m->constants >> in->b & 1 && b[0] >= 0 && b[0] < 64) {
                const int shift = (int)b[0];
                EACH(a[i] >> shift);
            }
            EACH(b[i] < 0 || b[i] > 63 ? ACCD_UNREPRESENTABLE : a[i] >> b[i]);
        case ACCD_I_EQ: EACH(a[i] == b[i]);
        case ACCD_I_NE: EACH(a[i] != b[i]);
        case ACCD_I_LT: EACH(a[i] < b[i]);
        case ACCD_I_LE: EACH(a[i] <= b[i]);
        case ACCD_I_NEG: EACH(a[i] == INT64_MIN ? ACCD_UNREPRESENTABLE : -a[i]);
        case ACCD_I_NOT: EACH(~a[i]);
        case ACCD_I_LNOT: EACH(!a[i]);
        case ACCD_I_DISTANCE: {
            const uint64_t into = (uint64_t)k - 1;
            const int shift = __builtin_ctzll((uint64_t)k);
            if (!(k & (k - 1))) /* from an element to one behind it */
                EACH_EASY(x - y, v | ((x | y) & SIGN), SIGN | into, v >> shift, distance(a[i], b[i], k));
            EACH(distance(a[i], b[i], k));
        }
        case ACCD_I_SELECT: {
            const int64_t *otherwise = m->r[k];
            EACH(a[i] ? b[i] : otherwise[i]);
        }
        case ACCD_I_CAST: EACH(cast_scalar(a[i], in->b));
        case ACCD_I_CALL:
            if (!call_function(m, in, in->a, first, 0, n))
                return false;
            break;
        case ACCD_I_CALL_IF:
            if (!call_where_true(m, in, first, n))
                return false;
            break;
        case ACCD_I_REQUIRE:
            if (!required(m, in, first, n))
                return false;
            break;
        case ACCD_I_COUNT: break;
        }
        m->constants &= ~((uint64_t)1 << in->to);
        m->wide[in->to] = (uint8_t)(wide < 64 ? wide : 64);
    }
    return true;
}
