/* How long a deep copy takes on a device, beside one plain array of as many bytes.
 *
 *   bench [objects ...]
 *
 * Of each step the best of five counts. Which device: ACCDEEP_TEST_BACKEND, "cuda" or "sim". */
#include "../core/support.h"

#include <time.h>

enum { FLOATS = 16, TIMES = 5, ENTER_DEEP = 0, SEND, FETCH, LEAVE, PLAIN_IN, PLAIN_OUT, STEPS };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void step(accd_context *context, accd_kind kind, accd_item item, double *best_p)
{
    double started = now();
    accd_construct construct = {.kind = kind, .items = &item, .nitems = 1};
    if (accd_run(context, &construct, NULL) != ACCD_OK) {
        printf("%s\n", accd_context_error(context)->message);
        exit(1);
    }
    double took = now() - started;
    *best_p = *best_p == 0 || took < *best_p ? took : *best_p;
}

static void measure(accd_context *context, size_t n)
{
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "Y", sizeof(struct leaf), program);
    struct leaf *leaves = malloc(n * sizeof *leaves);
    float *values = malloc(n * 4 * FLOATS * sizeof *values);
    const size_t bytes = n * sizeof *leaves, all = bytes + n * 2 * FLOATS * sizeof(float);
    char *plain = malloc(all);
    double best[STEPS] = {0};
    memset(plain, 1, all);
    for (size_t i = 0; i < n; i++) {
        size_t k = i * 7919 % n; /* far apart and out of order */
        leaves[i] = (struct leaf){FLOATS, values + 4 * k * FLOATS, values + (4 * k + 2) * FLOATS};
        memset(leaves[i].a, 0, FLOATS * sizeof(float));
        memset(leaves[i].b, 0, FLOATS * sizeof(float));
    }
    for (int time = 0; time < TIMES; time++) {
        step(context, ACCD_ENTER_DATA, walked(ACCD_COPYIN, leaves, bytes, program, label),
             &best[ENTER_DEEP]);
        step(context, ACCD_UPDATE, walked(ACCD_UPDATE_DEVICE, leaves, bytes, program, label),
             &best[SEND]);
        step(context, ACCD_UPDATE, walked(ACCD_UPDATE_SELF, leaves, bytes, program, label),
             &best[FETCH]);
        step(context, ACCD_EXIT_DATA, walked(ACCD_COPYOUT, leaves, bytes, program, label),
             &best[LEAVE]);
        step(context, ACCD_ENTER_DATA, BYTES(ACCD_COPYIN, plain, all), &best[PLAIN_IN]);
        step(context, ACCD_EXIT_DATA, BYTES(ACCD_COPYOUT, plain, all), &best[PLAIN_OUT]);
    }
    printf("%9zu %8.1f |", n, (double)all / (1 << 20));
    for (int s = 0; s < STEPS; s++)
        printf(" %9.1f", best[s] * 1e6);
    printf(" | %5.3f %5.3f\n", best[PLAIN_IN] / best[ENTER_DEEP], best[PLAIN_OUT] / best[LEAVE]);
    accd_program_release(program);
    free(plain);
    free(values);
    free(leaves);
}

int main(int argc, char **argv)
{
    accd_context_config config;
    accd_context *context = NULL;
    init_config(&config);
    accd_device_info none = {0};
    config.no_device = &none;
    if (accd_context_open(&context, &config) != ACCD_OK) {
        printf("%s\n", none.why);
        return 1;
    }
    printf("%9s %8s | %9s %9s %9s %9s %9s %9s | %s\n", "objects", "MiB", "copyin", "to device",
           "to self", "copyout", "plain in", "plain out", "plain / deep; microseconds");
    static const char *const usual[] = {"1000", "10000", "100000", "1000000"};
    for (int i = 0; i < (argc > 1 ? argc - 1 : 4); i++)
        measure(context, strtoull(argc > 1 ? argv[i + 1] : usual[i], NULL, 10));
    accd_context_close(context);
    return 0;
}
