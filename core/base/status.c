/* status.c - the version, and the names of statuses, actions, kinds of events and constructs. */
#include "accdeep_context.h"
#include "accdeep_core.h"
#include "accdeep_programs.h"
#include "base/base.h"

/* Code and meaning of each status, by status number. */
static const struct {
    const char *code, *text;
} statuses[ACCD_STATUS_COUNT] = {
#define X(name, number, code, text) [number] = {code, text},
    ACCD_STATUS_MAP(X)
#undef X
};

/* Returns the version of the library. */
const char *accd_version(void)
{
    return ACCD_VERSION;
}

/* Returns the code of a status, such as "not-present", which messages show; "unknown" for a number that is no status.
 */
const char *accd_status_code(accd_status status)
{
    return (unsigned)status < ACCD_STATUS_COUNT ? statuses[status].code : "unknown";
}

/* Returns the meaning of a status in one phrase; "unknown status" for a number that is no status. */
const char *accd_status_text(accd_status status)
{
    return (unsigned)status < ACCD_STATUS_COUNT ? statuses[status].text : "unknown status";
}

/* Returns the name of an action, which messages show; "unknown" for a number that is no action. */
const char *accd_action_name(accd_action action)
{
    static const char *const names[ACCD_ACTION_COUNT] = {
        [ACCD_ACTION_INHERIT] = "inherit",
        [ACCD_ACTION_COPY] = "copy",
        [ACCD_ACTION_COPYIN] = "copyin",
        [ACCD_ACTION_COPYOUT] = "copyout",
        [ACCD_ACTION_CREATE] = "create",
        [ACCD_ACTION_NO_CREATE] = "no_create",
        [ACCD_ACTION_PRESENT] = "present",
        [ACCD_ACTION_DELETE] = "delete",
        [ACCD_ACTION_ATTACH] = "attach",
        [ACCD_ACTION_DETACH] = "detach",
        [ACCD_ACTION_UPDATE_SELF] = "update self",
        [ACCD_ACTION_UPDATE_DEVICE] = "update device",
        [ACCD_ACTION_HOLD] = "hold",
    };
    return (unsigned)action < ACCD_ACTION_COUNT ? names[action] : "unknown";
}

/* Returns the name of a kind of event, such as "alloc", which printed event lists show; "unknown" for a number that is
 * no accd_op. */
const char *accd_op_name(accd_op op)
{
    static const char *const names[ACCD_OP_COUNT] = {
        [ACCD_OP_ALLOC] = "alloc",   [ACCD_OP_FREE] = "free",     [ACCD_OP_H2D] = "h2d",
        [ACCD_OP_D2H] = "d2h",       [ACCD_OP_D2D] = "d2d",       [ACCD_OP_ATTACH] = "attach",
        [ACCD_OP_DETACH] = "detach", [ACCD_OP_INCREF] = "incref", [ACCD_OP_DECREF] = "decref",
        [ACCD_OP_FUSE] = "fuse",     [ACCD_OP_KERNEL] = "kernel", [ACCD_OP_WAIT] = "wait",
    };
    return (unsigned)op < ACCD_OP_COUNT ? names[op] : "unknown";
}

/* Returns the name of a construct; if it has none, the name of its kind, such as "enter data". */
const char *accd__construct_name(const accd_construct *construct)
{
    static const char *const names[] = {"data region", "compute construct", "enter data", "exit data", "update"};
    return construct->name ? construct->name : names[construct->kind];
}
