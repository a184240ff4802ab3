/* workers.c - a few threads for large constructs. Started with the first such construct, kept until
 * the context is closed; below ACCD_WORKERS_FROM rows no thread waits for them. */
#include "base/base.h"

#include <pthread.h>

enum { WORKERS_FROM = 8192, PARTS_MOST = 64 };

struct accd_workers {
    struct accd_mem *mem;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    unsigned threads; /* besides the caller */
    unsigned long job;
    bool stop;
    size_t bytes; /* of this structure */
    void (*work)(void *arg, unsigned part);
    void *arg;
    unsigned parts, next, busy;
    pthread_t thread[];
};

/* Takes parts until none is left. Called and left with the lock held. */
static void help(struct accd_workers *workers)
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

static void *run(void *arg)
{
    struct accd_workers *workers = arg;
    unsigned long seen = 0;
    pthread_mutex_lock(&workers->lock);
    while (!workers->stop) {
        if (seen == workers->job) {
            pthread_cond_wait(&workers->start, &workers->lock);
            continue;
        }
        seen = workers->job;
        help(workers);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static struct accd_workers *new_workers(struct accd_mem *mem, unsigned threads)
{
    unsigned others = threads - 1;
    size_t bytes = sizeof(struct accd_workers) + others * sizeof(pthread_t);
    struct accd_workers *workers = accd_mem_zero(mem, bytes);
    if (!workers)
        return NULL;
    workers->mem = mem;
    workers->bytes = bytes;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->start, NULL);
    pthread_cond_init(&workers->done, NULL);
    while (workers->threads < others &&
           !pthread_create(&workers->thread[workers->threads], NULL, run, workers))
        workers->threads++;
    return workers;
}

void accd_workers_close(struct accd_workers *workers)
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
    accd_mem_free(workers->mem, workers, workers->bytes);
}

void accd_workers_run(struct accd_workers *workers, void (*work)(void *arg, unsigned part),
                      void *arg, unsigned parts)
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
    help(workers);
    while (workers->busy)
        pthread_cond_wait(&workers->done, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

unsigned accd_parts_for(accd_context *context, size_t rows)
{
    unsigned threads = context->config.threads;
    if (threads < 2 || rows < WORKERS_FROM)
        return 1;
    if (!context->workers)
        context->workers = new_workers(&context->mem, threads);
    unsigned count = context->workers ? context->workers->threads + 1 : 1;
    return count < 2 ? 1 : count * 4 < PARTS_MOST ? count * 4 : PARTS_MOST;
}
