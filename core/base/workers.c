/* workers.c - threads that share the work of large constructs. Work is counted in rows (elements of the arrays that a
 * construct processes). The first job of at least MIN_ROWS_FOR_WORKERS rows starts the threads, which run until the
 * context is closed. */
#include "base/base.h"

#include <pthread.h>

enum { MIN_ROWS_FOR_WORKERS = 8192, MAX_PARTS = 64 };

/* The threads of a context and their job: to call `work` once for each part. `lock` protects the members from `job` to
 * `busy`. */
struct accd__workers {
    struct accd__mem *mem;
    pthread_mutex_t lock;
    /* start: signals that there is a new job, or that `stop` is set; done: signals that all parts of the job are done.
     */
    pthread_cond_t start, done;
    unsigned threads; /* number of threads in `thread`; the calling thread, which runs parts, too, is not counted */
    /* Number of the current job. A thread that has not yet taken part in the job with this number starts to do so. */
    unsigned long job;
    bool stop;    /* true if the threads are to end */
    size_t bytes; /* bytes of this structure */
    void (*work)(void *arg, unsigned part);
    void *arg;
    /* parts: number of parts of the job; next: first part that no thread has taken; busy: number of threads in
     * run_parts. */
    unsigned parts, next, busy;
    pthread_t thread[];
};

/* Takes and runs parts of the job until all are taken. Then signals `done` if no other thread still runs a part. The
 * caller holds the lock, which is released while a part runs. */
static void run_parts(struct accd__workers *workers)
{
    workers->busy++;
    while (workers->next < workers->parts) {
        unsigned part = workers->next++;
        pthread_mutex_unlock(&workers->lock);
        workers->work(workers->arg, part);
        pthread_mutex_lock(&workers->lock);
    }
    if (--workers->busy == 0)
        pthread_cond_signal(&workers->done);
}

/* Main function of a thread; `arg` is the accd__workers. Runs parts of each new job until `stop` is set. Returns NULL.
 */
static void *worker_main(void *arg)
{
    struct accd__workers *workers = arg;
    unsigned long last_job = 0;
    pthread_mutex_lock(&workers->lock);
    while (!workers->stop) {
        if (last_job == workers->job) {
            pthread_cond_wait(&workers->start, &workers->lock);
            continue;
        }
        last_job = workers->job;
        run_parts(workers);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* Returns a new accd__workers, with memory from `mem`, and starts threads - 1 threads, or as many as the system allows.
 * The calling thread is the last of the `threads` threads. NULL: no memory. */
static struct accd__workers *new_workers(struct accd__mem *mem, unsigned threads)
{
    unsigned others = threads - 1;
    assert(threads >= 2);
    size_t bytes = sizeof(struct accd__workers) + others * sizeof(pthread_t);
    struct accd__workers *workers = accd__mem_alloc_zeroed(mem, bytes);
    if (!workers)
        return NULL;
    workers->mem = mem;
    workers->bytes = bytes;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->start, NULL);
    pthread_cond_init(&workers->done, NULL);
    while (workers->threads < others && !pthread_create(&workers->thread[workers->threads], NULL, worker_main, workers))
        workers->threads++;
    return workers;
}

/* Stops and joins all threads, and frees the structure; NULL does nothing. */
void accd__workers_free(struct accd__workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->stop = true;
    pthread_cond_broadcast(&workers->start);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->threads; i++)
        pthread_join(workers->thread[i], NULL);
    pthread_cond_destroy(&workers->done);
    pthread_cond_destroy(&workers->start);
    pthread_mutex_destroy(&workers->lock);
    accd__mem_free(workers->mem, workers, workers->bytes);
}

/* Calls work(arg, part) for each part 0 .. parts - 1 on the calling thread and the threads of `workers` (NULL: on the
 * calling thread only). Returns when all parts are done. */
void accd__workers_run(struct accd__workers *workers, void (*work)(void *arg, unsigned part), void *arg, unsigned parts)
{
    if (!workers || parts <= 1) {
        for (unsigned part = 0; part < parts; part++)
            work(arg, part);
        return;
    }
    pthread_mutex_lock(&workers->lock);
    workers->work = work;
    workers->arg = arg;
    workers->parts = parts;
    workers->next = 0;
    workers->job++;
    pthread_cond_broadcast(&workers->start);
    run_parts(workers);
    while (workers->busy)
        pthread_cond_wait(&workers->done, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

/* Returns the number of parts for a job of `rows` rows: 1 for a small job or without further threads, otherwise four
 * for each thread, at most MAX_PARTS. Starts the threads if they do not run yet. */
unsigned accd__choose_part_count(accd_context *context, size_t rows)
{
    unsigned threads = context->config.threads;
    if (threads < 2 || rows < MIN_ROWS_FOR_WORKERS)
        return 1;
    if (!context->workers)
        context->workers = new_workers(&context->mem, threads);
    unsigned count = context->workers ? context->workers->threads + 1 : 1;
    return count < 2 ? 1 : count * 4 < MAX_PARTS ? count * 4 : MAX_PARTS;
}
