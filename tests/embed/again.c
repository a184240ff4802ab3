/* Sessions one after another: a later one works in the interpreter of one that is closed. It
 * behaves as the first one did, and knows nothing of what others declared, bound, chose or broke.
 */
#include "support.h"

#include <pthread.h>
#include <setjmp.h>

struct transcript {
    char text[16000];
    size_t length;
};

static void transcript_add(struct transcript *t, const char *text, long long number)
{
    int n = snprintf(t->text + t->length, sizeof t->text - t->length, "%s %lld\n", text, number);
    t->length += (size_t)n < sizeof t->text - t->length ? (size_t)n : 0;
}

static void note_event(void *ud, const accd_event *event)
{
    transcript_add(ud, accd_op_name(event->op), event->line);
    transcript_add(ud, event->name ? event->name : "", (long long)event->bytes);
}

static int double_in_text(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    (void)ud;
    *result_p = nargs == 1 ? 2 * args[0] : 0;
    return 0;
}

static int add_one(accd_session *a, int device, void *ud)
{
    (void)device;
    float *there = accd_deviceptr(a, ud);
    there[0] += 1;
    return 0;
}

/* A session with types, variables, functions, shapes, groups, regions that stay open, and errors of
 * all kinds. */
static void one(struct transcript *t, const char *rules)
{
    static const char *const texts[] = {
        "acc enter data copyin(v)",
        "acc enter data copyin(X)",
        "acc enter data copyin(p[0:twice(3)])",
        "acc exit data delete(p)",
        "acc data present(q)",
        "acc parallel copy(v) default(none",
        "acc set device_num(1)",
        "acc enter data copyin(v) async(3)",
        "acc update device(v[2:9])",
        "omp declare group name(g) map(to: v)",
        "omp target data bind_group(g)",
        "omp end target data",
        "omp target enter data map(to: Y)",
        "acc enter data copyin(s)",
        "acc wait",
        "acc data copy(v[0:2])",
    };
    static float v[8] = {1, 2, 3}, more[16], *p = more;
    static struct deep X = {8, v, more};
    memset(t, 0, sizeof *t);
    accd_session *a = open_session(&(accd_session_config){
        .device = "direct", .devices = 2, .threads = 1, .rules = rules, .on_event = note_event, .event_ud = t});
    transcript_add(t, "declare", accd_declare_loc(a, deep_text, "again", 1));
    transcript_add(t, "declare", accd_declare_loc(a, "struct deep { int other; };", "again", 2));
    transcript_add(t, accd_last_error_message(a), accd_declare_loc(a, "typedef float real; int s[(4];", "again", 3));
    transcript_add(t, accd_last_error_message(a), accd_declare_loc(a, "typedef float real;", "again", 4));
    transcript_add(t, "function", accd_bind_function(a, "twice", double_in_text, NULL));
    transcript_add(t, "bind", accd_bind_sized(a, "v", "real[8]", v, sizeof v, "again", 6));
    transcript_add(t, "bind", accd_bind_sized(a, "p", "real *", &p, sizeof p, "again", 7));
    transcript_add(t, "bind", accd_bind_sized(a, "X", "struct deep", &X, sizeof X, "again", 8));
    transcript_add(t, accd_last_error_message(a), accd_bind_sized(a, "Y", "struct none", &X, sizeof X, "again", 9));
    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) {
        transcript_add(t, texts[i], accd_run_directive_loc(a, texts[i], "again", 10 + i));
        transcript_add(t, accd_last_error_message(a), accd_get_device(a));
    }
    transcript_add(t, "compute", accd_run_compute_loc(a, "acc parallel copy(v)", add_one, v, "again", 30));
    transcript_add(t, accd_last_error_message(a), (long long)v[0]);
    v[0] = 1;
    transcript_add(t, "close", accd_session_free(a));
}

static void as_before(const struct transcript *first, const struct transcript *later)
{
    if (!ok(first->length > 2000 && first->length == later->length && !strcmp(first->text, later->text),
            "a later session does as the first one, in %zu bytes", first->length))
        printf("# %s\n# %s\n", first->text, later->text);
}

/* Other types and variables of the same names, another device and other rules. */
static void other(void)
{
    static int v, p;
    accd_session *a = open_session(&(accd_session_config){.rules = "openmp-6.0"});
    fine(a, accd_declare(a, "enum { twice = 2 }; struct deep { char c[twice]; }; typedef struct deep real, none;"));
    fine(a, accd_bind(a, "v", "int", &v));
    fine(a, accd_bind(a, "p", "int", &p));
    fine(a, accd_run_directive(a, "omp declare group name(g) map(to: v)"));
    fine(a, accd_run_directive(a, "omp target enter data map(to: v, p)"));
    fine(a, accd_session_free(a));
}

static jmp_buf out;

static int jump(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    (void)ud, (void)nargs, (void)args, (void)result_p;
    longjmp(out, 1);
}

/* What a callback left half-way is not used again. */
static void jumped(void)
{
    static float v[4];
    static accd_session *a;
    a = open_session(NULL);
    fine(a, accd_bind(a, "v", "float[4]", &v));
    fine(a, accd_bind_function(a, "n", jump, NULL));
    if (!setjmp(out))
        accd_run_directive(a, "acc enter data copyin(v[0:n()])");
    ok(accd_session_free(a) == ACCD_OK, "a session that a callback left is closed");
}

static void *in_thread(void *transcript)
{
    one(transcript, NULL);
    return NULL;
}

/* What is allocated for the interpreter is given back, where the program gives it. */
static size_t held;

static void *counting(void *ud, void *block, size_t old, size_t bytes)
{
    (void)ud;
    held += bytes - old;
    if (bytes)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

int main(void)
{
    static struct transcript first, openacc, later;
    one(&first, NULL);
    one(&later, NULL);
    as_before(&first, &later);
    one(&openacc, "openacc-3.3");
    ok(strcmp(first.text, openacc.text) != 0, "other rules make a difference");
    other();
    jumped();
    one(&later, NULL);
    as_before(&first, &later);
    one(&later, "openacc-3.3");
    as_before(&openacc, &later);
    pthread_t threads[4];
    static struct transcript each[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, in_thread, &each[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        as_before(&first, &each[i]);
    }
    accd_session *a = open_session(&(accd_session_config){.alloc = counting});
    fine(a, accd_declare(a, deep_text));
    ok(held > 100000, "an allocator of the program's own is used from the beginning");
    accd_session_free(a);
    is_number((long long)held, 0, "and all is given back");
    return done();
}
