/* Directives that are prepared once and run often: what is looked up when, and what becomes stale. */
#include "support.h"

static float va[4] = {1, 2, 3, 4}, vb[4] = {5, 6, 7, 8}, other[4] = {9, 9, 9, 9};
static struct deep X = {2, va, vb}, Y = {3, other, vb};
static float *p = va;

static accd_prepared *prepared(accd_session *a, const char *text)
{
    accd_prepared *made = NULL;
    fine(a, accd_prepare(a, text, &made));
    return made;
}

static void values(accd_session *a)
{
    accd_prepared *enter = prepared(a, "acc enter data copyin(p[0:X.n])");
    accd_prepared *leave = prepared(a, "acc exit data delete(p[0:X.n])");
    accd_prepared *maybe = prepared(a, "acc exit data delete(p[0:X.n]) if(X.n == 3)");
    fine(a, accd_prepared_run(enter));
    ok(accd_is_present(a, va, 8) && !accd_is_present(a, va, 12), "two elements now");
    fine(a, accd_prepared_run(leave));
    X.n = 3;
    p = vb;
    fine(a, accd_prepared_run(enter));
    ok(accd_is_present(a, vb, 12), "three elements, of what the pointer leads to then");
    X.n = 2;
    fine(a, accd_prepared_run(maybe));
    ok(accd_is_present(a, vb, 12), "a condition is asked each time");
    X.n = 3;
    fine(a, accd_prepared_run(maybe));
    X.n = -1;
    refuses(a, accd_prepared_run(enter), ACCD_ERROR_INVALID_SECTION, "invalid-section", "");
    ok(accd_last_error(a)->line && strstr(accd_last_error_message(a), "p[0:X.n]"), "told at its own place");
    X.n = 2;
    p = va;
    is_empty(a);
    accd_prepared_free(enter);
    accd_prepared_free(leave);
    accd_prepared_free(maybe);
}

static void regions(accd_session *a)
{
    accd_prepared *data = prepared(a, "acc data copy(X)");
    accd_prepared *compute = prepared(a, "omp target map(tofrom: X)");
    refuses(a, accd_prepared_end(data), ACCD_ERROR_REGION_NESTING, "region-nesting", "it is not open");
    fine(a, accd_prepared_run(data));
    fine(a, accd_prepared_run(data)); /* once more inside itself */
    fine(a, accd_prepared_run(compute));
    refuses(a, accd_prepared_end(data), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "this is not the innermost open region, which is 'target'");
    fine(a, accd_prepared_end(compute));
    fine(a, accd_prepared_end(data));
    fine(a, accd_bind(a, "X", "struct deep", &X)); /* it is lowered again while it is open */
    fine(a, accd_prepared_run(data));
    fine(a, accd_prepared_end(data));
    ok(accd_is_present(a, &X, sizeof X), "the outer one holds the data");
    accd_prepared_free(data);
    fine(a, accd_run_directive(a, "acc end data"));
    is_empty(a);
    accd_prepared_free(compute);
}

static void stale(accd_session *a)
{
    accd_prepared *enter = prepared(a, "acc enter data copyin(X)");
    accd_prepared *leave = prepared(a, "acc exit data delete(X)");
    accd_prepared *region = prepared(a, "acc data copyin(X)");
    fine(a, accd_bind(a, "X", "struct deep", &Y));
    fine(a, accd_prepared_run(enter));
    ok(accd_is_present(a, &Y, sizeof Y) && !accd_is_present(a, other, 4), "the object bound now");
    fine(a, accd_prepared_run(leave));
    fine(a, accd_declare(a, "#pragma acc shape type(struct deep) include(a[0:n], b[0:n])\n"));
    fine(a, accd_prepared_run(region));
    ok(accd_is_present(a, other, 12), "the shape that is declared now");
    fine(a, accd_unbind(a, "X"));
    refuses(a, accd_prepared_run(enter), ACCD_ERROR_INVALID, "unknown-name", "there is no variable 'X'");
    fine(a, accd_prepared_end(region));
    is_empty(a);
    fine(a, accd_bind(a, "X", "struct deep", &X));
    fine(a, accd_prepared_run(enter));
    ok(accd_is_present(a, vb, 8), "it is good again");
    fine(a, accd_prepared_run(leave));
    fine(a, accd_set_device(a, 1));
    fine(a, accd_prepared_run(enter));
    ok(accd_deviceptr(a, &X) && accd_get_device(a) == 1, "the device that is chosen then");
    fine(a, accd_prepared_run(leave));
    fine(a, accd_set_device(a, 0));
    is_empty(a);
    accd_prepared_free(region);
    accd_prepared_free(leave);
    accd_prepared_free(enter);
}

static void refused(accd_session *a)
{
    accd_prepared *none = NULL;
    const char *const texts[] = {"acc end data",
                                 "acc wait",
                                 "omp end target data",
                                 "acc set device_num(1)",
                                 "acc shape type(struct deep) exclude(b)",
                                 "omp declare mapper(struct deep d) map(d)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refuses(a, accd_prepare(a, texts[i], &none), ACCD_ERROR_INVALID, "clause-not-allowed", "'");
    refuses(a, accd_prepare(a, "acc enter data copyin(Z)", &none), ACCD_ERROR_INVALID, "unknown-name", "");
    ok(!none, "no handle");
}

int main(void)
{
    accd_session *a = open_session(&(accd_session_config){.devices = 2});
    fine(a, accd_declare(a, "struct deep { int n; float *a, *b; };"));
    fine(a, accd_bind(a, "X", "struct deep", &X));
    fine(a, accd_bind(a, "p", "float *", &p));
    values(a);
    regions(a);
    refused(a);
    stale(a);
    accd_prepared *outlives = prepared(a, "acc data copy(X)");
    fine(a, accd_prepared_run(outlives));
    accd_session_free(a);
    ok(accd_prepared_run(outlives) == ACCD_ERROR_MISUSE && accd_prepared_end(outlives) == ACCD_ERROR_MISUSE,
       "its session is closed");
    accd_prepared_free(outlives);
    return done();
}
