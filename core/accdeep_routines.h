/* accdeep_routines.h - the routines of OpenACC (acc_*) and OpenMP (omp_*): a table of them, and what a call with its
 * arguments does. The interpreter, the runtime of real programs and lowered programs decide calls with this header
 * alone. It is not installed; its functions may change with each version.
 *
 *     call {routine, addresses, bytes, device numbers}
 *       |  accd__decide_routine: null pointers, zero bytes, absent data, device numbers, memory of the wrong side
 *     step {nothing | construct | map | unmap | allocate | free | copy | fill, on devices and addresses}
 *       |  accd__perform_routine, or the caller itself, between its own checks
 *     result, or an error of the context */
#ifndef ACCDEEP_ROUTINES_H
#define ACCDEEP_ROUTINES_H

#include "accdeep_memory.h"
#include "accdeep_present.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------- table -- */

/* Flags of routines. ASYNC: there is an _async form, whose last argument is an async value. IN_KERNELS: kernels may
 * call the routine. IN_EXPRESSIONS: expressions of C in clauses and bodies may call it. */
enum { ACCD__ROUTINE_ASYNC = 1, ACCD__ROUTINE_IN_KERNELS = 2, ACCD__ROUTINE_IN_EXPRESSIONS = 4 };

/* Routines, in two tables. names: the name, then older names of the same routine. signature: the arguments, and after
 * -> the kind of the result. Kinds of arguments, with the fields of accd__routine_call that they set:
 *   range           address and size of data: address, bytes
 *   host, device    address of data, address in device memory: `address`; the second address of a call: `from`
 *   slot            address of a pointer: address
 *   bytes           number of bytes: bytes
 *   offset          number of bytes after an address: to_offset, the second one from_offset
 *   devnum, number  device number of OpenMP, of OpenACC: device, the second one from_device
 *   value           other number: value
 *   type            type of device (acc_device_t), which scenarios may omit: value
 *   queue, later    async value; that of the queue which waits
 *   box             shape of the elements that omp_target_memcpy_rect copies: box
 * Kinds of results: device and host (addresses), number, truth (0 or not), count (depends on the machine), size.
 *
 * X(NAME, names, flags, signature, kind, action, finalize): a routine that runs a construct of one item; `kind` and
 * `action` without their prefixes. finalize: counters become 0. */
#define ACCD__CONSTRUCT_ROUTINE_MAP(X)                                                                            \
    X(COPYIN, "acc_copyin acc_present_or_copyin acc_pcopyin", ACCD__ROUTINE_ASYNC, "range -> device", ENTER_DATA, \
      COPYIN, 0)                                                                                                  \
    X(CREATE, "acc_create acc_present_or_create acc_pcreate", ACCD__ROUTINE_ASYNC, "range -> device", ENTER_DATA, \
      CREATE, 0)                                                                                                  \
    X(COPYOUT, "acc_copyout", ACCD__ROUTINE_ASYNC, "range", EXIT_DATA, COPYOUT, 0)                                \
    X(COPYOUT_FINALIZE, "acc_copyout_finalize", ACCD__ROUTINE_ASYNC, "range", EXIT_DATA, COPYOUT, 1)              \
    X(DELETE, "acc_delete", ACCD__ROUTINE_ASYNC, "range", EXIT_DATA, DELETE, 0)                                   \
    X(DELETE_FINALIZE, "acc_delete_finalize", ACCD__ROUTINE_ASYNC, "range", EXIT_DATA, DELETE, 1)                 \
    X(UPDATE_DEVICE, "acc_update_device", ACCD__ROUTINE_ASYNC, "range", UPDATE, UPDATE_DEVICE, 0)                 \
    X(UPDATE_SELF, "acc_update_self acc_update_host", ACCD__ROUTINE_ASYNC, "range", UPDATE, UPDATE_SELF, 0)       \
    X(ATTACH, "acc_attach", ACCD__ROUTINE_ASYNC, "slot", ENTER_DATA, ATTACH, 0)                                   \
    X(DETACH, "acc_detach", ACCD__ROUTINE_ASYNC, "slot", EXIT_DATA, DETACH, 0)                                    \
    X(DETACH_FINALIZE, "acc_detach_finalize", ACCD__ROUTINE_ASYNC, "slot", EXIT_DATA, DETACH, 1)
/* X(NAME, names, flags, signature): any other routine. */
#define ACCD__OTHER_ROUTINE_MAP(X)                                                                                    \
    X(IS_PRESENT, "acc_is_present", 0, "range -> truth")                                                              \
    X(DEVICEPTR, "acc_deviceptr", 0, "host -> device")                                                                \
    X(HOSTPTR, "acc_hostptr", 0, "device -> host")                                                                    \
    X(MAP_DATA, "acc_map_data", 0, "host device bytes")                                                               \
    X(UNMAP_DATA, "acc_unmap_data", 0, "host")                                                                        \
    X(MALLOC, "acc_malloc", 0, "bytes -> device")                                                                     \
    X(FREE, "acc_free", 0, "device")                                                                                  \
    X(MEMCPY_TO_DEVICE, "acc_memcpy_to_device", ACCD__ROUTINE_ASYNC, "device host bytes")                             \
    X(MEMCPY_FROM_DEVICE, "acc_memcpy_from_device", ACCD__ROUTINE_ASYNC, "host device bytes")                         \
    X(MEMCPY_DEVICE, "acc_memcpy_device", ACCD__ROUTINE_ASYNC, "device device bytes")                                 \
    X(MEMCPY_D2D, "acc_memcpy_d2d", ACCD__ROUTINE_ASYNC, "host host bytes number number")                             \
    X(SET_DEVICE_NUM, "acc_set_device_num", 0, "number type")                                                         \
    X(GET_DEVICE_NUM, "acc_get_device_num", 0, "type -> number")                                                      \
    X(GET_NUM_DEVICES, "acc_get_num_devices", 0, "type -> count")                                                     \
    X(INIT, "acc_init", 0, "type")                                                                                    \
    X(SHUTDOWN, "acc_shutdown", 0, "type")                                                                            \
    X(ON_DEVICE, "acc_on_device", ACCD__ROUTINE_IN_KERNELS, "type -> truth")                                          \
    X(WAIT, "acc_wait", 0, "queue")                                                                                   \
    X(WAIT_ASYNC, "acc_wait_async", 0, "queue later")                                                                 \
    X(WAIT_ALL, "acc_wait_all", 0, "")                                                                                \
    X(WAIT_ALL_ASYNC, "acc_wait_all_async", 0, "later")                                                               \
    X(ASYNC_TEST, "acc_async_test", 0, "queue -> truth")                                                              \
    X(ASYNC_TEST_ALL, "acc_async_test_all", 0, "-> truth")                                                            \
    X(GET_DEFAULT_ASYNC, "acc_get_default_async", 0, "-> number")                                                     \
    X(SET_DEFAULT_ASYNC, "acc_set_default_async", 0, "queue")                                                         \
    X(OMP_GET_NUM_DEVICES, "omp_get_num_devices omp_get_initial_device", ACCD__ROUTINE_IN_EXPRESSIONS, "-> count")    \
    X(OMP_GET_DEFAULT_DEVICE, "omp_get_default_device", ACCD__ROUTINE_IN_EXPRESSIONS, "-> number")                    \
    X(OMP_SET_DEFAULT_DEVICE, "omp_set_default_device", 0, "devnum")                                                  \
    X(OMP_GET_DEVICE_NUM, "omp_get_device_num", ACCD__ROUTINE_IN_KERNELS | ACCD__ROUTINE_IN_EXPRESSIONS, "-> number") \
    X(OMP_IS_INITIAL_DEVICE, "omp_is_initial_device", ACCD__ROUTINE_IN_KERNELS | ACCD__ROUTINE_IN_EXPRESSIONS,        \
      "-> number")                                                                                                    \
    X(OMP_ALLOC, "omp_target_alloc", 0, "bytes devnum -> device")                                                     \
    X(OMP_FREE, "omp_target_free", 0, "device devnum")                                                                \
    X(OMP_IS_PRESENT, "omp_target_is_present", ACCD__ROUTINE_IN_EXPRESSIONS, "host devnum -> truth")                  \
    X(OMP_IS_ACCESSIBLE, "omp_target_is_accessible", ACCD__ROUTINE_IN_EXPRESSIONS, "host bytes devnum -> truth")      \
    X(OMP_GET_MAPPED_PTR, "omp_get_mapped_ptr", ACCD__ROUTINE_IN_EXPRESSIONS, "host devnum -> device")                \
    X(OMP_MEMCPY, "omp_target_memcpy", ACCD__ROUTINE_ASYNC,                                                           \
      "device device bytes offset offset devnum devnum -> truth")                                                     \
    X(OMP_MEMCPY_RECT, "omp_target_memcpy_rect", ACCD__ROUTINE_ASYNC, "device device box devnum devnum -> truth")     \
    X(OMP_MEMSET, "omp_target_memset", ACCD__ROUTINE_ASYNC, "device value bytes devnum -> device")                    \
    X(OMP_ASSOCIATE_PTR, "omp_target_associate_ptr", 0, "host device bytes offset devnum -> truth")                   \
    X(OMP_DISASSOCIATE_PTR, "omp_target_disassociate_ptr", 0, "host devnum -> truth")

typedef enum accd__routine {
#define ACCD_X(name, names, flags, signature, kind, action, finalize) ACCD__ROUTINE_##name,
    ACCD__CONSTRUCT_ROUTINE_MAP(ACCD_X)
#undef ACCD_X
#define ACCD_X(name, names, flags, signature) ACCD__ROUTINE_##name,
        ACCD__OTHER_ROUTINE_MAP(ACCD_X)
#undef ACCD_X
            ACCD__ROUTINE_COUNT
} accd__routine;

typedef struct accd__routine_info {
    const char *names, *signature;
    uint8_t flags;                  /* ACCD__ROUTINE_x above */
    uint8_t kind, action, finalize; /* the construct; 0 for routines that run none */
} accd__routine_info;

/* Returns the description of a routine, which is constant. */
ACCD_API const accd__routine_info *accd__get_routine(accd__routine routine);
/* Returns the id of the rule that errors of a routine cite; NULL: each error has a rule of its own. */
ACCD_API const char *accd__get_routine_rule_id(accd__routine routine);
/* Returns the routine that `name`, an older name or the name of an _async form means; ACCD__ROUTINE_COUNT: none. */
ACCD_API accd__routine accd__find_routine(const char *name);
/* Returns the help for an error of the routine `name`, also of an _async form; NULL: that of the error's code. */
ACCD_API const char *accd__get_routine_help(const char *name, accd_status status);

/* Returns 1 if the routine runs a construct, of one item, else 0. */
static inline int accd__routine_runs_construct(accd__routine routine)
{
    return routine <= ACCD__ROUTINE_DETACH_FINALIZE;
}

/* ---------------------------------------------------------------------------------- devices -- */

/* Types of devices, numbered as in gcc's openacc.h. CURRENT: the type of the caller's device. */
enum {
    ACCD__DEVICE_CURRENT = -1,
    ACCD__DEVICE_NONE = 0,
    ACCD__DEVICE_DEFAULT = 1,
    ACCD__DEVICE_HOST = 2,
    ACCD__DEVICE_NOT_HOST = 4,
    ACCD__DEVICE_NVIDIA = 5
};
/* Numbers of OpenMP's constants for devices. libomp's omp_invalid_device is -2, libgomp's -4. */
enum { ACCD__OMP_INITIAL_DEVICE = -1, ACCD__OMP_INVALID_DEVICE = -4, ACCD__OMP_DEFAULT_DEVICE = -5 };

/* Returns the number of devices of `type`: one host, and `devices` others; 0 for unknown types. current: type of the
 * caller's device, ACCD__DEVICE_HOST or ACCD__DEVICE_NVIDIA (ACC33-3.2.1-1). */
static inline int accd__count_devices(int type, int current, int devices)
{
    if (type == ACCD__DEVICE_CURRENT)
        type = current;
    return type == ACCD__DEVICE_HOST                                                                      ? 1
           : type == ACCD__DEVICE_DEFAULT || type == ACCD__DEVICE_NOT_HOST || type == ACCD__DEVICE_NVIDIA ? devices
                                                                                                          : 0;
}
/* Returns 1 if code runs on a device of `type`, else 0. in_kernel: the code runs on a device, not on the host
 * (ACC33-3.2.15-1). */
static inline int accd__is_on_device(int type, int in_kernel)
{
    return in_kernel ? type == ACCD__DEVICE_NVIDIA || type == ACCD__DEVICE_NOT_HOST
                     : type == ACCD__DEVICE_HOST || type == ACCD__DEVICE_NONE;
}

/* Numbers of a device that accd__find_omp_device returns besides those of devices. */
enum { ACCD__HOST_DEVICE = -1, ACCD__NO_SUCH_DEVICE = -2 };
/* Returns the device that a device number of OpenMP means, ACCD__HOST_DEVICE or ACCD__NO_SUCH_DEVICE. devices: number
 * of devices, and number of the host; usual: the device that omp_default_device means (OMP60-api-2). */
static inline int accd__find_omp_device(int64_t number, int devices, int usual)
{
    if (number == ACCD__OMP_DEFAULT_DEVICE)
        number = usual;
    return number == ACCD__OMP_INITIAL_DEVICE || number == devices ? ACCD__HOST_DEVICE
           : number >= 0 && number < devices                       ? (int)number
                                                                   : ACCD__NO_SUCH_DEVICE;
}

/* Async values that name no queue of their own: the default queue, and no queue (synchronous). */
enum { ACCD__ASYNC_NOVAL = -1, ACCD__ASYNC_SYNC = -2 };
/* Returns 1 if `value` is an async value of a program, else 0 (ACC33-async-1). */
static inline int accd__is_async_value(int64_t value)
{
    return value >= ACCD__ASYNC_SYNC;
}

/* ------------------------------------------------------------------------------------ calls -- */

/* Box of elements in two arrays of `rank` dimensions, for omp_target_memcpy_rect. The arrays have `rank` numbers of
 * elements each; the last dimension varies fastest. */
typedef struct accd__routine_box {
    size_t element; /* bytes of an element */
    int64_t rank;
    const size_t *volume, *to_offsets, *from_offsets, *to_dimensions, *from_dimensions;
} accd__routine_box;
#define ACCD__MAX_BOX_RANK 32

/* Call of a routine. The routine's signature says which of the arguments (from `address` on) it uses. */
typedef struct accd__routine_call {
    accd__routine routine;
    int current;    /* device of the caller; -1: the host, whose memory routines of OpenACC share (ACC33-gloss-2) */
    int devices;    /* number of devices, which is also the host's number in OpenMP */
    int usual;      /* device that omp_default_device means, and a negative number in OpenACC */
    int invalid;    /* omp_invalid_device of the program's compiler */
    unsigned queue; /* queue (accd_queue_get) for the routine's work; 0: the work is complete on return */
    const accd_label *label; /* name of the data, and location of the call; NULL: not known */
    uint64_t address, from, bytes, to_offset, from_offset;
    int64_t device, from_device, value;
    const accd__routine_box *box;
    /* acc_attach and acc_detach of a Fortran descriptor: its size; the bytes at `from` must be present for an attach.
     * 0: a plain pointer. */
    uint32_t slot_bytes;
} accd__routine_call;

typedef enum accd__routine_operation {
    ACCD__DO_NOTHING,
    ACCD__DO_CONSTRUCT, /* the construct of accd__routine_info, with `item`, on `device` */
    ACCD__DO_MAP,       /* maps `bytes` bytes at the host address `address` to `from` in device memory */
    ACCD__DO_UNMAP,     /* ends the mapping of the host address `address` */
    ACCD__DO_ALLOCATE,  /* allocates `bytes` bytes */
    ACCD__DO_FREE,      /* frees the memory at `address` */
    ACCD__DO_COPY,      /* copies from `from` to `address`, in one piece or in rows */
    ACCD__DO_FILL       /* sets `bytes` bytes at `address` to the call's value */
} accd__routine_operation;

/* Step that a call takes, and its result. */
typedef struct accd__routine_step {
    accd__routine_operation operation;
    int device, from_device; /* devices of `address` and, of a copy, `from`; -1: the host */
    uint64_t address, from, bytes;
    accd_item item;
    uint64_t result; /* result of the routine; until accd__perform_routine, that of DO_NOTHING */
} accd__routine_step;

/* Decides in *step_p what a call does under the rules of the context; nothing is changed. Fails with the error of a
 * call that must not happen: null pointers, wrong devices, memory that is not allocated or of the wrong side. Where the
 * standards define a result for a wrong argument (a null pointer, EINVAL), the step does nothing and has that result.
 * Routines of queues, and those that ask for devices, are not decided here (ACC33-3.2.18-1 to ACC33-3.2.30-1,
 * OMP60-api-2 to OMP60-api-13). */
ACCD_API accd_status accd__decide_routine(accd_context *context, const accd__routine_call *call,
                                          accd__routine_step *step_p);
/* Does a step, and sets step->result. Not for steps that allocate or free memory of the host. Returns the errors of the
 * core's functions, under the rule of the routine. */
ACCD_API accd_status accd__perform_routine(accd_context *context, const accd__routine_call *call,
                                           accd__routine_step *step);

/* Piece of a step that copies or fills: contiguous bytes. */
typedef struct accd__piece {
    uint64_t to, from, bytes;
    int to_device, from_device; /* -1: the host */
} accd__piece;
typedef accd_status accd__piece_fn(void *ud, const accd__piece *piece);
/* Calls fn(ud, piece) for each piece of a step that copies or fills, in order. Stops at the first error, and returns
 * it. */
ACCD_API accd_status accd__for_each_piece(const accd__routine_call *call, const accd__routine_step *step,
                                          accd__piece_fn *fn, void *ud);
/* Copies a piece, for `routine`, at once. Bytes from one device to another pass through the host. Returns the errors of
 * accd_copy_to_device, under the rule of the routine. */
ACCD_API accd_status accd__copy_piece(accd_context *context, accd__routine routine, const accd__piece *piece);

/* Returns 1 if a data routine with these arguments runs its construct under all rules; 0: accd__decide_routine says
 * what it does. */
static inline int accd__is_plain_range(const void *host, uint64_t bytes)
{
    return host && bytes;
}
/* Returns 1 if all `bytes` bytes at `host` are present on `device`, or if `device` is -1, the host; else 0
 * (ACC33-3.2.26-1). */
static inline int accd__is_range_present(accd_context *context, int device, const void *host, uint64_t bytes)
{
    return device < 0 || accd_get_presence(context, device, host, bytes) == ACCD_PRESENCE_FULL;
}

#ifdef __cplusplus
}
#endif

#endif
