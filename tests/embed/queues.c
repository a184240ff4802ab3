/* async and wait in a program: what its queues are asked for goes on by itself where the device can, and is done as
 * it would be without queues; what is fetched is here at the wait. ACCDEEP_TEST_DEVICE: "sim" or "cuda". */
#include "support.h"

enum { N = 1000 };
static float x[N], y[N];

static const char *kind(void)
{
    const char *name = getenv("ACCDEEP_TEST_DEVICE");
    return name && *name ? name : "sim";
}

static bool all(const float *values, float value)
{
    bool same = true;
    for (int i = 0; i < N; i++)
        same = same && values[i] == value;
    return same;
}

static void fill(float *values, float value)
{
    for (int i = 0; i < N; i++)
        values[i] = value;
}

static accd_session *open_queues(void)
{
    accd_session *a = open_session(&(accd_session_config){.device = kind(), .async = "concurrent"});
    fine(a, accd_bind(a, "x", "float[1000]", x));
    fine(a, accd_bind(a, "y", "float[1000]", y));
    return a;
}

static void transfers(void)
{
    accd_session *a = open_queues();
    bool goes_on = !strcmp(kind(), "cuda");
    fill(x, 1);
    fill(y, 2);
    fine(a, accd_run_directive(a, "acc enter data copyin(x) async(1)"));
    fine(a, accd_run_directive(a, "acc enter data copyin(y) async(2)"));
    fill(x, 3); /* what was sent has been read */
    fine(a, accd_run_directive(a, "acc update self(x) async(1)"));
    ok(all(x, goes_on ? 3 : 1), "before the wait it is %s here", goes_on ? "not" : "already");
    fine(a, accd_run_directive(a, "acc wait(1)"));
    ok(all(x, 1), "after the wait it is");
    fill(y, 4);
    fine(a, accd_run_directive(a, "acc update self(y[0:500]) async(2)"));
    fine(a, accd_run_directive(a, "acc update device(y[500:500]) async(2)"));
    fine(a, accd_run_directive(a, "acc exit data copyout(y) async(2)"));
    fine(a, accd_run_directive(a, "acc exit data delete(x) async(1)"));
    ok(!accd_is_present(a, x, sizeof x) && !accd_is_present(a, y, sizeof y), "presence is the directives'");
    fine(a, accd_run_directive(a, "acc wait"));
    ok(y[0] == 2 && y[499] == 2 && y[500] == 4 && y[N - 1] == 4, "a queue is in order");
    is_empty(a);
    must(accd_session_free(a) == ACCD_OK, "close");
}

/* Reads what queues have sent. */
static int adds(accd_session *a, int device, void *ud)
{
    float sum[2] = {0};
    (void)device;
    bool read = accd_kernel_read(a, &sum[0], accd_deviceptr(a, &x[5]), sizeof sum[0]) == ACCD_OK &&
                accd_kernel_read(a, &sum[1], accd_deviceptr(a, &y[5]), sizeof sum[1]) == ACCD_OK;
    *(float *)ud = sum[0] + sum[1];
    return !read || accd_kernel_write(a, accd_deviceptr(a, &y[6]), &sum[0], sizeof sum[0]) != ACCD_OK;
}

static void kernels(void)
{
    accd_session *a = open_queues();
    float sum = 0;
    fill(x, 5);
    fill(y, 6);
    fine(a, accd_run_directive(a, "acc enter data copyin(x) async(3)"));
    fine(a, accd_run_compute(a, "acc parallel copy(y) present(x) async(1)", adds, &sum));
    ok(sum == 11, "a kernel finds what queues have sent: %g", (double)sum);
    fine(a, accd_run_directive(a, "acc wait(1)"));
    ok(y[6] == 5 && y[7] == 6, "and what it wrote is fetched");
    fine(a, accd_run_directive(a, "acc exit data delete(x) async(3)"));
    fine(a, accd_run_directive(a, "acc wait"));
    is_empty(a);
    must(accd_session_free(a) == ACCD_OK, "close");
}

/* What is under way when the session is closed does not reach the program's memory. */
static void closed(void)
{
    accd_session *a = open_queues();
    bool goes_on = !strcmp(kind(), "cuda");
    fill(x, 7);
    fine(a, accd_run_directive(a, "acc enter data copyin(x) async(1)"));
    fill(x, 8);
    fine(a, accd_run_directive(a, "acc update self(x) async(1)"));
    must(accd_session_free(a) == ACCD_OK, "close");
    ok(all(x, goes_on ? 8 : 7), "closing a session ends what is under way");
}

int main(void)
{
    transfers();
    kernels();
    closed();
    return done();
}
