/* Deep copies in windows: whatever sections are like, all of it lies on the device where its pointers lead,
 * also after a call of the driver failed, and no memory is filled again before its copy is done. */
#include "accdeep_internal.h"
#include "standin.h"
#include "../core/support.h"

static standin_fail_fn *fail;
static standin_reset_fn *reset;
static standin_pending_fn *pending;
static standin_live_fn *live;
static standin_count_fn *count;

enum { WINDOW = 4 << 20 };

static accd_context *open_threads(unsigned threads)
{
    accd_context_config config;
    init_config(&config);
    config.threads = threads;
    config.group_least = 1;
    accd_context *context = NULL;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    return context;
}

/* ------------------------------------------------------------------------------ what is there -- */

/* A part of the device's memory, as a kernel would see it. */
struct view {
    uint64_t low, high;
    char *bytes;
};

static void reach(struct view *view, uint64_t dev, uint64_t bytes)
{
    if (!bytes)
        return;
    view->low = !view->high || dev < view->low ? dev : view->low;
    view->high = dev + bytes > view->high ? dev + bytes : view->high;
}

static bool view_open(accd_context *context, struct view *view)
{
    view->bytes = malloc(view->high - view->low + 1);
    return !view->high || accd_copy_from_device(context, 0, view->bytes, view->low, view->high - view->low) == ACCD_OK;
}

static bool view_holds_bytes(const struct view *view, uint64_t dev, const void *host, uint64_t bytes)
{
    return !bytes || !memcmp(view->bytes + (dev - view->low), host, bytes);
}

static bool leaves_there(accd_context *context, uint64_t dev, const struct leaf *leaves, size_t n)
{
    struct leaf *there = malloc(n * sizeof *there);
    struct view view = {0};
    bool right = accd_copy_from_device(context, 0, there, dev, n * sizeof *there) == ACCD_OK;
    for (size_t i = 0; right && i < n; i++) {
        uint64_t bytes = (uint64_t)leaves[i].n * sizeof(float);
        right = there[i].n == leaves[i].n;
        reach(&view, (uintptr_t)there[i].a, bytes);
        reach(&view, (uintptr_t)there[i].b, bytes);
    }
    right = right && view_open(context, &view);
    for (size_t i = 0; right && i < n; i++) {
        uint64_t bytes = (uint64_t)leaves[i].n * sizeof(float);
        right = view_holds_bytes(&view, (uintptr_t)there[i].a, leaves[i].a, bytes) &&
                view_holds_bytes(&view, (uintptr_t)there[i].b, leaves[i].b, bytes);
    }
    free(view.bytes);
    free(there);
    return right;
}

static bool bounds_there(accd_context *context, const struct bounds *rows, size_t n)
{
    struct bounds *there = malloc(n * sizeof *there);
    struct view view = {0};
    bool right = device_get(context, rows, there, n * sizeof *there);
    for (size_t i = 0; right && i < n; i++) {
        right = there[i].n == rows[i].n && there[i].from == rows[i].from;
        reach(&view, (uintptr_t)there[i].p + 8 * (uint64_t)rows[i].from, 8 * (uint64_t)rows[i].n);
    }
    right = right && view_open(context, &view);
    for (size_t i = 0; right && i < n; i++)
        right = view_holds_bytes(&view, (uintptr_t)there[i].p + 8 * (uint64_t)rows[i].from, rows[i].p + rows[i].from,
                                 8 * (uint64_t)rows[i].n);
    free(view.bytes);
    free(there);
    return right;
}

/* -------------------------------------------------------------------------------------- cases -- */

static float *numbers; /* arrays are parts of it, in no order */
enum { NUMBERS = 8 << 20 };

static struct leaf *make_leaves(size_t n, int least, int most)
{
    uint64_t state = 5;
    struct leaf *leaves = calloc(n, sizeof *leaves);
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = k * 7919 % n;
        int length = least + (int)(next_random(&state) % (unsigned)(most - least + 1));
        must(at + 2 * (size_t)length <= NUMBERS, "so many numbers");
        leaves[i] = (struct leaf){length, numbers + at, numbers + at + length};
        at += 2 * (size_t)length;
    }
    return leaves;
}

struct world {
    accd_context *context;
    accd_program *program;
    struct leaf *leaves, *others;
    struct bounds *bounds;
    size_t n;
    double *data;
};

static void close_world(struct world *w)
{
    accd_program_release(w->program);
    accd_context_free(w->context);
    free(w->leaves);
    free(w->others);
    free(w->bounds);
    free(w->data);
}

static struct world leaf_world(unsigned threads, size_t n, int least, int most)
{
    struct world w = {.context = open_threads(threads), .n = n};
    w.program = leaf_program(w.context);
    w.leaves = make_leaves(n, least, most);
    return w;
}

static accd_status enter_leaves(struct world *w)
{
    return ENTER(w->context, walked(ACCD_ACTION_COPYIN, w->leaves, w->n * sizeof *w->leaves, w->program,
                                    array(w->context, "Y", sizeof *w->leaves, w->program)));
}

static bool is_there(const struct world *w)
{
    return leaves_there(w->context, accd_device_address(w->context, 0, w->leaves), w->leaves, w->n);
}

static void leaves_of(const char *what, unsigned threads, size_t n, int least, int most)
{
    struct world w = leaf_world(threads, n, least, most);
    is_status(enter_leaves(&w), ACCD_OK, "%s, %u threads", what, threads);
    ok(is_there(&w), "all of it is there");
    is_sound(w.context);
    is_status(EXIT(w.context, walked(ACCD_ACTION_COPYOUT, w.leaves, n * sizeof *w.leaves, w.program, NULL)), ACCD_OK,
              "and back");
    close_world(&w);
}

/* Lengths from none to several windows, some as long as one. */
static void sections_of_all_lengths(unsigned threads)
{
    enum { DOUBLES = WINDOW / sizeof(double) };
    static const int64_t lengths[] = {0,  1, DOUBLES,     3, DOUBLES + 1, 300000, 300000, 2 * DOUBLES + 5,
                                      17, 0, DOUBLES - 8, 2};
    const size_t n = sizeof lengths / sizeof lengths[0], room = 2 * DOUBLES + 100;
    struct world w = {.context = open_threads(threads), .bounds = calloc(n, sizeof(struct bounds))};
    w.program = bounds_program(w.context);
    w.data = malloc(n * room * sizeof *w.data);
    for (size_t i = 0; i < n * room; i++)
        w.data[i] = (double)i;
    for (size_t i = 0; i < n; i++)
        w.bounds[i] = (struct bounds){lengths[i], (int64_t)i, w.data + i * room};
    is_status(ENTER(w.context, walked(ACCD_ACTION_COPYIN, w.bounds, n * sizeof *w.bounds, w.program, NULL)), ACCD_OK,
              "long sections, %u threads", threads);
    ok(bounds_there(w.context, w.bounds, n), "all of it is there");
    is_sound(w.context);
    close_world(&w);
}

/* Two roots and what is neither: present data that are refreshed, pointers that are attached. */
static void several_roots(unsigned threads)
{
    static char flat[100000];
    static void *holder[3];
    struct world w = leaf_world(threads, 40000, 7, 7);
    const accd_label *label = array(w.context, "Y", sizeof *w.leaves, w.program);
    const size_t half = w.n / 2 * sizeof *w.leaves;
    memset(flat, 'f', sizeof flat);
    holder[1] = flat + 5;
    is_status(ENTER(w.context, walked(ACCD_ACTION_COPYIN, w.leaves + w.n / 2, half, w.program, label),
                    PLAIN(ACCD_ACTION_COPYIN, flat), PLAIN(ACCD_ACTION_COPYIN, holder),
                    walked(ACCD_ACTION_COPYIN, w.leaves, half - sizeof *w.leaves, w.program, label),
                    ((accd_item){.host = flat + 5, .bytes = 1, .slot = &holder[1], .action = ACCD_ACTION_ATTACH})),
              ACCD_OK, "several roots, %u threads", threads);
    ok(leaves_there(w.context, accd_device_address(w.context, 0, w.leaves), w.leaves, w.n / 2 - 1) &&
           leaves_there(w.context, accd_device_address(w.context, 0, w.leaves + w.n / 2), w.leaves + w.n / 2, w.n / 2),
       "both are there");
    char there[sizeof flat];
    ok(device_get(w.context, flat, there, sizeof there) && !memcmp(there, flat, sizeof flat) &&
           device_word(w.context, &holder[1]) == accd_device_address(w.context, 0, flat + 5),
       "and what is beside them");
    is_sound(w.context);
    close_world(&w);
}

struct nest {
    int n;
    struct leaf *leaves;
};

static accd_program *nest_program(accd_context *context, accd_program *leaf)
{
    const accd_field field = {.offset = offsetof(struct nest, leaves),
                              .unit = sizeof(struct leaf),
                              .start = -1,
                              .code_end = 1,
                              .child = leaf,
                              .label = member(context, "leaves", sizeof(struct leaf), leaf)};
    return program_of(context, &(accd_program_spec){.stride = sizeof(struct nest),
                                                    .fields = &field,
                                                    .nfields = 1,
                                                    .pieces = &(accd_piece){.bytes = sizeof(struct nest)},
                                                    .npieces = 1,
                                                    .registers = 1,
                                                    .ncode = 1,
                                                    .code = CODE(LOAD(0, ACCD_SCALAR_I32, 0))});
}

static void test_nested_windows(unsigned threads, size_t n, int least, int most)
{
    struct world w = leaf_world(threads, n, least, most);
    accd_program *program = nest_program(w.context, w.program);
    enum { EACH = 9 };
    size_t nests = n / EACH;
    struct nest *nest = calloc(nests, sizeof *nest), *there = calloc(nests, sizeof *nest);
    for (size_t i = 0; i < nests; i++)
        nest[i] = (struct nest){i % 5 == 4 ? 0 : EACH - (int)(i % 3), w.leaves + i * EACH};
    is_status(ENTER(w.context, walked(ACCD_ACTION_COPYIN, nest, nests * sizeof *nest, program, NULL)), ACCD_OK,
              "nested, arrays of %d to %d, %u threads", least, most, threads);
    bool right = device_get(w.context, nest, there, nests * sizeof *nest);
    for (size_t i = 0; i < nests && right; i += i < 50 ? 1 : 37)
        right = there[i].n == nest[i].n &&
                (!nest[i].n || leaves_there(w.context, (uintptr_t)there[i].leaves, nest[i].leaves, (size_t)nest[i].n));
    ok(right, "all of it is there");
    is_sound(w.context);
    accd_program_release(program);
    free(nest);
    free(there);
    close_world(&w);
}

/* Elements of an odd length with a pointer at an odd place. */
struct __attribute__((packed)) odd {
    char tag[3];
    char *text;
    int n;
    char rest[4];
};

static void odd_strides(unsigned threads)
{
    enum { N = 70000, MOST = 120 };
    struct world w = {.context = open_threads(threads)};
    const accd_field field = {.offset = offsetof(struct odd, text),
                              .unit = 1,
                              .start = -1,
                              .code_end = 1,
                              .label = member(w.context, "text", 1, NULL)};
    w.program =
        program_of(w.context, &(accd_program_spec){.stride = sizeof(struct odd),
                                                   .fields = &field,
                                                   .nfields = 1,
                                                   .pieces = &(accd_piece){.bytes = sizeof(struct odd)},
                                                   .npieces = 1,
                                                   .registers = 1,
                                                   .ncode = 1,
                                                   .code = CODE(LOAD(0, ACCD_SCALAR_I32, offsetof(struct odd, n)))});
    struct odd *odd = calloc(N, sizeof *odd), *there = calloc(N, sizeof *odd);
    char *text = malloc((size_t)N * MOST);
    for (size_t i = 0; i < (size_t)N * MOST; i++)
        text[i] = (char)(i * 31 >> 3);
    for (size_t i = 0; i < N; i++)
        odd[i] = (struct odd){"ab", text + i * MOST, (int)(i % 97), {(char)i, 1, 2, (char)(i >> 8)}};
    is_status(ENTER(w.context, walked(ACCD_ACTION_COPYIN, odd, N * sizeof *odd, w.program, NULL)), ACCD_OK,
              "odd strides, %u threads", threads);
    struct view view = {0};
    bool right = device_get(w.context, odd, there, N * sizeof *odd);
    for (size_t i = 0; i < N && right; i++) {
        reach(&view, (uintptr_t)there[i].text, (uint64_t)odd[i].n);
        right = !memcmp(there[i].rest, odd[i].rest, sizeof odd[i].rest) && there[i].n == odd[i].n;
    }
    right = right && view_open(w.context, &view);
    for (size_t i = 0; i < N && right; i++)
        right = view_holds_bytes(&view, (uintptr_t)there[i].text, odd[i].text, (uint64_t)odd[i].n);
    ok(right, "all of it is there");
    is_sound(w.context);
    free(view.bytes);
    free(there);
    free(text);
    free(odd);
    close_world(&w);
}

/* Pointers of embedded structures are written into elements that are filled already. */
struct around {
    long id;
    struct leaf inner;
};

static void embedded(unsigned threads)
{
    struct world w = leaf_world(threads, 50000, 5, 20);
    const accd_field field = {.offset = offsetof(struct around, inner),
                              .unit = sizeof(struct leaf),
                              .start = -1,
                              .code_end = 1,
                              .child = w.program,
                              .embedded = 1,
                              .label = member(w.context, "inner", sizeof(struct leaf), w.program)};
    accd_program *program =
        program_of(w.context, &(accd_program_spec){.stride = sizeof(struct around),
                                                   .fields = &field,
                                                   .nfields = 1,
                                                   .pieces = &(accd_piece){.bytes = sizeof(struct around)},
                                                   .npieces = 1,
                                                   .registers = 1,
                                                   .ncode = 1,
                                                   .code = CODE(CONSTANT(0, 1))});
    struct around *rows = calloc(w.n, sizeof *rows), *there = calloc(w.n, sizeof *rows);
    for (size_t i = 0; i < w.n; i++)
        rows[i] = (struct around){(long)i, w.leaves[i]};
    is_status(ENTER(w.context, walked(ACCD_ACTION_COPYIN, rows, w.n * sizeof *rows, program, NULL)), ACCD_OK,
              "embedded, %u threads", threads);
    bool right = device_get(w.context, rows, there, w.n * sizeof *rows);
    for (size_t i = 0; right && i < w.n; i += 101) {
        uint64_t dev = accd_device_address(w.context, 0, &rows[i].inner);
        right = there[i].id == (long)i && leaves_there(w.context, dev, &rows[i].inner, 1);
    }
    ok(right, "all of it is there");
    is_sound(w.context);
    accd_program_release(program);
    free(there);
    free(rows);
    close_world(&w);
}

/* ------------------------------------------------------------------------------------- faults -- */

/* The n-th call of an entry fails, with an error for good or not. Whether there are so many. */
static bool at_call(uint64_t n, int error, size_t leaves)
{
    struct world w = leaf_world(1, leaves, 16, 16);
    fail("*", n, error);
    accd_status status = enter_leaves(&w);
    bool met = !pending(), lost = strstr(accd_context_error(w.context)->message, "lost the device");
    fail("*", 0, 0);
    accd_present_object present;
    must(status == ACCD_OK || !accd_present_at(w.context, 0, (uintptr_t)w.leaves, 0, &present),
         "call %d, error %d: nothing is present", (int)n, error);
    const char *wrong = accd__check_invariants(w.context);
    must(!wrong, "call %d, error %d: %s", (int)n, error, wrong);
    must(!lost || enter_leaves(&w) == ACCD_ERROR_DEVICE, "call %d, error %d: it goes on saying so", (int)n, error);
    if (!lost) {
        must(status == ACCD_OK || enter_leaves(&w) == ACCD_OK, "call %d, error %d: again", (int)n, error);
        must(is_there(&w), "call %d, error %d: then it is there", (int)n, error);
    }
    close_world(&w);
    return met;
}

static void each_call(int error, size_t leaves)
{
    int failed = tap_failed;
    uint64_t n = 1;
    while (n < 200 && tap_failed == failed && at_call(n, error, leaves)) {
        reset();
        n++;
    }
    reset();
    ok(tap_failed == failed && n > 10 && n < 200, "%zu objects, error %d: each of %d calls failed", leaves, error,
       (int)n - 1);
}

static void without_pinned_memory(uint64_t from)
{
    struct world w = leaf_world(1, 100000, 16, 16);
    reset();
    fail("cuMemHostAlloc", from, 0);
    is_status(enter_leaves(&w), ACCD_OK, "without memory that can be pinned, but for %d windows", (int)from - 1);
    ok(count("cuMemHostAlloc") == from, "which is not asked for again");
    ok(is_there(&w), "all of it is there");
    close_world(&w);
    reset();
}

/* ------------------------------------------------------------------------------------ receipt -- */

static void received(void)
{
    enum { N = 1 << 20 };
    unsigned char *bytes = malloc(N);
    accd_context *context = open_threads(1);
    memset(bytes, 1, N);
    is_status(ENTER(context, BYTES(ACCD_ACTION_CREATE, bytes, N)), ACCD_OK, "a large range");
    memset(bytes, 2, N / 2);
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, bytes, N / 2)), ACCD_OK, "half of it is sent");
    memset(bytes, 3, N);
    reset();
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, bytes, N)), ACCD_OK, "and all is fetched");
    ok(count("*") <= 4, "in %d calls", (int)count("*"));
    ok(bytes[0] == 2 && bytes[N / 2 - 1] == 2 && bytes[N / 2] == 0x7F && bytes[N - 1] == 0x7F,
       "what was never written can be told");
    memset(bytes, 4, N);
    fail("cuMemcpyDtoHAsync_v2", 1, 0);
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, bytes, N)), ACCD_ERROR_DEVICE, "a copy that is refused");
    ok(bytes[0] == 4 && bytes[N - 1] == 4 &&
           !strstr(accd_context_error(context)->message, "a part of it may have arrived"),
       "nothing arrived");
    fail("cuStreamSynchronize", 1, 700);
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, bytes, N)), ACCD_ERROR_DEVICE, "a device that is lost");
    ok(strstr(accd_context_error(context)->message, "lost the device; a part of it may have arrived") != NULL,
       "it says: %s", accd_context_error(context)->message);
    accd_context_free(context);
    reset();
    free(bytes);
}

/* Attached pointers keep their host's values. */
static void guarded(void)
{
    enum { N = 1 << 16 };
    static char *pointers[N], target[8];
    accd_context_config config;
    init_config(&config);
    accd_rules rules = *accd_find_rules("openacc-3.3");
    rules.update = ACCD_UPDATE_METHOD_REVERSE;
    config.rules = &rules;
    accd_context *context = NULL;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    pointers[9] = target;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, pointers), PLAIN(ACCD_ACTION_COPYIN, target),
                    ((accd_item){.host = target, .bytes = 1, .slot = &pointers[9], .action = ACCD_ACTION_ATTACH})),
              ACCD_OK, "a large range with a pointer");
    pointers[8] = target;
    is_status(UPDATE(context, PLAIN(ACCD_ACTION_UPDATE_SELF, pointers)), ACCD_OK, "it is fetched");
    ok(pointers[9] == target && !pointers[8], "but for the pointer");
    accd_context_free(context);
}

int main(void)
{
    if (!standin_find_all((const struct standin_function[]){{"standin_fail", &fail},
                                                            {"standin_reset", &reset},
                                                            {"standin_pending", &pending},
                                                            {"standin_live", &live},
                                                            {"standin_count", &count},
                                                            {NULL, NULL}}))
        return 1;
    numbers = malloc(NUMBERS * sizeof *numbers);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (float)i;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        leaves_of("equal arrays", threads, 120000, 16, 16);
        leaves_of("arrays of 4 KiB", threads, 3000, 1024, 1024);
        leaves_of("arrays of all lengths", threads, 60000, 0, 60);
        leaves_of("arrays of up to 40 KiB", threads, 700, 0, 10000);
        leaves_of("rows longer than a window", threads, 5, 700000, 800000);
        sections_of_all_lengths(threads);
        several_roots(threads);
        test_nested_windows(threads, 30000, 16, 16);
        test_nested_windows(threads, 40000, 0, 70);
        test_nested_windows(threads, 2000, 1024, 1200);
        odd_strides(threads);
        embedded(threads);
    }
    without_pinned_memory(1);
    without_pinned_memory(3);
    guarded();
    is_number(live(), 0, "everything was given back");
    received();
    each_call(0, 80000);
    each_call(700, 80000);
    free(numbers);
    return done();
}
