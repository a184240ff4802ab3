/* The program has lost its debug information (-s); the library that it uses has some, but not its types. */
#include "support.h"

struct lost {
    int n;
};

int main(void)
{
    struct lost object = {1};
    accd_session *a = open_session(NULL);
    refuses(a, accd_declare_from_debug_info(a, NULL, "struct lost"), ACCD_ERROR_INVALID, "file",
            "this program has no debug information");
    is_text(accd_last_error(a)->help, "compile it with -g, and do not strip it", "what helps");
    refuses(a, accd_bind(a, "object", "struct lost", &object), ACCD_ERROR_INVALID, "unknown-type", "");
    fine(a, accd_declare(a, "struct lost { int n; };"));
    fine(a, accd_bind(a, "object", "struct lost", &object));
    accd_session_free(a);
    return done();
}
