/* embed.c - what directives as text cost a C program, on present data: the core's own construct, a prepared
 * directive, and a directive whose text the session has met before. Least of several rounds. */
#include <accdeep.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, TIMES = 20000, MOST_OVER = 1000 };

static float v[64];
static accd *a;
static accd_context *core;
static accd_prepared *update, *data;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int run(accd_kind kind, accd_action action)
{
    const accd_item item = {.host = v, .bytes = sizeof v, .action = (uint8_t)action};
    accd_region *region = NULL;
    accd_status status = accd_run(
        core, &(accd_construct){.kind = kind, .items = &item, .nitems = 1, .name = "data"}, &region);
    return status || (region && accd_region_end(region));
}

static int update_core(void)
{
    return run(ACCD_UPDATE, ACCD_UPDATE_DEVICE);
}
static int update_prepared(void)
{
    return (int)accd_exec(update);
}
static int update_text(void)
{
    return (int)accd_directive(a, "acc update device(v)");
}
static int data_core(void)
{
    return run(ACCD_REGION, ACCD_PRESENT);
}
static int data_prepared(void)
{
    return accd_exec(data) || accd_exec_end(data);
}
static int data_text(void)
{
    return accd_directive(a, "acc data present(v)") || accd_directive(a, "acc end data");
}

static double least(int (*fn)(void))
{
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < TIMES; i++)
            if (fn()) {
                fprintf(stderr, "%s\n", accd_message(a));
                exit(1);
            }
        double ns = (now() - start) / TIMES;
        best = ns < best ? ns : best;
    }
    return best;
}

static void show(const char *name, int (*in_core)(void), int (*prepared)(void), int (*text)(void))
{
    double base = least(in_core), exec = least(prepared);
    printf("E1   %-28s %8.0f ns  prepared %6.0f ns (<= %d over: %s)  as text %6.0f ns\n", name, base,
           exec, MOST_OVER, exec - base <= MOST_OVER ? "yes" : "NO", least(text));
}

int main(void)
{
    if (accd_open(&a, &(accd_config){.threads = 1}) || accd_bind(a, "v", "float[64]", &v) ||
        accd_prepare(a, "acc update device(v)", &update) ||
        accd_prepare(a, "acc data present(v)", &data) ||
        accd_directive(a, "acc enter data copyin(v)")) {
        fprintf(stderr, "%s\n", accd_message(a));
        return 1;
    }
    core = accd_get_context(a);
    puts("\ndirectives of C programs, on present data");
    show("update of 256 bytes", update_core, update_prepared, update_text);
    show("data region and its end", data_core, data_prepared, data_text);
    accd_finalize(update);
    accd_finalize(data);
    accd_close(a);
    return 0;
}
