/* cells_by_hand.c - a domain of cells with arrays of their own, copied to the device by hand. lower.md has the same
 * with directives: cells.c. */
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

static void enter(struct domain *d)
{
    struct cell *cells = d->cells;
#pragma acc enter data copyin(d[0:1])
#pragma acc enter data copyin(d->cells[0:d->ncells])
    for (int i = 0; i < d->ncells; i++) {
        struct cell *c = &cells[i];
        if (c->n > 0) {
#pragma acc enter data copyin(c->x[0:c->n])
#pragma acc enter data copyin(c->v[0:c->n])
        }
    }
}

static void leave(struct domain *d)
{
    struct cell *cells = d->cells;
    for (int i = 0; i < d->ncells; i++) {
        struct cell *c = &cells[i];
        if (c->n > 0) {
#pragma acc exit data copyout(c->x[0:c->n])
#pragma acc exit data copyout(c->v[0:c->n])
        }
    }
#pragma acc exit data delete(d->cells[0:d->ncells])
#pragma acc exit data delete(d[0:1])
}

static void step(struct domain *d, double dt)
{
#pragma acc parallel loop present(d[0:1])
    for (int i = 0; i < d->ncells; i++)
        for (int k = 0; k < d->cells[i].n; k++)
            d->cells[i].x[k] += dt * d->cells[i].v[k];
}

int main(int argc, char **argv)
{
    struct domain d = {argc > 1 ? atoi(argv[1]) : 1000, NULL};
    d.cells = calloc(d.ncells, sizeof *d.cells);
    for (int i = 0; i < d.ncells; i++) {
        struct cell *c = &d.cells[i];
        c->n = i % 4;
        c->x = calloc(c->n, sizeof(double));
        c->v = calloc(c->n, sizeof(double));
        for (int k = 0; k < c->n; k++)
            c->v[k] = i + k;
    }
    clock_t start = clock();
    enter(&d);
    double entered = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (int i = 0; i < 10; i++)
        step(&d, 0.5);
    leave(&d);
    double sum = 0;
    for (int i = 0; i < d.ncells; i++)
        for (int k = 0; k < d.cells[i].n; k++)
            sum += d.cells[i].x[k];
    printf("sum %.0f\n", sum);
    if (argc > 1)
        fprintf(stderr, "deep copyin: %.0f ns for a cell\n", entered * 1e9 / d.ncells);
    return 0;
}
