/* Types from the debug information of this very program, which is compiled with -g. */
#include "support.h"

#include <stdint.h>

struct bud {
    double value;
};

typedef struct tree {
    char kind;
    int n;
    struct bud *leaves;
    struct tree *next;
    unsigned low : 4, high : 12;
    _Alignas(32) double weight;
} tree;

static tree T;

static void declares_and_moves(void)
{
    accd_session *a = open_session(&(accd_session_config){.device = "sim"});
    struct bud leaves[3] = {{1}, {2}, {3}};
    double moved = 0, two = 2;
    T = (tree){.n = 3, .leaves = leaves, .high = 77, .weight = 2};
    fine(a, accd_declare_from_debug_info(a, NULL, "struct tree"));
    fine(a, accd_declare_from_debug_info(a, NULL, "tree"));
    fine(a, accd_declare_from_debug_info(a, "/proc/self/exe", "struct bud"));
    fine(a, accd_bind(a, "T", "struct tree", &T));
    ACCD_CHECK_MEMBER(a, struct tree, leaves);
    ok(accd_last_error(a)->status == ACCD_OK, "a member lies where the compiler put it");
    fine(a, accd_run_directive(a, "acc shape type(tree) init_needed(n) include(leaves[0:n])"));
    fine(a, accd_run_directive(a, "acc enter data copyin(T)"));
    const char *dev = accd_deviceptr(a, &T.weight);
    fine(a, accd_kernel_read(a, &moved, dev, sizeof moved));
    ok(moved == 2, "a member came to the device");
    fine(a, accd_kernel_write(a, accd_deviceptr(a, &leaves[1]), &two, sizeof two));
    T.high = 0;
    fine(a, accd_run_directive(a, "acc exit data copyout(T)"));
    ok(T.high == 77 && leaves[1].value == 2, "bytes without a name came back with the others");
    is_empty(a);
    accd_session_free(a);
}

static void refuses_what_is_wrong(const char *source)
{
    accd_session *a = open_session(NULL);
    refuses(a, accd_declare_from_debug_info(a, NULL, "struct teee"), ACCD_ERROR_INVALID, "unknown-type",
            "this program has no type 'teee'");
    ok(strstr(accd_last_error_message(a), "debug_info.c:"), "with the place of the call");
    refuses(a, accd_declare_from_debug_info(a, NULL, "struct tree *"), ACCD_ERROR_SYNTAX, "syntax",
            "'struct tree *' is not the name of a type");
    refuses(a, accd_declare_from_debug_info(a, source, "struct tree"), ACCD_ERROR_INVALID, "file", source);
    refuses(a, accd_declare_from_debug_info(a, NULL, NULL), ACCD_ERROR_MISUSE, "misuse", "");
    refuses(a, accd_bind(a, "T", "struct tree", &T), ACCD_ERROR_INVALID, "unknown-type", "");
    fine(a, accd_declare(a, "struct bud { float value; };"));
    refuses(a, accd_declare_from_debug_info(a, NULL, "tree"), ACCD_ERROR_INVALID, "duplicate-name",
            "struct bud is declared already");
    refuses(a, accd_bind(a, "T", "struct tree", &T), ACCD_ERROR_INVALID, "unknown-type", "");
    accd_session_free(a);
}

#ifdef HAVE_LIBDW
enum { IS_BUILT = 1 };
#else
enum { IS_BUILT = 0 };
#endif

int main(void)
{
    if (!IS_BUILT) {
        puts("ok 1 # SKIP built without libdw");
        return 0;
    }
    declares_and_moves();
    refuses_what_is_wrong(__FILE__);
    return done();
}
