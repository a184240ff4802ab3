/* The runtime's lock: cheap while there is one thread, and the same lock when another one starts meanwhile. */
#include "../tap.h"
#include "base/lock.h"

#include <base/runtime.h>

#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200000 };

static volatile bool released, came_early;

static void *come_later(void *arg)
{
    (void)arg;
    bool locked = rt_lock();
    came_early = !locked || !released;
    rt_unlock();
    return NULL;
}

/* The thread takes the lock only when it is free again, however it was taken. */
static void start_inside(const char *what)
{
    pthread_t thread;
    released = false;
    ok(rt_lock(), "%s: the lock is free", what);
    ok(!rt_lock(), "%s: it is taken once", what);
    ok(!pthread_create(&thread, NULL, come_later, NULL), "%s: a thread starts while it is held", what);
    usleep(100000);
    ok(!rt_lock(), "%s: it is still this thread's", what);
    released = true;
    rt_unlock();
    pthread_join(thread, NULL);
    ok(!came_early, "%s: the thread waited", what);
}

static long count; /* under the lock */

static void *add(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (!rt_lock())
            abort();
        long before = count;
        count = before + 1;
        rt_unlock();
    }
    return NULL;
}

/* Whether the lock can be taken in a child, which is free again at its end. */
static bool child_takes(bool held)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        bool fine = held ? !rt_lock() : rt_lock() && !rt_lock();
        rt_unlock();
        fine = fine && rt_lock();
        rt_unlock();
        _exit(!fine);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void forks(const char *what)
{
    ok(child_takes(false), "%s: a child has a lock of its own", what);
    ok(rt_lock(), "%s: and the parent, still", what);
    ok(child_takes(true), "%s: in the middle of a call, the child is in it, too", what);
    ok(!rt_lock(), "%s: and so is the parent", what);
    rt_unlock();
}

int main(void)
{
    pthread_t threads[THREADS];
    rt_lock_init();
    forks("alone");
    start_inside("alone");
    start_inside("among others");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ok(count == (long)THREADS * ROUNDS, "no two threads at once");
    forks("among others");
    return done();
}
