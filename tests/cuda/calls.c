/* Driver calls grow with bytes, never with objects: counted by the stand-in driver, which the loader
 * finds as libcuda.so.1. And what crosses arrives, whatever its pieces are like. */
#include "standin.h"
#include "../core/support.h"

static standin_count_fn *count;
static standin_reset_fn *reset;
static standin_live_fn *live;

enum { FLOATS = 16, CHUNK = 4 << 20 };

struct forest {
    size_t n;
    struct leaf *leaves;
    float *values;
};

/* Arrays of their own for each leaf, far apart and out of order. */
static struct forest new_forest(size_t n, size_t floats)
{
    struct forest forest = {n, malloc(n * sizeof(struct leaf)), malloc(n * 4 * floats * sizeof(float))};
    for (size_t i = 0; i < n; i++) {
        size_t k = i * 7919 % n;
        forest.leaves[i] =
            (struct leaf){(int)floats, forest.values + (4 * k) * floats, forest.values + (4 * k + 2) * floats};
        for (size_t v = 0; v < floats; v++)
            forest.leaves[i].a[v] = (float)i, forest.leaves[i].b[v] = (float)v;
    }
    return forest;
}

static void cut(struct forest *forest)
{
    free(forest->leaves);
    free(forest->values);
}

/* Calls of a construct, of which it is known how many bytes move. */
#define COUNTED(construct, calls_p)                                                           \
    do {                                                                                      \
        reset();                                                                              \
        accd_status status_ = (construct);                                                    \
        must(status_ == ACCD_OK, "%s: %s", #construct, accd_context_error(context)->message); \
        *(calls_p) = count("*");                                                              \
    } while (0)

enum { ENTER_DEEP, SEND, FETCH, SEND_SHALLOW, EXIT_DEEP, STEPS };
static const char *const steps[STEPS] = {"enter data copyin", "update device", "update self",
                                         "update device, own bytes only", "exit data copyout"};

static void count_deep(size_t n, size_t floats, uint64_t *calls)
{
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "Y", sizeof(struct leaf), program);
    struct forest forest = new_forest(n, floats);
    const size_t bytes = n * sizeof(struct leaf);
    COUNTED(ENTER(context, walked(ACCD_ACTION_COPYIN, forest.leaves, bytes, program, label)), &calls[ENTER_DEEP]);
    for (size_t i = 0; i < n; i++)
        forest.leaves[i].a[3] += 1;
    COUNTED(UPDATE(context, walked(ACCD_ACTION_UPDATE_DEVICE, forest.leaves, bytes, program, label)), &calls[SEND]);
    float there = 0;
    must(device_get(context, &forest.leaves[n / 2].a[3], &there, sizeof there) && there == forest.leaves[n / 2].a[3],
         "what was sent is there");
    for (size_t i = 0; i < n; i++)
        forest.leaves[i].b[5] = -1;
    COUNTED(UPDATE(context, walked(ACCD_ACTION_UPDATE_SELF, forest.leaves, bytes, program, label)), &calls[FETCH]);
    bool fetched = true;
    for (size_t i = 0; i < n; i++)
        fetched = fetched && forest.leaves[i].b[5] == 5;
    must(fetched, "what was fetched is here");
    COUNTED(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, forest.leaves, bytes)), &calls[SEND_SHALLOW]);
    COUNTED(EXIT(context, walked(ACCD_ACTION_COPYOUT, forest.leaves, bytes, program, label)), &calls[EXIT_DEEP]);
    bool kept = true;
    for (size_t i = 0; i < n; i++)
        kept = kept && forest.leaves[i].n == (int)floats && forest.leaves[i].a[3] == (float)i + 1;
    must(kept, "all of it came back");
    accd_program_release(program);
    accd_context_free(context);
    cut(&forest);
}

/* What is made once; and of each chunk, in which there may be parts of three columns, an event, a wait. */
static uint64_t calls_for(uint64_t bytes)
{
    return 20 + 5 * (bytes / CHUNK + 1);
}

static void copy_forest(const size_t sizes[3], size_t floats)
{
    uint64_t calls[3][STEPS];
    for (int i = 0; i < 3; i++)
        count_deep(sizes[i], floats, calls[i]);
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < 3; i++) {
            /* elements and arrays, pieces of pointers among them, tables of three words for each */
            uint64_t bytes = sizes[i] * (sizeof(struct leaf) + 2 * floats * sizeof(float) + 5 * 24);
            must(calls[i][s] <= calls_for(bytes), "%s of %zu: %llu calls", steps[s], sizes[i],
                 (unsigned long long)calls[i][s]);
        }
        ok(1, "%s: %llu, %llu, %llu calls for %zu, %zu, %zu objects with arrays of %zu bytes", steps[s],
           (unsigned long long)calls[0][s], (unsigned long long)calls[1][s], (unsigned long long)calls[2][s], sizes[0],
           sizes[1], sizes[2], floats * sizeof(float));
    }
}

struct branch {
    struct leaf *leaves;
    int n;
};

/* Elements between the roots and the arrays. */
static void count_nested(size_t n, size_t floats, uint64_t *calls)
{
    enum { EACH = 8 };
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    accd_program *leaf = leaf_program(context);
    const accd_field field = {.unit = sizeof(struct leaf),
                              .start = -1,
                              .code_end = 1,
                              .child = leaf,
                              .label = member(context, "leaves", sizeof(struct leaf), leaf)};
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof(struct branch),
                                                 .pieces = &(accd_piece){.bytes = sizeof(struct branch)},
                                                 .npieces = 1,
                                                 .fields = &field,
                                                 .nfields = 1,
                                                 .registers = 1,
                                                 .ncode = 1,
                                                 .code = CODE(LOAD(0, ACCD_SCALAR_I32, offsetof(struct branch, n)))});
    struct forest forest = new_forest(n, floats);
    struct branch *branches = calloc(n / EACH, sizeof *branches);
    const size_t bytes = n / EACH * sizeof *branches;
    for (size_t i = 0; i < n / EACH; i++)
        branches[i] = (struct branch){forest.leaves + i * EACH, EACH};
    COUNTED(ENTER(context, walked(ACCD_ACTION_COPYIN, branches, bytes, program, NULL)), &calls[ENTER_DEEP]);
    memset(forest.values, 0, n * 4 * floats * sizeof(float));
    COUNTED(EXIT(context, walked(ACCD_ACTION_COPYOUT, branches, bytes, program, NULL)), &calls[EXIT_DEEP]);
    bool kept = true;
    for (size_t i = 0; i < n; i++)
        kept =
            kept && forest.leaves[i].a[floats - 1] == (float)i && forest.leaves[i].b[floats - 1] == (float)floats - 1;
    must(kept, "all of it came back");
    accd_program_release(program);
    accd_program_release(leaf);
    accd_context_free(context);
    free(branches);
    cut(&forest);
}

static void copy_nested_structure(const size_t sizes[3], size_t floats)
{
    for (int i = 0; i < 3; i++) {
        const uint64_t each = sizeof(struct branch) / 8 + sizeof(struct leaf) + 2 * floats * sizeof(float);
        const uint64_t bytes = sizes[i] * each;
        uint64_t calls[STEPS];
        count_nested(sizes[i], floats, calls);
        ok(calls[ENTER_DEEP] <= calls_for(bytes) && calls[EXIT_DEEP] <= calls_for(bytes),
           "nested: %zu objects with arrays of %zu bytes enter in %llu calls, and leave in %llu", sizes[i],
           floats * sizeof(float), (unsigned long long)calls[ENTER_DEEP], (unsigned long long)calls[EXIT_DEEP]);
    }
}

/* Objects of their own, one clause for each: not a group. */
static void copy_plain_objects(void)
{
    enum { N = 4000 };
    static char data[N][40];
    static accd_item items[N];
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    accd_construct construct = {.kind = ACCD_KIND_ENTER_DATA, .items = items, .nitems = N};
    uint64_t calls;
    for (int i = 0; i < N; i++) {
        memset(data[i], i, sizeof data[i]);
        items[i] = BYTES(ACCD_ACTION_COPYIN, data[i], 33);
    }
    COUNTED(accd_run_construct(context, &construct, NULL), &calls);
    ok(calls <= 16, "%d clauses enter in %llu calls", N, (unsigned long long)calls);
    construct.kind = ACCD_KIND_UPDATE;
    for (int i = 0; i < N; i++) { /* odd places, every other one */
        items[i] = BYTES(ACCD_ACTION_UPDATE_DEVICE, data[i] + 1 + i % 5, i % 2 ? 9 : 0);
        memset(data[i], i + 1, sizeof data[i]);
    }
    COUNTED(accd_run_construct(context, &construct, NULL), &calls);
    ok(calls <= 8, "%d odd pieces are sent in %llu calls", N / 2, (unsigned long long)calls);
    bool right = true;
    for (int i = 0; i < N; i++) {
        char there[33];
        right = right && device_get(context, data[i], there, sizeof there);
        for (int k = 0; k < 33; k++)
            right = right && there[k] == (char)(i % 2 && k >= 1 + i % 5 && k < 10 + i % 5 ? i + 1 : i);
    }
    ok(right, "each piece lies where it belongs, and nothing beside it was touched");
    construct.kind = ACCD_KIND_EXIT_DATA;
    for (int i = 0; i < N; i++)
        items[i] = BYTES(ACCD_ACTION_COPYOUT, data[i], 33);
    COUNTED(accd_run_construct(context, &construct, NULL), &calls);
    ok(calls <= 16, "%d clauses leave in %llu calls", N, (unsigned long long)calls);
    accd_context_free(context);
}

/* Large data go from where they lie; pointers into them are written over what was sent. */
static void large(void)
{
    enum { N = 1 << 20 };
    char **holder = calloc(N, sizeof *holder), *bytes = malloc(N);
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    uint64_t calls;
    memset(bytes, 'x', N);
    holder[7] = bytes + 5;
    COUNTED(ENTER(context, BYTES(ACCD_ACTION_COPYIN, holder, N * sizeof *holder), BYTES(ACCD_ACTION_COPYIN, bytes, N),
                  ((accd_item){.host = bytes + 5, .bytes = 1, .slot = &holder[7], .action = ACCD_ACTION_ATTACH})),
            &calls);
    ok(calls <= 16, "9 MiB and a pointer enter in %llu calls", (unsigned long long)calls);
    ok(device_word(context, &holder[7]) == accd_device_address(context, 0, bytes) + 5 &&
           device_word(context, &holder[8]) == 0,
       "the pointer is translated, and lies among the rest");
    ok(holder[7] == bytes + 5, "the host's is as it was");
    COUNTED(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, bytes, N), BYTES(ACCD_ACTION_UPDATE_DEVICE, holder, 64)),
            &calls);
    ok(device_word(context, &holder[7]) == accd_device_address(context, 0, bytes) + 5, "an update leaves it alone");
    is_sound(context);
    accd_context_free(context);
    free(holder);
    free(bytes);
}

/* What one construct sends and fetches of the same bytes, in the order of its clauses. */
static void both_ways(void)
{
    int a[4] = {1, 2, 3, 4}, other[2] = {-1, -2};
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)) == ACCD_OK, "enter");
    uint64_t dev = accd_device_address(context, 0, a);
    must(accd_device_write(context, 0, dev, other, sizeof other) == ACCD_OK, "a kernel");
    a[2] = 33;
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, &a[1], 8), PLAIN(ACCD_ACTION_UPDATE_SELF, a)), ACCD_OK,
              "device, then self");
    ok(a[0] == -1 && a[1] == 2 && a[2] == 33 && a[3] == 4, "found %d %d %d %d", a[0], a[1], a[2], a[3]);
    must(accd_copy_within_device(context, 0, dev + 4, dev, 12) == ACCD_OK, "within");
    int there[4];
    ok(accd_device_read(context, 0, dev, there, sizeof there) == ACCD_OK && there[0] == -1 && there[1] == -1 &&
           there[2] == 2 && there[3] == 33,
       "ranges of a copy may overlap");
    accd_context_free(context);
}

int main(void)
{
    if (!standin_find_all((const struct standin_function[]){
            {"standin_count", &count}, {"standin_reset", &reset}, {"standin_live", &live}, {NULL, NULL}}))
        return 1;
    copy_forest((const size_t[]){1000, 8000, 64000}, FLOATS);
    copy_forest((const size_t[]){100, 800, 6400}, 1024);
    copy_nested_structure((const size_t[]){1000, 8000, 64000}, FLOATS);
    copy_nested_structure((const size_t[]){96, 800, 6400}, 1024);
    copy_plain_objects();
    large();
    both_ways();
    is_number(live(), 0, "everything was given back");
    return done();
}
