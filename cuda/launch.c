/* launch.c - kernels made from bodies of compute constructs: their modules, the tables they check
 * accesses with, and undoing what they wrote.
 *
 * One buffer on the device holds the tables; its layout is that of struct accd_run and what follows
 * it in lua/accdeep/code/cuda/cuda_runtime.lua. A second one holds what the kernel may overwrite, as it was,
 * and, for many threads, who touched it. Both stay until the launch is settled, or, in a queue, over: what uses
 * the same memory waits for that. */
#include "backend.h"
#include "nvrtc.h"
#include "device/written.h"

#include <stdio.h>

struct run {
    uint64_t stopped, turns, parallel, writes;
    uint64_t ranges, nranges, slots, nslots, variables, owners, owner_words;
};
struct range {
    uint64_t low, high, flags, origin, bits, owners, saved;
};

struct kernel {
    struct kernel *next;
    char *text;
    cu_module module;
    cu_function body, save, restore;
};

/* An allocation that a launch may touch. */
struct touched {
    struct accd_cuda_memory *memory; /* as long as it is still there, with the same */
    uint64_t dev, bytes;
    size_t bits;     /* where its bits are in the tables */
    uint64_t owners; /* where its owners are on the device */
};

struct launch {
    const struct kernel *kernel;
    struct accd_cuda_stream *stream;
    bool writes, parallel;
    char *tables; /* NULL: there is no launch */
    size_t bytes, room, bits; /* of the tables; the bits are their end */
    struct touched *touched;
    size_t ntouched, touched_room;
    cu_address on_device, scratch; /* 0: none */
    cu_event done;      /* of a queue's */
    bool has_event;     /* it says when the launch is over */
    struct launch *next, **at;
};

struct accd_cuda_kernels {
    struct kernel *first;
    int capability, processors;
    char *log; /* of the compiler */
    size_t nlog;
    char why[200];
    struct launch usual;   /* the one without a queue, that is to be settled */
    struct launch *queued; /* those that are not over */
};

uint64_t accd_cuda_next(void *device, uint64_t dev, uint64_t *bytes_p)
{
    struct accd_cuda *cuda = device;
    struct accd_range_cursor cursor;
    const struct accd_cuda_memory *memory = accd_range_seek(&cuda->memories, dev, &cursor);
    *bytes_p = memory ? memory->bytes : 0;
    return memory ? memory->dev : 0;
}

int accd_cuda_compiler(void *device, char *what, size_t room)
{
    const struct accd_cuda *cuda = device;
    return accd_nvrtc_about(cuda->driver.installed, what, room);
}

/* ---------------------------------------------------------------------------------- modules -- */

static void drop_log(struct accd_cuda *cuda)
{
    accd_mem_free(cuda->mem, cuda->kernels->log, cuda->kernels->nlog);
    cuda->kernels->log = NULL;
}

static struct accd_cuda_kernels *kernels_of(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    int major = 0, minor = 0;
    if (kernels)
        return kernels;
    kernels = accd_mem_zero(cuda->mem, sizeof *kernels);
    if (!kernels)
        return NULL;
    cuda->kernels = kernels;
    if (ACCD_CUDA(cuda, cuDeviceGetAttribute, &major, CU_CAPABILITY_MAJOR, cuda->gpu) &&
        ACCD_CUDA(cuda, cuDeviceGetAttribute, &minor, CU_CAPABILITY_MINOR, cuda->gpu))
        kernels->capability = 10 * major + minor;
    if (!ACCD_CUDA(cuda, cuDeviceGetAttribute, &kernels->processors, CU_MULTIPROCESSORS, cuda->gpu))
        kernels->processors = 1;
    return kernels;
}

static void free_kernel(struct accd_cuda *cuda, struct kernel *kernel)
{
    if (kernel->module)
        (void)ACCD_CUDA(cuda, cuModuleUnload, kernel->module);
    if (kernel->text)
        accd_mem_free(cuda->mem, kernel->text, strlen(kernel->text) + 1);
    accd_mem_free(cuda->mem, kernel, sizeof *kernel);
}

static bool load(struct accd_cuda *cuda, struct kernel *kernel, const char *image)
{
    return ACCD_CUDA(cuda, cuModuleLoadData, &kernel->module, image) &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->body, kernel->module, "accd_body") &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->save, kernel->module, "accd_save") &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->restore, kernel->module, "accd_restore");
}

/* The kernel of a text, or NULL: end says why. */
static struct kernel *kernel_of(struct accd_cuda *cuda, const char *text, accd_kernel_end *end)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    struct accd_image image;
    for (struct kernel *kernel = kernels->first; kernel; kernel = kernel->next)
        if (!strcmp(kernel->text, text))
            return kernel;
    accd_nvrtc_compile(cuda->mem, cuda->driver.installed, kernels->capability, text, &image);
    if (image.log) {
        kernels->log = image.log;
        kernels->nlog = image.nlog;
        *end = (accd_kernel_end){.how = ACCD_KERNEL_REJECTED, .said = image.log};
        return NULL;
    }
    snprintf(kernels->why, sizeof kernels->why, "%s", image.why);
    if (!image.bytes)
        return NULL;
    struct kernel *kernel = accd_mem_zero(cuda->mem, sizeof *kernel);
    bool ok = kernel && (kernel->text = accd_mem_string(cuda->mem, text)) &&
              load(cuda, kernel, image.bytes);
    accd_mem_free(cuda->mem, image.bytes, image.n);
    if (!ok) {
        snprintf(kernels->why, sizeof kernels->why, "%s",
                 *cuda->why ? cuda->why : "no memory for a kernel");
        if (kernel)
            free_kernel(cuda, kernel);
        return NULL;
    }
    kernel->next = kernels->first;
    kernels->first = kernel;
    return kernel;
}

/* ----------------------------------------------------------------------------------- tables -- */

static void drop(struct accd_cuda *cuda, struct launch *launch)
{
    if (launch->on_device)
        accd_cuda_put(cuda, launch->stream, launch->on_device);
    if (launch->scratch)
        accd_cuda_put(cuda, launch->stream, launch->scratch);
    launch->on_device = launch->scratch = 0;
    accd_mem_free(cuda->mem, launch->tables, launch->room);
    launch->tables = NULL;
    launch->ntouched = 0;
}

/* The allocations of ranges, each once; ranges outside of any are not there. */
static bool find_touched(struct accd_cuda *cuda, const struct accd_launch *asked, struct launch *launch)
{
    size_t bits = 0;
    launch->ntouched = 0;
    for (size_t i = 0; i < asked->nranges; i++) {
        const struct accd_reach *reach = &asked->ranges[i];
        struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, reach->low);
        size_t n = launch->ntouched;
        if (!memory || (n && launch->touched[n - 1].memory == memory))
            continue;
        if (!ACCD_GROW(cuda->mem, launch->touched, launch->touched_room, n + 1))
            return false;
        launch->touched[n] = (struct touched){memory, memory->dev, memory->bytes, bits, 0};
        launch->ntouched++;
        bits += accd_written_words(memory->bytes) * sizeof(uint64_t);
    }
    launch->bits = bits;
    return true;
}

static struct run *run_of(const struct launch *launch) { return (struct run *)(void *)launch->tables; }

static struct range *ranges_of(const struct launch *launch)
{
    return (struct range *)(void *)(launch->tables + (run_of(launch)->ranges - launch->on_device));
}

/* Places in the second buffer: of what ranges hold, then of owners. Returns its bytes. */
static uint64_t plan_scratch(struct launch *launch, const struct accd_kernel *kernel)
{
    struct run *run = run_of(launch);
    struct range *ranges = ranges_of(launch);
    uint64_t used = 0;
    for (size_t i = 0; kernel->writes && i < run->nranges; i++) {
        ranges[i].saved = used + ranges[i].low % 8;
        used = (ranges[i].saved + (ranges[i].high - ranges[i].low) + 7) / 8 * 8;
    }
    run->owners = used;
    for (size_t i = 0; kernel->writes && kernel->parallel && i < launch->ntouched; i++) {
        launch->touched[i].owners = used;
        used += (launch->touched[i].bytes + 3) / 4 * 8;
    }
    run->owner_words = (used - run->owners) / 8;
    return used;
}

static size_t fill_ranges(const struct launch *launch, const struct accd_launch *asked, uint64_t bits)
{
    struct range *ranges = ranges_of(launch);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < asked->nranges; i++) {
        const struct accd_reach *reach = &asked->ranges[i];
        while (at < launch->ntouched &&
               reach->low - launch->touched[at].dev >= launch->touched[at].bytes &&
               reach->low > launch->touched[at].dev)
            at++;
        const struct touched *touched = at < launch->ntouched ? &launch->touched[at] : NULL;
        if (!touched || reach->low < touched->dev || reach->high > touched->dev + touched->bytes)
            continue; /* the user has freed it */
        ranges[n++] = (struct range){.low = reach->low,
                                     .high = reach->high,
                                     .flags = reach->flags,
                                     .origin = touched->dev,
                                     .bits = bits + touched->bits,
                                     .owners = at};
    }
    return n;
}

/* Of the bytes of its allocations, which were written so far. */
static void set_bits(struct launch *launch)
{
    char *bits = launch->tables + launch->bytes - launch->bits;
    for (size_t i = 0; i < launch->ntouched; i++)
        memcpy(bits + launch->touched[i].bits, accd_cuda_bits(launch->touched[i].memory),
               accd_written_words(launch->touched[i].bytes) * sizeof(uint64_t));
}

/* Fills the tables for both buffers; false: there is no memory for them. */
static bool make_tables(struct accd_cuda *cuda, const struct accd_launch *asked, struct launch *launch)
{
    const accd_kernel *kernel = asked->kernel;
    size_t variables = sizeof(struct run);
    size_t slots = variables + kernel->npointers * sizeof kernel->pointers[0];
    size_t ranges = slots + asked->nslots * sizeof asked->slots[0];
    size_t bits = ranges + asked->nranges * sizeof(struct range);
    if (!find_touched(cuda, asked, launch))
        return false;
    launch->bytes = launch->room = bits + launch->bits;
    launch->tables = accd_mem_zero(cuda->mem, launch->room);
    if (!launch->tables || !accd_cuda_get(cuda, launch->stream, launch->bytes, &launch->on_device))
        return false;
    uint64_t base = launch->on_device;
    struct run *run = run_of(launch);
    *run = (struct run){.turns = kernel->turns,
                        .parallel = kernel->parallel != 0,
                        .writes = kernel->writes != 0,
                        .ranges = base + ranges,
                        .slots = base + slots,
                        .nslots = asked->nslots,
                        .variables = base + variables};
    run->nranges = fill_ranges(launch, asked, base + bits);
    const uint64_t bytes = plan_scratch(launch, kernel);
    if (bytes && !accd_cuda_get(cuda, launch->stream, bytes, &launch->scratch))
        return false;
    run->owners += launch->scratch;
    for (size_t i = 0; i < run->nranges; i++) {
        struct range *range = &ranges_of(launch)[i];
        range->saved += launch->scratch;
        range->owners = launch->scratch + launch->touched[range->owners].owners;
    }
    if (kernel->npointers)
        memcpy(launch->tables + variables, kernel->pointers, slots - variables);
    if (asked->nslots)
        memcpy(launch->tables + slots, asked->slots, ranges - slots);
    set_bits(launch);
    return true;
}

/* Bits of the tables and those of the allocations change places, as far as these are still there. */
static void exchange_bits(struct accd_cuda *cuda, struct launch *launch)
{
    char *bits = launch->tables + launch->bytes - launch->bits;
    for (size_t i = 0; i < launch->ntouched; i++) {
        const struct touched *touched = &launch->touched[i];
        struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, touched->dev);
        if (memory != touched->memory || memory->bytes != touched->bytes)
            continue;
        uint64_t *here = (uint64_t *)(void *)(bits + touched->bits), *there = accd_cuda_bits(memory);
        memory->used = true;
        for (uint64_t k = 0; k < accd_written_words(touched->bytes); k++) {
            uint64_t before = there[k];
            there[k] = here[k];
            here[k] = before;
        }
    }
}

/* --------------------------------------------------------------------------------- launching -- */

static bool launch_one(struct accd_cuda *cuda, const struct launch *launch, cu_function function,
                       bool parallel, unsigned threads)
{
    unsigned blocks = parallel ? 4 * (unsigned)cuda->kernels->processors : 1;
    cu_address tables = launch->on_device;
    void *parameters[] = {&tables};
    return ACCD_CUDA(cuda, cuLaunchKernel, function, blocks, 1, 1, threads, 1, 1, 0,
                     launch->stream->at, parameters, NULL);
}

/* Whether the kernel will run. */
static bool issue(struct accd_cuda *cuda, const struct launch *launch)
{
    const struct kernel *kernel = launch->kernel;
    return ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, launch->on_device, launch->tables, launch->bytes,
                     launch->stream->at) &&
           (!launch->writes || launch_one(cuda, launch, kernel->save, true, 256)) &&
           launch_one(cuda, launch, kernel->body, launch->parallel, launch->parallel ? 128 : 1);
}

/* Waits for it. Whether it is known what it did. */
static bool collect(struct accd_cuda *cuda, const struct launch *launch, struct run *run_p)
{
    size_t bits = launch->bytes - launch->bits;
    cu_address at = launch->on_device;
    bool ok = ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, run_p, at, sizeof *run_p, launch->stream->at) &&
              (!launch->writes || !launch->bits ||
               ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, launch->tables + bits, at + bits, launch->bits,
                         launch->stream->at));
    return accd_cuda_wait(cuda, launch->stream) && ok;
}

/* Puts back what the kernel overwrote. If that fails, the device's content is unknown. */
static void restore(struct accd_cuda *cuda, const struct launch *launch)
{
    bool ok = launch_one(cuda, launch, launch->kernel->restore, true, 256);
    (void)accd_cuda_must(cuda, accd_cuda_wait(cuda, launch->stream) && ok);
}

/* The kernel has been issued: what became of it. One that has not done all has done nothing. */
static accd_status conclude(struct accd_cuda *cuda, const struct launch *launch, accd_kernel_end *end)
{
    struct run run;
    bool ok = collect(cuda, launch, &run);
    *end = (accd_kernel_end){.how = ACCD_KERNEL_DONE};
    if (ok && !run.stopped)
        return ACCD_OK;
    if (ok)
        *end = (accd_kernel_end){.how = ACCD_KERNEL_STOPPED,
                                 .why = (unsigned)(run.stopped >> 32),
                                 .site = (unsigned)run.stopped};
    accd_status status = ok ? ACCD_OK : accd_cuda_status(cuda);
    if (launch->writes)
        restore(cuda, launch);
    return cuda->lost ? ACCD_DEVICE_ERROR : status;
}

/* Inside enter and leave. started_p: it has been issued, or may have been. */
static accd_status start(struct accd_cuda *cuda, const struct accd_launch *asked, struct launch *launch,
                         accd_kernel_end *end, bool *started_p)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    const accd_kernel *kernel = asked->kernel;
    *end = (accd_kernel_end){.how = ACCD_KERNEL_NOT_RUN, .said = kernels->why};
    *started_p = false;
    launch->writes = kernel->writes;
    launch->parallel = kernel->parallel;
    launch->kernel = kernel_of(cuda, kernel->text, end);
    if (!launch->kernel)
        return cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OK;
    if (!make_tables(cuda, asked, launch)) {
        snprintf(kernels->why, sizeof kernels->why, "there is no memory for a kernel's tables");
        return cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OK;
    }
    *started_p = issue(cuda, launch);
    return *started_p ? ACCD_OK : accd_cuda_status(cuda);
}

static accd_status launch_now(struct accd_cuda *cuda, const struct accd_launch *asked, accd_kernel_end *end)
{
    struct launch *launch = &cuda->kernels->usual;
    bool started;
    launch->stream = &cuda->main;
    accd_status status = start(cuda, asked, launch, end, &started);
    if (started)
        status = conclude(cuda, launch, end);
    if (status == ACCD_OK && end->how == ACCD_KERNEL_DONE && launch->writes)
        exchange_bits(cuda, launch); /* conclude needs the old ones */
    else
        drop(cuda, launch);
    return status;
}

/* A launch that continues by itself, or NULL: there is no memory for one. */
static struct launch *new_launch(struct accd_cuda *cuda, unsigned queue)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    struct accd_cuda_stream *stream = accd_cuda_stream_of(cuda, queue);
    struct launch *launch = stream ? accd_mem_zero(cuda->mem, sizeof *launch) : NULL;
    if (!launch)
        return NULL;
    launch->stream = stream;
    launch->at = &kernels->queued;
    launch->next = kernels->queued;
    if (launch->next)
        launch->next->at = &launch->next;
    kernels->queued = launch;
    return launch;
}

static void free_launch(struct accd_cuda *cuda, struct launch *launch)
{
    drop(cuda, launch);
    if (launch->done)
        (void)ACCD_CUDA(cuda, cuEventDestroy_v2, launch->done);
    *launch->at = launch->next;
    if (launch->next)
        launch->next->at = launch->at;
    accd_mem_free(cuda->mem, launch->touched, launch->touched_room * sizeof launch->touched[0]);
    accd_mem_free(cuda->mem, launch, sizeof *launch);
}

static accd_status launch_in_queue(struct accd_cuda *cuda, const struct accd_launch *asked,
                                   accd_kernel_end *end)
{
    struct launch *launch = new_launch(cuda, asked->queue);
    bool started;
    if (!launch)
        return *cuda->why ? accd_cuda_status(cuda) : ACCD_OUT_OF_MEMORY;
    accd_status status = start(cuda, asked, launch, end, &started);
    if (started) { /* without an event its end is not known: who asks waits for it */
        launch->has_event = accd_cuda_new_event(cuda, &launch->done) &&
                       ACCD_CUDA(cuda, cuEventRecord, launch->done, launch->stream->at);
        status = cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OK;
        *end = (accd_kernel_end){.how = ACCD_KERNEL_UNDER_WAY, .under_way = launch};
    }
    if (status != ACCD_OK || end->how != ACCD_KERNEL_UNDER_WAY)
        free_launch(cuda, launch);
    return status;
}

accd_status accd_cuda_launch(void *device, const struct accd_launch *launch, accd_kernel_end *end_p)
{
    struct accd_cuda *cuda = device;
    if (!cuda->lost)
        cuda->why[0] = 0;
    accd_status status = ACCD_DEVICE_ERROR;
    if (accd_cuda_enter(cuda)) {
        status = kernels_of(cuda) ? ACCD_OK : ACCD_OUT_OF_MEMORY;
        if (status == ACCD_OK) {
            drop_log(cuda);
            status = launch->queue ? launch_in_queue(cuda, launch, end_p)
                                   : launch_now(cuda, launch, end_p);
        }
    }
    accd_cuda_leave(cuda);
    return status;
}

int accd_cuda_kernel_arrived(void *device, const void *under_way)
{
    const struct launch *launch = under_way;
    return !launch->has_event || accd_cuda_has_happened(device, launch->done);
}

/* Bytes that the kernel wrote are known as written. Beside its ranges others may have done what they like. */
static void add_bits(const struct launch *launch)
{
    const char *bits = launch->tables + launch->bytes - launch->bits;
    const struct range *ranges = ranges_of(launch);
    size_t at = 0;
    for (size_t i = 0; i < run_of(launch)->nranges; i++) {
        const struct range *range = &ranges[i];
        while (launch->touched[at].dev != range->origin)
            at++;
        const struct touched *touched = &launch->touched[at];
        touched->memory->used = true;
        accd_written_copy(accd_cuda_bits(touched->memory), range->low - range->origin,
                          (const uint64_t *)(const void *)(bits + touched->bits), range->low - range->origin,
                          range->high - range->low);
    }
}

/* One thread may do what many could not. */
static accd_status by_one_thread(struct accd_cuda *cuda, struct launch *launch, accd_kernel_end *end)
{
    run_of(launch)->parallel = launch->parallel = false;
    set_bits(launch); /* not those of the first attempt */
    return issue(cuda, launch) ? conclude(cuda, launch, end) : accd_cuda_status(cuda);
}

accd_status accd_cuda_kernel_over(void *device, void *under_way, uint64_t again, accd_kernel_end *end_p)
{
    struct accd_cuda *cuda = device;
    struct launch *launch = under_way;
    accd_status status = ACCD_DEVICE_ERROR;
    if (!cuda->lost)
        cuda->why[0] = 0;
    if (accd_cuda_must(cuda, accd_cuda_enter(cuda))) {
        accd_kernel_end given_up = {.how = ACCD_KERNEL_NOT_RUN}, *end = end_p ? end_p : &given_up;
        status = conclude(cuda, launch, end);
        if (status == ACCD_OK && end->how == ACCD_KERNEL_STOPPED && launch->parallel && again >> end->why & 1)
            status = by_one_thread(cuda, launch, end);
        bool wrote = status == ACCD_OK && end->how == ACCD_KERNEL_DONE && launch->writes;
        if (wrote && end_p)
            add_bits(launch);
        else if (wrote)
            restore(cuda, launch);
    }
    free_launch(cuda, launch);
    accd_cuda_leave(cuda);
    return status;
}

/* ---------------------------------------------------------------------------------- settling -- */

/* Ranges of allocations that are gone are not put back. */
static void undo(struct accd_cuda *cuda, struct launch *launch)
{
    struct run *run = run_of(launch);
    struct range *ranges = ranges_of(launch);
    size_t n = 0, at = 0;
    exchange_bits(cuda, launch);
    for (size_t i = 0; i < run->nranges; i++) {
        while (launch->touched[at].dev != ranges[i].origin)
            at++;
        const struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, ranges[i].origin);
        if (memory == launch->touched[at].memory && memory->bytes == launch->touched[at].bytes)
            ranges[n++] = ranges[i];
    }
    run->nranges = n;
    if (accd_cuda_must(cuda, ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, launch->on_device, launch->tables, launch->bytes,
                                       launch->stream->at)))
        restore(cuda, launch);
}

void accd_cuda_conclude(void *device, bool keep)
{
    struct accd_cuda *cuda = device;
    if (!cuda->kernels || !cuda->kernels->usual.tables)
        return;
    (void)accd_cuda_enter(cuda);
    if (!keep)
        undo(cuda, &cuda->kernels->usual);
    drop(cuda, &cuda->kernels->usual);
    accd_cuda_leave(cuda);
}

/* Inside enter and leave. */
void accd_cuda_launch_close(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    if (!kernels)
        return;
    while (kernels->queued)
        free_launch(cuda, kernels->queued);
    drop(cuda, &kernels->usual);
    accd_mem_free(cuda->mem, kernels->usual.touched,
                  kernels->usual.touched_room * sizeof kernels->usual.touched[0]);
    drop_log(cuda);
    while (kernels->first) {
        struct kernel *kernel = kernels->first;
        kernels->first = kernel->next;
        free_kernel(cuda, kernel);
    }
    accd_mem_free(cuda->mem, kernels, sizeof *kernels);
}
