/* error.c - sets the last error of a context, and checks that no construct is under way. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

/* Sets the last error of a context to `status`, the id of `rule`, and the message that `format` and its arguments make.
 * Returns `status`. */
accd_status accd__set_error(accd_context *context, accd_status status, enum accd__rule rule, const char *format, ...)
{
    assert(context);
    accd_error *error = &context->error;
    char message[sizeof error->message];
    va_list args;
    va_start(args,
             format); /* the message is formatted before *error changes, because arguments may point into *error */
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    *error = (accd_error){.status = status, .rule = accd__rule_id(&context->rules, rule), .item = SIZE_MAX};
    memcpy(error->message, message, sizeof message);
    return status;
}

/* Replaces the placeholder in the message of the last error by the name of the requested object. Returns the status of
 * the error. */
accd_status accd__insert_object_name(accd_context *context)
{
    accd_error *error = &context->error;
    const char *name = *error->asked.name ? error->asked.name : "the data";
    char *at = strchr(error->message, *ACCD_NAME_PLACEHOLDER), rest[sizeof error->message];
    if (!at)
        return error->status;
    const size_t capacity = (size_t)(error->message + sizeof error->message - at);
    memcpy(rest, at + 1, capacity - 1);
    snprintf(at, capacity, "%s%s", name, rest);
    error->named = (size_t)(at - error->message);
    error->named_bytes = strlen(name) < capacity ? strlen(name) : capacity - 1;
    return error->status;
}

/* Sets the last error, unless `context` is NULL: parameter `argument` of function `call` is a null pointer. Returns
 * ACCD_ERROR_MISUSE. */
accd_status accd__report_missing_argument(accd_context *context, const char *call, const char *argument)
{
    if (!context)
        return ACCD_ERROR_MISUSE;
    return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "%s: the argument %s is a null pointer", call,
                           argument);
}

/* Returns ACCD_ERROR_MISUSE while a construct is under way, because a callback may not change data; otherwise
 * ACCD_OK. */
accd_status accd__check_not_busy(accd_context *context)
{
    if (!context->busy)
        return ACCD_OK;
    return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                           "a construct is under way; what it calls cannot change data");
}

/* Sets the last error to "no memory `purpose`"; returns ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_out_of_memory(accd_context *context, const char *purpose)
{
    return accd__set_error(context, ACCD_ERROR_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory %s", purpose);
}

/* Sets the last error to "no memory to plan a construct"; returns ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_plan_out_of_memory(accd_context *context)
{
    return accd__report_out_of_memory(context, "to plan a construct");
}
