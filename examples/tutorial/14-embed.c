/* The grid of the tutorial in a C program, with the program's own structure and memory. Directives are text. */
#include <accdeep.h>
#include <stdio.h>

struct grid {
    int n;
    float *u;
};

/* A kernel. On the device "direct" functions of the program can use device addresses. */
static int double_it(accd_session *a, int device, void *host_grid)
{
    (void)device;
    struct grid *g = accd_deviceptr(a, host_grid);
    for (int i = 0; i < g->n; i++)
        g->u[i] *= 2; /* the pointer of the copy points to the copy */
    return 0;
}

int main(void)
{
    float u[4] = {1, 2, 3, 4};
    struct grid g = {4, u};
    accd_session *a = NULL;
    accd_status status = accd_session_new(&a, &(accd_session_config){.device = "direct"});
    if (status == ACCD_OK)
        status = accd_declare(a, "struct grid { int n; float *u;\n"
                                 "#pragma acc shape init_needed(n) include(u[0:n])\n};");
    if (status == ACCD_OK)
        status = accd_bind(a, "g", "struct grid", &g);

    /* Errors are reported as in a scenario. */
    if (status == ACCD_OK && accd_run_directive(a, "acc data copy(h)") != ACCD_OK)
        printf("%s\n", accd_last_error_message(a));

    if (status == ACCD_OK)
        status = accd_run_compute(a, "acc parallel loop copy(g)", double_it, &g);
    if (status != ACCD_OK)
        printf("%s\n", accd_last_error_message(a));
    printf("%g %g %g %g\n", (double)u[0], (double)u[1], (double)u[2], (double)u[3]);
    accd_session_free(a);
    return status != ACCD_OK;
}
