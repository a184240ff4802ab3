/* debug_location.c - locates variables: evaluates location expressions (DWARF) with the memory and registers of a call,
 * and bounds of arrays.
 *
 * An expression is a program for a stack machine (struct machine). Registers of the call are known only in part: stack
 * and frame pointer come with the call, registers that calls preserve from unwinding. Registers at the entry of the
 * function come from the caller, if the caller's debug information says what it passed. Functions of the machine return
 * false if a value is not known, memory is not readable, or the machine's stack is full. */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <assert.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

/* Copies `bytes` bytes of this process at `address` to `to`; returns false if they are not readable. Lets the
 * operating system read, so that an address that is not mapped is an error, not a fault. */
bool accd__read_memory(uint64_t address, void *to, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* --------------------------------------------------------------------------------- registers -- */

/* DWARF numbers of the registers that calls preserve (rbx, rbp, r12 to r15), in the order of
 * accd__frame_view.callee_saved. */
static const int callee_saved[] = {3, 6, 12, 13, 14, 15};
enum { CALLEE_SAVED = sizeof callee_saved / sizeof callee_saved[0], RBP = 6, RSP = 7 };

/* Callback of _Unwind_Backtrace; arg: the view of the call's frame. In the frame that the call returns to, stores the
 * values that the preserved registers will have there, and stops. */
static _Unwind_Reason_Code take_registers(struct _Unwind_Context *context, void *arg)
{
    struct accd__frame_view *view = arg;
    if (_Unwind_GetIP(context) != view->call->pc || _Unwind_GetCFA(context) != view->call->sp)
        return _URC_NO_REASON;
    for (int i = 0; i < CALLEE_SAVED; i++)
        view->callee_saved[i] = _Unwind_GetGR(context, callee_saved[i]);
    view->callee_saved_state = ACCD__DEBUG_READ;
    return _URC_NORMAL_STOP;
}

/* Sets *to to the value of register `number` (DWARF) at the call; returns false if it is not known. */
static bool get_register(struct accd__frame_view *view, uint64_t number, uint64_t *to)
{
    if (!view->call)
        return false;
    if (number == RSP || (number == RBP && view->call->bp)) {
        *to = number == RSP ? view->call->sp : view->call->bp;
        return true;
    }
    for (int i = 0; i < CALLEE_SAVED; i++) {
        if (number != (uint64_t)callee_saved[i])
            continue;
        if (view->callee_saved_state == ACCD__DEBUG_UNREAD) {
            view->callee_saved_state = ACCD__DEBUG_FAILED;
            _Unwind_Backtrace(take_registers, view);
        }
        *to = view->callee_saved[i];
        return view->callee_saved_state == ACCD__DEBUG_READ;
    }
    return false;
}

/* ------------------------------------------------------------------------------- expressions -- */

enum { STACK = 16 };

/* Stack machine that evaluates an expression. */
struct machine {
    struct accd__frame_view *view;
    Dwarf_Addr bias;
    const uint64_t *object;              /* address of the array whose expression is evaluated, or NULL */
    const struct accd__debug_expr *expr; /* expression being evaluated */
    bool at_entry;                       /* registers have the values that they had at the entry of the function */
    bool in_frame; /* the expression is the frame base or the CFA, and must not itself be relative to the frame base */
    bool is_value; /* the top of the stack is the value of the variable, not its address */
    unsigned n;
    uint64_t stack[STACK];
};

static bool evaluate(struct machine *m, const struct accd__debug_expr *expr);

/* Pushes a value on the stack of the machine; returns false if the stack is full. */
static bool push_value(struct machine *m, uint64_t value)
{
    assert(m->n <= STACK);
    if (m->n == STACK)
        return false;
    m->stack[m->n++] = value;
    return true;
}

static bool get_entry_value(struct machine *m, uint64_t number, uint64_t *to);

/* Pushes the value of register `number`, at the call or at the entry of the function, plus an offset. Returns false if
 * the value is not known. */
static bool push_register(struct machine *m, uint64_t number, uint64_t offset)
{
    uint64_t value;
    return (m->at_entry ? get_entry_value(m, number, &value) : get_register(m->view, number, &value)) &&
           push_value(m, value + offset);
}

/* Pushes the CFA: the stack pointer of the caller before the call, from the frame information of the file. Returns
 * false if the CFA is not known. */
static bool push_cfa(struct machine *m)
{
    struct accd__frame_view *view = m->view;
    if (view->cfa_state == ACCD__DEBUG_UNREAD) {
        struct machine frame = {.view = view, .in_frame = true};
        view->cfa_state = ACCD__DEBUG_FAILED;
        if (view->site && evaluate(&frame, &view->site->cfa)) {
            view->cfa = frame.stack[frame.n - 1];
            view->cfa_state = ACCD__DEBUG_READ;
        }
    }
    return view->cfa_state == ACCD__DEBUG_READ && push_value(m, view->cfa);
}

/* Pushes the frame base of the function plus an offset. Returns false if the frame base is not known. */
static bool push_frame_base(struct machine *m, uint64_t offset)
{
    struct machine frame = {.view = m->view, .bias = m->bias, .in_frame = true};
    return m->view->site && !m->in_frame && evaluate(&frame, &m->view->site->frame_base) &&
           push_value(m, frame.stack[frame.n - 1] + offset);
}

/* Sets *to to the value that register `number` had when the function was entered. The caller's debug information says
 * which value the caller passed in the register. Returns false if the value cannot be found so, or if more than three
 * callers must be followed. */
static bool get_entry_value(struct machine *m, uint64_t number, uint64_t *to)
{
    enum { CALLERS_MOST = 3 };
    struct accd__frame_view *view = m->view;
    uint64_t back;
    if (view->callers == CALLERS_MOST || number >= ACCD__DEBUG_REGISTERS || !push_cfa(m) ||
        !accd__read_memory(m->stack[--m->n] - sizeof back, &back, sizeof back))
        return false;
    const struct accd__debug_module *module = accd__find_module(view->debug, back);
    if (module && module->is_libc)
        return false;
    struct accd__code_site *site = accd__find_code_site(view->debug, back);
    struct accd__debug_call_frame call = {.pc = back, .sp = view->cfa};
    struct accd__frame_view caller = {.debug = view->debug, .site = site, .call = &call, .callers = view->callers + 1};
    struct accd__value_location place;
    if (!site || !site->callee || !view->site->caller ||
        /* a different callee shows a tail call: then the caller's information is about another function */
        strcmp(site->callee, view->site->caller) != 0 ||
        !accd__evaluate_location(&caller, site->passed[number], site->bias, NULL, &place))
        return false;
    *to = place.at;
    return true;
}

/* Pushes the value of the operation DW_OP_entry_value: that of a register at the function's entry. Returns false if
 * the operation asks for more than a single register, or the value is not known. */
static bool push_entry_value(struct machine *m, const Dwarf_Op *op)
{
    const struct accd__dw *dw = &m->view->debug->dw;
    Dwarf_Attribute from = m->expr->from, attribute;
    struct accd__debug_expr entry;
    uint64_t value;
    return dw->dwarf_getlocation_attr(&from, op, &attribute) == 0 &&
           dw->dwarf_getlocation(&attribute, &entry.ops, &entry.n) == 0 && entry.n == 1 &&
           entry.ops->atom >= DW_OP_reg0 && entry.ops->atom <= DW_OP_reg31 &&
           get_entry_value(m, entry.ops->atom - DW_OP_reg0, &value) && push_value(m, value);
}

/* Replaces the address on top of the stack by the value of `bytes` bytes at that address. Returns false if the stack
 * is empty, for more than 8 bytes, or if the bytes are not readable. */
static bool dereference(struct machine *m, uint64_t bytes)
{
    uint64_t value = 0;
    if (!m->n || bytes > sizeof value || !accd__read_memory(m->stack[m->n - 1], &value, bytes))
        return false;
    m->stack[m->n - 1] = value;
    return true;
}

/* Replaces the two values on top of the stack by the result of the operation `atom`; returns false if it is not
 * supported. */
static bool execute_binary_op(struct machine *m, uint8_t atom)
{
    if (m->n < 2)
        return false;
    uint64_t b = m->stack[--m->n], *a = &m->stack[m->n - 1];
    switch (atom) {
    case DW_OP_plus:
        *a += b;
        return true;
    case DW_OP_minus:
        *a -= b;
        return true;
    case DW_OP_mul:
        *a *= b;
        return true;
    case DW_OP_and:
        *a &= b;
        return true;
    case DW_OP_shl:
        *a = b < 64 ? *a << b : 0;
        return true;
    case DW_OP_shr:
        *a = b < 64 ? *a >> b : 0;
        return true;
    default:
        return false;
    }
}

/* Executes one operation; returns false if it fails or is not supported. */
static bool execute_op(struct machine *m, const Dwarf_Op *op)
{
    uint64_t address;
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push_value(m, op->atom - DW_OP_lit0);
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        return push_register(m, op->atom - DW_OP_breg0, op->number);
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
        m->is_value = true;
        return push_register(m, op->atom - DW_OP_reg0, 0);
    }
    switch (op->atom) {
    case DW_OP_addr:
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return accd__dwarf_op_address(m->view->debug, m->expr, op, &address) && push_value(m, address + m->bias);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push_value(m, op->number);
    case DW_OP_fbreg:
        return push_frame_base(m, op->number);
    case DW_OP_bregx:
        return push_register(m, op->number, op->number2);
    case DW_OP_call_frame_cfa:
        return push_cfa(m);
    case DW_OP_push_object_address:
        return m->object && push_value(m, *m->object);
    case DW_OP_deref:
        return dereference(m, 8);
    case DW_OP_deref_size:
        return dereference(m, op->number);
    case DW_OP_plus_uconst:
        return m->n && (m->stack[m->n - 1] += op->number, true);
    case DW_OP_dup:
        return m->n && push_value(m, m->stack[m->n - 1]);
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        return push_entry_value(m, op);
    case DW_OP_stack_value:
        return m->is_value = true;
    default:
        return execute_binary_op(m, op->atom);
    }
}

/* Evaluates an expression and leaves the result on top of the machine's stack. Returns false if an operation fails,
 * or the expression is empty. Also returns false if an operation follows one that gives a value, because variables in
 * several pieces are not supported. */
static bool evaluate(struct machine *m, const struct accd__debug_expr *expr)
{
    m->expr = expr;
    for (size_t i = 0; i < expr->n; i++)
        if (m->is_value || !execute_op(m, &expr->ops[i]))
            return false;
    return m->n > 0;
}

/* Sets *place_p to the result of the location expression `expr`; returns false if it cannot be evaluated. `bias`:
 * memory address minus file address. `object`: pointer to the address of the array to which the expression belongs,
 * or NULL. */
bool accd__evaluate_location(struct accd__frame_view *view, struct accd__debug_expr expr, Dwarf_Addr bias,
                             const uint64_t *object, struct accd__value_location *place_p)
{
    struct machine m = {.view = view, .bias = bias, .object = object};
    if (!evaluate(&m, &expr))
        return false;
    *place_p = (struct accd__value_location){m.is_value, m.stack[m.n - 1]};
    return true;
}

/* Sets *place_p to the location, or the value, of a variable at the call of the view; returns false if it is not known.
 */
bool accd__locate_variable(struct accd__frame_view *view, const struct accd__debug_variable *variable,
                           struct accd__value_location *place_p)
{
    struct machine m = {.view = view, .bias = variable->bias, .at_entry = variable->at_entry};
    if (!evaluate(&m, &variable->location))
        return false;
    *place_p = (struct accd__value_location){m.is_value, m.stack[m.n - 1]};
    return true;
}

/* ------------------------------------------------------------------------------------ bounds -- */

/* Sets *to to the value of the variable `die` (often one that the compiler made) that holds a bound: 4 or 8 bytes.
 * Returns false if the value is not known. */
static bool get_bound_variable(struct accd__frame_view *view, Dwarf_Die *die, Dwarf_Addr bias, int64_t *to)
{
    const struct accd__debug_info *debug = view->debug;
    Dwarf_Die type;
    struct accd__value_location place;
    Dwarf_Addr pc = view->site ? view->site->pc - 1 - bias : 0;
    if (!accd__evaluate_location(view, accd__get_location(debug, die, DW_AT_location, pc), bias, NULL, &place))
        return false;
    *to = (int64_t)place.at;
    if (place.is_value)
        return true;
    int32_t narrow;
    int bytes =
        accd__dw_get_reference(&debug->dw, die, DW_AT_type, &type) && debug->dw.dwarf_peel_type(&type, &type) == 0
            ? debug->dw.dwarf_bytesize(&type)
            : 0;
    if (bytes == (int)sizeof *to)
        return accd__read_memory(place.at, to, sizeof *to);
    if (bytes != (int)sizeof narrow || !accd__read_memory(place.at, &narrow, sizeof narrow))
        return false;
    *to = narrow;
    return true;
}

/* Sets *to to the value of a bound of the array at `object`; returns false if the bound does not exist or is not known.
 */
static bool get_bound(struct accd__frame_view *view, const struct accd__debug_bound *bound, Dwarf_Addr bias,
                      uint64_t object, int64_t *to)
{
    struct accd__value_location place;
    Dwarf_Die die = bound->die;
    switch (bound->kind) {
    case ACCD__DEBUG_BOUND_CONST:
        *to = bound->value;
        return true;
    case ACCD__DEBUG_BOUND_EXPR:
        if (!accd__evaluate_location(view, bound->expr, bias, &object, &place))
            return false;
        *to = (int64_t)place.at;
        return true;
    case ACCD__DEBUG_BOUND_DIE:
        return get_bound_variable(view, &die, bias, to);
    default:
        return false;
    }
}

/* Returns the lower bound of dimension `dim` of the array at `object`; if it is not known, the default of the
 * language. */
int64_t accd__dimension_lower(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                              uint64_t object)
{
    int64_t lower;
    assert(dim < type->ndims);
    if (!get_bound(view, &type->dims[dim].lower, type->bias, object, &lower))
        lower = type->fortran; /* the default is 1 in Fortran, otherwise 0 */
    return lower;
}

/* Sets *count_p to the number of elements of dimension `dim` of the array at `object`; returns false if the number is
 * not known. */
bool accd__dimension_extent(struct accd__frame_view *view, const struct accd__debug_type *type, size_t dim,
                            uint64_t object, uint64_t *count_p)
{
    int64_t count, upper, last;
    assert(dim < type->ndims);
    if (get_bound(view, &type->dims[dim].count, type->bias, object, &count)) {
        *count_p = count > 0 ? (uint64_t)count : 0;
        return true;
    }
    if (!get_bound(view, &type->dims[dim].upper, type->bias, object, &upper) ||
        __builtin_sub_overflow(upper, accd__dimension_lower(view, type, dim, object), &last))
        return false;
    *count_p = last >= 0 ? (uint64_t)last + 1 : 0;
    return true;
}

/* Returns the size in bytes of the object of `type` at `object`; computes the size of an array with variable bounds
 * from the bounds. 0: not known. */
uint64_t accd__type_bytes_of_object(struct accd__frame_view *view, const struct accd__debug_type *type, uint64_t object)
{
    if (type->bytes || type->kind != ACCD__DEBUG_ARRAY || !type->target)
        return type->bytes;
    uint64_t bytes = accd__type_bytes_of_object(view, type->target, 0), count;
    for (size_t i = 0; i < type->ndims; i++)
        if (!accd__dimension_extent(view, type, i, object, &count) || __builtin_mul_overflow(bytes, count, &bytes))
            return 0;
    return type->ndims ? bytes : 0;
}

#endif
