/* particles.h - data and computation of all variants: particles in cells, each cell with its own arrays. */
#ifndef PARTICLES_H
#define PARTICLES_H

struct cell {
    int n;
    double energy;
    double *x, *v; /* positions and velocities of n particles */
};
struct domain {
    int ncells;
    double dt;
    struct cell *cells;
};

enum { CELLS = 2000, STEPS = 100, REPORT_EVERY = 20 };

/* One step of a cell whose arrays the caller can access: springs to all neighbours in the cell. */
static inline void step_cell(struct cell *cell, double dt)
{
    cell->energy = 0;
    for (int i = 0; i < cell->n; i++) {
        double force = 0;
        for (int k = 0; k < cell->n; k++)
            force += cell->x[k] - cell->x[i];
        cell->v[i] += dt * force;
        cell->energy += 0.5 * cell->v[i] * cell->v[i];
    }
    for (int i = 0; i < cell->n; i++)
        cell->x[i] += dt * cell->v[i];
}

static inline double energy_of(const struct domain *domain)
{
    double energy = 0;
    for (int i = 0; i < domain->ncells; i++)
        energy += domain->cells[i].energy;
    return energy;
}

#endif
