/* read.c - reads the statements of the construct IR (accdeep_ir.h). */
#include "inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

/* Sets an error if the line has more tokens. */
static void end_line(struct reader *reader)
{
    if (accd__ir_has_more(reader))
        accd__ir_expect(reader, "the end of the line");
    if (reader->token.kind == TOKEN_LINE)
        accd__ir_advance(reader);
}

/* ------------------------------------------------------------------------------------- items -- */

/* Reads the dimensions of a section with gaps: `gaps RUN (count:step)...`. */
static void read_gaps(struct reader *reader, accd_ir_item *entry)
{
    const struct token token = reader->token;
    if (entry->item.dims)
        accd__ir_fail(reader, &token, "the item has 'gaps' already");
    accd_stride *dims = accd__ir_take(reader, ACCD_MAX_RANK * sizeof *dims);
    entry->item.run = (uint64_t)accd__ir_integer(reader, 1, INT64_MAX);
    entry->item.dims = dims;
    while (dims && accd__ir_is(reader, "(")) {
        if (entry->item.ndims == ACCD_MAX_RANK) {
            accd__ir_fail(reader, &reader->token, "a section has at most %d dimensions", ACCD_MAX_RANK);
            return;
        }
        accd__ir_expect(reader, "(");
        dims[entry->item.ndims].count = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
        accd__ir_expect(reader, ":");
        dims[entry->item.ndims++].step = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
        accd__ir_expect(reader, ")");
    }
}

/* Reads the array that an item belongs to: `rows ["name"] RANK`. The inputs for its bounds are added. */
static void read_rows(struct reader *reader, accd_ir_item *entry)
{
    const struct token token = reader->token;
    if (reader->token.kind == TOKEN_TEXT)
        entry->rows.name = accd__ir_name(reader);
    if (entry->first_row >= 0)
        accd__ir_fail(reader, &token, "the item has 'rows' already");
    entry->rows.rank = (unsigned)accd__ir_integer(reader, 0, ACCD_MAX_RANK);
    for (unsigned i = 0; i < 1 + 2 * entry->rows.rank; i++) {
        const int input = accd__ir_add_input(reader, (accd_ir_input){"", 0, true});
        if (i == 0)
            entry->first_row = input;
    }
}

/* Reads the memory of the pointer of an item: a register with its address, or the address itself. */
static void read_slot(struct reader *reader, accd_ir_item *entry, struct code *code)
{
    if (accd__ir_is_register(reader)) {
        entry->code.slot = accd__ir_operand(reader, code);
        return;
    }
    entry->code.slot = (int)code->registers;
    if (reader->token.kind == TOKEN_INTEGER)
        accd__ir_load_constant(reader, code, entry->code.slot, accd__ir_integer(reader, INT64_MIN, INT64_MAX));
    else
        accd__ir_load_input(reader, code, entry->code.slot, accd__ir_read_address(reader));
}

/* Reads an attribute of an item. Returns false if the next token is none. */
static bool read_item_attribute(struct reader *reader, accd_ir_item *entry, struct code *code,
                                const struct named_program **program_p)
{
    accd_item_code *place = &entry->code;
    if (accd__ir_accept(reader, "base"))
        place->base = accd__ir_operand(reader, code);
    else if (accd__ir_accept(reader, "start"))
        place->start = accd__ir_operand(reader, code);
    else if (accd__ir_accept(reader, "count"))
        place->count = accd__ir_operand(reader, code);
    else if (accd__ir_accept(reader, "origin"))
        place->origin = accd__ir_operand(reader, code);
    else if (accd__ir_accept(reader, "slot"))
        read_slot(reader, entry, code);
    else if (accd__ir_accept(reader, "descriptor"))
        entry->item.slot_bytes = (uint32_t)accd__ir_integer(reader, 1, UINT32_MAX);
    else if (accd__ir_accept(reader, "gaps"))
        read_gaps(reader, entry);
    else if (accd__ir_accept(reader, "rows"))
        read_rows(reader, entry);
    else if (accd__ir_accept(reader, "->"))
        *program_p = accd__ir_read_program_name(reader);
    else if (accd__ir_accept(reader, "frame")) {
        if (reader->token.kind == TOKEN_INTEGER)
            entry->item.frame = (const void *)(uintptr_t)accd__ir_integer(reader, INT64_MIN, INT64_MAX);
        else
            entry->frame = accd__ir_read_address(reader);
        accd__ir_expect(reader, "size");
        entry->item.frame_bytes = (uint64_t)accd__ir_integer(reader, 1, INT64_MAX);
    } else if (accd__ir_accept(reader, "index")) {
        for (int i = 0; i < ACCD_MAX_LABEL_INDICES && (i == 0 || accd__ir_is_register(reader)); i++)
            place->index[i] = accd__ir_operand(reader, code);
    } else
        return accd__ir_read_flag(reader, &entry->item.flags);
    return true;
}

/* Gives the parameters of an item's program registers. Each input that the program needs is loaded into a register;
 * the others get register 0, which the program does not read. */
static void load_parameters(struct reader *reader, accd_ir_item *entry, struct code *code,
                            const struct named_program *program)
{
    int *params = accd__ir_take(reader, (program->ninputs + 1) * sizeof *params);
    int64_t *values = accd__ir_take(reader, (program->ninputs + 1) * sizeof *values);
    if (!params || !values)
        return;
    for (size_t i = 0; i < program->ninputs; i++)
        if (program->needs[i]) {
            params[i] = (int)code->registers;
            accd__ir_load_input(reader, code, params[i] & UINT8_MAX, (int)i);
        }
    entry->code.params = params;
    entry->code.nparams = (unsigned)program->ninputs;
    entry->params = values;
}

/* Returns true if items of a construct can have an action. */
static bool can_have_action(accd_construct_kind kind, accd_action action)
{
    switch (action) {
    case ACCD_ACTION_INHERIT:
        return false;
    case ACCD_ACTION_UPDATE_SELF:
    case ACCD_ACTION_UPDATE_DEVICE:
        return kind == ACCD_KIND_UPDATE;
    case ACCD_ACTION_DELETE:
    case ACCD_ACTION_DETACH:
        return kind == ACCD_KIND_EXIT_DATA;
    case ACCD_ACTION_COPYOUT:
    case ACCD_ACTION_HOLD:
        return kind != ACCD_KIND_UPDATE;
    default:
        return kind != ACCD_KIND_UPDATE && kind != ACCD_KIND_EXIT_DATA;
    }
}

/* Reads an item, whose keyword was read, and gives it the instructions of *code, which is then empty. */
static void read_item(struct reader *reader, accd_ir_item *entry, struct code *code, const accd_ir_statement *construct)
{
    const struct token token = reader->token;
    const struct named_program *program = NULL;
    struct label_text label = {.label = {.file = construct->file, .line = construct->file_line}};
    bool has_unit = false;
    *entry =
        (accd_ir_item){.code = {.base = -1, .start = -1, .count = -1, .slot = -1, .origin = -1, .index = {-1, -1, -1}},
                       .frame = -1,
                       .first_row = -1};
    entry->item.action = accd__ir_read_action(reader);
    if (!can_have_action(construct->construct, (accd_action)entry->item.action))
        accd__ir_fail(reader, &token, "items of this construct cannot have the action '%.*s'", (int)token.length,
                      token.text);
    while (accd__ir_has_more(reader)) {
        if (accd__ir_accept(reader, "of")) {
            entry->code.unit = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
            label.label.unit = entry->code.unit;
            has_unit = true;
        } else if (!read_item_attribute(reader, entry, code, &program) &&
                   !accd__ir_read_label_attribute(reader, &label)) {
            accd__ir_fail_attribute(reader, "an item");
        }
    }
    if (program)
        load_parameters(reader, entry, code, program);
    if (program && program->open)
        accd__ir_fail(reader, &token, "'up' in program '%.80s' leads out of it", program->name);
    else if (program && program->has_outer)
        accd__ir_fail(reader, &token, "'outer' in program '%.80s' leads out of it", program->name);
    else if (entry->code.base < 0)
        accd__ir_fail(reader, &token, "the item has no 'base', the register with its address");
    else if (!has_unit)
        accd__ir_fail(reader, &token, "the item has no 'of', the size of its elements");
    else if (code->registers > ACCD_MAX_ITEM_REGISTERS)
        accd__ir_fail(reader, &token, "the item needs %u registers, and %d is the limit", code->registers,
                      ACCD_MAX_ITEM_REGISTERS);
    entry->item.program = program ? program->core : NULL;
    entry->item.label = accd__ir_make_label(reader, &label, entry->item.program);
    accd_instruction *list = accd__ir_take(reader, (code->n + 1) * sizeof *list);
    if (!list)
        return;
    if (code->n)
        memcpy(list, code->list, code->n * sizeof *list);
    entry->code.code = list;
    entry->code.ncode = code->n;
    entry->code.registers = code->registers;
    code->n = 0;
    code->registers = 0;
    code->set = 0;
}

/* -------------------------------------------------------------------------------- statements -- */

/* Appends a statement, and returns it; NULL without memory. The address is valid until the next call. */
static accd_ir_statement *add_statement(struct reader *reader, accd_ir_kind kind)
{
    accd_ir_statement *statement = accd__ir_append(reader, &reader->statements, reader->nstatements,
                                                   &reader->statement_capacity, sizeof *statement);
    if (statement) {
        statement->kind = kind;
        statement->line = reader->token.line;
        reader->nstatements++;
    }
    return statement;
}

/* Reads a statement `construct`, whose keyword was read, with its items. */
static void read_construct(struct reader *reader, accd_ir_statement *statement)
{
    static const char *const kinds[] = {"region", "compute", "enter_data", "exit_data", "update"};
    static const char *const names[] = {"data", "parallel", "enter data", "exit data", "update"};
    struct code code = {0};
    size_t capacity = 0;
    statement->construct =
        (accd_construct_kind)accd__ir_word_of(reader, kinds, ACCD_KIND_UPDATE + 1, "a kind (region, enter_data ...)");
    statement->name = reader->token.kind == TOKEN_TEXT ? accd__ir_name(reader) : names[statement->construct];
    statement->finalize = accd__ir_accept(reader, "finalize");
    statement->file = reader->config->file;
    statement->file_line = reader->config->line;
    if (accd__ir_accept(reader, "at")) {
        statement->file = accd__ir_name(reader);
        accd__ir_expect(reader, ":");
        statement->file_line = (int)accd__ir_integer(reader, 0, INT32_MAX);
    }
    end_line(reader);
    for (;;) {
        if (accd__ir_is_register(reader))
            accd__ir_read_instruction(reader, &code);
        else if (accd__ir_accept(reader, "item")) {
            accd_ir_item *entry =
                accd__ir_append(reader, &statement->items, statement->nitems, &capacity, sizeof *entry);
            if (!entry)
                break;
            statement->nitems++;
            read_item(reader, entry, &code, statement);
        } else
            break;
        end_line(reader);
    }
    if (code.n)
        accd__ir_fail(reader, &reader->token, "an item is needed after its instructions");
    free(code.list);
    free(code.needs);
}

/* Reads the number of a statement `store`, which must be one of its type. Those of u64 from 2^63 on are written as
 * negative numbers with the same bits. */
static void read_number(struct reader *reader, accd_ir_statement *statement)
{
    static const struct {
        int64_t least, most;
    } limits[ACCD_SCALAR_COUNT] = {{INT8_MIN, INT8_MAX},   {0, UINT8_MAX},         {INT16_MIN, INT16_MAX},
                                   {0, UINT16_MAX},        {INT32_MIN, INT32_MAX}, {0, UINT32_MAX},
                                   {INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX}, {0, 1}};
    statement->value = accd__ir_integer(reader, limits[statement->scalar].least, limits[statement->scalar].most);
}

/* Reads a statement `store`, whose keyword was read: `store &name[+offset] = TYPE integer`, or `= &name[+offset]`. */
static void read_store(struct reader *reader, accd_ir_statement *statement)
{
    const int to = accd__ir_read_address(reader);
    accd__ir_expect(reader, "=");
    int from = -1;
    if (accd__ir_is(reader, "&"))
        from = accd__ir_read_address(reader);
    else {
        statement->scalar =
            (accd_scalar)accd__ir_word_of(reader, accd__ir_scalars, ACCD_SCALAR_COUNT, "a type (i32, u64 ...)");
        read_number(reader, statement);
    }
    if (reader->failed || reader->no_memory)
        return;
    statement->name = reader->inputs[to].name;
    statement->offset = reader->inputs[to].offset;
    if (from >= 0) {
        statement->scalar = ACCD_SCALAR_U64;
        statement->target = reader->inputs[from].name;
        statement->value = reader->inputs[from].offset;
    }
    end_line(reader);
}

/* Reads the statement that begins with the next token. */
static void read_statement(struct reader *reader)
{
    accd_ir_statement *statement;
    if (accd__ir_accept(reader, "program")) {
        accd__ir_read_program(reader);
    } else if (accd__ir_accept(reader, "construct")) {
        statement = add_statement(reader, ACCD_IR_CONSTRUCT);
        if (statement) {
            read_construct(reader, statement);
            statement->ninputs = reader->ninputs;
        }
    } else if (accd__ir_accept(reader, "memory")) {
        statement = add_statement(reader, ACCD_IR_MEMORY);
        if (!statement)
            return;
        statement->name = accd__ir_name(reader);
        accd__ir_expect(reader, "size");
        statement->bytes = (uint64_t)accd__ir_integer(reader, 1, INT64_MAX);
        end_line(reader);
    } else if (accd__ir_accept(reader, "store")) {
        statement = add_statement(reader, ACCD_IR_STORE);
        if (statement)
            read_store(reader, statement);
    } else if (accd__ir_accept(reader, "end")) {
        add_statement(reader, ACCD_IR_END);
        end_line(reader);
    } else {
        const struct token token = reader->token;
        accd__ir_fail(reader, &token, "'%.*s' begins no statement: memory, store, program, construct or end",
                      (int)(token.length > 40 ? 40 : token.length), token.text);
    }
}

/* Reads the first line: `accdeep ir VERSION`. */
static void read_head(struct reader *reader)
{
    accd__ir_expect(reader, "accdeep");
    accd__ir_expect(reader, "ir");
    const struct token token = reader->token;
    if (accd__ir_integer(reader, INT64_MIN, INT64_MAX) != VERSION)
        accd__ir_fail(reader, &token, "this version of accdeep reads version %d of the construct IR", VERSION);
    end_line(reader);
}

/* Reads a text. */
accd_status accd_ir_read(accd_context *context, const char *text, const accd_ir_config *config, accd_ir **ir_p,
                         accd_ir_error *error)
{
    assert(context && text && config && ir_p && error);
    *ir_p = NULL;
    struct result *result = calloc(1, sizeof *result);
    if (!result)
        return ACCD_ERROR_OUT_OF_MEMORY;
    struct reader reader = {.context = context,
                            .config = config,
                            .result = result,
                            .error = error,
                            .at = text,
                            .line_start = text,
                            .line = 1};
    accd__ir_advance(&reader);
    read_head(&reader);
    while (reader.token.kind != TOKEN_END)
        read_statement(&reader);
    result->ir = (accd_ir){reader.statements, reader.nstatements, reader.inputs, reader.ninputs};
    if (!reader.failed && !reader.no_memory) {
        *ir_p = &result->ir;
        return ACCD_OK;
    }
    accd_ir_free(&result->ir);
    return reader.no_memory ? ACCD_ERROR_OUT_OF_MEMORY : ACCD_ERROR_MISUSE;
}

/* Frees the result of a reader. */
void accd_ir_free(accd_ir *ir)
{
    struct result *result = (struct result *)ir; /* `ir` is the first member of the result */
    if (!result)
        return;
    for (size_t i = 0; i < ir->nstatements; i++)
        free(ir->statements[i].items);
    for (size_t i = 0; i < result->nprograms; i++)
        accd_program_release(result->programs[i].core);
    while (result->blocks) {
        struct block *next = result->blocks->next;
        free(result->blocks);
        result->blocks = next;
    }
    free(result->programs);
    free((void *)(uintptr_t)ir->statements);
    free((void *)(uintptr_t)ir->inputs);
    free(result);
}
