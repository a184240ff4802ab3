/* text.c - reads the plan that `accdeep lower --to accdeep` has written for a directive
 * (lua/accdeep/tools/lower/ir_text.lua).
 *
 * The text has lines of a word and numbers, some with a name at their end. In units of Fortran, lines end with
 * semicolons. Labels and programs are numbered from 0 in the order of the text; -1 means none.
 *
 *     accdeep VERSION
 *     construct KIND FINALIZE name
 *     array SHIFT DESCRIBED SPAN RANK {LOWER EXTENT STRIDE} name      array of the next label
 *     label UNIT FLAGS LINE LAYOUT name
 *     program STRIDE REGISTERS PARAMS
 *       piece, field, excluded, member, code                          lines of this program
 *     item ACTION FLAGS LABEL PROGRAM UNIT REGISTERS BASE START COUNT SLOT ORIGIN INDEX INDEX INDEX
 *       code                                                          line of this item's code
 *       params REGISTER ...                                           parameters of the item's program
 *       rows FIRST RANK name                                          array that the item belongs to
 *
 * Numbers of a line are members of the structure of that name in accdeep_core.h, in their order there. An array, label,
 * program or item line ends the program or item before it.
 *
 * Which arguments a directive has is not checked, since the unit passes them without their number.
 *
 * Functions that read advance reader->at after what they have read. Without memory, or if the text is not as above,
 * they end the process with an error at the directive. */
#include "lowered.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 4 };
#define ENDS "\n;" /* characters that end a line */

/* State of reading one plan. */
struct reader {
    accd_context *context;
    const accd_lowered *directive;
    const char *at; /* next character to read */
    struct accd__lowered_plan *plan;
    const accd_label **labels;
    accd_program **programs;
    size_t nlabels, nprograms;
    accd_array *array; /* array of the next label; NULL: the label has no array */
    /* The open program (a mapping program whose line was read, but which is not complete), and its lists. */
    bool in_program;
    accd_program_spec spec;
    accd_piece *pieces;
    accd_field *fields;
    accd_member *excluded, *members;
    /* Instructions of the open program or item. */
    accd_instruction *code;
    size_t ncode;
};

/* Ends the process with the error that memory ran out. */
static _Noreturn void end_without_memory(const struct reader *reader)
{
    accd__lowered_end_with_error(reader->directive, "out-of-memory", "HOUSE-memory",
                                 "there is no memory for a directive");
}

/* Ends the process with the error that another version wrote the plan; a damaged plan has this error, too. */
_Noreturn void accd__lowered_end_with_bad_plan(const accd_lowered *directive)
{
    accd__lowered_end_with_error(directive, "misuse", "HOUSE-version",
                                 "the unit was lowered by another version of accdeep: compile it again");
}

/* Ends the process with that error. */
static _Noreturn void end_with_bad_plan(const struct reader *reader)
{
    accd__lowered_end_with_bad_plan(reader->directive);
}

/* Appends a zeroed element of `size` bytes to the list at list_p, which has n elements, and returns the element's
 * address. Ends the process without memory. */
static void *append(const struct reader *reader, void *list_p, size_t n, size_t size)
{
    assert(size > 0);
    void **list = list_p;
    char *bytes = realloc(*list, (n + 1) * size);
    if (!bytes)
        end_without_memory(reader);
    *list = bytes;
    return memset(bytes + n * size, 0, size);
}

/* Reads and returns an integer. Ends the process with an error if there is none. */
static int64_t read_number(struct reader *reader)
{
    char *end;
    const long long value = strtoll(reader->at, &end, 10);
    if (end == reader->at)
        end_with_bad_plan(reader);
    reader->at = end;
    return value;
}

/* Reads and returns an integer from 0 to `last`. Ends the process with an error if there is none. */
static int64_t read_up_to(struct reader *reader, int64_t last)
{
    const int64_t value = read_number(reader);
    if (value < 0 || value > last)
        end_with_bad_plan(reader);
    return value;
}

/* Returns a copy of the rest of the line without leading blanks, which the caller frees. Ends the process without
 * memory. */
static char *read_rest(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
    char *text = strndup(reader->at, strcspn(reader->at, ENDS));
    if (!text)
        end_without_memory(reader);
    return text;
}

/* Returns a copy of the rest of the line, which the caller frees; NULL if the rest is empty. Ends the process without
 * memory. */
static char *read_optional_rest(struct reader *reader)
{
    char *text = read_rest(reader);
    if (*text)
        return text;
    free(text);
    return NULL;
}

/* Reads the number of a label and returns the label; NULL if the number is negative. Ends the process with an error if
 * no label with this number was read before. */
static const accd_label *read_label_reference(struct reader *reader)
{
    const int64_t at = read_number(reader);
    if (at >= (int64_t)reader->nlabels)
        end_with_bad_plan(reader);
    return at < 0 ? NULL : reader->labels[at];
}

/* Reads the number of a mapping program and returns the program; NULL if the number is negative. Ends the process with
 * an error if no program with this number was read before. */
static accd_program *read_program_reference(struct reader *reader)
{
    const int64_t at = read_number(reader);
    if (at >= (int64_t)reader->nprograms)
        end_with_bad_plan(reader);
    return at < 0 ? NULL : reader->programs[at];
}

/* Reads the numbers and the name of a line "construct". */
static void read_construct(struct reader *reader)
{
    reader->plan->kind = (accd_construct_kind)read_up_to(reader, ACCD_KIND_UPDATE);
    reader->plan->finalize = (int)read_number(reader);
    reader->plan->name = read_rest(reader);
}

/* Reads a line "array": the array of the next label. */
static void read_array(struct reader *reader)
{
    accd_array *array = append(reader, &reader->array, 0, sizeof *array);
    array->shift = read_number(reader);
    array->described = (uint32_t)read_number(reader);
    array->span = (uint32_t)read_number(reader);
    array->rank = (unsigned)read_up_to(reader, ACCD_MAX_RANK);
    for (unsigned i = 0; i < array->rank && !array->described; i++) {
        accd_dimension *dimension = &array->dimensions[i];
        dimension->lower = read_number(reader);
        dimension->extent = read_number(reader);
        dimension->stride = read_number(reader);
    }
    array->name = read_optional_rest(reader);
}

/* Reads a line "label", with the array of the line before, and appends the label to reader->labels. */
static void read_label(struct reader *reader)
{
    accd_label label = {.file = reader->directive->file, .array = reader->array};
    label.unit = (uint64_t)read_number(reader);
    label.flags = (unsigned)read_number(reader);
    label.line = (int)read_number(reader);
    label.layout = read_program_reference(reader);
    char *name = read_rest(reader);
    label.name = name;
    const accd_label *new_label = accd_label_intern(reader->context, &label);
    if (!new_label)
        end_without_memory(reader);
    *(const accd_label **)append(reader, &reader->labels, reader->nlabels, sizeof new_label) = new_label;
    reader->nlabels++;
    free(name);
    if (reader->array)
        free((void *)(uintptr_t)reader->array->name);
    free(reader->array);
    reader->array = NULL;
}

/* Reads a line "program", and opens this program, to which the next lines belong. */
static void begin_program(struct reader *reader)
{
    reader->in_program = true;
    reader->spec = (accd_program_spec){0};
    reader->spec.stride = (uint64_t)read_number(reader);
    reader->spec.registers = (unsigned)read_number(reader);
    reader->spec.params = (unsigned)read_number(reader);
}

/* Reads a line "piece", and appends it to the open program. */
static void read_piece(struct reader *reader)
{
    accd_piece *piece = append(reader, &reader->pieces, reader->spec.npieces++, sizeof *piece);
    piece->offset = (uint64_t)read_number(reader);
    piece->bytes = (uint64_t)read_number(reader);
    piece->action = (uint8_t)read_number(reader);
    piece->init = read_number(reader) != 0;
    piece->entry_only = read_number(reader) != 0;
    piece->base_pointer = read_number(reader) != 0;
    piece->label = read_label_reference(reader);
}

/* Reads a line "field", and appends it to the open program. */
static void read_field(struct reader *reader)
{
    accd_field *field = append(reader, &reader->fields, reader->spec.nfields++, sizeof *field);
    field->offset = (uint64_t)read_number(reader);
    field->slot_bytes = (uint32_t)read_number(reader);
    field->unit = (uint64_t)read_number(reader);
    field->count = (int)read_number(reader);
    field->start = (int)read_number(reader);
    field->action = (uint8_t)read_number(reader);
    field->flags = (uint16_t)read_number(reader);
    field->init = read_number(reader) != 0;
    field->embedded = read_number(reader) != 0;
    field->in_place = read_number(reader) != 0;
    field->code_end = (size_t)read_number(reader);
    field->up = (unsigned)read_number(reader);
    field->label = read_label_reference(reader);
    field->child = read_program_reference(reader);
}

/* Reads a line "excluded" or "member": appends a member to *list, which has *n members. */
static void read_member(struct reader *reader, accd_member **list, size_t *n)
{
    accd_member *member = append(reader, list, (*n)++, sizeof *member);
    member->offset = (uint64_t)read_number(reader);
    member->bytes = (uint64_t)read_number(reader);
    member->label = read_label_reference(reader);
}

/* Reads a line "excluded" of the open program. */
static void read_excluded(struct reader *reader)
{
    read_member(reader, &reader->excluded, &reader->spec.nexcluded);
}

/* Reads a line "member" of the open program. */
static void read_named(struct reader *reader)
{
    read_member(reader, &reader->members, &reader->spec.nmembers);
}

/* Returns the function of the unit that the plan calls by `number`. Ends the process with an error if the unit has none
 * with this number. */
static accd_lowered_bound *get_bound(const struct reader *reader, int64_t number)
{
    accd_lowered_bound *const *bound = reader->directive->bounds;
    while (bound && *bound && number > 0) {
        bound++;
        number--;
    }
    if (!bound || !*bound || number)
        end_with_bad_plan(reader);
    return *bound;
}

/* Reads a line "code", and appends the instruction to the open program or item. A function's number within the unit
 * becomes its number within the process. */
static void read_code(struct reader *reader)
{
    accd_instruction *instruction = append(reader, &reader->code, reader->ncode++, sizeof *instruction);
    instruction->op = (uint8_t)read_number(reader);
    instruction->to = (uint8_t)read_number(reader);
    instruction->a = (uint8_t)read_number(reader);
    instruction->b = (uint8_t)read_number(reader);
    instruction->k = read_number(reader);
    if (instruction->op != ACCD_I_CALL && instruction->op != ACCD_I_CALL_IF)
        return;
    instruction->k = accd__lowered_bound_number(reader->directive, get_bound(reader, instruction->k));
}

/* Completes the open program (whose line was read last), and appends it to reader->programs. If no program is open,
 * gives the code that was read to the last item. Afterwards no program is open, and there is no code. */
static void finish_program(struct reader *reader)
{
    if (!reader->in_program) {
        if (reader->plan->nitems && reader->code) {
            accd_item_code *place = &reader->plan->items[reader->plan->nitems - 1].place;
            place->code = reader->code;
            place->ncode = reader->ncode;
            reader->code = NULL;
        }
    } else {
        accd_program *program;
        accd_program_spec *spec = &reader->spec;
        spec->pieces = reader->pieces;
        spec->fields = reader->fields;
        spec->excluded = reader->excluded;
        spec->members = reader->members;
        spec->code = reader->code;
        spec->ncode = reader->ncode;
        const accd_status status = accd_program_new(reader->context, spec, &program);
        if (status == ACCD_ERROR_OUT_OF_MEMORY)
            end_without_memory(reader);
        if (status != ACCD_OK)
            end_with_bad_plan(reader);
        *(accd_program **)append(reader, &reader->programs, reader->nprograms, sizeof program) = program;
        reader->nprograms++;
    }
    free(reader->pieces);
    free(reader->fields);
    free(reader->excluded);
    free(reader->members);
    free(reader->code);
    reader->pieces = NULL;
    reader->fields = NULL;
    reader->excluded = reader->members = NULL;
    reader->code = NULL;
    reader->ncode = 0;
    reader->in_program = false;
}

/* Reads a line "item", and appends the item to the plan. */
static void begin_item(struct reader *reader)
{
    struct accd__lowered_item *entry = append(reader, &reader->plan->items, reader->plan->nitems++, sizeof *entry);
    accd_item_code *place = &entry->place;
    entry->item.action = (uint8_t)read_number(reader);
    entry->item.flags = (uint16_t)read_number(reader);
    entry->item.label = read_label_reference(reader);
    entry->item.program = read_program_reference(reader);
    place->unit = (uint64_t)read_number(reader);
    place->registers = (unsigned)read_number(reader);
    place->base = (int)read_number(reader);
    place->start = (int)read_number(reader);
    place->count = (int)read_number(reader);
    place->slot = (int)read_number(reader);
    place->origin = (int)read_number(reader);
    for (int i = 0; i < ACCD_MAX_LABEL_INDICES; i++)
        place->index[i] = (int)read_number(reader);
}

/* Reads a line "params", and sets the parameters of the last item. */
static void read_params(struct reader *reader)
{
    if (!reader->plan->nitems)
        end_with_bad_plan(reader);
    struct accd__lowered_item *entry = &reader->plan->items[reader->plan->nitems - 1];
    int *params = NULL;
    for (; *reader->at == ' '; entry->place.nparams++)
        *(int *)append(reader, &params, entry->place.nparams, sizeof *params) = (int)read_number(reader);
    entry->place.params = params;
    entry->params = calloc(entry->place.nparams + 1, sizeof entry->params[0]);
    if (!entry->params)
        end_without_memory(reader);
}

/* Reads a line "rows": the array to which the last item belongs. The array's name lives as long as the plan. */
static void read_rows(struct reader *reader)
{
    struct accd__lowered_item *entry = reader->plan->nitems ? &reader->plan->items[reader->plan->nitems - 1] : NULL;
    if (!entry || !entry->item.label)
        end_with_bad_plan(reader);
    struct accd__lowered_rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        end_without_memory(reader);
    entry->rows = rows;
    rows->first = (int)read_up_to(reader, INT_MAX);
    rows->array.rank = (unsigned)read_up_to(reader, ACCD_MAX_RANK);
    rows->array.name = read_optional_rest(reader);
}

/* Table of the kinds of lines: the first word, and the function that reads what follows the word. */
static const struct {
    const char *word;
    void (*read)(struct reader *);
    bool begins; /* the line begins a new part, so that it ends the open program or item */
} lines[] = {
    {"construct", read_construct, false}, {"array", read_array, true},    {"label", read_label, true},
    {"program", begin_program, true},     {"piece", read_piece, false},   {"field", read_field, false},
    {"excluded", read_excluded, false},   {"member", read_named, false},  {"code", read_code, false},
    {"item", begin_item, true},           {"params", read_params, false}, {"rows", read_rows, false},
};

/* Reads the line at reader->at by the function of its first word; first finishes the open program or item if the line
 * ends it. Ends the process for any other word. */
static void read_line(struct reader *reader)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const size_t n = strlen(lines[i].word);
        if (strncmp(reader->at, lines[i].word, n) != 0 || reader->at[n] != ' ')
            continue;
        if (lines[i].begins)
            finish_program(reader);
        reader->at += n;
        lines[i].read(reader);
        return;
    }
    end_with_bad_plan(reader);
}

/* Reads the plan of a directive, with all its labels and programs. */
struct accd__lowered_plan *accd__lowered_read_plan(accd_context *context, const accd_lowered *directive)
{
    assert(context && directive && directive->plan);
    static const char head[] = "accdeep ";
    struct reader reader = {.context = context, .directive = directive, .at = directive->plan};
    if (strncmp(reader.at, head, sizeof head - 1) != 0)
        end_with_bad_plan(&reader);
    reader.at += sizeof head - 1;
    if (read_number(&reader) != VERSION)
        end_with_bad_plan(&reader);
    reader.plan = calloc(1, sizeof *reader.plan);
    if (!reader.plan)
        end_without_memory(&reader);
    for (;;) {
        reader.at += strcspn(reader.at, ENDS);
        if (!*reader.at || !*++reader.at)
            break;
        read_line(&reader);
    }
    finish_program(&reader);
    for (size_t i = 0; i < reader.plan->nitems; i++)
        accd_program_retain(reader.plan->items[i].item.program);
    for (size_t i = 0; i < reader.nprograms; i++)
        accd_program_release(reader.programs[i]);
    free(reader.labels);
    free(reader.programs);
    reader.plan->construct_items = calloc(reader.plan->nitems + 1, sizeof reader.plan->construct_items[0]);
    if (!reader.plan->construct_items)
        end_without_memory(&reader);
    return reader.plan;
}
