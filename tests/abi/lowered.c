/* Plans of lowered directives that are damaged, or of another version: each ends the process with an error. */
#include "tap.h"

#include "accdeep_lowered.h"

#include <sys/wait.h>
#include <unistd.h>

#define BEGIN "accdeep ir 1\nconstruct region\n"
#define CODE "r0 = &v\nr1 = 1\n"
#define ITEM "item copy of 4 base r0 count r1 \"v\"\n"
/* A program that calls the function `name`, and an item with this program. */
#define CALL(name)                                                                             \
    "accdeep ir 1\nprogram p size 4\npiece @0 size 4\nr0 = element\nr1 = call " name " r0 1\n" \
    "construct region\n" CODE "item copy of 4 base r0 count r1 -> p \"v\"\n"

static long get_one(const void *object)
{
    (void)object;
    return 1;
}
static accd_lowered_bound *const bounds[] = {get_one, NULL};

/* Executes a data construct with the plan `text` in a process of its own. Returns its exit status, or minus the signal
 * that has ended it. */
static int execute(const char *text, accd_lowered_bound *const *functions)
{
    fflush(stdout);
    const pid_t process = fork();
    if (!process) {
        static int data[16];
        const void *arguments[] = {data, data, data, data};
        accd_lowered directive = {.plan = text, .file = "unit.c", .line = 7, .bounds = functions};
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        accd_lowered_leave(accd_lowered_enter(&directive, arguments));
        _exit(0);
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(void)
{
    is_number(execute(BEGIN CODE ITEM, NULL), 0, "a plan");
    is_number(execute(CALL("bound_0"), bounds), 0, "a plan that calls a function of the unit");
    is_number(execute(CALL("bound_0"), NULL), 1, "no functions");
    is_number(execute(CALL("bound_1"), bounds), 1, "a function that the unit does not have");
    is_number(execute(CALL("bound_1000000000"), bounds), 1, "a function with a large number");
    is_number(execute(CALL("other"), bounds), 1, "a function with another name");
    is_number(execute("accdeep ir 2\nconstruct region\n", NULL), 1, "another version");
    is_number(execute("accdeep 4\nconstruct 0 0 data\n", NULL), 1, "the form of an earlier version");
    is_number(execute("accdeep ir 1\nconstruct enter_data\n", NULL), 1, "a construct that opens no region");
    is_number(execute(BEGIN CODE ITEM BEGIN, NULL), 1, "two constructs");
    is_number(execute("accdeep ir 1\nmemory v size 4\n", NULL), 1, "no construct");
    is_number(execute(BEGIN CODE "item copy of 4 base r0 count r2 \"v\"\n", NULL), 1, "an unknown register");
    return done();
}
