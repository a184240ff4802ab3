/* columns.c - fills the columns of one level of a walk (walk.h has the words): runs the code, then computes the
 * sections of each field, 256 rows at a time.
 *
 * Input: a struct accd__level_job and a part number. Output: columns, their summaries, faults. walk.c cuts large levels
 * into parts and calls accd__run_level_part for each on a worker thread.
 *
 * A block of rows takes the first of these paths that applies: 1. repeats: all rows up to now equal the earlier walk's
 * column; the block is compared, not written. 2. uniform: all sections have the length of those before in the part,
 * begin at index 0 and need no check; only host[] is written. 3. general: compute_section for each row, with all
 * checks; bytes_of[] is written once a length differs. */
#include "walk/columns.h"

/* Computes the section of one row: sets *host to its address and *bytes to its length, 0 if it is empty, and returns
 * ACCD_FAULT_NONE. Otherwise returns the fault that makes the section invalid. `segment`: column of the section.
 * `pointer`: address to which the field points. `count`, `start`: number of elements, and index of the first one.
 * Decides TR14-4.3-14. */
static enum accd__fault compute_section(struct accd__level_job *job, const struct accd__segment *segment,
                                        uint64_t pointer, int64_t count, int64_t start, uint64_t *host, uint64_t *bytes)
{
    assert(segment->field->unit > 0);
    const accd_field *field = segment->field;
    accd_context *context = job->walk->context;
    *host = pointer;
    *bytes = 0;
    if (count == 0) /* TR14-4.3-14: the clause does not apply to an empty section, whatever the pointer contains */
        return ACCD_FAULT_NONE;
    if (count == ACCD_UNREPRESENTABLE || start == ACCD_UNREPRESENTABLE)
        return ACCD_FAULT_TOO_LARGE;
    if (count < 0)
        return ACCD_FAULT_NEGATIVE;
    uint64_t shift = 0;
    if (__builtin_mul_overflow((uint64_t)count, field->unit, bytes) || *bytes >> (ACCD_SIZE_BITS - 1))
        return ACCD_FAULT_TOO_LARGE;
    if (pointer == 0) {
        *bytes = 0;
        return context->rules.null_pointer == ACCD_CHOICE_REJECT ? ACCD_FAULT_NULL_BASE : ACCD_FAULT_NONE;
    }
    if (start) {
        if (__builtin_mul_overflow((uint64_t)(start < 0 ? -start : start), field->unit, &shift) ||
            shift >> (ACCD_SIZE_BITS - 1))
            return ACCD_FAULT_TOO_LARGE;
        *host = start < 0 ? pointer - shift : pointer + shift;
        if (start < 0 ? *host > pointer : *host < pointer)
            return ACCD_FAULT_TOO_LARGE;
    }
    if (*host + *bytes < *host)
        return ACCD_FAULT_TOO_LARGE;
    const uint64_t offset = field->offset + (start < 0 ? 0 - shift : shift);
    if (accd__is_inline_field(field) &&
        (offset > field->offset + shift || offset + *bytes > job->set->program->spec.stride))
        return ACCD_FAULT_BEYOND_ELEMENT;
    /* checks no host memory for data that are only looked up, or deleted without a copy: it may be freed already */
    bool reads_memory = field->child || (field->action != ACCD_ACTION_PRESENT && segment->action != ACCD_ACTION_DELETE);
    if (reads_memory && context->config.check_host && !accd__is_live_host_range(context, *host, *bytes))
        return ACCD_FAULT_NOT_LIVE;
    return ACCD_FAULT_NONE;
}

/* Adds the value `now` of row `row` to a column; the rows of this part begin at `from`. While all rows since `from`
 * have one value, *value holds that value, and the column is not written. The first different value sets *varies, and
 * writes the rows since `from`. */
static void note_column_value(uint64_t *column, uint64_t *value, bool *varies, size_t from, size_t row, uint64_t now)
{
    assert(row >= from);
    if (!*varies) {
        if (row == from)
            *value = now;
        if (now == *value)
            return;
        *varies = true;
        for (size_t i = from; i < row; i++)
            column[i] = *value;
    }
    column[row] = now;
}

/* Returns true if `values`, the column of a register, holds one value in all n rows of the block. Caches such a column
 * in m->equal, because fields often share a bound. */
static bool is_uniform_column(struct accd__machine *m, const int64_t *values, size_t n)
{
    assert(n > 0);
    if (m->equal == values)
        return true;
    int64_t differ = 0, first = values[0];
    for (size_t i = 0; i < n; i++)
        differ |= values[i] ^ first;
    m->equal = differ ? NULL : values;
    return !differ;
}

/* Widens the closed range from *low_p to *high_p to contain the n addresses of `host`. Uses two independent chains of
 * comparisons, which the processor runs in parallel. */
void accd__extend_hull(const uint64_t *host, size_t n, uint64_t *low_p, uint64_t *high_p)
{
    uint64_t low = *low_p, high = *high_p, low2 = low, high2 = high;
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        uint64_t p = host[i], q = host[i + 1];
        low = p < low ? p : low;
        high = p > high ? p : high;
        low2 = q < low2 ? q : low2;
        high2 = q > high2 ? q : high2;
    }
    if (i < n) {
        low = host[i] < low ? host[i] : low;
        high = host[i] > high ? host[i] : high;
    }
    *low_p = low < low2 ? low : low2;
    *high_p = high > high2 ? high : high2;
}

/* Returns the bytes of each section of a block if all have the same length, begin at index 0, and need no check of
 * their own. Otherwise returns 0. `count`: numbers of elements of the sections in the n rows. */
static uint64_t uniform_section_bytes(const struct accd__level_job *job, struct accd__machine *m,
                                      const accd_field *field, const int64_t *count, size_t n)
{
    int64_t length = count[0];
    uint64_t bytes;
    if (!is_uniform_column(m, count, n) || length <= 0 || field->start >= 0 || job->walk->context->config.check_host ||
        __builtin_mul_overflow((uint64_t)length, field->unit, &bytes) || bytes >> (ACCD_SIZE_BITS - 1) ||
        (accd__is_inline_field(field) && field->offset + bytes > job->set->program->spec.stride))
        return 0;
    return bytes;
}

/* Runs a statement for rows first .. first + n - 1 of a field. In the statement, i counts from 0, and `base` is the
 * address to which the field points in row first + i. */
#define EACH_BASE(set, field, first, n, statement)                                        \
    if ((set)->address || accd__is_inline_field(field)) {                                 \
        for (size_t i = 0; i < (n); i++) {                                                \
            uint64_t base = accd__field_target(set, field, (first) + i);                  \
            statement;                                                                    \
        }                                                                                 \
    } else {                                                                              \
        uint64_t stride = (set)->program->spec.stride, base;                              \
        const char *slot = accd__pointer((set)->base + (first)*stride + (field)->offset); \
        for (size_t i = 0; i < (n); i++, slot += stride) {                                \
            memcpy(&base, slot, sizeof base);                                             \
            statement;                                                                    \
        }                                                                                 \
    }

/* Returns true if the addresses to which the field points in rows [first, first + n) equal before[first .. first + n -
 * 1]. Compares without a branch for each row. */
bool accd__targets_equal(const struct accd__rowset *set, const accd_field *field, const uint64_t *before, size_t first,
                         size_t n)
{
    uint64_t differ = 0;
    EACH_BASE(set, field, first, n, differ |= base ^ before[first + i])
    return !differ;
}

/* Returns true if the sections of a block equal those of the earlier column `before`, whose lengths differ. Returns
 * false if some differ, or if compute_section would have to check a section or might reject one. `count`: numbers of
 * elements of the sections in rows [first, first + n). */
static bool sections_repeat(const struct accd__level_job *job, const accd_field *field,
                            const struct accd__segment *before, const int64_t *count, size_t first, size_t n)
{
    assert(before->bytes_of);
    const uint64_t *host = before->host + first, *bytes_of = before->bytes_of + first, unit = field->unit;
    const uint64_t at_null = job->walk->context->rules.null_pointer == ACCD_CHOICE_REJECT ? UINT64_MAX : 0;
    uint64_t differ = 0, bytes;
    if (field->start >= 0 || accd__is_inline_field(field) || job->walk->context->config.check_host)
        return false;
    EACH_BASE(job->set, field, first, n, differ |= (uint64_t)__builtin_mul_overflow((uint64_t)count[i], unit, &bytes);
              differ |= bytes >> (ACCD_SIZE_BITS - 1) | (base ^ host[i]);
              differ |= (bytes & (at_null | (0 - (uint64_t)(base != 0)))) ^ bytes_of[i])
    return !differ;
}

/* Writes the section of row `row` (`bytes` bytes at `host`, from element `start` on) to the columns of `segment`, and
 * adds it to the part's summary `t`. */
static void note_section_row(struct accd__segment *segment, struct accd__column_summary *t, size_t row, uint64_t host,
                             uint64_t bytes, int64_t start)
{
    segment->host[row] = host;
    note_column_value(segment->bytes_of, &t->bytes, &t->varies, t->from, row, bytes);
    note_column_value((uint64_t *)segment->start_of, (uint64_t *)&t->start, &t->start_varies, t->from, row,
                      (uint64_t)start);
    if (bytes) {
        t->applied++;
        t->total += accd__padded(bytes);
        t->low = host < t->low ? host : t->low;
        t->high = host > t->high ? host : t->high;
    }
}

/* Writes rows [t->from, end), which equal those of the earlier column `before`, to `segment`, and adds them to the
 * summary `t`. Clears t->repeats, so that later rows are written, too. */
void accd__stop_column_reuse(struct accd__segment *segment, const struct accd__segment *before,
                             struct accd__column_summary *t, size_t end)
{
    assert(end <= t->to);
    t->repeats = false;
    for (size_t row = t->from; row < end; row++)
        note_section_row(segment, t, row, before->host[row], accd__section_bytes(before, row), 0);
}

/* Writes the n sections of a block, from row `first` on, if all have `bytes` bytes, as the rows before them in this
 * part have. Returns false otherwise, also if `bytes` is 0, a pointer is null or a section reaches the end of the
 * address space; then at most host addresses were written. */
static bool store_uniform_sections(const struct accd__rowset *set, const accd_field *field,
                                   struct accd__segment *segment, struct accd__column_summary *t, uint64_t bytes,
                                   size_t first, size_t n)
{
    if (!bytes || t->varies || t->start_varies || (first > t->from && (bytes != t->bytes || t->start)))
        return false;
    uint64_t *host = segment->host + first;
    EACH_BASE(set, field, first, n, host[i] = base)
    uint64_t low = t->low, high = t->high;
    accd__extend_hull(host, n, &low, &high);
    if (low == 0 ||
        high + bytes <
            high) /* a pointer is null, or a section reaches the end of memory: compute_section must check each row */
        return false;
    t->low = low;
    t->high = high;
    t->bytes = bytes;
    t->start = 0;
    t->applied += n;
    t->total += n * accd__padded(bytes);
    return true;
}

/* Computes the sections of field `f` for the n rows of a block from row `first` on, from registers that the code has
 * set. Returns false if a section is invalid; job->faults[part] then has the fault. */
static bool compute_field_sections(struct accd__level_job *job, struct accd__machine *m, unsigned part, size_t f,
                                   size_t first, size_t n)
{
    const accd_field *field = &job->set->program->spec.fields[f];
    struct accd__segment *segment = &job->walk->segments[job->set->segments + f];
    struct accd__column_summary *t = &job->tallies[part * job->set->nsegments + f];
    const int64_t *count = m->r[field->count];
    const int64_t *start = field->start >= 0 ? m->r[field->start] : NULL;
    const uint64_t equal = uniform_section_bytes(job, m, field, count, n);
    if (t->repeats) {
        const struct accd__segment *before = job->before[f];
        if (before->bytes_of ? sections_repeat(job, field, before, count, first, n)
                             : equal == before->bytes && accd__targets_equal(job->set, field, before->host, first, n))
            return true;
        accd__stop_column_reuse(segment, before, t, first);
    }
    if (store_uniform_sections(job->set, field, segment, t, equal, first, n))
        return true;
    for (size_t i = 0; i < n; i++) {
        uint64_t host, bytes, pointer = accd__field_target(job->set, field, first + i);
        enum accd__fault fault = compute_section(job, segment, pointer, count[i], start ? start[i] : 0, &host, &bytes);
        if (fault) {
            job->faults[part] = (struct accd__part_fault){fault, first + i, f, count[i]};
            return false;
        }
        note_section_row(segment, t, first + i, host, bytes, start && bytes ? start[i] : 0);
    }
    return true;
}

/* Number of words of the descriptor of an array of rank 1. In CFI_cdesc_t, word 1 has the bytes of an element, and word
 * 5 the bytes from one element to the next; the array has gaps if they differ. */
enum { VECTOR = 6 };

/* Returns the 64-bit word k of the descriptor at `at`. Always inlined, so that the compiler unrolls loops of constant
 * length. */
static inline __attribute__((always_inline)) uint64_t descriptor_word(const char *at, uint32_t k)
{
    uint64_t word;
    memcpy(&word, at + k * sizeof word, sizeof word);
    return word;
}

/* Returns a hash of the words 1 .. words - 1 of the descriptor at `at`, those after its address of data. Sets bits of
 * *differ if the descriptor may describe gaps. */
static inline __attribute__((always_inline)) uint64_t hash_descriptor(const char *at, const uint32_t words,
                                                                      uint64_t *differ)
{
    uint64_t hash = 0, factor = 0x9E3779B97F4A7C15u;
    for (uint32_t k = 1; k < words;
         k++, factor *= 0x9E3779B97F4A7C15u) /* computes a sum of products, whose factors do not depend on the words, so
                                                that the products are computed in parallel */
        hash += descriptor_word(at, k) * factor;
    *differ |= words == VECTOR ? descriptor_word(at, 1) ^ descriptor_word(at, VECTOR - 1) : 1;
    return hash ^ hash >> 29;
}

/* Returns true if n descriptors, `stride` bytes apart from `at` on, have equal words after their addresses of data. */
static inline __attribute__((always_inline)) bool descriptors_are_equal(const char *at, uint64_t stride, size_t n,
                                                                        const uint32_t words)
{
    const char *row = at;
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++, row += stride)
        for (uint32_t k = 1; k < words; k++)
            differ |= descriptor_word(row, k) ^ descriptor_word(at, k);
    return !differ;
}

/* Returns the sum of the hashes of the descriptors, of `words` words each, at `offset` in the elements [first, first +
 * n). Each hash is weighted with the address of its descriptor, so that exchanging two descriptors changes the sum.
 * Sets *may_have_gaps if a descriptor may describe gaps. */
static inline __attribute__((always_inline)) uint64_t checksum_words(const struct accd__rowset *set, uint64_t offset,
                                                                     size_t first, size_t n, const uint32_t words,
                                                                     bool *may_have_gaps)
{
    const uint64_t stride = set->program->spec.stride;
    uint64_t sum = 0, differ = 0;
    for (size_t i = first, end; i < first + n; i = end) {
        const char *at = accd__pointer(accd__row_address(set, i) + offset);
        const uint64_t rows = first + n - i < ACCD_ROWS ? first + n - i : ACCD_ROWS;
        end = i + rows;
        if (!set->address &&
            descriptors_are_equal(at, stride, rows,
                                  words)) { /* a formula replaces the loop below, because the hashes are equal */
            sum +=
                hash_descriptor(at, words, &differ) * (rows * (2 * accd__address(at) + 1) + stride * rows * (rows - 1));
            continue;
        }
        for (size_t k = i; k < end; k++) {
            const uint64_t slot = accd__row_address(set, k) + offset;
            sum += hash_descriptor(accd__pointer(slot), words, &differ) * (2 * slot + 1);
        }
    }
    *may_have_gaps |= differ != 0;
    return sum;
}

/* Returns the checksum of the descriptors of `field` in rows [first, first + n); sets *may_have_gaps if a descriptor
 * may describe gaps. */
uint64_t accd__checksum_descriptors(const struct accd__rowset *set, const accd_field *field, size_t first, size_t n,
                                    bool *may_have_gaps)
{
    const uint32_t words = field->slot_bytes / (uint32_t)sizeof(uint64_t);
    switch (words) {
    case 3:
        /* descriptors of ranks 0, 1 and 2 get constant lengths, whose loops the compiler unrolls */
        return checksum_words(set, field->offset, first, n, 3, may_have_gaps);
    case 6:
        return checksum_words(set, field->offset, first, n, 6, may_have_gaps);
    case 9:
        return checksum_words(set, field->offset, first, n, 9, may_have_gaps);
    default:
        return checksum_words(set, field->offset, first, n, words, may_have_gaps);
    }
}

/* Sets [*from, *to) to the rows of part number `part` of a level with `rows` rows; the range may be empty. Parts are
 * divided at multiples of ACCD_ROWS. */
static void part_row_range(size_t rows, unsigned parts, unsigned part, size_t *from, size_t *to)
{
    assert(part < parts);
    size_t blocks = (rows + ACCD_ROWS - 1) / ACCD_ROWS;
    *from = blocks * part / parts * ACCD_ROWS;
    *to = blocks * (part + 1) / parts * ACCD_ROWS;
    if (*to > rows)
        *to = rows;
}

/* Runs the code and computes the columns of all fields for the rows of part number `part` of the level `arg`, block by
 * block. Also stores the registers that inner elements read (job->keep). Stops at the first fault, which
 * job->faults[part] then has. */
void accd__run_level_part(void *arg, unsigned part)
{
    struct accd__level_job *job = arg;
    assert(part < job->parts);
    const accd_program *program = job->set->program;
    struct accd__machine m = {
        .context = job->walk->context,
        .program = program,
        .params = job->params,
        .set = job->set,
        .inherit = job->inherit,
        .r = job->registers + (size_t)part * program->spec.registers,
    };
    size_t from, to, nfields = program->spec.nfields;
    part_row_range(job->set->rows, job->parts, part, &from, &to);
    for (size_t f = 0; f < nfields; f++)
        job->tallies[part * nfields + f] =
            (struct accd__column_summary){.from = from, .to = to, .low = UINT64_MAX, .repeats = job->before[f]};
    for (size_t first = from; first < to; first += ACCD_ROWS) {
        size_t n = to - first < ACCD_ROWS ? to - first : ACCD_ROWS;
        size_t done = 0;
        for (size_t f = 0; f < nfields; f++) {
            size_t end = program->spec.fields[f].code_end;
            if (done < end || f == 0)
                m.equal = NULL;
            if (!accd__machine_run(&m, done, end, first, n)) {
                job->faults[part] = (struct accd__part_fault){m.fault, m.fault_row, f, 0};
                return;
            }
            done = end;
            if (!compute_field_sections(job, &m, part, f, first, n))
                return;
            const accd_field *field = &program->spec.fields[f];
            struct accd__column_summary *t = &job->tallies[part * nfields + f];
            if (field->slot_bytes) /* computes the checksum block by block, because the descriptors of the block are
                                      still in the cache */
                t->descriptor_checksum += accd__checksum_descriptors(job->set, field, first, n, &t->may_have_gaps);
        }
        for (unsigned k = 0; k < program->spec.registers; k++)
            if (job->keep[k])
                memcpy(job->keep[k] + first, m.r[k], n * sizeof job->keep[k][0]);
    }
}
