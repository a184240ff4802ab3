/* launch.c - kernels made from bodies of compute constructs: their modules, the tables they check
 * accesses with, and undoing what they wrote.
 *
 * One buffer on the device holds the tables; its layout is that of struct accd_run and what follows
 * it in lua/accdeep/cuda/runtime.lua. A second one holds what the kernel may overwrite, as it was,
 * and, for many threads, who touched it. Both stay until the launch is settled. */
#include "backend.h"
#include "nvrtc.h"
#include "written.h"

#include <stdio.h>
#include <string.h>

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

struct accd_cuda_kernels {
    struct kernel *first;
    int capability, processors;
    char *log; /* of the compiler */
    size_t nlog;
    char why[200];
    /* the launch that is to be settled; tables NULL: none is */
    struct kernel *kernel;
    char *tables;
    size_t bytes, room, bits; /* of the tables; the bits are their end */
    struct touched *touched;
    size_t ntouched, touched_room;
    cu_address on_device, scratch; /* 0: none */
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

static void drop(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    if (kernels->on_device)
        accd_cuda_put(cuda, kernels->on_device);
    if (kernels->scratch)
        accd_cuda_put(cuda, kernels->scratch);
    kernels->on_device = kernels->scratch = 0;
    accd_mem_free(cuda->mem, kernels->tables, kernels->room);
    kernels->tables = NULL;
    kernels->ntouched = 0;
}

/* The allocations of ranges, each once; ranges outside of any are not there. */
static bool find_touched(struct accd_cuda *cuda, const struct accd_launch *launch)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    size_t bits = 0;
    kernels->ntouched = 0;
    for (size_t i = 0; i < launch->nranges; i++) {
        const struct accd_reach *reach = &launch->ranges[i];
        struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, reach->low);
        size_t n = kernels->ntouched;
        if (!memory || (n && kernels->touched[n - 1].memory == memory))
            continue;
        if (!accd_mem_grow(cuda->mem, (void **)&kernels->touched, &kernels->touched_room, n + 1,
                           sizeof kernels->touched[0]))
            return false;
        kernels->touched[n] = (struct touched){memory, memory->dev, memory->bytes, bits, 0};
        kernels->ntouched++;
        bits += accd_written_words(memory->bytes) * sizeof(uint64_t);
    }
    kernels->bits = bits;
    return true;
}

/* Places in the second buffer: of what ranges hold, then of owners. Returns its bytes. */
static uint64_t plan_scratch(struct accd_cuda_kernels *kernels, const struct accd_kernel *kernel,
                             struct range *ranges, size_t nranges, struct run *run)
{
    uint64_t used = 0;
    for (size_t i = 0; kernel->writes && i < nranges; i++) {
        ranges[i].saved = used + ranges[i].low % 8;
        used = (ranges[i].saved + (ranges[i].high - ranges[i].low) + 7) / 8 * 8;
    }
    run->owners = used;
    for (size_t i = 0; kernel->writes && kernel->parallel && i < kernels->ntouched; i++) {
        kernels->touched[i].owners = used;
        used += (kernels->touched[i].bytes + 3) / 4 * 8;
    }
    run->owner_words = (used - run->owners) / 8;
    return used;
}

static size_t fill_ranges(struct accd_cuda_kernels *kernels, const struct accd_launch *launch,
                          struct range *ranges, uint64_t bits)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < launch->nranges; i++) {
        const struct accd_reach *reach = &launch->ranges[i];
        while (at < kernels->ntouched &&
               reach->low - kernels->touched[at].dev >= kernels->touched[at].bytes &&
               reach->low > kernels->touched[at].dev)
            at++;
        const struct touched *touched = at < kernels->ntouched ? &kernels->touched[at] : NULL;
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

/* Fills the tables for both buffers; false: there is no memory for them. */
static bool make_tables(struct accd_cuda *cuda, const struct accd_launch *launch)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    const accd_kernel *kernel = launch->kernel;
    size_t variables = sizeof(struct run);
    size_t slots = variables + kernel->npointers * sizeof kernel->pointers[0];
    size_t ranges = slots + launch->nslots * sizeof launch->slots[0];
    size_t bits = ranges + launch->nranges * sizeof(struct range);
    if (!find_touched(cuda, launch))
        return false;
    kernels->bytes = kernels->room = bits + kernels->bits;
    kernels->tables = accd_mem_zero(cuda->mem, kernels->room);
    if (!kernels->tables || !accd_cuda_get(cuda, kernels->bytes, &kernels->on_device))
        return false;
    uint64_t base = kernels->on_device;
    struct range *range = (struct range *)(void *)(kernels->tables + ranges);
    struct run run = {.turns = kernel->turns,
                      .parallel = kernel->parallel != 0,
                      .writes = kernel->writes != 0,
                      .ranges = base + ranges,
                      .slots = base + slots,
                      .nslots = launch->nslots,
                      .variables = base + variables};
    run.nranges = fill_ranges(kernels, launch, range, base + bits);
    uint64_t bytes = plan_scratch(kernels, kernel, range, run.nranges, &run);
    if (bytes && !accd_cuda_get(cuda, bytes, &kernels->scratch))
        return false;
    run.owners += kernels->scratch;
    for (size_t i = 0; i < run.nranges; i++) {
        range[i].saved += kernels->scratch;
        range[i].owners = kernels->scratch + kernels->touched[range[i].owners].owners;
    }
    memcpy(kernels->tables, &run, sizeof run);
    if (kernel->npointers)
        memcpy(kernels->tables + variables, kernel->pointers, slots - variables);
    if (launch->nslots)
        memcpy(kernels->tables + slots, launch->slots, ranges - slots);
    for (size_t i = 0; i < kernels->ntouched; i++)
        memcpy(kernels->tables + bits + kernels->touched[i].bits, kernels->touched[i].memory->bits,
               accd_written_words(kernels->touched[i].bytes) * sizeof(uint64_t));
    return true;
}

/* Bits of the tables and those of the allocations change places, as far as these are still there. */
static void exchange_bits(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    char *bits = kernels->tables + kernels->bytes - kernels->bits;
    for (size_t i = 0; i < kernels->ntouched; i++) {
        const struct touched *touched = &kernels->touched[i];
        struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, touched->dev);
        if (memory != touched->memory || memory->bytes != touched->bytes)
            continue;
        uint64_t *here = (uint64_t *)(void *)(bits + touched->bits);
        memory->used = true;
        for (uint64_t k = 0; k < accd_written_words(touched->bytes); k++) {
            uint64_t before = memory->bits[k];
            memory->bits[k] = here[k];
            here[k] = before;
        }
    }
}

/* --------------------------------------------------------------------------------- launching -- */

static bool launch_one(struct accd_cuda *cuda, cu_function function, unsigned blocks,
                       unsigned threads)
{
    void *parameters[] = {&cuda->kernels->on_device};
    return ACCD_CUDA(cuda, cuLaunchKernel, function, blocks, 1, 1, threads, 1, 1, 0, cuda->stream,
                     parameters, NULL);
}

/* Whether all went well. launched_p: whether the kernel may have run. */
static bool run_all(struct accd_cuda *cuda, const accd_kernel *kernel, struct run *run_p,
                    bool *launched_p)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    unsigned blocks = 4 * (unsigned)kernels->processors;
    size_t bits = kernels->bytes - kernels->bits;
    cu_address at = kernels->on_device;
    *launched_p = ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, at, kernels->tables, kernels->bytes,
                            cuda->stream) &&
                  (!kernel->writes || launch_one(cuda, kernels->kernel->save, blocks, 256)) &&
                  launch_one(cuda, kernels->kernel->body, kernel->parallel ? blocks : 1,
                             kernel->parallel ? 128 : 1);
    bool ok = *launched_p &&
              ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, run_p, at, sizeof *run_p, cuda->stream) &&
              (!kernel->writes || !kernels->bits ||
               ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, kernels->tables + bits, at + bits,
                         kernels->bits, cuda->stream));
    return accd_cuda_wait(cuda) && ok;
}

static bool restore(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    bool ok = launch_one(cuda, kernels->kernel->restore, 4 * (unsigned)kernels->processors, 256);
    return accd_cuda_wait(cuda) && ok;
}

/* Inside enter and leave. */
static accd_status run_kernel(struct accd_cuda *cuda, const struct accd_launch *launch,
                              accd_kernel_end *end)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    const accd_kernel *kernel = launch->kernel;
    struct run run;
    bool launched;
    *end = (accd_kernel_end){.how = ACCD_KERNEL_NOT_RUN, .said = kernels->why};
    kernels->kernel = kernel_of(cuda, kernel->text, end);
    if (!kernels->kernel)
        return cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OK;
    if (!make_tables(cuda, launch)) {
        drop(cuda);
        snprintf(kernels->why, sizeof kernels->why, "there is no memory for a kernel's tables");
        return cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OK;
    }
    bool ok = run_all(cuda, kernel, &run, &launched);
    if (ok && !run.stopped) {
        end->how = ACCD_KERNEL_DONE;
        if (kernel->writes)
            exchange_bits(cuda); /* settle needs the old ones */
        else
            drop(cuda);
        return ACCD_OK;
    }
    if (ok) {
        end->how = ACCD_KERNEL_STOPPED;
        end->why = (unsigned)(run.stopped >> 32);
        end->site = (unsigned)run.stopped;
    }
    accd_status status = ok ? ACCD_OK : accd_cuda_status(cuda);
    if (launched && kernel->writes && !restore(cuda)) {
        if (!cuda->lost)
            accd_cuda_lose(cuda); /* nobody knows its content */
        status = ACCD_DEVICE_ERROR;
    }
    drop(cuda);
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
            status = run_kernel(cuda, launch, end_p);
        }
    }
    accd_cuda_leave(cuda);
    return status;
}

/* Ranges of allocations that are gone are not put back. */
static void undo(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    struct run *run = (struct run *)(void *)kernels->tables;
    struct range *ranges =
        (struct range *)(void *)(kernels->tables + (run->ranges - kernels->on_device));
    size_t n = 0, at = 0;
    exchange_bits(cuda);
    for (size_t i = 0; i < run->nranges; i++) {
        while (kernels->touched[at].dev != ranges[i].origin)
            at++;
        const struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, ranges[i].origin);
        if (memory == kernels->touched[at].memory && memory->bytes == kernels->touched[at].bytes)
            ranges[n++] = ranges[i];
    }
    run->nranges = n;
    bool ok = ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, kernels->on_device, kernels->tables,
                        kernels->bytes, cuda->stream) &&
              restore(cuda);
    if (!ok && !cuda->lost)
        accd_cuda_lose(cuda); /* nobody knows its content */
}

void accd_cuda_settle(void *device, bool keep)
{
    struct accd_cuda *cuda = device;
    if (!cuda->kernels || !cuda->kernels->tables)
        return;
    (void)accd_cuda_enter(cuda);
    if (!keep)
        undo(cuda);
    drop(cuda);
    accd_cuda_leave(cuda);
}

/* Inside enter and leave. */
void accd_cuda_launch_close(struct accd_cuda *cuda)
{
    struct accd_cuda_kernels *kernels = cuda->kernels;
    if (!kernels)
        return;
    drop(cuda);
    drop_log(cuda);
    while (kernels->first) {
        struct kernel *kernel = kernels->first;
        kernels->first = kernel->next;
        free_kernel(cuda, kernel);
    }
    accd_mem_free(cuda->mem, kernels->touched,
                  kernels->touched_room * sizeof kernels->touched[0]);
    accd_mem_free(cuda->mem, kernels, sizeof *kernels);
}
