/* tools.c - the tools of the runtime (tool/tool.h): which hooks each has, and what it does in them.
 *
 *      memory     all runs                  variables of functions that have returned, null pointers
 *      checked    `accdeep cc`              states of each byte (coherence/shadow.h)
 *      order      --strict, `accdeep cc`    order of queues and tasks, races, needless clauses, changed pointers, leaks
 *      strict     --strict                  page guard, stale data by snapshots, sampling
 *      portability  --also              compares rule profiles
 *      profile    callbacks of OpenACC's profiling interface
 *      trace      --trace, --draw
 *      advice     --advice */
#include "accdeep_internal.h"
#include "base/context.h"
#include "base/kernel.h"
#include "base/runtime.h"
#include "coherence/check.h"
#include "coherence/happens_before.h"
#include "coherence/interposed_free.h"
#include "coherence/races.h"
#include "coherence/snapshots.h"
#include "diag/label.h"
#include "diag/object_history.h"
#include "image/image.h"
#include "trace/advice.h"
#include "trace/prof.h"
#include "trace/trace.h"
#include "fault.h"
#include "leaks.h"
#include "needless_clauses.h"
#include "null_pointers.h"
#include "pointer_changes.h"
#include "portability.h"
#include "sampling.h"
#include "stack_variables.h"
#include "strict.h"
#include "tools.h"

#include <assert.h>

/* ------------------------------------------------------------------------------------ memory -- */

static void check_returned_variables(struct rt_thread *thread, const struct rt_construct *construct)
{
    rt_check_returned_variables(thread, construct->items, construct->nitems,
                                construct->kind == ACCD_KIND_ENTER_DATA && rt.site->declares);
}

static void record_stack_variables(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region)
{
    (void)opens_region;
    if (construct->kind == ACCD_KIND_ENTER_DATA || construct->kind == ACCD_KIND_EXIT_DATA)
        rt_record_stack_variables(thread, construct->items, construct->nitems, construct->kind == ACCD_KIND_EXIT_DATA);
}

static const struct rt_tool memory_tool = {
    .name = "memory",
    .end_thread = rt_end_thread_stack,
    .begin_construct = check_returned_variables,
    .end_construct = record_stack_variables,
    .pass_null = rt_record_nulled_argument,
    .store_null = rt_record_nulled_pointer,
    .end_nulls = rt_forget_nulled_pointers,
};

/* ----------------------------------------------------------------------------------- checked -- */

static void mark_items_used(struct rt_thread *thread, const struct rt_construct *construct)
{
    if (construct->kind != ACCD_KIND_EXIT_DATA)
        rt_check_mark_items_used(thread->device, construct->items, construct->nitems);
}

static void run_checked_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel)
{
    struct rt_thread *self = rt_current_thread();
    rt_begin_kernel(self, kernel->construct);
    rt_check_begin_kernel(site, device);
    kernel->fn(kernel->args);
    rt_check_end_kernel();
    self->activity = RT_SLOW_PATH;
}

static void check_event(const accd_event *event)
{
    if (event->op == ACCD_OP_FREE)
        rt_forget_freed_data(event->device, event->host);
    rt_check_event(event);
}

static void begin_checked_send(uint64_t dev, const void *host, uint64_t bytes)
{
    if (host)
        rt_check_begin_transfer(dev, (uintptr_t)host, bytes);
}

static void begin_checked_fetch(uint64_t dev, const void *host, uint64_t bytes)
{
    if (host)
        rt_check_begin_transfer((uintptr_t)host, dev, bytes);
}

static void begin_checked_copy(const struct rt_copy *copy)
{
    rt_check_begin_transfer(copy->to, copy->from, copy->bytes);
}

/* Stores in *event the transfer that a copy between the two sides of a present object makes, and in *object the object.
 * Returns false if the copy is another one, or of 0 bytes. */
static bool make_transfer_event(const struct rt_copy *copy, accd_event *event, accd_present_object *object)
{
    const bool to_device = copy->to_device >= 0;
    const int device = to_device ? copy->to_device : copy->from_device;
    const uint64_t dev = to_device ? copy->to : copy->from, host = to_device ? copy->from : copy->to;
    if (!copy->bytes || to_device == (copy->from_device >= 0) ||
        !accd_present_at(rt.context, device, host, 0, object) || object->dev + (host - object->info.host) != dev ||
        copy->bytes > object->info.host + object->info.bytes - host)
        return false;
    *event = (accd_event){.op = to_device ? ACCD_OP_H2D : ACCD_OP_D2H,
                          .device = device,
                          .name = object->info.name,
                          .host = host,
                          .bytes = copy->bytes,
                          .rule = "ACC33-upd-1"};
    return true;
}

static void check_copy(const struct rt_copy *copy)
{
    accd_event event;
    accd_present_object object;
    if (make_transfer_event(copy, &event, &object))
        rt_check_event(&event);
    else if (copy->to_device >= 0 || copy->from_device >= 0)
        rt_check_copy(copy->to, copy->from, copy->bytes);
}

static void check_device_alloc(int device, uint64_t dev, uint64_t bytes)
{
    (void)device;
    rt_check_device_alloc(dev, bytes);
}

static void check_device_free(int device, uint64_t dev)
{
    (void)device;
    if (dev)
        rt_check_device_free(dev);
}

static const struct rt_tool checked_tool = {
    .name = "checked",
    .events = ~0u,
    .open = rt_check_init,
    .report = rt_check_finish,
    .close = rt_check_free,
    .begin_construct = mark_items_used,
    .run_kernel = run_checked_kernel,
    .event = check_event,
    .write = rt_check_device_write,
    .map_declared = rt_check_set_initial,
    .allocate = check_device_alloc,
    .end_free = check_device_free,
    .copy = check_copy,
    .map = rt_check_map,
    .unmap = rt_check_unmap,
    .begin_send = begin_checked_send,
    .begin_fetch = begin_checked_fetch,
    .begin_copy = begin_checked_copy,
    .expose = rt_check_expose,
    .query = rt_check_mark_used,
    .load_modules = rt_scan_modules,
};

/* ------------------------------------------------------------------------------------- order -- */

static void check_clauses(struct rt_thread *thread, const struct rt_construct *construct)
{
    if (construct->kind == ACCD_KIND_EXIT_DATA)
        rt_check_exit_clauses(thread, construct->items, construct->nitems);
    if (construct->has_private_items)
        rt_check_private_scalars(thread, construct->items, construct->nitems);
}

static void record_clause_effects(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region)
{
    (void)opens_region;
    rt_record_clause_effects(thread, construct);
}

static void save_changed_pointers(struct rt_thread *thread, const struct rt_site *site, int device)
{
    (void)site;
    if (thread->sampling != RT_SKIPPED)
        rt_save_changed_pointers(device);
}

static void check_device_after_kernel(struct rt_thread *thread, const struct rt_site *site, int device,
                                      const struct rt_kernel *kernel)
{
    (void)site, (void)kernel;
    if (thread->sampling != RT_SKIPPED)
        rt_report_changed_pointers(device);
    rt_check_device_gaps(device);
}

static void begin_task(void **depend, struct rt_epoch *epoch_p)
{
    *epoch_p = rt_clock_begin_task(depend);
}

static void wait_in_clocks(const struct rt_wait *wait)
{
    if (!wait->is_for_tasks)
        rt_clock_wait(wait->device, wait->async, wait->queue);
    else if (wait->depend)
        rt_clock_wait_depend(wait->depend);
    else
        rt_clock_wait_tasks();
    rt_races_after_wait();
}

static void remove_device_alloc(int device, uint64_t dev)
{
    (void)device;
    rt_device_alloc_remove(dev);
}

static void record_unmapped_object(const accd_event *event)
{
    if (event->op == ACCD_OP_FREE)
        rt_record_unmapped_object(event->device, event->host);
}

static void record_unmapped_data(int device, const void *host)
{
    rt_record_unmapped_object(device, (uintptr_t)host);
}

static const struct rt_tool order_tool = {
    .name = "order",
    .events = 1 << ACCD_OP_FREE,
    .report = rt_strict_finish,
    .close = rt_forget_unmapped_objects,
    .event = record_unmapped_object,
    .unmap = record_unmapped_data,
    .begin_construct = check_clauses,
    .end_construct = record_clause_effects,
    .begin_kernel = save_changed_pointers,
    .end_kernel = check_device_after_kernel,
    .allocate = rt_device_alloc_add,
    .end_free = remove_device_alloc,
    .begin_operation = rt_clock_begin_operation,
    .wait = wait_in_clocks,
    .begin_task = begin_task,
};

/* ------------------------------------------------------------------------------------ strict -- */

/* A region that ends is compared with the snapshots before the core transfers its data. */
static void begin_strict_call(struct rt_thread *thread, const struct rt_site *site)
{
    thread->sampling = RT_ALWAYS_CHECKED;
    rt_unprotect_devices();
    if (site->is_region_end && thread->nregions && thread->regions[thread->nregions - 1].region)
        rt_snapshot_leave_region(thread, false);
}

static void end_strict_call(struct rt_thread *thread)
{
    rt_protect_devices(thread->sampling);
}

/* True if data that the construct maps need no guard pages, because accesses of a skipped kernel are not checked. */
static bool skips_guards(const struct rt_thread *thread, const struct rt_construct *construct)
{
    return construct->kind == ACCD_KIND_COMPUTE && thread->sampling == RT_SKIPPED;
}

static void begin_strict_construct(struct rt_thread *thread, const struct rt_construct *construct)
{
    /* A fault meanwhile means an unmapped section. */
    thread->in_core = true;
    thread->sampling = rt_sample_construct(thread, construct->kind, construct->items, construct->nitems);
    thread->in_core = false;
    rt_set_label_reuse(thread->sampling != RT_SAMPLED);
    rt_snapshot_before_construct(thread, construct->kind, construct->items, construct->nitems);
    rt_set_event_mask(thread->sampling != RT_SKIPPED || construct->kind != ACCD_KIND_COMPUTE);
    if (skips_guards(thread, construct))
        accd__device_set_guards(rt.context, thread->device, 0);
}

static void end_strict_construct(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region)
{
    if (skips_guards(thread, construct))
        accd__device_set_guards(rt.context, thread->device, 1);
    if (opens_region)
        rt_snapshot_enter_region(thread, construct->items, construct->nitems);
    if (construct->kind == ACCD_KIND_COMPUTE)
        rt_races_before_kernel(thread, construct->items, construct->nitems);
}

static void begin_strict_kernel(struct rt_thread *thread, const struct rt_site *site, int device)
{
    (void)thread, (void)site, (void)device;
    rt_unprotect_devices();
}

static void end_strict_kernel(struct rt_thread *thread, const struct rt_site *site, int device,
                              const struct rt_kernel *kernel)
{
    (void)site;
    rt_races_after_kernel(thread);
    if (thread->sampling != RT_SKIPPED && (rt.has_declared || rt_has_image_variables()))
        rt_snapshot_check_declared(device, kernel);
    rt_snapshot_leave_region(thread, true);
    rt_protect_devices(thread->sampling);
}

static void strict_event(const accd_event *event)
{
    if (event->op == ACCD_OP_FREE)
        rt_forget_freed_data(event->device, event->host);
    rt_races_event(event);
    rt_snapshot_event(event);
    rt_sampling_event(event);
}

static void begin_strict_copy(const struct rt_copy *copy)
{
    accd_event event;
    accd_present_object object;
    if (make_transfer_event(copy, &event, &object))
        rt_snapshot_before_transfer(&event);
}

static void strict_copy(const struct rt_copy *copy)
{
    accd_event event;
    accd_present_object object;
    if (make_transfer_event(copy, &event, &object)) {
        rt_races_event(&event);
        rt_snapshot_event(&event);
        return;
    }
    rt_races_routine_access(copy->from_device >= 0, false, copy->from, copy->bytes);
    rt_races_routine_access(copy->to_device >= 0, true, copy->to, copy->bytes);
    if (copy->to_device >= 0)
        rt_snapshot_device_write(copy->to_device, copy->to, (const void *)(uintptr_t)copy->from, copy->bytes);
    else if (copy->from_device >= 0)
        rt_snapshot_device_write(copy->from_device, copy->from, (const void *)(uintptr_t)copy->to, copy->bytes);
}

static const struct rt_tool strict_tool = {
    .name = "strict",
    .events = RT_STRICT_EVENTS,
    .close = rt_sampling_reset,
    .begin_call = begin_strict_call,
    .end_call = end_strict_call,
    .begin_construct = begin_strict_construct,
    .end_construct = end_strict_construct,
    .begin_kernel = begin_strict_kernel,
    .end_kernel = end_strict_kernel,
    .run_kernel = rt_run_guarded_kernel,
    .pass_argument = rt_sampling_add_value,
    .event = strict_event,
    .write = rt_snapshot_device_write,
    .map_declared = rt_snapshot_set_initial,
    .begin_free = rt_races_free,
    .begin_copy = begin_strict_copy,
    .copy = strict_copy,
};

/* Adds the tools in the order in which their hooks are called: findings first, traces after them. */
void rt_add_tools(void)
{
    assert(!rt.context);
    rt_add_tool(&memory_tool);
    if (rt.options.instrumented)
        rt_add_tool(&checked_tool);
    if (rt.options.diagnose)
        rt_add_tool(&order_tool);
    if (rt.options.strict)
        rt_add_tool(&strict_tool);
    if (rt.options.nothers)
        rt_add_tool(&rt_portability_tool);
    rt_add_tool(&rt_profile_tool);
    if (rt.options.trace >= 0 || rt.options.draw)
        rt_add_tool(&rt_trace_tool);
    if (rt_read_advice_link())
        rt_add_tool(&rt_advice_tool);
    rt_install_fault_handler();
}
