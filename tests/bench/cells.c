/* cells.c - the deep copyin of examples/cells.c by a directive of libaccdeep: what lowered programs are compared with.
 */
#include <accdeep.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct cell {
    int n;
    double *x, *v;
};

struct domain {
    int ncells;
    struct cell *cells;
};

static accd_session *session;

static void must(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "%s\n", accd_last_error_message(session));
    exit(1);
}

int main(int argc, char **argv)
{
    struct domain d = {argc > 1 ? atoi(argv[1]) : 1000, NULL};
    d.cells = calloc((size_t)d.ncells, sizeof *d.cells);
    for (int i = 0; i < d.ncells; i++) {
        struct cell *c = &d.cells[i];
        c->n = i % 4;
        c->x = calloc((size_t)c->n, sizeof(double));
        c->v = calloc((size_t)c->n, sizeof(double));
    }
    must(accd_session_new(&session, &(accd_session_config){.device = "direct"}));
    must(accd_declare(session, "struct cell { int n; double *x, *v;\n"
                               "#pragma acc shape include(x[0:n], v[0:n])\n};\n"
                               "struct domain { int ncells; struct cell *cells;\n"
                               "#pragma acc shape include(cells[0:ncells])\n};"));
    must(accd_bind(session, "d", "struct domain", &d));
    accd_prepared *copyin;
    must(accd_prepare(session, "acc enter data copyin(d)", &copyin));
    clock_t start = clock();
    must(accd_prepared_run(copyin));
    double entered = (double)(clock() - start) / CLOCKS_PER_SEC;
    must(accd_run_directive(session, "acc exit data copyout(d)"));
    fprintf(stderr, "deep copyin: %.0f ns for a cell\n", entered * 1e9 / d.ncells);
    return accd_session_free(session) != ACCD_OK;
}
