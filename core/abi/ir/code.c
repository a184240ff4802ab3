/* code.c - reads instructions, and the addresses and values that they need from outside. */
#include "inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const accd__ir_scalars[ACCD_SCALAR_COUNT] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool"};

/* Returns the number of a new input. */
int accd__ir_add_input(struct reader *reader, accd_ir_input input)
{
    accd_ir_input *entry =
        accd__ir_append(reader, &reader->inputs, reader->ninputs, &reader->input_capacity, sizeof *entry);
    if (!entry)
        return 0;
    *entry = input;
    return (int)reader->ninputs++;
}

/* Returns the number of an input, which is new at its first use in the text. */
static int find_input(struct reader *reader, const char *name, int64_t offset, bool is_value)
{
    for (size_t i = 0; i < reader->ninputs; i++) {
        const accd_ir_input *input = &reader->inputs[i];
        if (input->offset == offset && input->is_value == is_value && strcmp(input->name, name) == 0)
            return (int)i;
    }
    return accd__ir_add_input(reader, (accd_ir_input){name, offset, is_value});
}

/* Reads "[+ offset]" or "[- offset]", and returns the offset; 0: there is none. */
static int64_t read_offset(struct reader *reader)
{
    const struct token *token = &reader->token;
    if (token->kind == TOKEN_INTEGER && token->value < 0)
        return accd__ir_integer(reader, INT64_MIN, -1);
    return accd__ir_accept(reader, "+") ? accd__ir_integer(reader, 0, INT64_MAX) : 0;
}

/* Reads an address, and returns the number of its input. */
int accd__ir_read_address(struct reader *reader)
{
    accd__ir_expect(reader, "&");
    const char *name = accd__ir_name(reader);
    const int64_t offset = read_offset(reader);
    return find_input(reader, name, offset, false);
}

/* Returns the number of a register that an instruction of *code sets. */
int accd__ir_operand(struct reader *reader, const struct code *code)
{
    const struct token token = reader->token;
    const int number = accd__ir_register(reader);
    if (!(code->set >> number & 1))
        accd__ir_fail(reader, &token, "register r%d is set by no instruction above", number);
    return number;
}

/* Appends an instruction, and counts the register that it sets. */
static void add(struct reader *reader, struct code *code, accd_instruction instruction)
{
    accd_instruction *entry = accd__ir_append(reader, &code->list, code->n, &code->capacity, sizeof *entry);
    if (!entry)
        return;
    *entry = instruction;
    code->n++;
    if (instruction.to >= code->registers)
        code->registers = instruction.to + 1u;
    if (instruction.to < ACCD_MAX_ITEM_REGISTERS)
        code->set |= (uint64_t)1 << instruction.to;
}

/* Marks in *code that the input is needed. */
void accd__ir_need(struct reader *reader, struct code *code, size_t input)
{
    assert(input < reader->ninputs || reader->no_memory);
    if (input >= code->ninputs) {
        bool *needs = realloc(code->needs, input + 1);
        if (!needs) {
            accd__ir_fail_memory(reader);
            return;
        }
        memset(needs + code->ninputs, 0, input + 1 - code->ninputs);
        code->needs = needs;
        code->ninputs = input + 1;
    }
    code->needs[input] = true;
}

/* Appends an instruction that loads an input into a register. */
void accd__ir_load_input(struct reader *reader, struct code *code, int to, int input)
{
    add(reader, code, (accd_instruction){.op = ACCD_I_PARAM, .to = (uint8_t)to, .k = input});
    accd__ir_need(reader, code, (size_t)input);
}

/* Appends an instruction that loads a constant into a register. */
void accd__ir_load_constant(struct reader *reader, struct code *code, int to, int64_t value)
{
    add(reader, code, (accd_instruction){.op = ACCD_I_CONST, .to = (uint8_t)to, .k = value});
}

/* Reads the name of a scalar type. */
static int read_scalar(struct reader *reader)
{
    return accd__ir_word_of(reader, accd__ir_scalars, ACCD_SCALAR_COUNT, "a type (i32, u64 ...)");
}

/* Reads ": TYPE" after a binary operation, and returns its constant k: 1 + the type; 0: there is none. Arithmetic is
 * computed in the types that C promotes integers to, comparisons of order in u64, too. */
static int64_t read_operation_type(struct reader *reader, accd_opcode op)
{
    if (!accd__ir_accept(reader, ":"))
        return 0;
    const struct token token = reader->token;
    const int scalar = read_scalar(reader);
    const bool is_order = op == ACCD_I_LT || op == ACCD_I_LE, is_arithmetic = op >= ACCD_I_ADD && op <= ACCD_I_SHR;
    if (is_order ? scalar != ACCD_SCALAR_U64 : !is_arithmetic || scalar < ACCD_SCALAR_I32 || scalar > ACCD_SCALAR_U64)
        accd__ir_fail(reader, &token, "%s",
                      is_order        ? "an order is computed in 64 bits or in u64"
                      : is_arithmetic ? "arithmetic is computed in i32, u32, i64 or u64"
                                      : "this operation is computed in 64 bits only");
    return 1 + scalar;
}

/* Sets an error at a token if the instruction that it begins needs an element, and *code is that of an item. */
static void need_element(struct reader *reader, const struct code *code, const struct token *token)
{
    if (!code->stride)
        accd__ir_fail(reader, token, "an instruction of an item has no element: only programs have");
}

/* Reads what follows "load". */
static accd_instruction read_load(struct reader *reader, const struct code *code)
{
    static const uint8_t bytes[ACCD_SCALAR_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 1};
    accd_instruction in = {.op = ACCD_I_LOAD, .b = (uint8_t)read_scalar(reader)};
    const struct token token = reader->token;
    if (accd__ir_accept(reader, "@")) {
        in.k = accd__ir_integer(reader, 0, INT64_MAX);
        need_element(reader, code, &token);
        if ((uint64_t)in.k + bytes[in.b] > code->stride)
            accd__ir_fail(reader, &token, "the member lies outside of the element, which has %llu bytes",
                          (unsigned long long)code->stride);
        return in;
    }
    in.op = ACCD_I_LOAD_AT;
    in.a = (uint8_t)accd__ir_operand(reader, code);
    in.k = read_offset(reader);
    return in;
}

/* Reads what follows "call" or "call_if": the function's name, the first register, and the number of arguments. */
static accd_instruction read_call(struct reader *reader, const struct code *code, accd_opcode op)
{
    enum { MOST_ARGUMENTS = 8 };
    const struct token token = reader->token;
    const char *name = accd__ir_name(reader);
    accd_instruction in = {.op = (uint8_t)op, .k = -1};
    if (reader->config->find_function)
        in.k = reader->config->find_function(reader->config->ud, name);
    if (in.k < 0)
        accd__ir_fail(reader, &token, "there is no function '%.80s'", name);
    if (op == ACCD_I_CALL_IF || accd__ir_is_register(reader)) {
        const struct token first = reader->token;
        in.a = (uint8_t)accd__ir_register(reader);
        in.b = (uint8_t)accd__ir_integer(reader, 0, MOST_ARGUMENTS);
        for (int number = in.a; number < in.a + in.b + (op == ACCD_I_CALL_IF); number++)
            if (number >= ACCD_MAX_ITEM_REGISTERS || !(code->set >> number & 1))
                accd__ir_fail(reader, &first, "register r%d is set by no instruction above", number);
    }
    return in;
}

/* Reads a binary operation, at whose first register the reader is; or that register alone, which is copied. */
static accd_instruction read_binary(struct reader *reader, const struct code *code)
{
    static const struct {
        const char *sign;
        accd_opcode op;
    } operators[] = {{"+", ACCD_I_ADD},  {"-", ACCD_I_SUB},  {"*", ACCD_I_MUL}, {"/", ACCD_I_DIV}, {"%", ACCD_I_MOD},
                     {"<<", ACCD_I_SHL}, {">>", ACCD_I_SHR}, {"&", ACCD_I_AND}, {"|", ACCD_I_OR},  {"^", ACCD_I_XOR},
                     {"==", ACCD_I_EQ},  {"!=", ACCD_I_NE},  {"<", ACCD_I_LT},  {"<=", ACCD_I_LE}};
    accd_instruction in = {.a = (uint8_t)accd__ir_operand(reader, code)};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (accd__ir_accept(reader, operators[i].sign)) {
            in.op = (uint8_t)operators[i].op;
            in.b = (uint8_t)accd__ir_operand(reader, code);
            in.k = read_operation_type(reader, operators[i].op);
            return in;
        }
    return (accd_instruction){.op = ACCD_I_OR, .a = in.a, .b = in.a};
}

/* Reads what follows a keyword of two or more operands. */
static accd_instruction read_keyword(struct reader *reader, const struct code *code)
{
    accd_instruction in = {0};
    if (accd__ir_accept(reader, "select")) {
        in = (accd_instruction){.op = ACCD_I_SELECT, .a = (uint8_t)accd__ir_operand(reader, code)};
        in.b = (uint8_t)accd__ir_operand(reader, code);
        in.k = accd__ir_operand(reader, code);
    } else if (accd__ir_accept(reader, "cast")) {
        in = (accd_instruction){.op = ACCD_I_CAST, .a = (uint8_t)accd__ir_operand(reader, code)};
        in.b = (uint8_t)read_scalar(reader);
    } else if (accd__ir_accept(reader, "distance")) {
        in = (accd_instruction){.op = ACCD_I_DISTANCE, .a = (uint8_t)accd__ir_operand(reader, code)};
        in.b = (uint8_t)accd__ir_operand(reader, code);
        accd__ir_expect(reader, "of");
        in.k = accd__ir_integer(reader, 1, INT64_MAX);
    } else {
        accd__ir_expect(reader, "require");
        in = (accd_instruction){.op = ACCD_I_REQUIRE, .a = (uint8_t)accd__ir_operand(reader, code)};
        if (accd__ir_accept(reader, "of"))
            in.k = accd__ir_integer(reader, 1, INT64_MAX);
    }
    return in;
}

/* Reads a unary operation, if the next token is its sign. */
static bool read_unary(struct reader *reader, const struct code *code, accd_instruction *in)
{
    const accd_opcode op = accd__ir_is(reader, "-")   ? ACCD_I_NEG
                           : accd__ir_is(reader, "~") ? ACCD_I_NOT
                           : accd__ir_is(reader, "!") ? ACCD_I_LNOT
                                                      : ACCD_I_COUNT;
    if (op == ACCD_I_COUNT)
        return false;
    accd__ir_advance(reader);
    *in = (accd_instruction){.op = (uint8_t)op, .a = (uint8_t)accd__ir_operand(reader, code)};
    return true;
}

/* Reads an instruction, and appends it to *code. */
void accd__ir_read_instruction(struct reader *reader, struct code *code)
{
    const int to = accd__ir_register(reader);
    accd__ir_expect(reader, "=");
    accd_instruction in = {0};
    if (accd__ir_is(reader, "&")) {
        accd__ir_load_input(reader, code, to, accd__ir_read_address(reader));
        return;
    }
    if (accd__ir_accept(reader, "value")) {
        accd__ir_load_input(reader, code, to, find_input(reader, accd__ir_name(reader), 0, true));
        return;
    }
    const struct token token = reader->token;
    if (token.kind == TOKEN_INTEGER)
        in = (accd_instruction){.op = ACCD_I_CONST, .k = accd__ir_integer(reader, INT64_MIN, INT64_MAX)};
    else if (accd__ir_accept(reader, "element"))
        in.op = ACCD_I_SELF;
    else if (accd__ir_accept(reader, "outer"))
        in = (accd_instruction){.op = ACCD_I_INHERIT, .k = accd__ir_register(reader)};
    else if (accd__ir_accept(reader, "load"))
        in = read_load(reader, code);
    else if (accd__ir_accept(reader, "call"))
        in = read_call(reader, code, ACCD_I_CALL);
    else if (accd__ir_accept(reader, "call_if"))
        in = read_call(reader, code, ACCD_I_CALL_IF);
    else if (accd__ir_is_register(reader))
        in = read_binary(reader, code);
    else if (!read_unary(reader, code, &in))
        in = read_keyword(reader, code);
    if (in.op == ACCD_I_SELF || in.op == ACCD_I_INHERIT)
        need_element(reader, code, &token);
    in.to = (uint8_t)to;
    add(reader, code, in);
}
