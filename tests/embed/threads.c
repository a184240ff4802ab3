/* Sessions of several threads, each its own; one that goes from thread to thread; callbacks that jump. */
#include "support.h"

#include <pthread.h>
#include <setjmp.h>

enum { THREADS = 4, ROUNDS = 50 };

struct worker {
    float data[64], more[64];
    struct deep X;
    int failures;
};

static int add_one(accd_session *a, int device, void *ud)
{
    (void)device;
    struct worker *worker = ud;
    float *there = accd_deviceptr(a, worker->data);
    for (int i = 0; i < 64; i++)
        there[i] += 1;
    return 0;
}

static void *run_thread(void *ud)
{
    struct worker *worker = ud;
    accd_session *a;
    if (accd_session_new(&a, &(accd_session_config){.device = "direct", .threads = 1}) != ACCD_OK)
        return worker->failures = 1, NULL;
    worker->failures += accd_declare(a, deep_text) != ACCD_OK;
    worker->failures += accd_bind(a, "X", "struct deep", &worker->X) != ACCD_OK;
    for (int i = 0; i < ROUNDS; i++) {
        worker->failures += accd_run_compute(a, "acc parallel copy(X)", add_one, worker) != ACCD_OK;
        worker->failures += accd_run_directive(a, "acc update self(X)") != ACCD_ERROR_NOT_PRESENT;
        worker->failures += !strstr(accd_last_error_message(a), "X is not present");
    }
    worker->failures += accd_session_free(a) != ACCD_OK;
    return NULL;
}

static void each_its_own(void)
{
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].X = (struct deep){64, workers[i].data, workers[i].more};
        pthread_create(&threads[i], NULL, run_thread, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ok(!workers[i].failures && workers[i].data[63] == ROUNDS, "thread %d", i);
    }
}

/* -------------------------------------------------------------------------------- from hand to hand -- */

static void *intrude(void *ud)
{
    accd_session *a = ud;
    return (void *)(intptr_t)(accd_run_directive(a, "acc wait") == ACCD_ERROR_MISUSE && !accd_get_context(a) &&
                              accd_session_free(a) == ACCD_ERROR_MISUSE && accd_session_adopt(a) == ACCD_ERROR_MISUSE &&
                              accd_last_error(a)->status == ACCD_ERROR_MISUSE &&
                              strstr(accd_last_error_message(a), "another thread"));
}

static void *take(void *ud)
{
    accd_session *a = ud;
    return (void *)(intptr_t)(accd_session_adopt(a) == ACCD_OK && accd_run_directive(a, "acc wait") == ACCD_OK &&
                              accd_session_disown(a) == ACCD_OK &&
                              accd_run_directive(a, "acc wait") == ACCD_ERROR_MISUSE);
}

static int elsewhere(void *(*fn)(void *), accd_session *a)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, fn, a);
    pthread_join(thread, &result);
    return result != NULL;
}

static void from_hand_to_hand(void)
{
    accd_session *a = open_session(NULL);
    ok(elsewhere(intrude, a), "another thread is refused");
    is_number(accd_last_error(a)->status, ACCD_OK, "which changes nothing");
    fine(a, accd_session_disown(a));
    ok(accd_run_directive(a, "acc wait") == ACCD_ERROR_MISUSE, "it is given away");
    ok(elsewhere(take, a), "another thread takes it, and gives it back");
    fine(a, accd_session_adopt(a));
    refuses(a, accd_session_adopt(a), ACCD_ERROR_MISUSE, "misuse", "the session is this thread's already");
    fine(a, accd_run_directive(a, "acc wait"));
    accd_session_free(a);
}

/* ------------------------------------------------------------------------------- callbacks that jump -- */

static jmp_buf out;

static int jumping_kernel(accd_session *a, int device, void *ud)
{
    (void)device, (void)ud;
    const float nine = 9;
    accd_kernel_write(a, accd_deviceptr(a, ud), &nine, sizeof nine);
    longjmp(out, 1);
}

static int jumping_function(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    (void)ud, (void)nargs, (void)args, (void)result_p;
    longjmp(out, 1);
}

/* Calls from farther down the stack than the one that was left. */
static accd_status call_below(accd_session *a, accd_status (*call)(accd_session *))
{
    volatile char room[4000];
    room[0] = 1;
    accd_status status = call(a);
    return room[0] ? status : ACCD_ERROR_INTERNAL;
}

static accd_status wait_for_all(accd_session *a)
{
    return accd_run_directive(a, "acc wait");
}

static int kernel_that_calls(accd_session *a, int device, void *ud)
{
    (void)device, (void)ud;
    return call_below(a, wait_for_all) == ACCD_ERROR_MISUSE && call_below(a, accd_session_free) == ACCD_ERROR_MISUSE
               ? 0
               : 1;
}

/* Whether a call is inside of another one does not depend on how deep in the stack it is. */
static void jumps_and_goes_down(void)
{
    static float v[4] = {1, 2, 3, 4};
    static accd_session *a;
    a = open_session(NULL);
    fine(a, accd_bind(a, "v", "float[4]", v));
    fine(a, accd_run_compute(a, "acc parallel copy(v)", kernel_that_calls, v));
    if (!setjmp(out))
        accd_run_compute(a, "acc parallel copy(v)", jumping_kernel, v);
    ok(call_below(a, wait_for_all) == ACCD_OK, "the next call is deeper: the session goes on");
    is_empty(a);
    if (!setjmp(out))
        accd_run_compute(a, "acc parallel copy(v)", jumping_kernel, v);
    ok(call_below(a, accd_session_free) == ACCD_OK, "it can be closed from there");
}

static void jumps(void)
{
    static float v[4] = {1, 2, 3, 4};
    static accd_session *a;
    float value = 0;
    a = open_session(NULL);
    fine(a, accd_bind(a, "v", "float[4]", v));
    fine(a, accd_bind_function(a, "jump", jumping_function, NULL));
    fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
    if (!setjmp(out))
        accd_run_compute(a, "acc parallel copy(v)", jumping_kernel, v);
    ok(accd_deviceptr(a, v), "a kernel jumped out: the session goes on");
    fine(a, accd_kernel_read(a, &value, accd_deviceptr(a, v), sizeof value));
    ok(value == 1, "its construct is undone");
    fine(a, accd_run_directive(a, "acc exit data delete(v)"));
    is_empty(a);
    if (!setjmp(out))
        accd_run_directive(a, "acc enter data copyin(v[0:jump()])");
    refuses(a, accd_run_directive(a, "acc wait"), ACCD_ERROR_MISUSE, "misuse", "a callback did not return");
    ok(!accd_deviceptr(a, v) && accd_set_device(a, 0) == ACCD_ERROR_MISUSE, "a function did: it is of no use");
    ok(accd_session_free(a) == ACCD_OK, "but can be closed");
}

int main(void)
{
    each_its_own();
    from_hand_to_hand();
    jumps();
    jumps_and_goes_down();
    return done();
}
