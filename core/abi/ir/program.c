/* program.c - reads mapping programs and labels. */
#include "inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 1000 }; /* greatest depth of programs */

/* Reads an array: `array ["name"] [shift N] (lower:extent:stride)...`, or `described OFFSET span N rank R` in place of
 * the dimensions. */
static void read_array(struct reader *reader, struct label_text *text)
{
    accd_array *array = &text->array;
    *array = (accd_array){0};
    if (reader->token.kind == TOKEN_TEXT)
        array->name = accd__ir_name(reader);
    if (accd__ir_accept(reader, "shift"))
        array->shift = accd__ir_integer(reader, INT64_MIN, INT64_MAX);
    if (accd__ir_accept(reader, "described")) {
        array->described = (uint32_t)accd__ir_integer(reader, 1, UINT32_MAX);
        accd__ir_expect(reader, "span");
        array->span = (uint32_t)accd__ir_integer(reader, 0, UINT32_MAX);
        accd__ir_expect(reader, "rank");
        array->rank = (unsigned)accd__ir_integer(reader, 0, ACCD_MAX_RANK);
    }
    while (accd__ir_is(reader, "(")) {
        if (array->rank == ACCD_MAX_RANK || array->described) {
            accd__ir_fail(reader, &reader->token, "an array has at most %d dimensions, or a descriptor", ACCD_MAX_RANK);
            return;
        }
        accd__ir_expect(reader, "(");
        accd_dimension *dimension = &array->dimensions[array->rank++];
        dimension->lower = accd__ir_integer(reader, INT64_MIN, INT64_MAX);
        accd__ir_expect(reader, ":");
        dimension->extent = accd__ir_integer(reader, INT64_MIN, INT64_MAX);
        accd__ir_expect(reader, ":");
        dimension->stride = accd__ir_integer(reader, INT64_MIN, INT64_MAX);
        accd__ir_expect(reader, ")");
    }
    text->label.array = array;
}

/* Reads an attribute of a label. */
bool accd__ir_read_label_attribute(struct reader *reader, struct label_text *text)
{
    if (reader->token.kind == TOKEN_TEXT)
        text->name = accd__ir_name(reader);
    else if (accd__ir_accept(reader, "section"))
        text->label.flags |= ACCD_LABEL_SECTION;
    else if (accd__ir_accept(reader, "element"))
        text->label.flags |= ACCD_LABEL_ELEMENT;
    else if (accd__ir_accept(reader, "parentheses"))
        text->label.flags |= ACCD_LABEL_PARENTHESES;
    else if (accd__ir_accept(reader, "unit"))
        text->label.unit = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
    else if (accd__ir_accept(reader, "pointer"))
        text->label.pointer = accd__ir_name(reader);
    else if (accd__ir_accept(reader, "array"))
        read_array(reader, text);
    else if (accd__ir_accept(reader, "layout")) {
        const struct named_program *program =
            accd__ir_accept(reader, "none") ? NULL : accd__ir_read_program_name(reader);
        text->label.layout = program ? program->core : NULL;
        text->has_layout = true;
    } else
        return false;
    return true;
}

/* Returns the core's label. */
const accd_label *accd__ir_make_label(struct reader *reader, struct label_text *text, const accd_program *layout)
{
    if (!text->name || reader->failed)
        return NULL;
    text->label.name = text->name;
    if (!text->has_layout)
        text->label.layout = layout;
    const accd_label *label = accd_label_intern(reader->context, &text->label);
    if (!label)
        accd__ir_fail_memory(reader);
    return label;
}

/* Skips the next token and sets its bit if it is the name of a flag. */
bool accd__ir_read_flag(struct reader *reader, uint16_t *flags)
{
    static const char *const names[] = {
        "uncounted",   "init",           "if_present",    "present_or",   "base_pointer",
        "copy_absent", "update_present", "always_in",     "always_out",   "require_present",
        "finalize",    "zero",           "attach_always", "attach_never", "present_part",
        "chain"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (accd__ir_accept(reader, names[i])) {
            *flags |= (uint16_t)(1u << i);
            return true;
        }
    return false;
}

/* Reads the name of an action. */
uint8_t accd__ir_read_action(struct reader *reader)
{
    static const char *const names[ACCD_ACTION_COUNT] = {"inherit",     "copy",          "copyin", "copyout", "create",
                                                         "no_create",   "present",       "delete", "attach",  "detach",
                                                         "update_self", "update_device", "hold"};
    return (uint8_t)accd__ir_word_of(reader, names, ACCD_ACTION_COUNT, "an action (copyin, create ...)");
}

/* Returns the program that the next token names. */
const struct named_program *accd__ir_read_program_name(struct reader *reader)
{
    const struct token token = reader->token;
    const char *name = accd__ir_name(reader);
    for (size_t i = 0; i < reader->result->nprograms; i++)
        if (strcmp(reader->result->programs[i].name, name) == 0)
            return &reader->result->programs[i];
    accd__ir_fail(reader, &token, "no program '%.80s' is defined above", name);
    return NULL;
}

/* The program that is read, and the capacities of its lists. */
struct draft {
    accd_program_spec spec;
    accd_piece *pieces;
    accd_field *fields;
    accd_member *excluded, *members;
    size_t piece_capacity, field_capacity, excluded_capacity, member_capacity;
    unsigned depth, open; /* members of struct named_program; `depth` does not count the program itself */
    struct code code;
};

/* Returns the beginning of a label's text inside a program. */
static struct label_text begin_label(const struct reader *reader)
{
    return (struct label_text){.label = {.flags = ACCD_LABEL_MEMBER, .file = reader->config->file}};
}

/* Sets an error at a token if `bytes` bytes at `offset` do not lie in the element of a draft. */
static void check_part(struct reader *reader, const struct draft *draft, const struct token *token, uint64_t offset,
                       uint64_t bytes)
{
    const uint64_t stride = draft->spec.stride;
    if (bytes > stride || offset > stride - bytes)
        accd__ir_fail(reader, token, "%llu bytes at offset %llu lie outside of the element, which has %llu bytes",
                      (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)stride);
}

/* Reads "@ OFFSET". */
static uint64_t read_place(struct reader *reader)
{
    accd__ir_expect(reader, "@");
    return (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
}

/* Reads a line `piece`: bytes of the element itself. */
static void read_piece(struct reader *reader, struct draft *draft)
{
    const struct token token = reader->token;
    accd_piece piece = {.offset = read_place(reader)};
    struct label_text label = begin_label(reader);
    accd__ir_expect(reader, "size");
    piece.bytes = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
    check_part(reader, draft, &token, piece.offset, piece.bytes);
    while (accd__ir_has_more(reader)) {
        if (accd__ir_accept(reader, "action"))
            piece.action = accd__ir_read_action(reader);
        else if (accd__ir_accept(reader, "init"))
            piece.init = true;
        else if (accd__ir_accept(reader, "entry_only"))
            piece.entry_only = true;
        else if (accd__ir_accept(reader, "base_pointer"))
            piece.base_pointer = true;
        else if (!accd__ir_read_label_attribute(reader, &label))
            accd__ir_fail_attribute(reader, "a piece");
    }
    piece.label = accd__ir_make_label(reader, &label, NULL);
    accd_piece *entry =
        accd__ir_append(reader, &draft->pieces, draft->spec.npieces, &draft->piece_capacity, sizeof piece);
    if (entry) {
        *entry = piece;
        draft->spec.npieces++;
    }
}

/* Adds what the program of a field needs to what the enclosing program needs. */
static void add_child(struct reader *reader, struct draft *draft, const struct named_program *child)
{
    for (size_t i = 0; i < child->ninputs; i++)
        if (child->needs[i])
            accd__ir_need(reader, &draft->code, i);
    if (child->open > draft->open + 1)
        draft->open = child->open - 1;
    if (child->depth > draft->depth)
        draft->depth = child->depth;
}

/* Returns true if an instruction of *code reads a register of the enclosing element. */
static bool reads_outer(const struct code *code)
{
    for (size_t i = 0; i < code->n; i++)
        if (code->list[i].op == ACCD_I_INHERIT)
            return true;
    return false;
}

/* Reads a line `field`: a pointer that is followed, or embedded elements. */
static void read_field(struct reader *reader, struct draft *draft)
{
    const struct token token = reader->token;
    accd_field field = {.offset = read_place(reader), .count = -1, .start = -1, .code_end = draft->code.n};
    struct label_text label = begin_label(reader);
    const struct named_program *child = NULL;
    accd__ir_expect(reader, "of");
    field.unit = (uint64_t)accd__ir_integer(reader, 1, INT64_MAX);
    label.label.unit = field.unit;
    while (accd__ir_has_more(reader)) {
        if (accd__ir_accept(reader, "count"))
            field.count = accd__ir_operand(reader, &draft->code);
        else if (accd__ir_accept(reader, "start"))
            field.start = accd__ir_operand(reader, &draft->code);
        else if (accd__ir_accept(reader, "action"))
            field.action = accd__ir_read_action(reader);
        else if (accd__ir_accept(reader, "init"))
            field.init = true;
        else if (accd__ir_accept(reader, "embedded"))
            field.embedded = true;
        else if (accd__ir_accept(reader, "in_place"))
            field.in_place = true;
        else if (accd__ir_accept(reader, "descriptor"))
            field.slot_bytes = (uint32_t)accd__ir_integer(reader, 1, UINT32_MAX);
        else if (accd__ir_accept(reader, "up"))
            field.up = (unsigned)accd__ir_integer(reader, 1, UINT32_MAX);
        else if (accd__ir_accept(reader, "->"))
            child = accd__ir_read_program_name(reader);
        else if (!accd__ir_read_flag(reader, &field.flags) && !accd__ir_read_label_attribute(reader, &label))
            accd__ir_fail_attribute(reader, "a field");
    }
    if (field.up > draft->open + 1)
        draft->open = field.up - 1;
    if (child)
        add_child(reader, draft, child);
    field.child = child ? child->core : NULL;
    const bool is_pointer = !field.embedded && !field.in_place;
    if (field.count < 0)
        accd__ir_fail(reader, &token, "the field has no 'count', the register with the number of its elements");
    else if (child && field.up)
        accd__ir_fail(reader, &token, "the field has two programs: '->' and 'up'");
    else if (child && child->stride != field.unit)
        accd__ir_fail(reader, &token, "program '%.80s' is for elements of %llu bytes, not of %llu", child->name,
                      (unsigned long long)child->stride, (unsigned long long)field.unit);
    else if (field.slot_bytes && !is_pointer)
        accd__ir_fail(reader, &token, "a field without a pointer has no 'descriptor'");
    else
        check_part(reader, draft, &token, field.offset,
                   !is_pointer        ? 1
                   : field.slot_bytes ? field.slot_bytes
                                      : sizeof(void *));
    field.label = accd__ir_make_label(reader, &label, field.child);
    accd_field *entry =
        accd__ir_append(reader, &draft->fields, draft->spec.nfields, &draft->field_capacity, sizeof field);
    if (entry) {
        *entry = field;
        draft->spec.nfields++;
    }
}

/* Reads a line `excluded` or `member`, and appends it to *list. */
static void read_member(struct reader *reader, const struct draft *draft, accd_member **list, size_t *n,
                        size_t *capacity)
{
    const struct token token = reader->token;
    accd_member member = {.offset = read_place(reader)};
    struct label_text label = begin_label(reader);
    accd__ir_expect(reader, "size");
    member.bytes = (uint64_t)accd__ir_integer(reader, 0, INT64_MAX);
    check_part(reader, draft, &token, member.offset, member.bytes);
    while (accd__ir_has_more(reader) && accd__ir_read_label_attribute(reader, &label))
        continue;
    if (accd__ir_has_more(reader))
        accd__ir_fail_attribute(reader, "a member");
    member.label = accd__ir_make_label(reader, &label, NULL);
    accd_member *entry = accd__ir_append(reader, list, *n, capacity, sizeof member);
    if (entry) {
        *entry = member;
        ++*n;
    }
}

/* Makes the core's program of a draft, and adds it to the result as `name`. `token`: the statement, for errors. */
static void finish_program(struct reader *reader, struct draft *draft, const char *name, const struct token *token)
{
    struct result *result = reader->result;
    accd_program_spec *spec = &draft->spec;
    spec->pieces = draft->pieces;
    spec->fields = draft->fields;
    spec->excluded = draft->excluded;
    spec->members = draft->members;
    spec->code = draft->code.list;
    spec->ncode = draft->code.n;
    spec->registers = draft->code.registers ? draft->code.registers : 1;
    spec->params = (unsigned)draft->code.ninputs;
    struct named_program *entry =
        accd__ir_append(reader, &result->programs, result->nprograms, &result->capacity, sizeof *entry);
    bool *needs = accd__ir_take(reader, draft->code.ninputs + 1);
    if (reader->failed || !entry || !needs)
        return;
    if (draft->code.ninputs)
        memcpy(needs, draft->code.needs, draft->code.ninputs);
    *entry = (struct named_program){.name = name,
                                    .needs = needs,
                                    .ninputs = draft->code.ninputs,
                                    .stride = spec->stride,
                                    .depth = draft->depth + 1,
                                    .open = draft->open,
                                    .has_outer = reads_outer(&draft->code)};
    if (entry->depth > MOST_NESTED) { /* the core visits nested programs recursively */
        accd__ir_fail(reader, token, "program '%.80s' has more than %d levels of programs inside", name, MOST_NESTED);
        return;
    }
    const accd_status status = accd_program_new(reader->context, spec, &entry->core);
    if (status == ACCD_ERROR_OUT_OF_MEMORY)
        accd__ir_fail_memory(reader);
    else if (status != ACCD_OK)
        accd__ir_fail(reader, token,
                      "program '%.80s' is not sound: a flag or descriptor that no field has, a register after 'outer' "
                      "that is not set, or a wrong 'up'",
                      name);
    else
        result->nprograms++;
}

/* Reads a statement `program`, whose keyword was read. */
void accd__ir_read_program(struct reader *reader)
{
    struct draft draft = {0};
    const struct token token = reader->token;
    const char *name = accd__ir_name(reader);
    for (size_t i = 0; i < reader->result->nprograms; i++)
        if (strcmp(reader->result->programs[i].name, name) == 0)
            accd__ir_fail(reader, &token, "there is a program '%.80s' already", name);
    accd__ir_expect(reader, "size");
    draft.code.stride = draft.spec.stride = (uint64_t)accd__ir_integer(reader, 1, INT64_MAX);
    while (reader->token.kind == TOKEN_LINE) {
        accd__ir_advance(reader);
        if (accd__ir_is_register(reader))
            accd__ir_read_instruction(reader, &draft.code);
        else if (accd__ir_accept(reader, "piece"))
            read_piece(reader, &draft);
        else if (accd__ir_accept(reader, "field"))
            read_field(reader, &draft);
        else if (accd__ir_accept(reader, "excluded"))
            read_member(reader, &draft, &draft.excluded, &draft.spec.nexcluded, &draft.excluded_capacity);
        else if (accd__ir_accept(reader, "member"))
            read_member(reader, &draft, &draft.members, &draft.spec.nmembers, &draft.member_capacity);
        else
            break;
        if (accd__ir_has_more(reader))
            accd__ir_expect(reader, "the end of the line");
    }
    if (!reader->failed && !reader->no_memory)
        finish_program(reader, &draft, name, &token);
    free(draft.pieces);
    free(draft.fields);
    free(draft.excluded);
    free(draft.members);
    free(draft.code.list);
    free(draft.code.needs);
}
