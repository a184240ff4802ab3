/* state.c - the state of the runtime and of each thread, and the locks. */
#include "runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct goacc_runtime goacc = {.profiled = true};

static const pthread_mutex_t unlocked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
/* Held by calls, and by kernels that use declared variables, before the other lock. A callback of a
 * tool may call again. */
static const pthread_mutex_t open_to_all = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Of reports and debug information, taken last: kernels report without the runtime's lock. */
static pthread_mutex_t words = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
__thread struct goacc_thread goacc_own __asm__("goacc_thread_state");

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct goacc_thread *threads;

const char goacc_declared_region[] = "program";

void goacc_gone(void)
{
    fflush(NULL);
    _Exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------------------------------- locks -- */

struct goacc_thread *_Atomic goacc_holder;
volatile bool goacc_locked;

bool goacc_take_lock(void)
{
    if (GOACC_ONE_THREAD || atomic_load_explicit(&goacc_holder, memory_order_relaxed) == &goacc_own ||
        pthread_mutex_lock(&lock))
        return false;
    while (atomic_load_explicit(&goacc_holder, memory_order_acquire))
        sched_yield();
    goacc_locked = true;
    return true;
}

bool goacc_try_lock(void)
{
    if (atomic_load_explicit(&goacc_holder, memory_order_relaxed) || pthread_mutex_trylock(&lock))
        return false;
    if (atomic_load_explicit(&goacc_holder, memory_order_acquire)) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    goacc_locked = true;
    return true;
}

void goacc_give_lock(void)
{
    goacc_locked = false;
    pthread_mutex_unlock(&lock);
}

void goacc_alone(bool alone)
{
    if (alone)
        pthread_mutex_lock(&exclusive);
    else
        pthread_mutex_unlock(&exclusive);
}

void goacc_take_words(void)
{
    pthread_mutex_lock(&words);
}

void goacc_give_words(void)
{
    pthread_mutex_unlock(&words);
}

/* ----------------------------------------------------------------------------------- threads -- */

void goacc_add_thread(struct goacc_thread *thread)
{
    pthread_mutex_lock(&threads_lock);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&threads_lock);
}

void goacc_remove_thread(const struct goacc_thread *thread)
{
    pthread_mutex_lock(&threads_lock);
    struct goacc_thread **at = &threads;
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
    pthread_mutex_unlock(&threads_lock);
}

const char *goacc_region_of_team(const struct goacc_thread *thread)
{
    const char *region = goacc_region(thread->does);
    if (region || thread->type || pthread_mutex_trylock(&threads_lock))
        return region;
    for (const struct goacc_thread *other = threads; other && !region; other = other->next)
        region = goacc_region(other->does);
    pthread_mutex_unlock(&threads_lock);
    return region;
}

/* --------------------------------------------------------------------------------------- fork -- */

/* A signal handler may fork in the middle of a call. */
static __thread bool forking;

static void before_fork(void)
{
    forking = goacc_lock();
    goacc_take_words();
    if (goacc.on_fork)
        goacc.on_fork(GOACC_BEFORE_FORK);
}

static void after_fork(void)
{
    if (goacc.on_fork)
        goacc.on_fork(GOACC_IN_PARENT);
    goacc_give_words();
    if (forking)
        goacc_unlock();
}

/* The lock's owner was a thread of the parent. */
static void in_child(void)
{
    lock = unlocked;
    goacc_locked = false;
    goacc_holder = NULL;
    exclusive = words = open_to_all;
    threads_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    threads = goacc_own.type ? &goacc_own : NULL;
    goacc_own.next = NULL;
    if (!forking)
        goacc_lock();
    if (goacc.on_fork)
        goacc.on_fork(GOACC_IN_CHILD);
}

void goacc_lock_open(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* ----------------------------------------------------------------------------------- context -- */

accd_event_fn goacc_listener(void)
{
    bool wanted = goacc.options.trace >= 0 || goacc.options.left || goacc.data_profiled;
    return wanted ? goacc.on_event : NULL;
}

void goacc_listen(void)
{
    if (!goacc.context)
        return;
    accd_context_on_event(goacc.context, goacc_listener(), NULL);
    goacc_hear(true);
}

void goacc_hear(bool named)
{
    enum { MOVES = 1 << ACCD_OP_H2D | 1 << ACCD_OP_D2H, NAMED = MOVES | 1 << ACCD_OP_FREE,
           CHANGES = NAMED | 1 << ACCD_OP_ALLOC | 1 << ACCD_OP_ATTACH | 1 << ACCD_OP_DETACH };
    const bool all = goacc.options.trace >= 0 || goacc.options.check || goacc.data_profiled || !goacc.options.strict;
    accd_context_hear(goacc.context, all ? ~0u : CHANGES, all ? ~0u : named ? NAMED : 0);
}

int goacc_open_region(const char **name_p)
{
    accd_level level;
    for (int device = 0; device < accd_device_count(goacc.context); device++)
        for (size_t i = 0; accd_level_at(goacc.context, device, i, &level); i++)
            if (strcmp(level.name, goacc_declared_region) != 0) {
                *name_p = level.name;
                return device;
            }
    return -1;
}
