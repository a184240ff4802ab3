/* launch.c - kernels made from bodies of compute constructs: modules, the tables that accesses are checked with, and
 * restoring what a kernel has overwritten.
 *
 * A launch has two buffers on the device:
 *
 *     tables   | launch_run | pointers | slots | launch_range[] | written bits |       a copy is on the host
 *     scratch  | saved content of the ranges | owners: which iterations touched each word |
 *
 * The kernel's text declares the structures of the tables in lua/accdeep/backend/cuda/cuda_runtime.lua: accd_launch,
 * accd_slot and accd_range. Scratch memory is needed only if the kernel writes, and its owners only if many threads
 * run.
 *
 * The life of a launch: tables are made and copied; a kernel saves the ranges; the body runs. If the body stopped
 * before it was done, the ranges are restored. The buffers live until the launch is settled (its writes are kept or
 * undone, accd__cuda_settle_kernel) or, in a queue, finished. Other work on the same memory waits until then. */
#include "device/written.h"
#include "backend.h"
#include "nvrtc.h"

#include <assert.h>
#include <stdio.h>

/* Head of the tables, read and written by the kernel: struct accd_launch of cuda_runtime.lua. Pointers are device
 * addresses. stopped: site (low half) and reason (high half) of a stop; 0: the kernel was not stopped. */
struct launch_run {
    uint64_t stopped, max_iterations, parallel, writes;
    uint64_t ranges, nranges, slots, nslots, variables, owners, owner_words;
};
/* Range that the kernel may access: struct accd_range of cuda_runtime.lua. origin: address of the allocation. bits,
 * owners: device addresses of the allocation's written bits and owners (iterations that touched each word). saved:
 * device address of the range's saved content. */
struct launch_range {
    uint64_t low, high, flags, origin, bits, owners, saved;
};

/* Compiled kernel of a text. Its entry points execute the body, save what the body may overwrite, and restore that. */
struct kernel_module {
    struct kernel_module *next;
    char *text;
    cu_module module;
    cu_function body, save, restore_memory;
};

/* Allocation that a launch may access. */
struct used_allocation {
    struct accd__cuda_memory *memory; /* record of the allocation; valid only if `dev` and `bytes` still match */
    uint64_t dev, bytes;
    size_t bits;     /* offset of the allocation's written bits (a bit for each byte) among the bits of the tables */
    uint64_t owners; /* offset of the allocation's owners (iterations that touched each word) in the scratch buffer */
};

/* Launch of a kernel. */
struct kernel_launch {
    const struct kernel_module *kernel;
    struct accd__cuda_stream *stream;
    bool writes, parallel;
    char *tables; /* host copy of the tables; NULL: the launch was not made, or is settled */
    /* bytes of the tables; bytes allocated for them; bytes of the written bits at their end */
    size_t bytes, capacity, bits;
    struct used_allocation *allocations;
    size_t nallocations, allocations_capacity;
    cu_address on_device, scratch; /* tables and scratch buffer on the device; 0: none */
    cu_event done;                 /* event after the launch, for a launch in a queue; NULL: none */
    bool has_event;                /* `done` was recorded */
    struct kernel_launch *next,
        **at; /* next launch in the list of queued launches; the link that points to this launch */
};

/* State of this file for a device. */
struct accd__cuda_kernels {
    struct kernel_module *first;
    int capability, processors; /* capability: 90 is compute capability 9.0; processors: number of multiprocessors */
    char *log;                  /* log of the compiler for the last text that it rejected */
    size_t nlog;
    char why[200];                       /* reason why the last kernel was not run */
    struct kernel_launch default_launch; /* launch without a queue, until its writes are kept or undone (settled) */
    struct kernel_launch *queued;        /* launches in queues that are not finished */
};

/* Returns the address of the first allocation that begins at or after `dev`, and sets *bytes_p to its size. Returns
 * 0, with size 0, if there is none. */
uint64_t accd__cuda_next_allocation(void *device, uint64_t dev, uint64_t *bytes_p)
{
    struct accd__cuda *cuda = device;
    struct accd__btree_cursor cursor;
    const struct accd__cuda_memory *memory = accd__btree_seek(&cuda->memories, dev, &cursor);
    *bytes_p = memory ? memory->bytes : 0;
    return memory ? memory->dev : 0;
}

/* Writes the name of the compiler of kernels to `text` (`capacity` bytes) and returns 1; or writes the reason why
 * there is none, and returns 0. */
int accd__cuda_compiler(void *device, char *text, size_t capacity)
{
    const struct accd__cuda *cuda = device;
    return accd__nvrtc_get_version(cuda->driver.installed, text, capacity);
}

/* ---------------------------------------------------------------------------------- modules -- */

/* Frees the compiler's log of the last rejected text, if there is one. */
static void free_compile_log(struct accd__cuda *cuda)
{
    accd__mem_free(cuda->mem, cuda->kernels->log, cuda->kernels->nlog);
    cuda->kernels->log = NULL;
}

/* Returns the device's state of this file. At the first use creates the state and queries the GPU. NULL: no memory. */
static struct accd__cuda_kernels *get_kernels(struct accd__cuda *cuda)
{
    struct accd__cuda_kernels *kernels = cuda->kernels;
    int major = 0, minor = 0;
    if (kernels)
        return kernels;
    kernels = accd__mem_alloc_zeroed(cuda->mem, sizeof *kernels);
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

/* Unloads and frees a compiled kernel. */
static void free_kernel(struct accd__cuda *cuda, struct kernel_module *kernel)
{
    if (kernel->module)
        (void)ACCD_CUDA(cuda, cuModuleUnload, kernel->module);
    if (kernel->text)
        accd__mem_free(cuda->mem, kernel->text, strlen(kernel->text) + 1);
    accd__mem_free(cuda->mem, kernel, sizeof *kernel);
}

/* Loads an image and finds its three entry points. Returns false on failure; the module may then be loaded. */
static bool load_module(struct accd__cuda *cuda, struct kernel_module *kernel, const char *image)
{
    return ACCD_CUDA(cuda, cuModuleLoadData, &kernel->module, image) &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->body, kernel->module, "accd_body") &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->save, kernel->module, "accd_save") &&
           ACCD_CUDA(cuda, cuModuleGetFunction, &kernel->restore_memory, kernel->module, "accd_restore");
}

/* Returns the kernel of a text, compiled at its first use. NULL: the compiler rejected the text, and *end has the
 * compiler's log; or the kernel cannot be run, and kernels->why has the reason. */
static struct kernel_module *get_kernel_module(struct accd__cuda *cuda, const char *text, accd_kernel_result *end)
{
    struct accd__cuda_kernels *kernels = cuda->kernels;
    struct accd__image image;
    for (struct kernel_module *kernel = kernels->first; kernel; kernel = kernel->next)
        if (!strcmp(kernel->text, text))
            return kernel;
    accd__nvrtc_compile(cuda->mem, cuda->driver.installed, kernels->capability, text, &image);
    if (image.log) {
        kernels->log = image.log;
        kernels->nlog = image.nlog;
        *end = (accd_kernel_result){.outcome = ACCD_KERNEL_REJECTED, .message = image.log};
        return NULL;
    }
    snprintf(kernels->why, sizeof kernels->why, "%s", image.why);
    if (!image.bytes)
        return NULL;
    struct kernel_module *kernel = accd__mem_alloc_zeroed(cuda->mem, sizeof *kernel);
    bool ok =
        kernel && (kernel->text = accd__mem_copy_string(cuda->mem, text)) && load_module(cuda, kernel, image.bytes);
    accd__mem_free(cuda->mem, image.bytes, image.n);
    if (!ok) {
        snprintf(kernels->why, sizeof kernels->why, "%s", *cuda->why ? cuda->why : "no memory for a kernel");
        if (kernel)
            free_kernel(cuda, kernel);
        return NULL;
    }
    kernel->next = kernels->first;
    kernels->first = kernel;
    return kernel;
}

/* ----------------------------------------------------------------------------------- tables -- */

/* Frees the tables and both device buffers of a launch, in the order of its stream. */
static void free_launch_buffers(struct accd__cuda *cuda, struct kernel_launch *launch)
{
    if (launch->on_device)
        accd__cuda_pool_free(cuda, launch->stream, launch->on_device);
    if (launch->scratch)
        accd__cuda_pool_free(cuda, launch->stream, launch->scratch);
    launch->on_device = launch->scratch = 0;
    accd__mem_free(cuda->mem, launch->tables, launch->capacity);
    launch->tables = NULL;
    launch->nallocations = 0;
}

/* Stores in `launch` the list of allocations in which the ranges of `request` lie, each allocation once, with the
 * offsets of their written bits in the tables. Ignores ranges outside of all allocations. Returns false without
 * memory. */
static bool find_allocations(struct accd__cuda *cuda, const struct accd__launch *request, struct kernel_launch *launch)
{
    size_t bits = 0;
    launch->nallocations = 0;
    for (size_t i = 0; i < request->nranges; i++) {
        const struct accd__kernel_range *range = &request->ranges[i];
        struct accd__cuda_memory *memory = accd__cuda_memory_at(cuda, range->low);
        size_t n = launch->nallocations;
        if (!memory || (n && launch->allocations[n - 1].memory == memory))
            continue;
        if (!ACCD_GROW(cuda->mem, launch->allocations, launch->allocations_capacity, n + 1))
            return false;
        launch->allocations[n] = (struct used_allocation){memory, memory->dev, memory->bytes, bits, 0};
        launch->nallocations++;
        bits += accd__written_words(memory->bytes) * sizeof(uint64_t);
    }
    launch->bits = bits;
    return true;
}

/* Returns the head of the host copy of the tables, which must exist. */
static struct launch_run *get_launch_run(const struct kernel_launch *launch)
{
    assert(launch->tables);
    return (struct launch_run *)(void *)launch->tables;
}

/* Returns the ranges in the host copy of the tables, which must exist. */
static struct launch_range *get_launch_ranges(const struct kernel_launch *launch)
{
    return (struct launch_range *)(void *)(launch->tables + (get_launch_run(launch)->ranges - launch->on_device));
}

/* Sets the offsets in the scratch buffer: of the saved content of ranges, then of the owners (which iterations
 * touched each word; only for many threads). Returns the size of the buffer in bytes; 0 if the kernel does not write.
 */
static uint64_t plan_scratch_buffer(struct kernel_launch *launch, const struct accd_kernel *kernel)
{
    struct launch_run *run = get_launch_run(launch);
    struct launch_range *ranges = get_launch_ranges(launch);
    uint64_t used = 0;
    for (size_t i = 0; kernel->writes && i < run->nranges; i++) {
        ranges[i].saved = used + ranges[i].low % 8;
        used = (ranges[i].saved + (ranges[i].high - ranges[i].low) + 7) / 8 * 8;
    }
    run->owners = used;
    for (size_t i = 0; kernel->writes && kernel->parallel && i < launch->nallocations; i++) {
        launch->allocations[i].owners = used;
        used += (launch->allocations[i].bytes + 3) / 4 * 8;
    }
    run->owner_words = (used - run->owners) / 8;
    return used;
}

/* Fills the table of ranges with those of `request` that lie in allocations of the launch, and returns their number.
 * bits: device address of the written bits. `owners` of a range becomes the index of its allocation; the caller
 * replaces it by an address. */
static size_t fill_range_table(const struct kernel_launch *launch, const struct accd__launch *request, uint64_t bits)
{
    struct launch_range *ranges = get_launch_ranges(launch);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < request->nranges; i++) {
        const struct accd__kernel_range *range = &request->ranges[i];
        while (at < launch->nallocations && range->low - launch->allocations[at].dev >= launch->allocations[at].bytes &&
               range->low > launch->allocations[at].dev)
            at++;
        const struct used_allocation *allocation = at < launch->nallocations ? &launch->allocations[at] : NULL;
        if (!allocation || range->low < allocation->dev || range->high > allocation->dev + allocation->bytes)
            continue; /* the program has freed the memory, so that the kernel must not access it */
        ranges[n++] = (struct launch_range){.low = range->low,
                                            .high = range->high,
                                            .flags = range->flags,
                                            .origin = allocation->dev,
                                            .bits = bits + allocation->bits,
                                            .owners = at};
    }
    return n;
}

/* Copies the present written bits of the launch's allocations (which bytes were ever written) to the host copy of the
 * tables. */
static void set_table_bits(struct kernel_launch *launch)
{
    assert(launch->tables);
    char *bits = launch->tables + launch->bytes - launch->bits;
    for (size_t i = 0; i < launch->nallocations; i++)
        memcpy(bits + launch->allocations[i].bits, accd__cuda_written_bits(launch->allocations[i].memory),
               accd__written_words(launch->allocations[i].bytes) * sizeof(uint64_t));
}

/* Makes the host copy of the tables, and allocates both buffers on the device. Returns false without memory; the caller
 * frees what was allocated. */
static bool make_launch_tables(struct accd__cuda *cuda, const struct accd__launch *request,
                               struct kernel_launch *launch)
{
    const accd_kernel *kernel = request->kernel;
    size_t variables = sizeof(struct launch_run);
    size_t slots = variables + kernel->npointers * sizeof kernel->pointers[0];
    size_t ranges = slots + request->nslots * sizeof request->slots[0];
    size_t bits = ranges + request->nranges * sizeof(struct launch_range);
    if (!find_allocations(cuda, request, launch))
        return false;
    launch->bytes = launch->capacity = bits + launch->bits;
    launch->tables = accd__mem_alloc_zeroed(cuda->mem, launch->capacity);
    if (!launch->tables || !accd__cuda_pool_alloc(cuda, launch->stream, launch->bytes, &launch->on_device))
        return false;
    uint64_t base = launch->on_device;
    struct launch_run *run = get_launch_run(launch);
    *run = (struct launch_run){.max_iterations = kernel->max_iterations,
                               .parallel = kernel->parallel != 0,
                               .writes = kernel->writes != 0,
                               .ranges = base + ranges,
                               .slots = base + slots,
                               .nslots = request->nslots,
                               .variables = base + variables};
    run->nranges = fill_range_table(launch, request, base + bits);
    const uint64_t bytes = plan_scratch_buffer(launch, kernel);
    if (bytes && !accd__cuda_pool_alloc(cuda, launch->stream, bytes, &launch->scratch))
        return false;
    run->owners += launch->scratch;
    for (size_t i = 0; i < run->nranges; i++) {
        struct launch_range *range = &get_launch_ranges(launch)[i];
        range->saved += launch->scratch;
        range->owners = launch->scratch + launch->allocations[range->owners].owners;
    }
    if (kernel->npointers)
        memcpy(launch->tables + variables, kernel->pointers, slots - variables);
    if (request->nslots)
        memcpy(launch->tables + slots, request->slots, ranges - slots);
    set_table_bits(launch);
    return true;
}

/* Exchanges the written bits in the host copy of the tables with those of the launch's allocations. Ignores
 * allocations that were freed since the launch. */
static void swap_written_bits(struct accd__cuda *cuda, struct kernel_launch *launch)
{
    assert(launch->tables);
    char *bits = launch->tables + launch->bytes - launch->bits;
    for (size_t i = 0; i < launch->nallocations; i++) {
        const struct used_allocation *allocation = &launch->allocations[i];
        struct accd__cuda_memory *memory = accd__cuda_memory_at(cuda, allocation->dev);
        if (memory != allocation->memory || memory->bytes != allocation->bytes)
            continue;
        uint64_t *table_bits = (uint64_t *)(void *)(bits + allocation->bits),
                 *device_bits = accd__cuda_written_bits(memory);
        memory->has_data = true;
        for (uint64_t k = 0; k < accd__written_words(allocation->bytes); k++) {
            uint64_t before = device_bits[k];
            device_bits[k] = table_bits[k];
            table_bits[k] = before;
        }
    }
}

/* --------------------------------------------------------------------------------- launching -- */

/* Launches the entry point `function` on the tables, with `threads` threads in each block. parallel: four blocks for
 * each multiprocessor; false: one block. Returns false on failure. */
static bool launch_function(struct accd__cuda *cuda, const struct kernel_launch *launch, cu_function function,
                            bool parallel, unsigned threads)
{
    unsigned blocks = parallel ? 4 * (unsigned)cuda->kernels->processors : 1;
    cu_address tables = launch->on_device;
    void *parameters[] = {&tables};
    return ACCD_CUDA(cuda, cuLaunchKernel, function, blocks, 1, 1, threads, 1, 1, 0, launch->stream->at, parameters,
                     NULL);
}

/* Copies the tables to the device and launches the body, after the entry point that saves what the body may overwrite.
 * Returns false on failure. */
static bool issue_kernel(struct accd__cuda *cuda, const struct kernel_launch *launch)
{
    const struct kernel_module *kernel = launch->kernel;
    return ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, launch->on_device, launch->tables, launch->bytes,
                     launch->stream->at) &&
           (!launch->writes || launch_function(cuda, launch, kernel->save, true, 256)) &&
           launch_function(cuda, launch, kernel->body, launch->parallel, launch->parallel ? 128 : 1);
}

/* Waits for the kernel and copies the head of its tables to *run_p. If the kernel writes, also copies the written
 * bits that it has set to the host copy of the tables. Returns false if the outcome is unknown. */
static bool collect_outcome(struct accd__cuda *cuda, const struct kernel_launch *launch, struct launch_run *run_p)
{
    size_t bits = launch->bytes - launch->bits;
    cu_address at = launch->on_device;
    bool ok =
        ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, run_p, at, sizeof *run_p, launch->stream->at) &&
        (!launch->writes || !launch->bits ||
         ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, launch->tables + bits, at + bits, launch->bits, launch->stream->at));
    return accd__cuda_wait(cuda, launch->stream) && ok;
}

/* Restores the device memory that the kernel overwrote, and waits for that. On failure the device is lost, since its
 * content is unknown. */
static void restore_memory(struct accd__cuda *cuda, const struct kernel_launch *launch)
{
    bool ok = launch_function(cuda, launch, launch->kernel->restore_memory, true, 256);
    (void)accd__cuda_require(cuda, accd__cuda_wait(cuda, launch->stream) && ok);
}

/* Waits for a kernel that was issued, and sets *end to its result: done, or stopped. The writes of a kernel that has
 * not done all its work are undone. Fails if the outcome is unknown. */
static accd_status finish_launch(struct accd__cuda *cuda, const struct kernel_launch *launch, accd_kernel_result *end)
{
    struct launch_run run;
    bool ok = collect_outcome(cuda, launch, &run);
    *end = (accd_kernel_result){.outcome = ACCD_KERNEL_DONE};
    if (ok && !run.stopped)
        return ACCD_OK;
    if (ok)
        *end = (accd_kernel_result){
            .outcome = ACCD_KERNEL_STOPPED, .reason = (unsigned)(run.stopped >> 32), .site = (unsigned)run.stopped};
    accd_status status = ok ? ACCD_OK : accd__cuda_last_status(cuda);
    if (launch->writes)
        restore_memory(cuda, launch);
    return cuda->is_lost ? ACCD_ERROR_DEVICE : status;
}

/* Compiles and issues a kernel, and sets *started_p to true if the kernel was issued. A kernel that cannot be run is
 * no error: *end has the reason. Fails if a call of the driver fails. Requires that the device's context is current. */
static accd_status start_launch(struct accd__cuda *cuda, const struct accd__launch *request,
                                struct kernel_launch *launch, accd_kernel_result *end, bool *started_p)
{
    assert(cuda->kernels && launch->stream);
    struct accd__cuda_kernels *kernels = cuda->kernels;
    const accd_kernel *kernel = request->kernel;
    *end = (accd_kernel_result){.outcome = ACCD_KERNEL_NOT_RUN, .message = kernels->why};
    *started_p = false;
    launch->writes = kernel->writes;
    launch->parallel = kernel->parallel;
    launch->kernel = get_kernel_module(cuda, kernel->text, end);
    if (!launch->kernel)
        return cuda->is_lost ? ACCD_ERROR_DEVICE : ACCD_OK;
    if (!make_launch_tables(cuda, request, launch)) {
        snprintf(kernels->why, sizeof kernels->why, "there is no memory for a kernel's tables");
        return cuda->is_lost ? ACCD_ERROR_DEVICE : ACCD_OK;
    }
    *started_p = issue_kernel(cuda, launch);
    return *started_p ? ACCD_OK : accd__cuda_last_status(cuda);
}

/* Runs a kernel without a queue, waits for it, and sets *end to its result. If it wrote, keeps the launch until it is
 * settled, so that the writes can be undone. Fails if the device does, or if the outcome is unknown. */
static accd_status run_launch(struct accd__cuda *cuda, const struct accd__launch *request, accd_kernel_result *end)
{
    struct kernel_launch *launch = &cuda->kernels->default_launch;
    bool started;
    launch->stream = &cuda->main;
    accd_status status = start_launch(cuda, request, launch, end, &started);
    if (started)
        status = finish_launch(cuda, launch, end);
    if (status == ACCD_OK && end->outcome == ACCD_KERNEL_DONE && launch->writes)
        swap_written_bits(cuda, launch); /* the tables then have the old bits, for accd__cuda_settle_kernel */
    else
        free_launch_buffers(cuda, launch);
    return status;
}

/* Returns a new launch in a queue, at the head of the list `queued`. NULL: no memory, or no stream. */
static struct kernel_launch *new_launch(struct accd__cuda *cuda, unsigned queue)
{
    struct accd__cuda_kernels *kernels = cuda->kernels;
    struct accd__cuda_stream *stream = accd__cuda_stream_of(cuda, queue);
    struct kernel_launch *launch = stream ? accd__mem_alloc_zeroed(cuda->mem, sizeof *launch) : NULL;
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

/* Frees a queued launch with its buffers and event, and removes it from the list `queued`. */
static void free_launch(struct accd__cuda *cuda, struct kernel_launch *launch)
{
    assert(*launch->at == launch);
    free_launch_buffers(cuda, launch);
    if (launch->done)
        (void)ACCD_CUDA(cuda, cuEventDestroy_v2, launch->done);
    *launch->at = launch->next;
    if (launch->next)
        launch->next->at = launch->at;
    accd__mem_free(cuda->mem, launch->allocations, launch->allocations_capacity * sizeof launch->allocations[0]);
    accd__mem_free(cuda->mem, launch, sizeof *launch);
}

/* Issues a kernel in a queue, and sets *end to ACCD_KERNEL_QUEUED with the launch, or to the reason why the kernel
 * cannot be run. Fails if a call of the driver fails, or without memory. */
static accd_status launch_in_queue(struct accd__cuda *cuda, const struct accd__launch *request, accd_kernel_result *end)
{
    struct kernel_launch *launch = new_launch(cuda, request->queue);
    bool started;
    if (!launch)
        return *cuda->why ? accd__cuda_last_status(cuda) : ACCD_ERROR_OUT_OF_MEMORY;
    accd_status status = start_launch(cuda, request, launch, end, &started);
    if (started) { /* a launch without an event counts as done, and accd__cuda_finish_kernel waits for the stream */
        launch->has_event = accd__cuda_new_event(cuda, &launch->done) &&
                            ACCD_CUDA(cuda, cuEventRecord, launch->done, launch->stream->at);
        status = cuda->is_lost ? ACCD_ERROR_DEVICE : ACCD_OK;
        *end = (accd_kernel_result){.outcome = ACCD_KERNEL_QUEUED, .in_flight = launch};
    }
    if (status != ACCD_OK || end->outcome != ACCD_KERNEL_QUEUED)
        free_launch(cuda, launch);
    return status;
}

/* Runs a kernel and waits for it or, if launch->queue is not 0, issues it in this queue. *end_p receives the result. */
accd_status accd__cuda_launch(void *device, const struct accd__launch *launch, accd_kernel_result *end_p)
{
    struct accd__cuda *cuda = device;
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    accd_status status = ACCD_ERROR_DEVICE;
    if (accd__cuda_push_context(cuda)) {
        status = get_kernels(cuda) ? ACCD_OK : ACCD_ERROR_OUT_OF_MEMORY;
        if (status == ACCD_OK) {
            free_compile_log(cuda);
            status = launch->queue ? launch_in_queue(cuda, launch, end_p) : run_launch(cuda, launch, end_p);
        }
    }
    accd__cuda_pop_context(cuda);
    return status;
}

/* Returns 1 if a queued kernel has ended, or if only a wait can tell (no event was recorded); otherwise 0. */
int accd__cuda_is_kernel_done(void *device, const void *in_flight)
{
    const struct kernel_launch *launch = in_flight;
    return !launch->has_event || accd__cuda_is_event_done(device, launch->done);
}

/* Copies the written bits of the ranges that the kernel could access from the tables to the allocations. Other bits
 * of the allocations stay, because other work may have changed them meanwhile. */
static void add_written_bits(const struct kernel_launch *launch)
{
    const char *bits = launch->tables + launch->bytes - launch->bits;
    const struct launch_range *ranges = get_launch_ranges(launch);
    size_t at = 0;
    for (size_t i = 0; i < get_launch_run(launch)->nranges; i++) {
        const struct launch_range *range = &ranges[i];
        while (launch->allocations[at].dev != range->origin)
            at++;
        assert(at < launch->nallocations);
        const struct used_allocation *allocation = &launch->allocations[at];
        allocation->memory->has_data = true;
        accd__written_copy(accd__cuda_written_bits(allocation->memory), range->low - range->origin,
                           (const uint64_t *)(const void *)(bits + allocation->bits), range->low - range->origin,
                           range->high - range->low);
    }
}

/* Runs a kernel again with one thread, which may execute code that stops a kernel of many threads. Sets *end to the
 * result. Fails if the device does, or if the outcome is unknown. */
static accd_status rerun_single_threaded(struct accd__cuda *cuda, struct kernel_launch *launch, accd_kernel_result *end)
{
    get_launch_run(launch)->parallel = launch->parallel = false;
    set_table_bits(launch); /* collect_outcome has replaced the bits by those of the first attempt */
    return issue_kernel(cuda, launch) ? finish_launch(cuda, launch, end) : accd__cuda_last_status(cuda);
}

/* Waits for a queued kernel, sets *end_p to its result, and frees its launch. A kernel of many threads that was
 * stopped for reason n runs again with one thread if bit n of `retry_reasons` is set. If end_p is NULL, undoes the
 * writes. */
accd_status accd__cuda_finish_kernel(void *device, void *in_flight, uint64_t retry_reasons, accd_kernel_result *end_p)
{
    struct accd__cuda *cuda = device;
    struct kernel_launch *launch = in_flight;
    accd_status status = ACCD_ERROR_DEVICE;
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    if (accd__cuda_require(cuda, accd__cuda_push_context(cuda))) {
        accd_kernel_result discarded = {.outcome = ACCD_KERNEL_NOT_RUN}, *end = end_p ? end_p : &discarded;
        status = finish_launch(cuda, launch, end);
        if (status == ACCD_OK && end->outcome == ACCD_KERNEL_STOPPED && launch->parallel &&
            retry_reasons >> end->reason & 1)
            status = rerun_single_threaded(cuda, launch, end);
        bool wrote = status == ACCD_OK && end->outcome == ACCD_KERNEL_DONE && launch->writes;
        if (wrote && end_p)
            add_written_bits(launch);
        else if (wrote)
            restore_memory(cuda, launch);
    }
    free_launch(cuda, launch);
    accd__cuda_pop_context(cuda);
    return status;
}

/* ---------------------------------------------------------------------------------- settling -- */

/* Restores the memory and the written bits that the default launch changed, except in allocations that were freed
 * since. */
static void undo_launch(struct accd__cuda *cuda, struct kernel_launch *launch)
{
    struct launch_run *run = get_launch_run(launch);
    struct launch_range *ranges = get_launch_ranges(launch);
    size_t n = 0, at = 0;
    swap_written_bits(cuda, launch);
    for (size_t i = 0; i < run->nranges; i++) {
        while (launch->allocations[at].dev != ranges[i].origin)
            at++;
        assert(at < launch->nallocations);
        const struct accd__cuda_memory *memory = accd__cuda_memory_at(cuda, ranges[i].origin);
        if (memory == launch->allocations[at].memory && memory->bytes == launch->allocations[at].bytes)
            ranges[n++] = ranges[i];
    }
    run->nranges = n;
    if (accd__cuda_require(cuda, ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, launch->on_device, launch->tables, launch->bytes,
                                           launch->stream->at)))
        restore_memory(cuda, launch);
}

/* Keeps or undoes the writes of the last kernel without a queue; does nothing if there are none. */
void accd__cuda_settle_kernel(void *device, bool keep)
{
    struct accd__cuda *cuda = device;
    if (!cuda->kernels || !cuda->kernels->default_launch.tables)
        return;
    (void)accd__cuda_push_context(cuda);
    if (!keep)
        undo_launch(cuda, &cuda->kernels->default_launch);
    free_launch_buffers(cuda, &cuda->kernels->default_launch);
    accd__cuda_pop_context(cuda);
}

/* Frees all modules and launches of the device, whose context is current. */
void accd__cuda_kernels_free(struct accd__cuda *cuda)
{
    struct accd__cuda_kernels *kernels = cuda->kernels;
    if (!kernels)
        return;
    while (kernels->queued)
        free_launch(cuda, kernels->queued);
    free_launch_buffers(cuda, &kernels->default_launch);
    accd__mem_free(cuda->mem, kernels->default_launch.allocations,
                   kernels->default_launch.allocations_capacity * sizeof kernels->default_launch.allocations[0]);
    free_compile_log(cuda);
    while (kernels->first) {
        struct kernel_module *kernel = kernels->first;
        kernels->first = kernel->next;
        free_kernel(cuda, kernel);
    }
    accd__mem_free(cuda->mem, kernels, sizeof *kernels);
}
