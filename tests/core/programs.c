/* Mapping programs: what they may hold, instructions, sections that are not valid, embedded
 * elements, nested programs, inherited registers, parameters, functions, init_needed and excluded
 * members. */
#include "support.h"

#include <walk/program.h>

static struct story story;

static int64_t evaluate(accd_context *context, accd_opcode op, int64_t a, int64_t b)
{
    int64_t out[4], k = op == ACCD_I_DISTANCE || op == ACCD_I_SELECT ? 2 : 0;
    const accd_instruction code[] = {
        CONSTANT(0, a), CONSTANT(1, b), CONSTANT(2, 77), {.op = (uint8_t)op, .to = 3, .a = 0, .b = 1, .k = k}};
    if (accd_evaluate(context, code, 4, 4, NULL, out) != ACCD_OK)
        return -12345;
    return out[3];
}

static void instructions(void)
{
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    const int64_t none = ACCD_UNREPRESENTABLE, most = INT64_MAX, least = INT64_MIN;
    const struct {
        accd_opcode op;
        int64_t a, b, wanted;
    } cases[] = {
        {ACCD_I_ADD, 3, 4, 7},
        {ACCD_I_ADD, most, 1, none},
        {ACCD_I_ADD, least, -1, none},
        {ACCD_I_SUB, 3, 4, -1},
        {ACCD_I_SUB, least, 1, none},
        {ACCD_I_SUB, 0, least, none},
        {ACCD_I_MUL, -3, 4, -12},
        {ACCD_I_MUL, most, 2, none},
        {ACCD_I_MUL, least, -1, none},
        {ACCD_I_DIV, 7, -2, -3},
        {ACCD_I_DIV, 7, 0, none},
        {ACCD_I_DIV, least, -1, none},
        {ACCD_I_MOD, 7, -2, 1},
        {ACCD_I_MOD, -7, 2, -1},
        {ACCD_I_MOD, 7, 0, none},
        {ACCD_I_MOD, least, -1, 0},
        {ACCD_I_AND, 12, 10, 8},
        {ACCD_I_OR, 12, 10, 14},
        {ACCD_I_XOR, 12, 10, 6},
        {ACCD_I_SHL, 3, 4, 48},
        {ACCD_I_SHL, 1, 64, none},
        {ACCD_I_SHL, 1, -1, none},
        {ACCD_I_SHR, -8, 1, -4},
        {ACCD_I_SHR, 1, 99, none},
        {ACCD_I_EQ, 4, 4, 1},
        {ACCD_I_NE, 4, 4, 0},
        {ACCD_I_LT, -1, 0, 1},
        {ACCD_I_LT, 0, 0, 0},
        {ACCD_I_LE, 0, 0, 1},
        {ACCD_I_NEG, 5, 0, -5},
        {ACCD_I_NEG, least, 0, none},
        {ACCD_I_NOT, 5, 0, ~5},
        {ACCD_I_LNOT, 5, 0, 0},
        {ACCD_I_DISTANCE, 20, 4, 8},
        {ACCD_I_DISTANCE, 4, 21, -8}, /* k is 2 */
        {ACCD_I_DISTANCE, least, 1, none},
        {ACCD_I_DISTANCE, most, -1, none},
        {ACCD_I_MUL, 1 << 30, 1 << 30, (int64_t)1 << 60},
        {ACCD_I_MUL, (int64_t)1 << 31, (int64_t)1 << 32, none},
        {ACCD_I_MUL, 2, ((int64_t)1 << 61) - 1, ((int64_t)1 << 62) - 2}, /* by shifts */
        {ACCD_I_MUL, 2, (int64_t)1 << 62, none},
        {ACCD_I_ADD, ((int64_t)1 << 61) - 1, ((int64_t)1 << 61) - 1, ((int64_t)1 << 62) - 2},
        {ACCD_I_ADD, (int64_t)1 << 62, (int64_t)1 << 62, none},
        {ACCD_I_LNOT, 0, 0, 1},
        {ACCD_I_SELECT, 1, 5, 5},
        {ACCD_I_SELECT, 0, 5, 77},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t found = evaluate(context, cases[i].op, cases[i].a, cases[i].b);
        must(found == cases[i].wanted, "case %zu: %lld", i, (long long)found);
    }
    static const int64_t casts[ACCD_SCALAR_COUNT] = {-2, 254, -2, 65534, -2, 4294967294, -2, -2, 1};
    for (int type = 0; type < ACCD_SCALAR_COUNT; type++) {
        int64_t out[2], number = -2;
        const accd_instruction code[] = {CONSTANT(0, -2), {.op = ACCD_I_CAST, .to = 1, .a = 0, .b = (uint8_t)type}};
        must(accd_evaluate(context, code, 2, 2, NULL, out) == ACCD_OK && out[1] == casts[type], "cast to type %d",
             type);
        const accd_instruction load[] = {{.op = ACCD_I_PARAM, .to = 0, .k = 1},
                                         {.op = ACCD_I_LOAD_AT, .to = 1, .a = 0, .b = (uint8_t)type, .k = -8}};
        int64_t params[] = {0, (int64_t)(uintptr_t)&number + 8};
        must(accd_evaluate(context, load, 2, 2, params, out) == ACCD_OK && out[1] == casts[type], "load of type %d",
             type);
        params[1] = 0;
        must(accd_evaluate(context, load, 2, 2, params, out) == ACCD_ERROR_NULL_POINTER, "null");
    }
    ok(!tap_failed, "instructions");
    int64_t out[1];
    is_status(accd_evaluate(context, CODE({.op = ACCD_I_CALL}), 1, 1, NULL, out), ACCD_ERROR_CALLBACK,
              "no function to call");
    const accd_instruction guarded[] = {{.op = ACCD_I_PARAM, .to = 0}, {.op = ACCD_I_CALL_IF, .to = 1, .a = 0}};
    int64_t both[2], condition[] = {0};
    must(accd_evaluate(context, guarded, 2, 2, condition, both) == ACCD_OK && both[1] == 0, "a call that is not made");
    condition[0] = 1;
    must(accd_evaluate(context, guarded, 2, 2, condition, both) == ACCD_ERROR_CALLBACK, "a call that is made");
    ok(!tap_failed, "calls under a condition");
    accd_context_free(context);
}

/* Arithmetic in types of C: values, and what is undefined. */
static void typed(void)
{
    enum { I32 = 1 + ACCD_SCALAR_I32, U32 = 1 + ACCD_SCALAR_U32, I64 = 1 + ACCD_SCALAR_I64, U64 = 1 + ACCD_SCALAR_U64 };
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    const int64_t most = INT64_MAX, least = INT64_MIN, top = UINT32_MAX;
    const struct {
        accd_opcode op;
        int64_t type, a, b, wanted;
        const char *undefined;
    } cases[] = {
        {ACCD_I_ADD, I32, INT32_MAX, -1, INT32_MAX - 1, NULL},
        {ACCD_I_ADD, I32, INT32_MAX, 1, 0, "overflows"},
        {ACCD_I_SUB, I32, INT32_MIN, 1, 0, "overflows"},
        {ACCD_I_MUL, I32, 65536, 65536, 0, "overflows"},
        {ACCD_I_ADD, U32, top, 2, 1, NULL},
        {ACCD_I_SUB, U32, 2, 4294967294, 4, NULL},
        {ACCD_I_MUL, U32, top, top, 1, NULL},
        {ACCD_I_ADD, I64, most, 1, 0, "overflows"},
        {ACCD_I_SUB, I64, -1, most, least, NULL},
        {ACCD_I_MUL, I64, least, -1, 0, "overflows"},
        {ACCD_I_ADD, U64, -1, 2, 1, NULL},
        {ACCD_I_SUB, U64, 0, least, least, NULL},
        {ACCD_I_MUL, U64, least, 3, least, NULL},
        {ACCD_I_DIV, I32, -7, 2, -3, NULL},
        {ACCD_I_MOD, I32, -7, 2, -1, NULL},
        {ACCD_I_DIV, I32, INT32_MIN, -1, 0, "overflows"},
        {ACCD_I_MOD, I64, least, -1, 0, "overflows"},
        {ACCD_I_DIV, U32, top, 2, 2147483647, NULL},
        {ACCD_I_DIV, U64, -1, 2, most, NULL},
        {ACCD_I_MOD, U64, -1, 10, 5, NULL},
        {ACCD_I_DIV, U64, 5, 0, 0, "divides by zero"},
        {ACCD_I_MOD, I32, 5, 0, 0, "divides by zero"},
        {ACCD_I_SHL, I32, 1, 30, 1 << 30, NULL},
        {ACCD_I_SHL, I32, 1, 31, 0, "overflows"},
        {ACCD_I_SHL, I32, 1, 32, 0, "shifts"},
        {ACCD_I_SHL, I32, 1, -1, 0, "shifts"},
        {ACCD_I_SHL, U32, 3, 31, 2147483648, NULL},
        {ACCD_I_SHL, I64, 1, 63, 0, "overflows"},
        {ACCD_I_SHL, U64, 3, 63, least, NULL},
        {ACCD_I_SHR, I32, -8, 1, -4, NULL},
        {ACCD_I_SHR, U32, top, 31, 1, NULL},
        {ACCD_I_SHR, U32, top, 32, 0, "shifts"},
        {ACCD_I_SHR, I64, -8, 1, -4, NULL},
        {ACCD_I_SHR, U64, -8, 1, most - 3, NULL},
        {ACCD_I_LT, U64, -1, 1, 0, NULL},
        {ACCD_I_LE, U64, 1, -1, 1, NULL},
        {ACCD_I_LE, U64, 1, 1, 1, NULL},
        {ACCD_I_REQUIRE, 1, 5, 0, 5, NULL},
        {ACCD_I_REQUIRE, 1, 0, 0, 0, "not contiguous"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t out[3];
        const accd_instruction code[] = {CONSTANT(0, cases[i].a),
                                         CONSTANT(1, cases[i].b),
                                         {.op = (uint8_t)cases[i].op, .to = 2, .a = 0, .b = 1, .k = cases[i].type}};
        accd_status status = accd_evaluate(context, code, 3, 3, NULL, out);
        if (cases[i].undefined)
            must(status == ACCD_ERROR_INVALID_SECTION &&
                     strstr(accd_context_error(context)->message, cases[i].undefined),
                 "case %zu is undefined", i);
        else
            must(status == ACCD_OK && out[2] == cases[i].wanted, "case %zu", i);
    }
    int64_t out[2];
    is_status(accd_evaluate(context, CODE({.op = ACCD_I_REQUIRE}), 1, 1, NULL, out), ACCD_ERROR_OUT_OF_BOUNDS,
              "outside of a row");
    is_status(accd_evaluate(context, CODE(CONSTANT(0, -1), {.op = ACCD_I_LOAD_AT, .to = 1, .b = ACCD_SCALAR_I32}), 2, 2,
                            NULL, out),
              ACCD_OK, "nothing is read of nowhere");
    is_number(out[1], 0, "it counts as zero");
    ok(!tap_failed, "arithmetic in types of C");
    accd_context_free(context);
}

/* Whole columns, elements apart or one behind the other, against one row at a time. */
static void columns(void)
{
    enum { ROWS = 251 }; /* not a multiple of any number of rows that are done at once */
    static struct {
        int64_t a, b, more;
    } rows[ROWS];
    static uint64_t address[ROWS];
    static accd__column r[3];
    static const int64_t special[] = {0, 1, -1, 2, INT64_MAX, INT64_MIN, INT64_MIN + 1, -4096};
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    uint64_t state = 3;
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < ROWS; i++) {
            address[i] = (uintptr_t)&rows[i];
            rows[i].a = (int64_t)(next_random(&state) % 2001) - 1000;
            rows[i].b = (int64_t)(next_random(&state) % 2001) - 1000;
        }
        for (int k = 0; round % 4 && k < round; k++) { /* some rounds without anything odd */
            rows[next_random(&state) % ROWS].a = special[next_random(&state) % 8];
            rows[next_random(&state) % ROWS].b = special[next_random(&state) % 8];
        }
        for (int op = ACCD_I_ADD; op <= ACCD_I_DISTANCE; op++) {
            const int64_t k = op == ACCD_I_DISTANCE ? 1 + round % 9 : 0;
            const accd_instruction code[] = {LOAD(0, ACCD_SCALAR_I64, 0),
                                             LOAD(1, ACCD_SCALAR_I64, 8),
                                             {.op = (uint8_t)op, .to = 2, .a = 0, .b = 1, .k = k}};
            const accd_program program = {.context = context,
                                          .spec = {.stride = sizeof rows[0], .code = code, .ncode = 3, .registers = 3}};
            const struct accd__rowset set = {.base = (uintptr_t)rows, .address = round % 2 ? address : NULL};
            struct accd__machine m = {.context = context, .program = &program, .set = &set, .r = r};
            must(accd__machine_run(&m, 0, 3, 0, ROWS), "run");
            for (size_t i = 0; i < ROWS; i++) {
                int64_t out[3];
                const accd_instruction one[] = {CONSTANT(0, rows[i].a), CONSTANT(1, rows[i].b), code[2]};
                must(accd_evaluate(context, one, 3, 3, NULL, out) == ACCD_OK && out[2] == r[2][i],
                     "round %d, instruction %d of %lld and %lld: %lld, alone %lld", round, op, (long long)rows[i].a,
                     (long long)rows[i].b, (long long)r[2][i], (long long)out[2]);
            }
        }
    }
    ok(!tap_failed, "columns");
    accd_context_free(context);
}

static void unsound(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, NULL, 64);
    accd_program *inherits = program_of(
        context,
        &(accd_program_spec){.stride = 8, .registers = 1, .ncode = 1, .code = CODE({.op = ACCD_I_INHERIT, .k = 3})});
    accd_program *reads = program_of(
        context, &(accd_program_spec){
                     .stride = 8, .registers = 1, .ncode = 1, .params = 2, .code = CODE({.op = ACCD_I_PARAM, .k = 1})});
    accd_program *none = NULL;
    const accd_field good = {.offset = 0, .unit = 8, .start = -1};
    const accd_field fields[] = {
        {.offset = 1, .unit = 8, .start = -1},
        {.offset = 0, .unit = 0, .start = -1},
        {.offset = 0, .unit = 8, .start = -1, .count = 1},
        {.offset = 0, .unit = 8, .start = 1},
        {.offset = 0, .unit = 8, .start = -1, .count = -1},
        {.offset = 0, .unit = 8, .start = -1, .code_end = 2},
        {.offset = 0, .unit = 16, .start = -1, .child = reads},
        {.offset = 0, .unit = 8, .start = -1, .child = inherits},
        {.offset = UINT64_MAX, .unit = 8, .start = -1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        must(accd_program_new(context,
                              &(accd_program_spec){.stride = 8,
                                                   .registers = 1,
                                                   .ncode = 1,
                                                   .code = CODE(CONSTANT(0, 1)),
                                                   .fields = &fields[i],
                                                   .nfields = 1},
                              &none) == ACCD_ERROR_MISUSE,
             "field %zu", i);
    const accd_instruction code[] = {
        CONSTANT(1, 0),
        {.op = ACCD_I_COUNT},
        {.op = ACCD_I_ADD, .a = 1},
        {.op = ACCD_I_ADD, .b = 1},
        LOAD(0, ACCD_SCALAR_I64, 1),
        LOAD(0, ACCD_SCALAR_I8, 8),
        LOAD(0, ACCD_SCALAR_I8, -1),
        LOAD(0, ACCD_SCALAR_COUNT, 0),
        {.op = ACCD_I_PARAM, .k = 0},
        {.op = ACCD_I_PARAM, .k = -1},
        {.op = ACCD_I_INHERIT, .k = 64},
        {.op = ACCD_I_SELECT, .k = 1},
        {.op = ACCD_I_CALL, .a = 0, .b = 2},
        {.op = ACCD_I_CALL_IF, .a = 0, .b = 1},
        {.op = ACCD_I_CAST, .b = ACCD_SCALAR_COUNT},
        {.op = ACCD_I_NEG, .a = 9},
        {.op = ACCD_I_ADD, .k = 1 + ACCD_SCALAR_I8},
        {.op = ACCD_I_SHR, .k = 1 + ACCD_SCALAR_BOOL},
        {.op = ACCD_I_MUL, .k = -1},
        {.op = ACCD_I_LT, .k = 1 + ACCD_SCALAR_U32},
        {.op = ACCD_I_REQUIRE, .k = -1},
        {.op = ACCD_I_REQUIRE, .a = 1},
    };
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        must(accd_program_new(context, &(accd_program_spec){.stride = 8, .registers = 1, .ncode = 1, .code = &code[i]},
                              &none) == ACCD_ERROR_MISUSE,
             "instruction %zu", i);
    const accd_piece outside[] = {{.offset = 4, .bytes = 5}, {.offset = 9}, {.bytes = UINT64_MAX}};
    for (size_t i = 0; i < 3; i++)
        must(accd_program_new(context, &(accd_program_spec){.stride = 8, .npieces = 1, .pieces = &outside[i]}, &none) ==
                 ACCD_ERROR_MISUSE,
             "piece %zu", i);
    is_status(accd_program_new(context, &(accd_program_spec){.stride = 0}, &none), ACCD_ERROR_MISUSE, "size");
    is_status(accd_program_new(context, &(accd_program_spec){.stride = 8, .registers = 65}, &none), ACCD_ERROR_MISUSE,
              "registers");
    ok(!none && !tap_failed, "unsound programs are refused");
    /* a program that reads its enclosing element cannot be the first; parameters must be there */
    char bytes[8] = {0};
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, walked(ACCD_ACTION_COPYIN, bytes, 8, inherits, NULL)),
          "nothing to inherit from");
    accd_field to_reads = good;
    to_reads.child = reads;
    accd_program *outer =
        program_of(context, &(accd_program_spec){.stride = 8, .registers = 1, .fields = &to_reads, .nfields = 1});
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, walked(ACCD_ACTION_COPYIN, bytes, 8, reads, NULL)),
          "no parameters");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, walked(ACCD_ACTION_COPYIN, bytes, 8, outer, NULL)),
          "no parameters for an inner program");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, walked(ACCD_ACTION_COPYIN, bytes, 7, outer, NULL)),
          "not whole elements");
    accd_program_release(outer);
    accd_program_release(inherits);
    accd_program_release(reads);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

static void sections(size_t least)
{
    static double data[64];
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, NULL, least);
    accd_program *program = bounds_program(context);
    struct bounds X[3] = {{4, 0, data}, {4, 4, data}, {0, 99, data}};
    accd_item item = walked(ACCD_ACTION_COPYIN, X, sizeof X, program, array(context, "X", sizeof X[0], program));
    is_status(ENTER(context, item), ACCD_OK, "X[1].p[4:4], groups from %zu", least);
    ok(present_count(context, data + 4, 0, 1) && !accd_device_address(context, 0, data + 8), "present");
    ok(device_word(context, &X[1].p) == accd_device_address(context, 0, data + 4) - 32 &&
           !attach_count(context, &X[2].p),
       "attached, but not the empty one");
    is_sound(context);
    is_status(EXIT(context, item), ACCD_ERROR_MISUSE, "copyin does not leave");
    item.action = ACCD_ACTION_DELETE;
    is_status(EXIT(context, item), ACCD_OK, "delete");
    const struct {
        int64_t n, from;
        double *p;
        accd_status wanted;
    } cases[] = {
        {-1, 0, data, ACCD_ERROR_INVALID_SECTION},
        {INT64_MIN, 0, data, ACCD_ERROR_INVALID_SECTION},
        {INT64_MAX, 0, data, ACCD_ERROR_INVALID_SECTION},
        {(int64_t)1 << 45, 0, data, ACCD_ERROR_INVALID_SECTION},
        {1, INT64_MAX, data, ACCD_ERROR_INVALID_SECTION},
        {1, INT64_MIN, data, ACCD_ERROR_INVALID_SECTION},
        {1, INT64_MIN + 1, data, ACCD_ERROR_INVALID_SECTION},
        {1, -((int64_t)1 << 43), (double *)8192, ACCD_ERROR_INVALID_SECTION},
        {8, 0, (double *)(UINTPTR_MAX - 7), ACCD_ERROR_INVALID_SECTION},
        {1, 0, NULL, ACCD_ERROR_NULL_POINTER},
        {0, 0, NULL, ACCD_OK},
        {0, INT64_MAX, NULL, ACCD_OK},
        {2, -2, data + 2, ACCD_OK},
        {8, 1, data - 1, ACCD_OK},
    };
    item.action = ACCD_ACTION_CREATE;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        X[2] = (struct bounds){cases[i].n, cases[i].from, cases[i].p};
        X[1].n = 0;
        if (cases[i].wanted != ACCD_OK) {
            fails(context, cases[i].wanted, ENTER(context, item), "case %zu", i);
            is_text(accd_context_error(context)->asked.name, "X[2].p", "case %zu names the pointer", i);
            continue;
        }
        X[0].n = 0;
        is_status(ENTER(context, item), ACCD_OK, "case %zu", i);
        is_sound(context);
        item.action = ACCD_ACTION_DELETE;
        is_status(EXIT(context, item), ACCD_OK, "case %zu leaves", i);
        item.action = ACCD_ACTION_CREATE;
    }
    accd_item section = {0};
    is_status(accd_item_set_section(context, &section, (uintptr_t)data, 2, 3, 8), ACCD_OK, "data[2:3]");
    ok(section.host == data + 2 && section.bytes == 24 && section.start == 2, "is in the middle");
    is_status(accd_item_set_section(context, &section, (uintptr_t)(data + 2), -2, 1, 8), ACCD_OK, "[-2:1]");
    ok(section.host == data, "is before");
    is_status(accd_item_set_section(context, &section, 0, 5, 0, 8), ACCD_OK, "null, no elements");
    const int64_t wrong[][2] = {{0, -1},        {0, INT64_MAX}, {INT64_MAX, 1},
                                {INT64_MIN, 1}, {0, INT64_MIN}, {-((int64_t)1 << 43), 1}};
    for (size_t i = 0; i < 6; i++)
        is_status(accd_item_set_section(context, &section, 8192, wrong[i][0], wrong[i][1], 8),
                  ACCD_ERROR_INVALID_SECTION, "section %zu", i);
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

/* struct { double k; struct leaf in[2]; int m; int list[6]; }: elements and a section in the
 * object. */
struct outer {
    int64_t k;
    struct leaf in[2];
    int m, list[7];
};

static int bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = args[0][i] + (nargs > 1 ? args[1][i] : 0);
    return *(int *)ud == fn;
}

static void test_nested_programs(size_t least)
{
    static float a[4][4];
    struct meter meter = {0};
    accd_context_config config;
    int failing = 0;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.group_least = least;
    config.device_bytes = 1 << 20;
    config.on_bound = bound;
    config.bound_ud = &failing;
    accd_context *context = NULL;
    accd_context_new(&context, &config);
    accd_field pointer = {.offset = offsetof(struct leaf, a),
                          .unit = 4,
                          .start = -1,
                          .code_end = 4,
                          .count = 3,
                          .label = member(context, "a", 4, NULL)};
    /* length: function 1 of n and the outer k, plus parameter 1 */
    accd_program *inner = program_of(
        context, &(accd_program_spec){.stride = sizeof(struct leaf),
                                      .fields = &pointer,
                                      .nfields = 1,
                                      .registers = 4,
                                      .ncode = 4,
                                      .params = 2,
                                      .code = CODE(LOAD(0, ACCD_SCALAR_I32, 0), {.op = ACCD_I_INHERIT, .to = 1, .k = 2},
                                                   {.op = ACCD_I_CALL, .to = 3, .a = 0, .b = 2, .k = 1},
                                                   {.op = ACCD_I_PARAM, .to = 2, .k = 1})});
    const accd_field fields[] = {{.offset = offsetof(struct outer, in),
                                  .unit = sizeof(struct leaf),
                                  .start = -1,
                                  .count = 0,
                                  .code_end = 1,
                                  .embedded = 1,
                                  .child = inner,
                                  .label = member(context, "in", 0, inner)},
                                 {.offset = offsetof(struct outer, list),
                                  .unit = 4,
                                  .start = 3,
                                  .count = 1,
                                  .code_end = 4,
                                  .in_place = 1,
                                  .action = ACCD_ACTION_COPYIN,
                                  .label = member(context, "list", 4, NULL)}};
    accd_program *program = program_of(
        context, &(accd_program_spec){.stride = sizeof(struct outer),
                                      .fields = fields,
                                      .nfields = 2,
                                      .pieces = &(accd_piece){.bytes = 8, .init = 1},
                                      .npieces = 1,
                                      .registers = 4,
                                      .ncode = 4,
                                      .params = 2,
                                      .code = CODE(CONSTANT(0, 2), LOAD(1, ACCD_SCALAR_I32, offsetof(struct outer, m)),
                                                   LOAD(2, ACCD_SCALAR_I64, 0), CONSTANT(3, 1))});
    struct outer X[2] = {{1, {{1, a[0], 0}, {2, a[1], 0}}, 3, {1, 2, 3, 4, 5, 6, 7}},
                         {0, {{2, a[2], 0}, {0, a[3], 0}}, 0, {0}}};
    const int64_t params[2] = {0, 5};
    accd_item item = walked(ACCD_ACTION_CREATE, X, sizeof X, program, array(context, "X", sizeof X[0], program));
    item.params = params;
    story_clear(&story);
    accd_context_set_event_handler(context, tell_story, &story);
    accd_region *region;
    is_status(REGION(context, &region, item), ACCD_OK, "embedded elements, groups from %zu", least);
    is_text(story.text,
            "alloc X[0:2]|alloc X[0].in[0].a[0:2]|alloc X[0].in[1].a[0:3]|alloc X[1].in[0].a[0:2]|"
            "h2d X[0]|h2d X[1]|h2d X[0].list[1:3]|attach X[0].in[0].a|attach X[0].in[1].a|"
            "attach X[1].in[0].a|incref X[0:2]|incref X[0].in[0].a[0:2]|incref X[0].in[1].a[0:3]|"
            "incref X[1].in[0].a[0:2]|",
            "events");
    uint64_t dev = accd_device_address(context, 0, X);
    ok(accd_device_count_written(context, 0, dev, sizeof X[0]) == 8 + 12 + 16, "what is initialised");
    int list[3];
    ok(device_get(context, &X[0].list[1], list, 12) && list[0] == 2 && list[2] == 4, "the section");
    char name[80];
    accd_format_name_at(context, 0, accd_device_address(context, 0, &X[1].in[0].a), name, sizeof name);
    is_text(name, "X[1].in[0].a", "a place in embedded elements");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    failing = 1;
    fails(context, ACCD_ERROR_CALLBACK, REGION(context, &region, item), "a function that fails");
    accd_program_release(inner);
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

/* A section of an array that is a part of the element ends with the element. */
static void leaving_sections(void)
{
    struct row {
        int64_t n, from;
        float list[4];
    };
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", 1);
    const accd_field field = {.offset = offsetof(struct row, list),
                              .unit = sizeof(float),
                              .count = 0,
                              .start = 1,
                              .code_end = 2,
                              .in_place = 1,
                              .action = ACCD_ACTION_COPYIN};
    accd_program *program = program_of(
        context, &(accd_program_spec){.stride = sizeof(struct row),
                                      .fields = &field,
                                      .nfields = 1,
                                      .pieces = &(accd_piece){.bytes = 16},
                                      .npieces = 1,
                                      .registers = 2,
                                      .ncode = 2,
                                      .code = CODE(LOAD(0, ACCD_SCALAR_I64, 0), LOAD(1, ACCD_SCALAR_I64, 8))});
    struct row rows[3] = {{4, 0, {0}}, {4, 0, {0}}, {4, 0, {0}}};
    static const struct {
        int64_t n, from;
        bool good;
    } ways[] = {{4, 0, true},  {1, 3, true},   {0, 9, true},   {8, -4, true}, {5, 0, false},
                {1, 4, false}, {1, -5, false}, {9, -4, false}, {4, 1, false}, {1, INT64_MAX / 8, false}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (int k = 0; k < 3; k++) {
            rows[k].n = ways[i].n;
            rows[k].from = ways[i].from;
            accd_item item = walked(ACCD_ACTION_COPYIN, rows, sizeof rows, program, NULL);
            if (ways[i].good) {
                is_status(ENTER(context, item), ACCD_OK, "way %zu of row %d", i, k);
                item.action = ACCD_ACTION_DELETE;
                is_status(EXIT(context, item), ACCD_OK, "and its end");
            } else {
                fails(context, ACCD_ERROR_INVALID_SECTION, ENTER(context, item), "way %zu of row %d", i, k);
            }
            rows[k].n = 4;
            rows[k].from = 0;
        }
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

int main(void)
{
    leaving_sections();
    instructions();
    typed();
    columns();
    unsound();
    for (size_t least = 1; least <= 1000; least += 999) {
        sections(least);
        test_nested_programs(least);
    }
    story_free(&story);
    return done();
}
