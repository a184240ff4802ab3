/* Plans of lowered directives that are damaged, or of another version: each ends the process with an error. */
#include "tap.h"

#include "accdeep_lowered.h"

#include <sys/wait.h>
#include <unistd.h>

#define BEGIN "accdeep 4\nconstruct 0 0 data\nlabel 4 0 7 -1 v\n"
#define ITEM "item 1 0 0 -1 4 2 0 -1 1 -1 -1 -1 -1 -1\n"
#define CODE "code 1 0 0 0 0\ncode 0 1 0 0 1\n"
/* Code of a program that calls the bound with this number. */
#define CALL(number) \
    "accdeep 4\nconstruct 0 0 data\nprogram 4 2 0\npiece 0 4 0 0 0 0 -1\ncode 28 0 0 1 " number "\nlabel 4 0 7 0 v\n"
#define CALLING_ITEM "item 1 0 0 0 4 2 0 -1 1 -1 -1 -1 -1 -1\n"

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
    is_number(execute(BEGIN ITEM CODE, NULL), 0, "a plan");
    is_number(execute(CALL("0") CALLING_ITEM CODE, bounds), 0, "a plan that calls a function of the unit");
    is_number(execute(CALL("0") CALLING_ITEM CODE, NULL), 1, "no functions");
    is_number(execute(CALL("1") CALLING_ITEM CODE, bounds), 1, "a function that the unit does not have");
    is_number(execute(CALL("1000000000") CALLING_ITEM CODE, bounds), 1, "a function with a large number");
    is_number(execute(CALL("-1") CALLING_ITEM CODE, bounds), 1, "a function with a negative number");
    is_number(execute("accdeep 3\nconstruct 0 0 data\n", NULL), 1, "another version");
    is_number(execute("accdeep 4\nconstruct 2 0 data\n", NULL), 1, "a construct that opens no region");
    is_number(execute("accdeep 4\nconstruct 9 0 data\n", NULL), 1, "an unknown construct");
    is_number(execute(BEGIN "item 1 0 1 -1 4 2 0 -1 1 -1 -1 -1 -1 -1\n" CODE, NULL), 1, "an unknown label");
    is_number(execute(BEGIN "item 1 0 -1 -1 4 2 0 -1 1 -1 -1 -1 -1 -1\n" CODE "rows 1 1 v\n", NULL), 1,
              "an array without a label");
    is_number(execute(BEGIN ITEM CODE "rows -5 1 v\n", NULL), 1, "an array with a negative number");
    is_number(execute(BEGIN ITEM "code 1 70 0 0 0\n", NULL), 1, "an unknown register");
    return done();
}
