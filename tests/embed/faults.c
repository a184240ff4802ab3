/* Memory runs out: in every step of a program, after many different numbers of requests. A step that fails
 * has changed nothing, tells so, and succeeds once there is memory again; at the end none is lost. */
#include "accdeep_internal.h"
#include "support.h"

struct store { /* gives memory so many times, then none */
    struct meter meter;
    size_t left, asked;
};
static const size_t plenty = SIZE_MAX;

static void *give(void *ud, void *ptr, size_t old, size_t n)
{
    struct store *store = ud;
    if (n > (ptr ? old : 0)) {
        store->asked++;
        if (!store->left)
            return NULL;
        store->left -= store->left != plenty;
    }
    return meter_alloc(&store->meter, ptr, old, n);
}

static float va[4] = {1, 2, 3, 4}, vb[4] = {5, 6, 7, 8};
static struct deep X = {4, va, vb};
static struct ring { /* known from debug information */
    struct ring *next;
    struct deep deep[2];
} ring = {.next = &ring};
static accd_prepared *enter, *region;

static int kernel(accd_session *a, int device, void *ud)
{
    (void)device, (void)ud;
    const float value = 1;
    return accd_kernel_write(a, accd_deviceptr(a, va), &value, sizeof value) != ACCD_OK;
}

static int four(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    (void)ud, (void)nargs, (void)args;
    *result_p = 4;
    return 0;
}

static accd_status declare(accd_session *a)
{
    return accd_declare(a, "struct deep { int n; float *a, *b;\n"
                           "#pragma acc shape include(a[0:n], b[0:n])\n"
                           "#pragma acc shape(less) exclude(b)\n"
                           "}; int counter; typedef struct deep deep_t;");
}
static accd_status declare_ring(accd_session *a)
{
#ifdef HAVE_LIBDW
    return accd_declare_from_debug_info(a, NULL, "struct ring");
#else
    return accd_declare(a, "struct ring;");
#endif
}
static accd_status bind(accd_session *a)
{
    return accd_bind(a, "X", "deep_t", &X);
}
static accd_status function(accd_session *a)
{
    return accd_bind_function(a, "four", four, NULL);
}
static accd_status prepare(accd_session *a)
{
    return enter ? ACCD_OK : accd_prepare(a, "acc enter data copyin(X)", &enter);
}
static accd_status prepare_region(accd_session *a)
{
    return accd_prepare(a, "acc data present(X) if(X.n)", &region);
}
static accd_status execute(accd_session *a)
{
    (void)a;
    return accd_prepared_run(enter);
}
static accd_status open_region(accd_session *a)
{
    (void)a;
    return accd_prepared_run(region);
}
static accd_status open_named(accd_session *a)
{
    return accd_run_directive(a, "acc data copy(X, X.a[0:four()])");
}
static accd_status run_kernel(accd_session *a)
{
    return accd_run_compute(a, "acc parallel present(X)", kernel, NULL);
}
static accd_status update(accd_session *a)
{
    return accd_run_directive(a, "acc update self(X)");
}
static accd_status end_named(accd_session *a)
{
    return accd_run_directive(a, "acc end data");
}
static accd_status end_region(accd_session *a)
{
    (void)a;
    return accd_prepared_end(region);
}
static accd_status leave(accd_session *a)
{
    return accd_run_directive(a, "acc exit data copyout(X)");
}
static accd_status openmp(accd_session *a)
{
    return accd_run_directive(a, "omp target enter data map(to: X)");
}
static accd_status device(accd_session *a)
{
    return accd_run_directive(a, "acc set device_num(0)");
}

/* What is wrong is told, with or without memory for it. */
static accd_status mistake(accd_session *a)
{
    accd_status status = accd_run_directive(a, "acc update self(X.c)");
    return status == ACCD_ERROR_INVALID ? ACCD_OK : status;
}
static accd_status absent(accd_session *a)
{
    accd_status status = accd_run_directive(a, "acc update self(counter)");
    return status == ACCD_ERROR_NOT_PRESENT ? ACCD_OK : status;
}

static const struct {
    const char *name;
    accd_status (*run)(accd_session *a);
} steps[] = {
    {"declare", declare},
    {"types from debug information", declare_ring},
    {"bind", bind},
    {"function", function},
    {"prepare", prepare},
    {"prepare a region", prepare_region},
    {"execute", execute},
    {"open a prepared region", open_region},
    {"open a region", open_named},
    {"a kernel", run_kernel},
    {"update", update},
    {"a mistake", mistake},
    {"absent data", absent},
    {"end a region", end_named},
    {"end a prepared region", end_region},
    {"exit data", leave},
    {"OpenMP", openmp},
    {"choose a device", device},
};

/* Runs a step with ever more memory until it succeeds. */
static void starve(accd_session *a, struct store *store, const char *name, accd_status (*run)(accd_session *))
{
    enum { EACH = 6, MOST = 1 << 22 };
    accd_context *context = accd_get_context(a);
    uint64_t digest = accd__state_digest(context);
    size_t failures = 0;
    for (size_t n = 0; n < MOST; n += n < EACH ? 1 : n) {
        store->left = n;
        accd_status status = run(a);
        store->left = plenty;
        if (status == ACCD_OK)
            break;
        failures++;
        must(status == ACCD_ERROR_OUT_OF_MEMORY, "%s after %zu requests: %s", name, n, accd_last_error_message(a));
        must(accd_last_error(a)->status == status, "%s: the detail", name);
        const char *wrong = accd__check_invariants(context);
        must(!wrong && accd__state_digest(context) == digest, "%s after %zu: %s", name, n,
             wrong ? wrong : "the state changed");
    }
    ok(!accd__check_invariants(context), "%s: refused %zu times", name, failures);
}

static void use(void)
{
    struct store store = {.left = plenty};
    accd_session *a =
        open_session(&(accd_session_config){.alloc = give, .alloc_ud = &store, .threads = 1, .device_bytes = 64 << 20});
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        starve(a, &store, steps[i].name, steps[i].run);
    store.left = 0;
    accd_prepared_free(enter);
    ok(accd_session_free(a) == ACCD_OK, "it is closed without memory");
    accd_prepared_free(region);
    ok(!store.meter.live && !store.meter.wrong, "all memory is given back: %zu bytes in %zu blocks are not",
       store.meter.live, store.meter.blocks);
}

static void open_close(void)
{
    struct store store = {.left = plenty};
    const accd_session_config config = {.alloc = give, .alloc_ud = &store, .threads = 1, .device_bytes = 64 << 20};
    accd_session_free(open_session(&config));
    size_t all = store.asked, wrong = 0, runs = 0;
    for (size_t n = 0; n < all; n += 1 + n / 5) {
        accd_session *a = NULL;
        store.left = n;
        accd_status status = accd_session_new(&a, &config);
        wrong += status == ACCD_OK ? 0
                                   : status != ACCD_ERROR_OUT_OF_MEMORY ||
                                         !strstr(accd_last_error_message(a), a ? "enough memory" : "");
        accd_session_free(a);
        wrong += store.meter.live != 0 || store.meter.wrong != 0;
        runs++;
    }
    ok(!wrong, "opening fails in %zu ways of %zu", runs, all);
}

int main(void)
{
    open_close();
    use();
    return done();
}
