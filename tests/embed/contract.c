/* The example that the interface is described with, as it stands there, and what it leads to. */
#include "../tap.h"

#include <accdeep.h>

struct deep_type {
    int n;
    float *a, *b, *c;
};

int main(void)
{
    float va[3] = {1, 2, 3}, vb[3] = {4, 5, 6}, vc[3] = {7, 8, 9};
    struct deep_type X = {3, va, vb, vc};

    accd_session *a = NULL;
    accd_session_new(&a, &(accd_session_config){.device = "sim"});
    accd_declare(a, "struct deep_type { int n; float *a, *b, *c; \n"
                    "#pragma acc shape init_needed(n) include(a[0:n],b[0:n],c[0:n])\n };");
    accd_bind(a, "X", "struct deep_type", &X); /* the host's own memory, checked against sizeof */
    if (accd_run_directive(a, "acc data copy(X)") != ACCD_OK)
        fprintf(stderr, "%s\n", accd_last_error_message(a));
    float *dev = accd_deviceptr(a, X.a); /* give it to your kernel */

    float ten = 10;
    ok(dev && accd_is_present(a, X.c, sizeof vc), "the arrays are on the device");
    ok(accd_kernel_write(a, dev + 1, &ten, sizeof ten) == ACCD_OK, "a kernel writes");
    ok(va[1] == 2, "the host sees nothing before the region ends");

    accd_run_directive(a, "acc end data");
    ok(va[1] == 10 && va[0] == 1, "then it does");
    ok(!accd_deviceptr(a, X.a), "and the data are gone");
    accd_session_free(a);
    return done();
}
