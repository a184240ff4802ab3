/* tool.h - the interface between the runtime and what observes it: checks, traces, profiles, tools of users.
 * The runtime calls hooks and knows nothing of their owners. A tool is a list of hooks; lifecycle.c adds the tools that
 * the options ask for, before the first call of the program.
 *
 *      runtime                          tools, in the order in which they were added
 *      RT_CALL_HOOKS(event, e) -------> strict: races, stale data    trace: a line
 *
 * Unless a hook says otherwise, it is called with the lock held (base/lock.h), in the order of the tools. A hook
 * that no tool has costs one comparison. */
#ifndef RT_TOOL_H
#define RT_TOOL_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_epoch;
struct rt_kernel;
struct rt_site;
struct rt_thread;

/* Construct of the program, with its items. */
struct rt_construct {
    accd_construct_kind kind;
    const accd_item *items;
    size_t nitems;
    /* the compiler passes firstprivate variables like those of copyin clauses, so items may be either */
    bool has_private_items;
    bool finalize; /* exit data: dynamic counters and attach counters become 0 */
};

/* Copy by a routine, for example acc_memcpy_to_device. A device of -1 is the host. */
struct rt_copy {
    uint64_t to, from, bytes;
    int to_device, from_device;
};

/* Wait of the host or of a queue. */
struct rt_wait {
    int device;
    int async;         /* queue that waits; RT_ASYNC_SYNC: the host */
    int queue;         /* queue for which it waits; RT_ASYNC_NOVAL: all queues of the device */
    bool is_for_tasks; /* OpenMP: waits for tasks, not for queues */
    void **depend;     /* tasks of these depend clauses, as libgomp passes them; NULL: all tasks */
    bool is_test;      /* acc_async_test: the host has seen that the work is complete */
};

/* Finding about the program. */
struct rt_finding {
    const char *level, *code, *message; /* level: "error", "warning" or "note" */
    const char *rule, *help, *object;   /* object: name of the data; NULL: none */
    const char *file;                   /* NULL: the location is not known */
    int line;
    uint64_t slot; /* host address of the pointer that the finding is about; 0: none */
};

enum rt_fork_phase { RT_FORK_PREPARE, RT_FORK_PARENT, RT_FORK_CHILD };

/* Tool. A hook that is NULL is not called. */
struct rt_tool {
    const char *name;
    /* events of the core that the hook `event` needs, a bit for each (1 << ACCD_OP_x) */
    unsigned events;

    /* Called after the context was made, before declared variables and images are mapped. */
    void (*open)(void);
    /* Reports the findings of the end: at the end of the program, or at acc_shutdown before `close`. */
    void (*report)(void);
    /* Called before the context is freed. */
    void (*close)(void);
    /* Called once, at the end of the program; has_context: the device is still open. */
    void (*finish)(void);

    /* Called at the begin of a call of the program on the slow path, and at its end, there in reverse order of tools.
     */
    void (*begin_call)(struct rt_thread *thread, const struct rt_site *site);
    void (*end_call)(struct rt_thread *thread);
    /* Called when a thread that has called the runtime ends. thread: its number. */
    void (*end_thread)(uint64_t thread);

    /* Called before and after a construct on the slow path. opens_region: the core has opened a region for it. */
    void (*begin_construct)(struct rt_thread *thread, const struct rt_construct *construct);
    void (*end_construct)(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region);

    /* Called before the core ends the thread's innermost region. */
    void (*end_region)(struct rt_thread *thread);

    /* Called before and after a kernel. */
    void (*begin_kernel)(struct rt_thread *thread, const struct rt_site *site, int device);
    void (*end_kernel)(struct rt_thread *thread, const struct rt_site *site, int device,
                       const struct rt_kernel *kernel);
    /* Runs the kernel, in place of the runtime; called without the lock. The first tool with this hook runs it. */
    void (*run_kernel)(const struct rt_site *site, int device, struct rt_kernel *kernel);
    /* Called with each address or pointer that a target region gets as an argument. */
    void (*pass_argument)(struct rt_thread *thread, uint64_t value);
    /* Called when a pointer to absent data becomes null: the argument of a kernel with the value `target`
     * (pass_null), or the device's copy of the pointer at `host` (store_null). end_nulls: the construct of such
     * arguments ends. */
    void (*pass_null)(const void *target);
    void (*store_null)(int device, const void *host);
    void (*end_nulls)(const struct rt_site *site);

    /* Called for each event of the core, on a stack of 1 MiB (lib/new_stack.h). */
    void (*event)(const accd_event *event);
    /* Called after the runtime itself wrote to device memory; `host` is the source, NULL if unknown. */
    void (*write)(int device, uint64_t dev, const void *host, uint64_t bytes);
    /* Called when a declared variable is mapped, with its value at the program's start, which the host may have changed
     * since; initial NULL: the variable is unmapped. */
    void (*map_declared)(int device, const char *host, const char *initial, uint64_t bytes);

    /* Called by the core: after it has allocated device memory, before it frees such memory, and before a transfer to
     * the device (send) or to the host (fetch). host: the data on the host; 0 or NULL: the bytes belong to no data, or
     * the core computed them. */
    void (*allocate_memory)(uint64_t dev, uint64_t host, uint64_t bytes);
    void (*free_memory)(uint64_t dev, uint64_t bytes);
    void (*begin_send)(uint64_t dev, const void *host, uint64_t bytes);
    void (*begin_fetch)(uint64_t dev, const void *host, uint64_t bytes);
    /* Called after a routine has allocated device memory, before and after it frees such memory, and before and after a
     * copy. */
    void (*allocate)(int device, uint64_t dev, uint64_t bytes);
    void (*begin_free)(int device, uint64_t dev);
    void (*end_free)(int device, uint64_t dev);
    void (*begin_copy)(const struct rt_copy *copy);
    void (*copy)(const struct rt_copy *copy);
    /* Called after acc_map_data or omp_target_associate_ptr, and before their counterparts. */
    void (*map)(const void *host, uint64_t bytes);
    void (*unmap)(int device, const void *host);
    /* Called when the program gets the device address of data, and when it asks whether data are present. */
    void (*expose)(uint64_t dev);
    void (*query)(int device, const void *host);

    /* Called when the thread begins work in `queue` (RT_ASYNC_SYNC: on the host), and after a wait. */
    void (*begin_operation)(struct rt_thread *thread, int queue);
    void (*wait)(const struct rt_wait *wait);
    /* Called when the program makes a task that waits for those of `depend`; NULL: for none. Sets *epoch_p, its place
     * in the order of work. */
    void (*begin_task)(void **depend, struct rt_epoch *epoch_p);

    /* Called after modules were loaded or unloaded. */
    void (*load_modules)(void);
    /* Called at a fork, in this order: before it, and after it in the parent and in the child. */
    void (*fork)(enum rt_fork_phase phase);
    /* Called for each finding about the program, with the lock of diagnostics; maybe without the other one. */
    void (*find)(const struct rt_finding *finding);
};

/* Names of all hooks. */
/* clang-format off */
#define RT_HOOKS(X) \
    X(open) X(report) X(close) X(finish) X(begin_call) X(end_call) X(end_thread) \
    X(begin_construct) X(end_construct) X(end_region) X(begin_kernel) X(end_kernel) X(run_kernel) X(pass_argument) \
    X(pass_null) X(store_null) X(end_nulls) X(event) X(write) X(map_declared) \
    X(allocate_memory) X(free_memory) X(begin_send) X(begin_fetch) X(allocate) \
    X(begin_free) X(end_free) X(begin_copy) X(copy) X(map) X(unmap) X(expose) X(query) X(begin_operation) X(wait) \
    X(begin_task) X(load_modules) X(fork) X(find)
/* clang-format on */

enum { RT_TOOLS_MAX = 15 };

/* The hooks of all tools: for each hook a list that ends with NULL. */
struct rt_hooks {
#define RT_HOOK_LIST(name) __typeof__(((struct rt_tool *)0)->name) name[RT_TOOLS_MAX + 1];
    RT_HOOKS(RT_HOOK_LIST)
#undef RT_HOOK_LIST
};
extern struct rt_hooks rt_hooks;

/* Adds the hooks of a tool after those of earlier tools; at most RT_TOOLS_MAX tools can be added. */
void rt_add_tool(const struct rt_tool *tool);

/* Adds events of the core, a bit for each, to those that tools need. */
void rt_need_events(unsigned events);
unsigned rt_get_event_needs(void); /* returns the events of the core that tools need, a bit for each */

/* True if a tool has the hook `name`. */
#define RT_HAS_HOOK(name) __builtin_expect(rt_hooks.name[0] != NULL, 0)

/* Calls the hook `name` of all tools, in their order. */
#define RT_CALL_HOOKS(name, ...)                                                           \
    do {                                                                                   \
        for (size_t hook_ = 0; __builtin_expect(rt_hooks.name[hook_] != NULL, 0); hook_++) \
            rt_hooks.name[hook_](__VA_ARGS__);                                             \
    } while (0)

#endif
