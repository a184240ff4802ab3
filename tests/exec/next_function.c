/* Functions of later libraries: found by their names, once, and all of them before a kernel. */
#include "../tap.h"

#include <api/next_function.h>
#include <diag/errors.h>

#include <setjmp.h>

static jmp_buf failure;
static char message[200];

_Noreturn void rt_fatal(const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    snprintf(message, sizeof message, "%s: ", code);
    vsnprintf(message + strlen(message), sizeof message - strlen(message), format, args);
    va_end(args);
    longjmp(failure, 1);
}

void no_such_function(void);

/* Takes the place of the C library's function. */
int puts(const char *text)
{
    return RT_NEXT(puts)(text) < 0 ? -1 : 42;
}

int main(void)
{
    fflush(stdout);
    is_number(puts("# text by the next puts"), 42, "the next function with a name is called");
    rt_find_next_functions();
    is_number(puts("# and again"), 42, "also after all were looked up");
    if (!setjmp(failure))
        RT_NEXT(no_such_function)();
    ok(strstr(message, "no_such_function is not in the program's libraries"), "a missing function is named: %s", message);
    return done();
}
