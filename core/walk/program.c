/* program.c - mapping programs (walk.h): checks and copies a specification (accd_program_new), evaluates expressions
 * without an element (accd_evaluate), and writes the error messages for faults. A child is the program for the elements
 * of a field's sections. core/plan and the Lua binding call these functions. */
#include "accdeep_programs.h"
#include "walk/program.h"

#include <limits.h>

/* Applies the macro X to the name of each array of a specification (accd_program_spec); the member n<name> has the
 * number of its elements. */
#define ARRAYS(X) X(pieces) X(fields) X(code) X(excluded) X(members)

/* Returns a copy of n elements of `size` bytes; NULL if n is 0. Without memory, returns NULL and sets *ok to false. */
static void *copy_array(struct accd__mem *mem, const void *from, size_t n, size_t size, bool *ok)
{
    if (n == 0)
        return NULL;
    void *to = accd__mem_alloc_array(mem, n, size);
    if (to)
        memcpy(to, from, n * size);
    else
        *ok = false;
    return to;
}

/* Returns true if `bytes` bytes at `offset` lie in an element of `stride` bytes. */
static bool is_inside_element(uint64_t offset, uint64_t bytes, uint64_t stride)
{
    return bytes <= stride && offset <= stride - bytes;
}

/* Returns true if opcode and operands of an instruction are valid: registers and parameters that `spec` has, loads
 * inside the element, and scalar types and constants that the opcode allows. */
static bool is_valid_instruction(const accd_program_spec *spec, const accd_instruction *in)
{
    unsigned n = spec->registers;
    if (in->op >= ACCD_I_COUNT || in->to >= n)
        return false;
    switch ((accd_opcode)in->op) {
    case ACCD_I_CONST:
    case ACCD_I_SELF:
        return true;
    case ACCD_I_PARAM:
        return in->k >= 0 && in->k < spec->params;
    case ACCD_I_INHERIT:
        return in->k >= 0 && in->k < ACCD_REGISTERS;
    case ACCD_I_LOAD:
        return in->b < ACCD_SCALAR_COUNT && in->k >= 0 &&
               is_inside_element((uint64_t)in->k, accd__scalar_bytes[in->b], spec->stride);
    case ACCD_I_LOAD_AT:
        return in->a < n && in->b < ACCD_SCALAR_COUNT;
    case ACCD_I_CAST:
        return in->a < n && in->b < ACCD_SCALAR_COUNT;
    case ACCD_I_NEG:
    case ACCD_I_NOT:
    case ACCD_I_LNOT:
        return in->a < n;
    case ACCD_I_DISTANCE:
        return in->a < n && in->b < n && in->k > 0;
    case ACCD_I_SELECT:
        return in->a < n && in->b < n && in->k >= 0 && in->k < n;
    case ACCD_I_CALL:
        return in->b <= ACCD_MAX_ARGUMENTS && (unsigned)in->a + in->b <= n;
    case ACCD_I_CALL_IF:
        return in->b <= ACCD_MAX_ARGUMENTS && (unsigned)in->a + 1 + in->b <= n;
    case ACCD_I_REQUIRE:
        return in->a < n && in->k >= 0;
    case ACCD_I_LT:
    case ACCD_I_LE:
        return in->a < n && in->b < n && (in->k == 0 || in->k == 1 + ACCD_SCALAR_U64);
    case ACCD_I_ADD:
    case ACCD_I_SUB:
    case ACCD_I_MUL:
    case ACCD_I_DIV:
    case ACCD_I_MOD:
    case ACCD_I_SHL:
    case ACCD_I_SHR:
        return in->a < n && in->b < n && (in->k == 0 || (in->k >= 1 + ACCD_SCALAR_I32 && in->k <= 1 + ACCD_SCALAR_U64));
    default:
        return in->a < n && in->b < n && in->k == 0;
    }
}

/* Returns the set of registers to which the code of `spec`, which is valid, writes; bit k: register k. */
static uint64_t written_registers(const accd_program_spec *spec)
{
    uint64_t set = 0;
    for (size_t i = 0; i < spec->ncode; i++)
        set |= (uint64_t)1 << spec->code[i].to;
    return set;
}

/* Returns true if a specification passes the checks of accd_program_new: arrays that are not NULL, valid instructions,
 * pieces and members inside the element, fields whose operands, flags and children fit. */
static bool is_valid_spec(const accd_program_spec *spec)
{
#define X(array)                        \
    if (spec->n##array && !spec->array) \
        return false;
    ARRAYS(X)
#undef X
    if (spec->stride == 0 || spec->registers > ACCD_REGISTERS)
        return false;
    for (size_t i = 0; i < spec->ncode; i++)
        if (!is_valid_instruction(spec, &spec->code[i]))
            return false;
    const uint64_t written = written_registers(spec);
    for (size_t i = 0; i < spec->npieces; i++)
        if (!is_inside_element(spec->pieces[i].offset, spec->pieces[i].bytes, spec->stride) ||
            spec->pieces[i].action >= ACCD_ACTION_COUNT)
            return false;
    for (size_t i = 0; i < spec->nexcluded; i++)
        if (!is_inside_element(spec->excluded[i].offset, spec->excluded[i].bytes, spec->stride))
            return false;
    for (size_t i = 0; i < spec->nmembers; i++)
        if (!is_inside_element(spec->members[i].offset, spec->members[i].bytes, spec->stride))
            return false;
    for (size_t i = 0; i < spec->nfields; i++) {
        const accd_field *field = &spec->fields[i];
        bool pointer = !field->embedded && !field->in_place;
        if (!is_inside_element(field->offset, pointer ? accd__field_slot_bytes(field) : 1, spec->stride) ||
            field->slot_bytes % sizeof(void *) || field->slot_bytes > ACCD_MAX_SLOT_BYTES ||
            (field->slot_bytes && !pointer) || !field->unit || field->count < 0 ||
            field->count >= (int)spec->registers || field->start < -1 || field->start >= (int)spec->registers ||
            field->action >= ACCD_ACTION_COUNT || field->flags & ~ACCD_FIELD_FLAGS || field->code_end > spec->ncode ||
            (i && field->code_end < spec->fields[i - 1].code_end) ||
            (field->child &&
             (field->up || field->child->spec.stride != field->unit || field->child->inherited & ~written)))
            return false;
    }
    return true;
}

/* Completes recursive programs: sets `target` as the child of each field of `program`, and of programs inside it, whose
 * `up` refers to `target`. `program` lies `level` - 1 levels inside `target`. The fields do not retain this child.
 * Returns false if the unit of such a field is not the size of an element of `target`, or its program lacks registers
 * that `target` reads. Also returns false if such a field has a child already, because a field can belong to one
 * recursive program only. For the same reason, a program whose fields lead out of it must not lie at two levels.
 * Several fields may have the same child, which is visited once: otherwise the time would double with each level. */
static bool close_cycles(accd_program *target, accd_program *program, unsigned level)
{
    assert(level > 0);
    if (program->visit == target->visit && level > 1)
        return program->visit_level == level;
    program->visit = target->visit;
    program->visit_level = level;
    for (size_t f = 0; f < program->spec.nfields; f++) {
        accd_field *field = (accd_field *)(uintptr_t)&program->spec.fields[f];
        if (field->up == level) {
            if (field->child || field->unit != target->spec.stride ||
                target->inherited & ~written_registers(&program->spec))
                return false;
            field->child = target;
            target->is_recursive = true;
        } else if (!field->up && field->child && field->child->open >= level &&
                   !close_cycles(target, field->child, level + 1)) {
            return false;
        }
    }
    return true;
}

/* Sets *program_p to a new program with copies of the arrays of `spec`, and computes its flags; retains the children.
 * Returns ACCD_ERROR_MISUSE if is_valid_spec or close_cycles rejects the specification, ACCD_ERROR_OUT_OF_MEMORY
 * without memory. */
accd_status accd_program_new(accd_context *context, const accd_program_spec *spec, accd_program **program_p)
{
    if (!context || !spec || !program_p)
        return accd__report_missing_argument(context, __func__, !spec ? "spec" : "program_p");
    if (!is_valid_spec(spec))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "a mapping program is not sound");
    struct accd__mem *mem = context->persistent->mem;
    accd_program *program = accd__mem_alloc_zeroed(mem, sizeof *program);
    if (!program)
        return accd__report_out_of_memory(context, "for a program");
    bool ok = true;
    program->context = context;
    program->users = 1;
    program->spec = *spec;
#define X(array) program->spec.array = copy_array(mem, spec->array, spec->n##array, sizeof spec->array[0], &ok);
    ARRAYS(X)
#undef X
    for (size_t i = 0; program->spec.fields && i < spec->nfields; i++) {
        if (spec->fields[i].child) {
            const accd_program *child = accd_program_retain(spec->fields[i].child);
            /* the program needs the parameters of its children, too, because an item has one array of parameters for
             * all programs */
            if (child->spec.params > program->spec.params)
                program->spec.params = child->spec.params;
            if (child->open > program->open + 1)
                program->open = child->open - 1;
            program->reaches_calls |= child->reaches_calls;
        } else if (spec->fields[i].up > program->open + 1) {
            program->open = spec->fields[i].up - 1;
        }
    }
    if (!ok) {
        accd_program_release(program);
        return accd__report_out_of_memory(context, "for a program");
    }
    for (size_t i = 0; i < spec->ncode; i++) {
        program->calls |= spec->code[i].op == ACCD_I_CALL || spec->code[i].op == ACCD_I_CALL_IF;
        if (spec->code[i].op == ACCD_I_INHERIT)
            program->inherited |= (uint64_t)1 << spec->code[i].k;
    }
    program->reaches_calls |= program->calls;
    uint64_t end = 0;
    program->covers = true;
    for (size_t i = 0; i < spec->npieces; i++) {
        const accd_piece *piece = &spec->pieces[i];
        program->covers &= piece->offset == end && piece->action == ACCD_ACTION_INHERIT;
        program->covers &= !piece->entry_only;
        program->init |= piece->init;
        end = piece->offset + piece->bytes;
    }
    program->covers &= end == spec->stride;
    program->visit = ++context->persistent->visits;
    if (!close_cycles(program, program, 1)) {
        accd_program_release(program);
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "a recursive program is not sound");
    }
    *program_p = program;
    return ACCD_OK;
}

/* Adds a user to a program and returns it; NULL gives NULL. */
accd_program *accd_program_retain(accd_program *program)
{
    if (program)
        program->users++;
    return program;
}

/* Removes a user of a program, which may be NULL. After the last user, frees the program and releases its children,
 * unless the context has an arena. */
void accd_program_release(accd_program *program)
{
    /* keeps the program after its last user, too, if there is an arena: checkpoints may refer to the program */
    if (!program || --program->users || program->context->persistent->arena)
        return;
    struct accd__mem *mem = program->context->persistent->mem;
    accd_program_spec *spec = &program->spec;
    if (spec->fields)
        for (size_t i = 0; i < spec->nfields; i++)
            accd_program_release(spec->fields[i].up ? NULL : spec->fields[i].child);
#define X(array) accd__mem_free(mem, (void *)(uintptr_t)spec->array, spec->n##array * sizeof spec->array[0]);
    ARRAYS(X)
#undef X
    accd__mem_free(mem, program, sizeof *program);
}

/* --------------------------------------------------------------------------------- faults -- */

#define SECTION "the section of " ACCD_NAME_PLACEHOLDER

/* Records the error of `fault`, with the message from the table below: for a section or, if `section` is false, for an
 * expression. `count`: number of elements that the message mentions. Returns the status of the error. */
accd_status accd__report_fault(accd_context *context, enum accd__fault fault, bool section, int64_t count)
{
    assert(fault != ACCD_FAULT_NONE);
    static const struct {
        accd_status status;
        enum accd__rule rule;
        const char *section, *expression;
    } faults[] = {
        [ACCD_FAULT_NEGATIVE] = {ACCD_ERROR_INVALID_SECTION, R_SECTION, SECTION " has a negative length, %lld", NULL},
        [ACCD_FAULT_TOO_LARGE] = {ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                  SECTION " has a bound that cannot be computed or is too large", NULL},
        [ACCD_FAULT_NULL_BASE] = {ACCD_ERROR_NULL_POINTER, R_NULL,
                                  ACCD_NAME_PLACEHOLDER " is a null pointer, but its section has %lld element%s", NULL},
        [ACCD_FAULT_NOT_LIVE] = {ACCD_ERROR_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                 SECTION ", %lld element%s, is not inside live host memory", NULL},
        [ACCD_FAULT_BEYOND_ELEMENT] = {ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                       SECTION ", %lld element%s, leaves the structure it is a part of", NULL},
        [ACCD_FAULT_BAD_LOAD] =
            {ACCD_ERROR_NULL_POINTER, R_NULL,
             "a bound follows a pointer that is null or does not point into live host memory",
             "an expression follows a pointer that is null or does not point into live host memory"},
        [ACCD_FAULT_CALL_FAILED] = {ACCD_ERROR_CALLBACK, R_CALLBACK, "a function called for a section bound failed",
                                    "a function called in an expression failed"},
        [ACCD_FAULT_DIVISION_BY_ZERO] = {ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                         "a bound of " SECTION " divides by zero", "an expression divides by zero"},
        [ACCD_FAULT_OVERFLOW] = {ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                 "a bound of " SECTION " overflows the type it is computed in",
                                 "an expression overflows the type it is computed in"},
        [ACCD_FAULT_BAD_SHIFT] = {ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                  "a bound of " SECTION " shifts by a number of bits that its type does not have",
                                  "an expression shifts by a number of bits that its type does not have"},
        [ACCD_FAULT_NOT_CONTIGUOUS] = {ACCD_ERROR_INVALID_SECTION, R_CONTIGUOUS,
                                       SECTION " is not contiguous: it takes a part of several rows",
                                       "the section is not contiguous: it takes a part of several rows"},
        [ACCD_FAULT_OUTSIDE_ROW] = {ACCD_ERROR_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                    SECTION " is outside of a row of the array",
                                    "the section is outside of a row of the array"},
    };
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"") /* texts of the table */
        accd__set_error(context, faults[fault].status, faults[fault].rule,
                        section ? faults[fault].section : faults[fault].expression, (long long)count,
                        count == 1 ? "" : "s");
    _Pragma("GCC diagnostic pop") context->error.advice =
        fault == ACCD_FAULT_NOT_CONTIGUOUS ? ACCD_ADVICE_WHOLE_ROWS : ACCD_ADVICE_NONE;
    return faults[fault].status;
}

/* ---------------------------------------------------------------------------- expressions -- */

/* Returns true if `code` can run without an element: its instructions are valid, and none reads a member, a register
 * of the enclosing element, or the element's address. If `params` is NULL, the code must read no parameters. */
static bool is_valid_expression(const accd_instruction *code, size_t ncode, unsigned registers, const int64_t *params)
{
    const accd_program_spec spec = {.registers = registers, .params = params ? UINT_MAX : 0};
    bool valid = registers <= ACCD_REGISTERS;
    for (size_t i = 0; i < ncode && valid; i++)
        valid = is_valid_instruction(&spec, &code[i]) && code[i].op != ACCD_I_LOAD && code[i].op != ACCD_I_INHERIT &&
                code[i].op != ACCD_I_SELF;
    return valid;
}

/* Runs `ncode` instructions on `registers` registers without an element, and writes the final values of all registers
 * to `out`. `params`: parameters that the code reads, or NULL. Returns ACCD_ERROR_MISUSE if an argument is missing or
 * the code is not sound, or the error of a fault or of missing memory; `out` is then unchanged. */
accd_status accd_evaluate(accd_context *context, const accd_instruction *code, size_t ncode, unsigned registers,
                          const int64_t *params, int64_t *out)
{
    if (!context || (ncode && !code) || (registers && !out))
        return accd__report_missing_argument(context, __func__, ncode && !code ? "code" : "out");
    if (!is_valid_expression(code, ncode, registers, params))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the code of an expression is not sound");
    const accd_program program = {
        .context = context,
        .spec = {.code = code, .ncode = ncode, .registers = registers, .stride = 1},
    };
    static const struct accd__rowset empty_set;
    struct accd__machine m = {
        .context = context,
        .program = &program,
        .params = params,
        .set = &empty_set,
        .r = accd__scratch_alloc(&context->scratch, registers * sizeof(accd__column)),
    };
    /* true if this call is nested: a function that a bound calls evaluates an expression */
    bool was_busy = context->busy;
    context->busy = true;
    accd_status status = ACCD_OK;
    if (!m.r)
        status = accd__report_out_of_memory(context, "to evaluate");
    else if (accd__machine_run(&m, 0, ncode, 0, 1))
        for (unsigned i = 0; i < registers; i++)
            out[i] = m.r[i][0];
    else
        status = accd__report_fault(context, m.fault, false, 0);
    context->busy = was_busy;
    /* frees scratch space, unless a construct still uses it: one that encloses this call, or that waits for a running
     * queue */
    if (!was_busy && !context->runs_queue)
        accd__scratch_reset(&context->scratch);
    return status;
}
