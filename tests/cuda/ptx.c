/* The PTX of the backend's kernel, carried out instruction by instruction: it moves every byte of its pieces, and no
 * other, whatever their sizes and places are and however many threads there are. No load or store is misaligned.
 *
 * Known are the instructions that the text has. Threads run one after the other: they share nothing. */
#include "../tap.h"

#include "backend.h"

#include <ctype.h>

enum { NAME = 24, OPERANDS = 3, MOST = 128, SPACE = 1 << 16, ROUNDS = 400 };

#define NEED(condition, what) ((condition) ? (void)0 : (printf("Bail out! no %s\n", (what)), exit(1)))

struct operand {
    char name[NAME]; /* of a register, a label, a parameter; empty: a number */
    int64_t number;  /* added to it */
    bool memory;
};
struct instruction {
    char label[NAME], unless[NAME], only_if[NAME], opcode[NAME];
    struct operand operands[OPERANDS];
};
static struct instruction program[MOST];
static size_t ninstructions;

/* Registers by name, of one thread, with the special ones and the parameters. */
static struct {
    char name[NAME];
    uint64_t value;
} registers[MOST];
static size_t nregisters;

static uint64_t *reg(const char *name)
{
    size_t i = 0;
    while (i < nregisters && strcmp(registers[i].name, name) != 0)
        i++;
    if (i == nregisters) {
        NEED(nregisters++ < MOST, "room for registers");
        snprintf(registers[i].name, NAME, "%s", name);
    }
    return &registers[i].value;
}

/* ----------------------------------------------------------------------------------- reading -- */

static const char *read_word(const char *at, char *word)
{
    size_t n = 0;
    while (isspace((unsigned char)*at))
        at++;
    while (isalnum((unsigned char)*at) || (*at && strchr("_.%$", *at))) {
        NEED(n + 1 < NAME, "short word");
        word[n++] = *at++;
    }
    word[n] = 0;
    return at;
}

static const char *read_operand(const char *at, struct operand *operand)
{
    while (isspace((unsigned char)*at))
        at++;
    operand->memory = *at == '[';
    at += operand->memory;
    if (!isdigit((unsigned char)*at) && *at != '-')
        at = read_word(at, operand->name);
    if (*at == '+' || *at == '-' || isdigit((unsigned char)*at)) {
        char *end;
        operand->number = strtoll(at, &end, 10);
        at = end;
    }
    return at + operand->memory;
}

/* Reads the statements between the braces; declarations are left out. */
static void read_program(const char *at)
{
    struct instruction *now = program;
    char word[NAME];
    for (at = strchr(at, '{') + 1;; at++) {
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '}')
            break;
        if (*at == '@') {
            bool not = at[1] == '!';
            at = read_word(at + 1 + not, not ? now->unless : now->only_if);
        }
        at = read_word(at, word);
        if (*at == ':') {
            snprintf(now->label, NAME, "%s", word);
            continue;
        }
        if (word[0] == '.') {
            at = strchr(at, ';');
            continue;
        }
        snprintf(now->opcode, NAME, "%s", word);
        for (int i = 0; i < OPERANDS && *at != ';'; i++, at += *at == ',')
            at = read_operand(at, &now->operands[i]);
        NEED(*at == ';' && now - program + 1 < MOST, "statement that is known");
        now++;
    }
    ninstructions = (size_t)(now - program);
}

static size_t get_label_index(const char *label)
{
    size_t i = 0;
    while (i < ninstructions && strcmp(program[i].label, label) != 0)
        i++;
    NEED(i < ninstructions, label);
    return i;
}

/* ------------------------------------------------------------------------------- carrying out -- */

/* The memory of the device; its addresses are those of the host. */
static _Alignas(16) unsigned char memory[SPACE];
static unsigned misaligned, outside;

static void *reach(uint64_t at, size_t bytes)
{
    misaligned += at % bytes != 0;
    if (at < (uintptr_t)memory || at + bytes > (uintptr_t)memory + SPACE) {
        outside++;
        return NULL;
    }
    return memory + (at - (uintptr_t)memory);
}

static uint64_t value_of(const struct operand *operand)
{
    return (*operand->name ? *reg(operand->name) : 0) + (uint64_t)operand->number;
}

static bool is(const struct instruction *now, const char *opcode)
{
    return !strcmp(now->opcode, opcode);
}

static void access_memory(const struct instruction *now)
{
    bool loads = now->opcode[0] == 'l';
    size_t bytes = strstr(now->opcode, ".u8") ? 1 : 8;
    void *at = reach(value_of(&now->operands[loads]), bytes);
    uint64_t value = loads ? 0 : value_of(&now->operands[1]);
    if (at && loads)
        memcpy(&value, at, bytes);
    else if (at)
        memcpy(at, &value, bytes);
    if (loads)
        *reg(now->operands[0].name) = value;
}

static uint64_t computed(const struct instruction *now, uint64_t a, uint64_t b)
{
    if (is(now, "ld.param.u64") || is(now, "cvta.to.global.u64") || is(now, "mov.u32") || is(now, "cvt.u64.u32"))
        return a;
    if (is(now, "add.s64"))
        return a + b;
    if (is(now, "sub.s64"))
        return a - b;
    if (is(now, "mul.lo.s64") || is(now, "mul.wide.u32"))
        return a * b;
    if (is(now, "neg.s64"))
        return 0 - a;
    if (is(now, "min.u64"))
        return a < b ? a : b;
    if (is(now, "and.b64"))
        return a & b;
    if (is(now, "shl.b64"))
        return a << b;
    if (is(now, "shr.u64"))
        return a >> b;
    NEED(is(now, "setp.ge.u64"), now->opcode);
    return a >= b;
}

static void run_thread(void)
{
    for (size_t i = 0, turns = 0;; i++, turns++) {
        const struct instruction *now = &program[i];
        NEED(i < ninstructions && turns < 1000000, "end");
        if ((*now->only_if && !*reg(now->only_if)) || (*now->unless && *reg(now->unless)))
            continue;
        if (is(now, "ret"))
            return;
        if (is(now, "bra"))
            i = get_label_index(now->operands[0].name) - 1;
        else if (!strncmp(now->opcode, "ld.global.", 10) || !strncmp(now->opcode, "st.global.", 10))
            access_memory(now);
        else
            *reg(now->operands[0].name) = computed(now, value_of(&now->operands[1]), value_of(&now->operands[2]));
    }
}

static void run_grid(unsigned blocks, unsigned threads, uint64_t table, uint64_t n)
{
    for (unsigned block = blocks; block-- > 0;)
        for (unsigned thread = threads; thread-- > 0;) {
            nregisters = 0;
            *reg("table") = table;
            *reg("n") = n;
            *reg("%ntid.x") = threads;
            *reg("%nctaid.x") = blocks;
            *reg("%ctaid.x") = block;
            *reg("%tid.x") = thread;
            run_thread();
        }
}

/* ------------------------------------------------------------------------------------- pieces -- */

static uint64_t random_below(uint64_t n)
{
    static uint64_t state = 20260;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % n;
}

/* Pieces of a few bytes to some hundred: the first half of the space is where they come from, the second where they
 * go, in another order. Both sides lie equally within eight bytes. */
static size_t draw_pieces(uint64_t (*rows)[3], size_t most)
{
    size_t n = 0;
    uint64_t from = (uintptr_t)memory + SPACE / 4, to = (uintptr_t)memory + SPACE / 2;
    for (; n < most; n++) {
        uint64_t bytes = random_below(4) ? random_below(20) : random_below(300);
        to += random_below(24);
        from += random_below(9);
        from += (to - from) % ACCD_CUDA_WORD;
        rows[n][0] = to, rows[n][1] = from, rows[n][2] = bytes;
        to += bytes;
        from += bytes;
    }
    return n;
}

int main(void)
{
    enum { PIECES = 40 };
    static unsigned char expected[SPACE];
    uint64_t rows[PIECES][3];
    unsigned wrong = 0;
    read_program(accd__cuda_kernels);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = draw_pieces(rows, random_below(PIECES + 1));
        for (size_t i = 0; i < SPACE; i++)
            memory[i] = (unsigned char)random_below(256);
        memcpy(memory, rows, sizeof rows);
        memcpy(expected, memory, SPACE);
        for (size_t i = 0; i < n; i++)
            memcpy(expected + (rows[i][0] - (uintptr_t)memory), memory + (rows[i][1] - (uintptr_t)memory), rows[i][2]);
        run_grid(1 + (unsigned)random_below(3), 8 << random_below(4), (uintptr_t)memory, n);
        wrong += memcmp(memory, expected, SPACE) != 0;
    }
    ok(ninstructions > 40, "%zu instructions", ninstructions);
    ok(!wrong, "in %u of %d rounds other bytes were moved", wrong, ROUNDS);
    ok(!misaligned, "%u accesses were misaligned", misaligned);
    ok(!outside, "%u accesses were outside of memory", outside);
    return done();
}
