/* accdeep_tool.h - tools for `accdeep exec --tool FILE.so`. A tool is a shared library that observes an OpenACC or
 * OpenMP program: its constructs, transfers, kernels and waits. It is not linked with accdeep, and needs this header
 * and accdeep_core.h only. examples/tools.md shows one.
 *
 * The library defines accdeep_tool_start, which fills in the callbacks. They are called one at a time, with a lock held
 * that each call of the program needs: a callback must not use directives or acc_* and omp_* routines. All pointers
 * that a callback gets are valid during the callback, except for names of files and functions, which stay valid. */
#ifndef ACCDEEP_TOOL_H
#define ACCDEEP_TOOL_H

#include "accdeep_core.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call of the program during which something happens. */
typedef struct accd_tool_call {
    size_t struct_size;
    const char *construct; /* directive or routine, for example "enter data" or "acc_copyin"; "": no call, at the end */
    uintptr_t address;     /* return address in the program, for find_line; 0: no call */
    uint64_t thread;       /* number of the thread, from 1 */
    int device;            /* current device of the thread */
} accd_tool_call;

/* Functions of the runtime that callbacks may call. */
typedef struct accd_tool_functions {
    size_t struct_size;
    const char *version; /* version of accdeep */
    /* Finds the source line of an address in the program. Stores the file and the line, and the function if function_p
     * is not NULL. Returns 0 without debug information, 1 otherwise. */
    int (*find_line)(uintptr_t address, const char **file_p, int *line_p, const char **function_p);
    /* Writes the name of an event's data ("v.data[0:4]") to `name`, of `capacity` bytes; "" if it has none. */
    void (*get_name)(const accd_event *event, char *name, size_t capacity);
    /* Returns the device address of present data; 0 if the byte at `host` is absent. */
    uint64_t (*get_device_address)(int device, const void *host);
    /* Reports a note about the program, like the runtime's own: to stderr and to the file of --report. code: for
     * example "my-tool"; address: place in the program, 0: none. */
    void (*report)(const char *code, uintptr_t address, const char *message);
} accd_tool_functions;

/* Callbacks of a tool; one that is NULL is not called. */
typedef struct accd_tool {
    size_t struct_size; /* set by the runtime: larger in later versions */
    const char *name;   /* name of the tool */
    /* Called before and after a construct. items: its data, with their actions. */
    void (*begin_construct)(const accd_tool_call *call, accd_construct_kind kind, const accd_item *items, size_t n);
    void (*end_construct)(const accd_tool_call *call, accd_construct_kind kind, const accd_item *items, size_t n);
    /* Called before and after a kernel. */
    void (*begin_kernel)(const accd_tool_call *call);
    void (*end_kernel)(const accd_tool_call *call);
    /* Something that the core did: an allocation, a transfer, a free, an attachment. */
    void (*event)(const accd_tool_call *call, const accd_event *event);
    /* A queue (`async`; ACCD_SYNCHRONOUS: the host) waits for `queue` (ACCD_SYNCHRONOUS: for all queues or tasks). */
    void (*wait)(const accd_tool_call *call, int64_t async, int64_t queue);
    /* A routine allocates or frees device memory, or copies `bytes` bytes between any two addresses. */
    void (*allocate)(const accd_tool_call *call, uint64_t address, uint64_t bytes);
    void (*free)(const accd_tool_call *call, uint64_t address);
    void (*copy)(const accd_tool_call *call, uint64_t to, uint64_t from, uint64_t bytes);
    /* A finding of accdeep, for example of --strict. */
    void (*finding)(const char *message);
    /* The program ends. Not called if it is killed, or after an error. */
    void (*finish)(void);
} accd_tool;

/* Defined by the library of a tool; called once, at the first directive. `functions` stays valid. Sets the callbacks of
 * *tool, whose other fields are set. Returns 0; any other value ends the program with an error. */
int accdeep_tool_start(const accd_tool_functions *functions, accd_tool *tool);

#ifdef __cplusplus
}
#endif

#endif
