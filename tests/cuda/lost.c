/* A device that is full, and one that is lost: what the session says, and that all else goes on. */
#include "accdeep_internal.h"
#include "standin.h"
#include "../core/support.h"

static standin_fail_fn *fail;
static standin_reset_fn *reset;
static standin_room_fn *room;
static standin_live_fn *live;
static standin_count_fn *count;
static standin_pending_fn *pending;

static int says(accd_context *context, const char *part)
{
    const char *message = accd_context_error(context)->message;
    if (strstr(message, part))
        return 1;
    printf("#   it says: %s\n", message);
    return 0;
}

static void full(void)
{
    static char a[64], b[1 << 20];
    accd_context_config config;
    init_config(&config);
    accd_context *context = NULL;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    room(1 << 16);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "a small object fits");
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b)),
          "a large one does not");
    ok(says(context, "1048576 bytes of memory left for the data: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"),
       "the driver's name for it");
    uint64_t dev;
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, accd_device_alloc(context, 0, UINT64_MAX / 2, &dev),
          "nor does the absurd");
    room(0);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b)), ACCD_OK, "it fits when there is room");
    is_sound(context);
    accd_context_free(context);
    is_number(live(), 0, "everything was given back");
}

/* Refused pinned memory and an untranslated kernel cost time only. */
static void does_without(const char *name, int error)
{
    enum { N = 3000 };
    static int data[N];
    static accd_item items[N];
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    accd_construct construct = {.kind = ACCD_KIND_ENTER_DATA, .items = items, .nitems = N};
    for (int i = 0; i < N; i++) {
        data[i] = i;
        items[i] = BYTES(ACCD_ACTION_COPYIN, &data[i], 4);
    }
    reset();
    fail(name, 1, error);
    is_status(accd_run_construct(context, &construct, NULL), ACCD_OK, "data enter without %s", name);
    ok(count(name) == 1, "which is not asked for again");
    construct.kind = ACCD_KIND_EXIT_DATA;
    memset(data, 0, sizeof data);
    for (int i = 0; i < N; i++)
        items[i] = BYTES(ACCD_ACTION_COPYOUT, &data[i], 4);
    is_status(accd_run_construct(context, &construct, NULL), ACCD_OK, "and leave");
    bool right = true;
    for (int i = 0; i < N; i++)
        right = right && data[i] == i;
    ok(right, "all of them");
    accd_context_free(context);
    reset();
    is_number(live(), 0, "everything was given back");
}

/* The n-th call from entry to exit with an error that is for good. Whether there are so many calls. */
static bool lose(uint64_t n, uint64_t *lost_p)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    struct leaf leaf = {4, a, b}, before = leaf;
    accd_context_config simulated;
    accd_context_config_init(&simulated);
    accd_context *context = open_with(NULL, NULL, NULL, 64), *other = NULL;
    must(accd_context_new(&other, &simulated) == ACCD_OK, "a simulated device in the same process");
    accd_program *program = leaf_program(context);
    accd_item item = walked(ACCD_ACTION_COPY, &leaf, sizeof leaf, program, NULL);
    accd_region *region = NULL;
    accd_status status[4] = {ACCD_OK};
    fail("*", n, 700);
    status[0] = REGION(context, &region, item);
    if (region) {
        status[1] = UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, a, sizeof a));
        status[2] = UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, b, sizeof b));
        status[3] = accd_region_end(region);
    }
    bool reached = false, ended = region && status[3] == ACCD_OK;
    for (int i = 0; i < 4; i++) {
        must(status[i] == ACCD_OK || status[i] == ACCD_ERROR_DEVICE, "call %d, step %d: %s", (int)n, i,
             accd_status_code(status[i]));
        must(!reached || !region || status[i] != ACCD_OK, "call %d: step %d goes on", (int)n, i);
        reached = reached || status[i] != ACCD_OK;
    }
    if (reached) {
        ++*lost_p;
        must(says(context, "CUDA_ERROR_ILLEGAL_ADDRESS") && says(context, "lost the device"),
             "call %d: the session says so", (int)n);
        uint64_t dev;
        must(accd_device_alloc(context, 0, 16, &dev) == ACCD_ERROR_DEVICE && says(context, "lost"),
             "call %d: it goes on saying so", (int)n);
        const char *wrong = accd__check_invariants(context);
        must(!wrong, "call %d: %s", (int)n, wrong);
    }
    must(leaf.a == before.a && leaf.b == before.b && a[3] == 4 && b[3] == 8, "call %d: the host", (int)n);
    must(CONSTRUCT(other, ACCD_KIND_ENTER_DATA, NULL, PLAIN(ACCD_ACTION_COPYIN, a)) == ACCD_OK &&
             CONSTRUCT(other, ACCD_KIND_EXIT_DATA, NULL, PLAIN(ACCD_ACTION_COPYOUT, a)) == ACCD_OK,
         "call %d: the other device works", (int)n);
    if (region && !ended)
        accd_region_abandon(region);
    accd_program_release(program);
    bool met = !pending();
    accd_context_free(context);
    accd_context_free(other);
    return met;
}

int main(void)
{
    if (!standin_find_all((const struct standin_function[]){{"standin_fail", &fail},
                                                            {"standin_reset", &reset},
                                                            {"standin_room", &room},
                                                            {"standin_live", &live},
                                                            {"standin_count", &count},
                                                            {"standin_pending", &pending},
                                                            {NULL, NULL}}))
        return 1;
    full();
    does_without("cuMemHostAlloc", 0);
    does_without("cuModuleLoadData", 0);
    uint64_t lost = 0, n = 1;
    while (n < 500 && lose(n, &lost)) {
        reset();
        n++;
    }
    reset();
    ok(lost > 15 && n < 500, "%d of %d calls lose the device, the others free its memory", (int)lost, (int)n - 1);
    static char a[64];
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "a new session on a device that is well");
    accd_context_free(context);
    return done();
}
