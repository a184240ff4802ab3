/* own_kernels.h - a grid and its session: the common part of the programs with their compiler's own kernels. */
#ifndef OWN_KERNELS_H
#define OWN_KERNELS_H

#include <accdeep.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int n;
    float *u;
};

enum { POINTS = 1000 };
static float points[POINTS];
static struct grid g = {POINTS, points};
static accd_session *session;

static void must(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "%s\n", accd_last_error_message(session));
    exit(1);
}

/* Opens a session on a device and maps g, with its array. */
static void map_grid(const char *device)
{
    accd_session_config config = {0};
    config.device = device;
    must(accd_session_new(&session, &config));
    must(accd_declare(session, "struct grid { int n; float *u;\n"
                               "#pragma acc shape init_needed(n) include(u[0:n])\n};"));
    must(accd_bind(session, "g", "struct grid", &g));
    for (int i = 0; i < POINTS; i++)
        points[i] = (float)i;
    must(accd_run_directive(session, "acc enter data copyin(g)"));
}

/* Copies g back and compares it with the result of so many kernels, each of which doubles it. */
static int unmap_grid(int kernels)
{
    int wrong = 0;
    must(accd_run_directive(session, "acc exit data copyout(g)"));
    must(accd_session_free(session));
    for (int i = 0; i < POINTS; i++)
        wrong += points[i] != (float)i * (float)(1 << kernels);
    printf("%d kernels, %d wrong values\n", kernels, wrong);
    return wrong != 0;
}

#endif
