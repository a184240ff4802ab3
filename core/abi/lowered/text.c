/* text.c - reads what `accdeep lower --to accdeep` has made of a directive (lua/accdeep/tools/lower/ir_text.lua).
 *
 * The text has lines, each a word and numbers, some with a name behind them. In units of Fortran they end with
 * semicolons. Labels and programs are numbered from 0 as they come; -1 is none. Lines that belong to a program or an item follow it:
 *
 *     accdeep VERSION
 *     construct KIND FINALIZE name
 *     label UNIT FLAGS LINE LAYOUT name
 *     array SHIFT DESCRIBED SPAN RANK {LOWER EXTENT STRIDE} name        of the next label
 *     program STRIDE REGISTERS PARAMS         piece, field, excluded, member, code
 *     item ACTION FLAGS LABEL PROGRAM UNIT REGISTERS BASE START COUNT SLOT ORIGIN INDEX INDEX INDEX       code, params, rows
 *     rows FIRST RANK name        the item is of an array: the program gives its address and bounds */
#include "lowered.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 3 };
#define ENDS "\n;" /* of lines */

struct reader {
    accd_context *context;
    const accd_lowered *directive;
    const char *at; /* in a line, behind its word */
    struct plan *plan;
    const accd_label **labels;
    accd_program **programs;
    size_t nlabels, nprograms;
    accd_array *array; /* for the next label */
    /* The program under way, and its lists. */
    bool in_program;
    accd_program_spec spec;
    accd_piece *pieces;
    accd_field *fields;
    accd_member *excluded, *members;
    /* Instructions of the program or the item. */
    accd_instruction *code;
    size_t ncode;
};

static _Noreturn void no_memory(const struct reader *reader)
{
    lowered_die(reader->directive, "out-of-memory", "HOUSE-memory", "there is no memory for a directive");
}

static _Noreturn void not_sound(const struct reader *reader)
{
    lowered_die(reader->directive, "misuse", "HOUSE-version",
                "the unit was lowered by another version of accdeep: compile it again");
}

/* Room for one more element of a list, behind its first n; zeros. */
static void *more(const struct reader *reader, void *list_p, size_t n, size_t size)
{
    void **list = list_p;
    char *bytes = realloc(*list, (n + 1) * size);
    if (!bytes)
        no_memory(reader);
    *list = bytes;
    return memset(bytes + n * size, 0, size);
}

static int64_t number(struct reader *reader)
{
    char *end;
    const long long value = strtoll(reader->at, &end, 10);
    if (end == reader->at)
        not_sound(reader);
    reader->at = end;
    return value;
}

/* The rest of the line, for the caller. */
static char *rest(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
    char *text = strndup(reader->at, strcspn(reader->at, ENDS));
    if (!text)
        no_memory(reader);
    return text;
}

/* The same; NULL if the line ends here. */
static char *rest_if_any(struct reader *reader)
{
    char *text = rest(reader);
    if (*text)
        return text;
    free(text);
    return NULL;
}

static const accd_label *a_label(struct reader *reader)
{
    const int64_t at = number(reader);
    if (at >= (int64_t)reader->nlabels)
        not_sound(reader);
    return at < 0 ? NULL : reader->labels[at];
}

static accd_program *a_program(struct reader *reader)
{
    const int64_t at = number(reader);
    if (at >= (int64_t)reader->nprograms)
        not_sound(reader);
    return at < 0 ? NULL : reader->programs[at];
}

static void read_construct(struct reader *reader)
{
    reader->plan->kind = (accd_kind)number(reader);
    reader->plan->finalize = (int)number(reader);
    reader->plan->name = rest(reader);
}

static void read_array(struct reader *reader)
{
    accd_array *array = more(reader, &reader->array, 0, sizeof *array);
    array->shift = number(reader);
    array->described = (uint32_t)number(reader);
    array->span = (uint32_t)number(reader);
    array->rank = (unsigned)number(reader);
    if (array->rank > ACCD_RANK_MOST)
        not_sound(reader);
    for (unsigned i = 0; i < array->rank && !array->described; i++) {
        accd_dimension *dimension = &array->dimensions[i];
        dimension->lower = number(reader);
        dimension->extent = number(reader);
        dimension->stride = number(reader);
    }
    array->name = rest_if_any(reader);
}

static void read_label(struct reader *reader)
{
    accd_label label = {.file = reader->directive->file, .array = reader->array};
    label.unit = (uint64_t)number(reader);
    label.flags = (unsigned)number(reader);
    label.line = (int)number(reader);
    label.layout = a_program(reader);
    char *name = rest(reader);
    label.name = name;
    const accd_label *made = accd_label_new(reader->context, &label);
    if (!made)
        no_memory(reader);
    *(const accd_label **)more(reader, &reader->labels, reader->nlabels, sizeof made) = made;
    reader->nlabels++;
    free(name);
    if (reader->array)
        free((void *)(uintptr_t)reader->array->name);
    free(reader->array);
    reader->array = NULL;
}

static void begin_program(struct reader *reader)
{
    reader->in_program = true;
    reader->spec = (accd_program_spec){0};
    reader->spec.stride = (uint64_t)number(reader);
    reader->spec.registers = (unsigned)number(reader);
    reader->spec.params = (unsigned)number(reader);
}

static void read_piece(struct reader *reader)
{
    accd_piece *piece = more(reader, &reader->pieces, reader->spec.npieces++, sizeof *piece);
    piece->offset = (uint64_t)number(reader);
    piece->bytes = (uint64_t)number(reader);
    piece->action = (uint8_t)number(reader);
    piece->init = number(reader) != 0;
    piece->entry_only = number(reader) != 0;
    piece->base_pointer = number(reader) != 0;
    piece->label = a_label(reader);
}

static void read_field(struct reader *reader)
{
    accd_field *field = more(reader, &reader->fields, reader->spec.nfields++, sizeof *field);
    field->offset = (uint64_t)number(reader);
    field->slot_bytes = (uint32_t)number(reader);
    field->unit = (uint64_t)number(reader);
    field->count = (int)number(reader);
    field->start = (int)number(reader);
    field->action = (uint8_t)number(reader);
    field->flags = (uint16_t)number(reader);
    field->init = number(reader) != 0;
    field->embedded = number(reader) != 0;
    field->in_place = number(reader) != 0;
    field->code_end = (size_t)number(reader);
    field->up = (unsigned)number(reader);
    field->label = a_label(reader);
    field->child = a_program(reader);
}

static void read_member(struct reader *reader, accd_member **list, size_t *n)
{
    accd_member *member = more(reader, list, (*n)++, sizeof *member);
    member->offset = (uint64_t)number(reader);
    member->bytes = (uint64_t)number(reader);
    member->label = a_label(reader);
}

static void read_excluded(struct reader *reader)
{
    read_member(reader, &reader->excluded, &reader->spec.nexcluded);
}

static void read_named(struct reader *reader) { read_member(reader, &reader->members, &reader->spec.nmembers); }

static void read_code(struct reader *reader)
{
    accd_instruction *in = more(reader, &reader->code, reader->ncode++, sizeof *in);
    in->op = (uint8_t)number(reader);
    in->to = (uint8_t)number(reader);
    in->a = (uint8_t)number(reader);
    in->b = (uint8_t)number(reader);
    in->k = number(reader);
    if (in->op != ACCD_I_CALL && in->op != ACCD_I_CALL_IF)
        return;
    if (!reader->directive->bounds)
        not_sound(reader);
    in->k = lowered_bound(reader->directive, reader->directive->bounds[in->k]);
}

/* Ends the program or the item under way. */
static void finish(struct reader *reader)
{
    if (!reader->in_program) {
        if (reader->plan->nitems && reader->code) {
            accd_item_code *place = &reader->plan->items[reader->plan->nitems - 1].place;
            place->code = reader->code;
            place->ncode = reader->ncode;
            reader->code = NULL;
        }
    } else {
        accd_program *made;
        accd_program_spec *spec = &reader->spec;
        spec->pieces = reader->pieces;
        spec->fields = reader->fields;
        spec->excluded = reader->excluded;
        spec->members = reader->members;
        spec->code = reader->code;
        spec->ncode = reader->ncode;
        const accd_status status = accd_program_new(reader->context, spec, &made);
        if (status == ACCD_OUT_OF_MEMORY)
            no_memory(reader);
        if (status != ACCD_OK)
            not_sound(reader);
        *(accd_program **)more(reader, &reader->programs, reader->nprograms, sizeof made) = made;
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

static void begin_item(struct reader *reader)
{
    struct plan_item *one = more(reader, &reader->plan->items, reader->plan->nitems++, sizeof *one);
    accd_item_code *place = &one->place;
    one->item.action = (uint8_t)number(reader);
    one->item.flags = (uint16_t)number(reader);
    one->item.label = a_label(reader);
    one->item.program = a_program(reader);
    place->unit = (uint64_t)number(reader);
    place->registers = (unsigned)number(reader);
    place->base = (int)number(reader);
    place->start = (int)number(reader);
    place->count = (int)number(reader);
    place->slot = (int)number(reader);
    place->origin = (int)number(reader);
    for (int i = 0; i < ACCD_INDICES; i++)
        place->index[i] = (int)number(reader);
}

static void read_params(struct reader *reader)
{
    if (!reader->plan->nitems)
        not_sound(reader);
    struct plan_item *one = &reader->plan->items[reader->plan->nitems - 1];
    int *params = NULL;
    for (; *reader->at == ' '; one->place.nparams++)
        *(int *)more(reader, &params, one->place.nparams, sizeof *params) = (int)number(reader);
    one->place.params = params;
    one->params = calloc(one->place.nparams + 1, sizeof one->params[0]);
    if (!one->params)
        no_memory(reader);
}

static void read_rows(struct reader *reader)
{
    if (!reader->plan->nitems)
        not_sound(reader);
    struct plan_rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        no_memory(reader);
    reader->plan->items[reader->plan->nitems - 1].rows = rows;
    rows->first = (int)number(reader);
    rows->array.rank = (unsigned)number(reader);
    if (rows->array.rank > ACCD_RANK_MOST)
        not_sound(reader);
    rows->array.name = rest_if_any(reader); /* it lives as long as the plan */
}

static const struct {
    const char *word;
    void (*read)(struct reader *);
    bool begins; /* what is under way ends */
} lines[] = {
    {"construct", read_construct, false}, {"array", read_array, true},        {"label", read_label, true},
    {"program", begin_program, true},     {"piece", read_piece, false},       {"field", read_field, false},
    {"excluded", read_excluded, false},   {"member", read_named, false},      {"code", read_code, false},
    {"item", begin_item, true},           {"params", read_params, false},   {"rows", read_rows, false},
};

static void read_line(struct reader *reader)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const size_t n = strlen(lines[i].word);
        if (strncmp(reader->at, lines[i].word, n) != 0 || reader->at[n] != ' ')
            continue;
        if (lines[i].begins)
            finish(reader);
        reader->at += n;
        lines[i].read(reader);
        return;
    }
    not_sound(reader);
}

struct plan *lowered_plan(accd_context *context, const accd_lowered *directive)
{
    static const char head[] = "accdeep ";
    struct reader reader = {.context = context, .directive = directive, .at = directive->plan};
    if (strncmp(reader.at, head, sizeof head - 1) != 0)
        not_sound(&reader);
    reader.at += sizeof head - 1;
    if (number(&reader) != VERSION)
        not_sound(&reader);
    reader.plan = calloc(1, sizeof *reader.plan);
    if (!reader.plan)
        no_memory(&reader);
    for (;;) {
        reader.at += strcspn(reader.at, ENDS);
        if (!*reader.at || !*++reader.at)
            break;
        read_line(&reader);
    }
    finish(&reader);
    for (size_t i = 0; i < reader.plan->nitems; i++)
        accd_program_retain(reader.plan->items[i].item.program);
    for (size_t i = 0; i < reader.nprograms; i++)
        accd_program_release(reader.programs[i]);
    free(reader.labels);
    free(reader.programs);
    reader.plan->located = calloc(reader.plan->nitems + 1, sizeof reader.plan->located[0]);
    if (!reader.plan->located)
        no_memory(&reader);
    return reader.plan;
}
