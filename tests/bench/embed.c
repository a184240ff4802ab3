/* embed.c - what directives as text cost a C program: on present data (the core's own construct, a prepared
 * directive, a directive whose text the session has encountered before), on structures with many objects, and in the
 * first and the second session of a process. Least CPU time of several rounds. */
#include <accdeep.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9, TIMES = 20000, MOST_OVER = 1000 };

static float v[64];
static accd_session *a;
static accd_context *core;
static accd_prepared *update, *data;

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int run_core_construct(accd_construct_kind kind, accd_action action)
{
    const accd_item item = {.host = v, .bytes = sizeof v, .action = (uint8_t)action};
    accd_region *region = NULL;
    accd_status status =
        accd_run_construct(core, &(accd_construct){.kind = kind, .items = &item, .nitems = 1, .name = "data"}, &region);
    return status || (region && accd_region_end(region));
}

static int update_core(void)
{
    return run_core_construct(ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE);
}
static int update_prepared(void)
{
    return (int)accd_prepared_run(update);
}
static int update_text(void)
{
    return (int)accd_run_directive(a, "acc update device(v)");
}
static int data_core(void)
{
    return run_core_construct(ACCD_KIND_REGION, ACCD_ACTION_PRESENT);
}
static int data_prepared(void)
{
    return accd_prepared_run(data) || accd_prepared_end(data);
}
static int data_text(void)
{
    return accd_run_directive(a, "acc data present(v)") || accd_run_directive(a, "acc end data");
}

static double least(int (*fn)(void), int times)
{
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double start = get_seconds();
        for (int i = 0; i < times; i++)
            if (fn()) {
                fprintf(stderr, "%s\n", accd_last_error_message(a));
                exit(1);
            }
        double ns = (get_seconds() - start) / times;
        best = ns < best ? ns : best;
    }
    return best;
}

static void show_times(const char *name, int (*in_core)(void), int (*prepared)(void), int (*text)(void))
{
    double base = least(in_core, TIMES), exec = least(prepared, TIMES);
    printf("E1   %-28s %8.0f ns  prepared %6.0f ns (<= %d over: %s)  as text %6.0f ns\n", name, base, exec, MOST_OVER,
           exec - base <= MOST_OVER ? "yes" : "NO", least(text, TIMES));
}

/* ------------------------------------------------------------------- structures of many objects -- */

/* As in examples/embed/particles.c: CELLS cells with two arrays each, which is 2 * CELLS + 2 objects. */
enum { CELLS = 2000, OBJECTS = 2 * CELLS + 2 };
struct cell {
    int n;
    double *x, *v;
};
static struct domain {
    int ncells;
    struct cell *cells;
} D;

static const char declarations[] = "struct cell { int n; double *x, *v;\n"
                                   "#pragma acc shape include(x[0:n], v[0:n])\n"
                                   "};\n"
                                   "struct domain { int ncells; struct cell *cells;\n"
                                   "#pragma acc shape include(cells[0:ncells])\n"
                                   "#pragma acc shape(alone) exclude(cells)\n"
                                   "};";

static int bind_domain(void)
{
    return accd_bind(a, "D", "struct domain", &D);
}

static void make_domain(void)
{
    D = (struct domain){CELLS, malloc(CELLS * sizeof(struct cell))};
    for (int i = 0; i < CELLS; i++) {
        size_t n = 8 + (size_t)i % 48;
        D.cells[i] = (struct cell){(int)n, calloc(n, sizeof(double)), calloc(n, sizeof(double))};
    }
}

static accd_prepared *deep, *empty, *named;

static int exec_data(accd_prepared *prepared)
{
    return accd_prepared_run(prepared) || accd_prepared_end(prepared);
}
static int present_deep(void)
{
    return exec_data(deep);
}
static int present_empty(void)
{
    return exec_data(empty);
}
static int present_named(void)
{
    return exec_data(named);
}
static int enter_exit(void)
{
    return accd_run_directive(a, "acc enter data copyin(D)") || accd_run_directive(a, "acc exit data delete(D)");
}

static void structures(void)
{
    enum { FEW = 100 };
    if (accd_declare(a, declarations) || bind_domain()) {
        fprintf(stderr, "%s\n", accd_last_error_message(a));
        exit(1);
    }
    printf("\ndirectives on a structure of %d objects\n", OBJECTS);
    double enter = least(enter_exit, FEW);
    if (accd_run_directive(a, "acc enter data copyin(D)") || accd_prepare(a, "acc data present(D)", &deep) ||
        accd_prepare(a, "acc data present<>(D)", &empty) || accd_prepare(a, "acc data present<alone>(D)", &named)) {
        fprintf(stderr, "%s\n", accd_last_error_message(a));
        exit(1);
    }
    double all = least(present_deep, FEW);
    printf("E2   %-36s %8.1f us (%.0f ns an object)\n", "copyin(D), then delete(D)", enter / 1e3, enter / OBJECTS);
    printf("E2   %-36s %8.1f us (%.0f ns an object)\n", "data present(D), its end", all / 1e3, all / OBJECTS);
    if (accd_run_directive(a, "acc enter data copyin(D.cells[5].x[0:D.cells[5].n])")) {
        fprintf(stderr, "%s\n", accd_last_error_message(a));
        exit(1);
    }
    all = least(present_deep, FEW);
    printf("E2   %-36s %8.1f us (%.0f ns an object)\n", "the same, one array mapped twice", all / 1e3, all / OBJECTS);
    printf("E2   %-36s %8.2f us\n", "data present<>(D), its end", least(present_empty, TIMES) / 1e3);
    printf("E2   %-36s %8.2f us\n", "data present<alone>(D), its end", least(present_named, TIMES) / 1e3);
    accd_prepared_free(deep);
    accd_prepared_free(empty);
    accd_prepared_free(named);
}

/* ------------------------------------------------------------------------------------ first use -- */

enum { OPEN, DECLARE, BIND, ENTER, AGAIN, STEPS };

/* A session from its opening to a deep copy: the time of each step. Not 0: one failed. */
static int time_session_steps(double *times)
{
    double at[STEPS + 1] = {get_seconds()};
    int failed = (int)accd_session_new(&a, &(accd_session_config){.threads = 1});
    at[OPEN + 1] = get_seconds();
    failed = failed || accd_declare(a, declarations);
    at[DECLARE + 1] = get_seconds();
    failed = failed || bind_domain();
    at[BIND + 1] = get_seconds();
    failed = failed || accd_run_directive(a, "acc enter data copyin(D)");
    at[ENTER + 1] = get_seconds();
    failed = failed || accd_run_directive(a, "acc exit data delete(D)");
    failed = failed || accd_run_directive(a, "acc enter data copyin(D)");
    at[AGAIN + 1] = get_seconds();
    accd_session_free(a);
    for (int i = 0; i < STEPS; i++)
        times[i] = at[i + 1] - at[i];
    return failed;
}

/* In processes of their own: a first use happens once. */
static void first_uses(void)
{
    double best[2][STEPS], times[2][STEPS];
    for (int i = 0; i < 2 * STEPS; i++)
        best[i / STEPS][i % STEPS] = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        int ends[2];
        if (pipe(ends))
            exit(1);
        if (!fork())
            _exit(time_session_steps(times[0]) || time_session_steps(times[1]) ||
                  write(ends[1], times, sizeof times) != sizeof times);
        close(ends[1]);
        bool whole = read(ends[0], times, sizeof times) == sizeof times;
        close(ends[0]);
        wait(NULL);
        if (!whole) {
            fprintf(stderr, "a first use failed\n");
            exit(1);
        }
        for (int i = 0; i < 2 * STEPS; i++) {
            double *least_one = &best[i / STEPS][i % STEPS], time = times[i / STEPS][i % STEPS];
            *least_one = time < *least_one ? time : *least_one;
        }
    }
    printf("\na session with that structure\n");
    for (int i = 0; i < 2; i++)
        printf("E3   %-28s open %5.2f  declare %5.2f  bind %5.2f  first copyin(D) %5.2f  delete and copyin %5.2f ms\n",
               i ? "the second of the process" : "the first of the process", best[i][OPEN] / 1e6,
               best[i][DECLARE] / 1e6, best[i][BIND] / 1e6, best[i][ENTER] / 1e6, best[i][AGAIN] / 1e6);
}

int main(void)
{
    make_domain();
    first_uses();
    if (accd_session_new(&a, &(accd_session_config){.threads = 1}) || accd_bind(a, "v", "float[64]", &v) ||
        accd_prepare(a, "acc update device(v)", &update) || accd_prepare(a, "acc data present(v)", &data) ||
        accd_run_directive(a, "acc enter data copyin(v)")) {
        fprintf(stderr, "%s\n", accd_last_error_message(a));
        return 1;
    }
    core = accd_get_context(a);
    puts("\ndirectives of C programs, on present data");
    show_times("update of 256 bytes", update_core, update_prepared, update_text);
    show_times("data region and its end", data_core, data_prepared, data_text);
    structures();
    accd_prepared_free(update);
    accd_prepared_free(data);
    accd_session_free(a);
    return 0;
}
