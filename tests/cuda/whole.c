/* An update of data that are there is all or nothing, whatever call of the driver fails on its way. */
#include "standin.h"
#include "../core/support.h"

static standin_fail_fn *fail;
static standin_reset_fn *reset;
static standin_pending_fn *pending;
static standin_live_fn *live;
static standin_count_fn *count;

enum { SMALL = 3000, LARGE = 200 << 10 };
static char small[SMALL][40], large[3][LARGE];

static accd_status run_whole_construct(accd_context *context, accd_construct_kind kind, uint8_t action, int nsmall,
                                       int nlarge)
{
    static accd_item items[SMALL + 3];
    size_t n = 0;
    for (int i = 0; i < nsmall; i++) /* odd places: all of it would be one piece */
        items[n++] = kind == ACCD_KIND_UPDATE ? BYTES(action, small[i] + 1 + i % 7, (uint64_t)(33 - 2 * (i % 7)))
                                              : BYTES(action, small[i], 40);
    for (int i = 0; i < nlarge; i++)
        items[n++] = BYTES(action, large[i], LARGE - (kind == ACCD_KIND_UPDATE ? (size_t)i : 0u));
    return accd_run_construct(context, &(accd_construct){.kind = kind, .items = items, .nitems = n}, NULL);
}

static void fill_host_data(int value)
{
    memset(small, value, sizeof small);
    memset(large, value + 1, sizeof large);
}

/* Whether each byte of the device is the old one, or each that was sent the new one; -1: neither. */
static int arrived(accd_context *context, int nsmall, int nlarge, int before, int after)
{
    static char there[LARGE];
    size_t bytes = 0, fresh = 0, old = 0;
    for (int i = 0; i < nsmall; i++) {
        must(device_get(context, small[i], there, 40), "a small one can be read");
        for (int k = 1 + i % 7; k < 34 - i % 7; k++, bytes++)
            there[k] == (char)after ? fresh++ : old++;
        must(there[0] == (char)before && there[39] == (char)before, "nothing beside it is touched");
    }
    for (int i = 0; i < nlarge; i++) {
        must(device_get(context, large[i], there, LARGE), "a large one can be read");
        for (int k = 0; k < LARGE - i; k++, bytes++)
            there[k] == (char)(after + 1) ? fresh++ : old++;
    }
    return fresh == bytes ? 1 : old == bytes ? 0 : -1;
}

/* The n-th call of an update fails. Whether there are so many. */
static bool at_call(uint64_t n, int nsmall, int nlarge)
{
    accd_context *context = open_with(NULL, NULL, NULL, 1000);
    fill_host_data(1);
    must(run_whole_construct(context, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, nsmall, nlarge) == ACCD_OK, "enter");
    fill_host_data(5);
    fail("*", n, 0);
    accd_status status = run_whole_construct(context, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, nsmall, nlarge);
    bool met = !pending();
    fail("*", 0, 0);
    const char *message = accd_context_error(context)->message;
    bool lost = status != ACCD_OK && strstr(message, "lost the device");
    must(!strstr(message, "a part of it may have arrived"), "call %d of %d and %d: %s", (int)n, nsmall, nlarge,
         message);
    int found = lost ? 0 : arrived(context, nsmall, nlarge, 1, 5);
    must(found == (status == ACCD_OK), "call %d of %d and %d: %s, and %s arrived", (int)n, nsmall, nlarge,
         accd_status_code(status),
         found < 0 ? "a part"
         : found   ? "all"
                   : "nothing");
    if (status != ACCD_OK && !lost) {
        must(run_whole_construct(context, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, nsmall, nlarge) == ACCD_OK &&
                 arrived(context, nsmall, nlarge, 1, 5) == 1,
             "call %d of %d and %d: the next one arrives", (int)n, nsmall, nlarge);
    }
    accd_context_free(context);
    return met;
}

static void each_call(int nsmall, int nlarge)
{
    int failed = tap_failed;
    uint64_t n = 1;
    while (n < 100 && tap_failed == failed && at_call(n, nsmall, nlarge)) {
        reset();
        n++;
    }
    reset();
    ok(tap_failed == failed && n > 3 && n < 100, "%d small and %d large: each of %d calls failed", nsmall, nlarge,
       (int)n - 1);
}

/* Where the kernel cannot be had, or memory for a second copy, what fails may be torn: then it says so. */
static void says_so(void)
{
    accd_context *context = open_with(NULL, NULL, NULL, 1000);
    fill_host_data(1);
    fail("cuModuleLoadData", 1, 0);
    must(run_whole_construct(context, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, SMALL, 3) == ACCD_OK, "enter");
    fill_host_data(5);
    reset();
    must(run_whole_construct(context, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, SMALL, 3) == ACCD_OK,
         "it arrives without");
    must(arrived(context, SMALL, 3, 1, 5) == 1, "all of it");
    uint64_t copies = count("cuMemcpyHtoDAsync_v2");
    if (copies > 1) { /* one by one */
        fill_host_data(7);
        fail("cuMemcpyHtoDAsync_v2", copies, 0);
        is_status(run_whole_construct(context, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, SMALL, 3),
                  ACCD_ERROR_DEVICE, "the last copy fails");
        ok(strstr(accd_context_error(context)->message, "a part of it may have arrived"), "it says so");
    }
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
    each_call(3, 0);
    each_call(SMALL, 0);
    each_call(0, 1);
    each_call(0, 3);
    each_call(SMALL, 3);
    each_call(1, 1);
    uint64_t lost = live(); /* contexts that are lost give nothing back */
    says_so();
    is_number(live(), lost, "everything was given back");
    return done();
}
