/* particles.c - a computation on nested structures, in three variants: device memory managed by hand, by
 * accdeep on a device that this program's functions can access, and by accdeep on a GPU's memory. All give
 * the same results. They differ in lines and times. */
#include "particles.h"

#include <accdeep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                \
    do {                                                           \
        if ((call) != ACCD_OK) {                                   \
            fprintf(stderr, "%s\n", accd_last_error_message(session));        \
            exit(1);                                               \
        }                                                          \
    } while (0)

static accd_session *session;

/* A kernel. domain is a device address, and so are the pointers in it. */
static int step(accd_session *a, int device, void *domain)
{
    (void)a, (void)device;
    struct domain *d = domain;
    for (int i = 0; i < d->ncells; i++)
        step_cell(&d->cells[i], d->dt);
    return 0;
}

/* The same for device memory that this program cannot access: each cell is copied to the host and back. A
 * program with its own kernels for the GPU launches one here instead, with the same addresses. */
static int step_by_copies(accd_session *a, int device, void *domain)
{
    (void)device;
    struct domain d;
    int failed = accd_memcpy_from_device(a, &d, domain, sizeof d) != ACCD_OK;
    for (int i = 0; i < d.ncells && !failed; i++) {
        double x[64], v[64];
        struct cell cell;
        failed |= accd_memcpy_from_device(a, &cell, d.cells + i, sizeof cell) != ACCD_OK;
        size_t bytes = (size_t)cell.n * sizeof *x;
        struct cell here = {cell.n, 0, x, v};
        failed |= accd_memcpy_from_device(a, x, cell.x, bytes) != ACCD_OK;
        failed |= accd_memcpy_from_device(a, v, cell.v, bytes) != ACCD_OK;
        step_cell(&here, d.dt);
        cell.energy = here.energy;
        failed |= accd_memcpy_to_device(a, cell.x, x, bytes) != ACCD_OK;
        failed |= accd_memcpy_to_device(a, cell.v, v, bytes) != ACCD_OK;
        failed |= accd_memcpy_to_device(a, d.cells + i, &cell, sizeof cell) != ACCD_OK;
    }
    return failed;
}

/* ---------------------------------------------------------------------------- by hand: copies -- */

enum { HAND_FROM = __LINE__ };
static void *to_device(accd_context *context, const void *host, size_t bytes)
{
    uint64_t device;
    if (accd_device_alloc(context, 0, bytes, &device) != ACCD_OK ||
        accd_copy_to_device(context, 0, device, host, bytes) != ACCD_OK) {
        fprintf(stderr, "%s\n", accd_context_error(context)->message);
        exit(1);
    }
    return (void *)(uintptr_t)device;
}

static void from_device(accd_context *context, void *host, const void *device, size_t bytes)
{
    if (accd_copy_from_device(context, 0, host, (uintptr_t)device, bytes) != ACCD_OK) {
        fprintf(stderr, "%s\n", accd_context_error(context)->message);
        exit(1);
    }
}

static void by_hand(struct domain *domain, double *energies)
{
    accd_context *context = accd_get_context(session);
    size_t n = (size_t)domain->ncells;
    struct cell *cells = malloc(n * sizeof *cells); /* with device addresses */
    for (size_t i = 0; i < n; i++) {
        size_t bytes = (size_t)domain->cells[i].n * sizeof(double);
        cells[i] = domain->cells[i];
        cells[i].x = to_device(context, domain->cells[i].x, bytes);
        cells[i].v = to_device(context, domain->cells[i].v, bytes);
    }
    struct domain image = *domain;
    image.cells = to_device(context, cells, n * sizeof *cells);
    struct domain *device = to_device(context, &image, sizeof image);

    struct cell *back = malloc(n * sizeof *back);
    for (int t = 0; t < STEPS; t++) {
        step(session, 0, device);
        if (t % REPORT_EVERY == 0) {
            from_device(context, back, image.cells, n * sizeof *back);
            for (size_t i = 0; i < n; i++)
                domain->cells[i].energy = back[i].energy; /* but not its pointers */
            *energies++ = energy_of(domain);
        }
    }

    from_device(context, back, image.cells, n * sizeof *back);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = (size_t)domain->cells[i].n * sizeof(double);
        domain->cells[i].energy = back[i].energy;
        from_device(context, domain->cells[i].x, cells[i].x, bytes);
        from_device(context, domain->cells[i].v, cells[i].v, bytes);
        accd_device_free(context, 0, (uintptr_t)cells[i].x);
        accd_device_free(context, 0, (uintptr_t)cells[i].v);
    }
    accd_device_free(context, 0, (uintptr_t)image.cells);
    accd_device_free(context, 0, (uintptr_t)device);
    free(back);
    free(cells);
}
enum { HAND_LINES = __LINE__ - HAND_FROM - 1 };

/* ------------------------------------------------------------------------- accdeep: directives -- */

enum { DIRECTIVES_FROM = __LINE__ };
static void declare(struct domain *domain)
{
    CHECK(accd_declare(session,
        "struct cell { int n; double energy; double *x, *v;\n"
        "#pragma acc shape include(x[0:n], v[0:n])\n"
        "#pragma acc shape(flat) exclude(x, v)\n"
        "};\n"
        "struct domain { int ncells; double dt; struct cell *cells;\n"
        "#pragma acc shape include(cells[0:ncells])\n"
        "};"));
    CHECK(accd_bind(session, "D", "struct domain", domain));
}

static void by_directives(struct domain *domain, double *energies, accd_kernel_fn kernel)
{
    declare(domain);
    CHECK(accd_run_directive(session, "acc data copy(D)"));
    for (int t = 0; t < STEPS; t++) {
        CHECK(accd_run_compute(session, "acc parallel present(D)", kernel,
                           accd_deviceptr(session, domain)));
        if (t % REPORT_EVERY == 0) {
            CHECK(accd_run_directive(session, "acc update self<flat>(D.cells[0:D.ncells])"));
            *energies++ = energy_of(domain);
        }
    }
    CHECK(accd_run_directive(session, "acc end data"));
}
enum { DIRECTIVES_LINES = __LINE__ - DIRECTIVES_FROM - 1 };

/* ------------------------------------------------------------------------------------ the host -- */

static void make(struct domain *domain)
{
    *domain = (struct domain){CELLS, 1e-3, malloc(CELLS * sizeof *domain->cells)};
    for (int i = 0; i < CELLS; i++) {
        struct cell *cell = &domain->cells[i];
        *cell = (struct cell){.n = 8 + i % 48};
        cell->x = malloc((size_t)cell->n * sizeof *cell->x);
        cell->v = calloc((size_t)cell->n, sizeof *cell->v);
        for (int k = 0; k < cell->n; k++)
            cell->x[k] = (i * 31 + k * 17) % 101 / 101.0;
    }
}

static void destroy(struct domain *domain)
{
    for (int i = 0; i < domain->ncells; i++) {
        free(domain->cells[i].x);
        free(domain->cells[i].v);
    }
    free(domain->cells);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC; /* CPU time: does not depend on other work of the machine */
}

/* Runs a variant. kernel NULL: by hand. Returns 0 if the device does not exist. */
static int run(const char *title, const char *device, accd_kernel_fn kernel, int lines,
               double *energies)
{
    struct domain domain;
    if (accd_session_new(&session, &(accd_session_config){.device = device}) != ACCD_OK) {
        const accd_error_detail *why = accd_last_error(session);
        printf("%-28s %s\n", title, why->message);
        accd_session_free(session);
        return 0;
    }
    make(&domain);
    double start = seconds();
    if (kernel)
        by_directives(&domain, energies, kernel);
    else
        by_hand(&domain, energies);
    double time = seconds() - start;
    printf("%-28s %3d lines  %6.1f ms  energy %.6f\n", title, lines, 1e3 * time,
           energy_of(&domain));
    destroy(&domain);
    accd_session_free(session);
    return 1;
}

int main(void)
{
    enum { REPORTS = STEPS / REPORT_EVERY };
    double hand[REPORTS], found[REPORTS];
    int different = 0;
    run("by hand", "direct", NULL, HAND_LINES, hand);
    run("accdeep, direct", "direct", step, DIRECTIVES_LINES, found);
    different |= memcmp(hand, found, sizeof hand);
    run("accdeep, simulated device", "sim", step_by_copies, DIRECTIVES_LINES, found);
    different |= memcmp(hand, found, sizeof hand);
    if (run("accdeep, CUDA", "cuda", step_by_copies, DIRECTIVES_LINES, found))
        different |= memcmp(hand, found, sizeof hand);
    printf("%s\n", different ? "THE RESULTS DIFFER" : "the same energies at every report");
    return different != 0;
}
