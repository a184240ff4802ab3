/* call.c - begin and end of public calls of libaccdeep: thread ownership, nested calls, callbacks that jump out. */
#include "embed.h"

#include <unwind.h>

/* ------------------------------------------------------------------------------ begin and end -- */

static const char misuse_code[] = "misuse", rule[] = "HOUSE-misuse";

/* Error details that accd_last_error returns instead of the session's own: there is no session, or another thread owns
 * it and may change its detail. */

static const accd_error_detail no_session = {
    .status = ACCD_ERROR_MISUSE,
    .code = misuse_code,
    .message = "there is no session",
    .rule = rule,
};
static const accd_error_detail foreign_session = {
    .status = ACCD_ERROR_MISUSE,
    .code = misuse_code,
    .message = "the session belongs to another thread",
    .rule = rule,
    .help = "accd_session_disown gives it away, accd_session_adopt takes it",
};

/* Returns true if `a` is a session that has not been freed; false for NULL. A freed session is recognised as long as
 * its memory is not reused. */
static bool is_session(const accd_session *a)
{
    return a && a->magic == ACCD_MAGIC;
}

/* Returns true if the calling thread owns the session. */
static bool is_ours(const accd_session *a)
{
    return atomic_load_explicit(&a->owner, memory_order_relaxed) == (uintptr_t)pthread_self();
}

/* Search on the present stack for the frame of `caller`, an earlier call of a public function. */
struct frame_search {
    struct accd__caller caller;
    bool passed; /* true if the stack has no frame at the caller's address, or the frame of another function */
};

/* Callback of _Unwind_Backtrace; arg: a struct frame_search. Stops at the first frame at or above the address of the
 * target frame, and sets `passed` to true if this frame is not the target. */
static _Unwind_Reason_Code visit_caller_frame(struct _Unwind_Context *context, void *arg)
{
    struct frame_search *search = arg;
    uintptr_t frame = _Unwind_GetCFA(context), target = (uintptr_t)search->caller.frame;
    if (frame < target)
        return _URC_NO_REASON;
    search->passed = frame > target || _Unwind_GetIP(context) != (uintptr_t)search->caller.link;
    return _URC_NORMAL_STOP;
}

/* Returns true if the stack has other frames where the call `caller` was, so that a jump has left that call. Returns
 * false if the stack cannot be unwound that far. */
static bool has_left_stack(struct accd__caller caller)
{
    struct frame_search search = {.caller = caller};
    _Unwind_Backtrace(visit_caller_frame, &search);
    return search.passed;
}

/* Detects that a callback has jumped out of the call in progress; `caller`: the new call. A jump has happened if the
 * new call is not below the one in progress on the stack, or if the stack no longer has that call's frame. A kernel's
 * construct is then undone, since no other call is in progress around it. After any other callback the session is
 * broken. */
static void notice_jump(accd_session *a, struct accd__caller caller)
{
    if (!a->caller.frame || (caller.frame < a->caller.frame && !has_left_stack(a->caller)))
        return;
    a->caller.frame = NULL;
    if (a->kernel)
        accd__undo_kernel(a);
    else
        a->is_broken = true;
}

/* Begins a public call, unless the session is not the caller's, is in a call, is broken, or an argument is missing. */
accd_status accd__begin_call(accd_session *a, struct accd__caller caller, bool has_arguments)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_ERROR_MISUSE;
    notice_jump(a, caller);
    if (!a->core)
        return a->detail.status; /* accd_session_new has failed with this status, and opened no context */
    if (a->is_broken)
        return accd__reject_call(a, ACCD_ERROR_MISUSE, rule,
                                 "a callback did not return: the session can only be closed");
    if (a->caller.frame)
        return accd__reject_call(a, ACCD_ERROR_MISUSE, rule,
                                 a->kernel ? "a kernel of the session is running"
                                           : "the session is in a call: a callback cannot use it");
    if (!has_arguments)
        return accd__reject_call(a, ACCD_ERROR_MISUSE, rule, "an argument is missing");
    a->caller = caller;
    return ACCD_OK;
}

/* Ends the public call in progress, so that the session accepts the next one; returns `status`. */
accd_status accd__end_call(accd_session *a, accd_status status)
{
    a->caller.frame = NULL;
    return status;
}

/* Returns ACCD_OK for a call that only inspects devices: between calls, or from a kernel of the session. */
accd_status accd__check_inspection(accd_session *a, struct accd__caller caller)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_ERROR_MISUSE;
    if (a->kernel && caller.frame < a->caller.frame)
        return ACCD_OK;
    accd_status status = accd__begin_call(a, caller, true);
    return status == ACCD_OK ? accd__end_call(a, ACCD_OK) : status;
}

/* Makes the session belong to no thread, so that accd_session_adopt can take it. Fails for another thread's session,
 * or one that is in a call. */
accd_status accd_session_disown(accd_session *a)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    accd__end_call(a, ACCD_OK);
    atomic_store_explicit(&a->owner, 0, memory_order_release);
    return ACCD_OK;
}

/* Makes the calling thread the owner of a session without owner. Returns ACCD_ERROR_MISUSE if the session has an owner,
 * or is none. */
accd_status accd_session_adopt(accd_session *a)
{
    uintptr_t no_thread = 0;
    if (!is_session(a))
        return ACCD_ERROR_MISUSE;
    if (is_ours(a))
        return accd__reject_call(a, ACCD_ERROR_MISUSE, rule, "the session is this thread's already");
    return atomic_compare_exchange_strong(&a->owner, &no_thread, (uintptr_t)pthread_self()) ? ACCD_OK
                                                                                            : ACCD_ERROR_MISUSE;
}

/* Returns ACCD_OK if the session belongs to the calling thread and is in no call, also if a callback has jumped out of
 * it (is_broken); otherwise ACCD_ERROR_MISUSE. First undoes a kernel that has jumped out. */
accd_status accd__check_can_close(accd_session *a, struct accd__caller caller)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_ERROR_MISUSE;
    notice_jump(a, caller);
    return a->caller.frame ? ACCD_ERROR_MISUSE : ACCD_OK;
}

/* ----------------------------------------------------------------------------------- last error -- */

/* Returns the error of the last failed call of this session. Without a session, or in a thread that does not own the
 * session, returns a constant error that says so. */
const accd_error_detail *accd_last_error(const accd_session *a)
{
    if (!is_session(a))
        return &no_session;
    return is_ours(a) ? &a->detail : &foreign_session;
}

/* Returns the text of the error that accd_last_error describes; "accdeep: no error" if no call has failed. */
const char *accd_last_error_message(const accd_session *a)
{
    if (!is_session(a))
        return "accdeep: error[misuse]: there is no session\n  rule: HOUSE-misuse";
    if (!is_ours(a))
        return "accdeep: error[misuse]: the session belongs to another thread\n  rule: HOUSE-misuse\n"
               "  help: accd_session_disown gives it away, accd_session_adopt takes it";
    return a->message ? a->message : "accdeep: no error";
}
