/* standin.c - a stand-in for the CUDA driver, libcuda.so.1, in host memory: tests of the backend on
 * machines without a GPU load it instead.
 *
 * It is stricter than a driver: see standin_memory.c for memory, standin_stream.c for work. Copies
 * must lie in live allocations of the current context, the kernel that moves pieces is checked piece by
 * piece and leaves a sticky error behind. After a fork it is not started.
 *
 * ACCDEEP_STANDIN_DEVICES     how many devices there are (1)
 * ACCDEEP_STANDIN_BYTES       memory of each (32 GiB, of which what is used is there)
 * ACCDEEP_STANDIN_FAIL        NAME:N[:ERROR] the N-th call of NAME (*: of any) fails
 * ACCDEEP_STANDIN_POLLS       the N-th query in a row that finds work left does it first (2; 0: none does)
 * ACCDEEP_STANDIN_COUNTS      a file that gets, at the end, how often each entry point was called
 *
 * Built with STANDIN_VERSION=11010 it is a driver without pools and batches; with 12080, the usual one, it
 * has the batches of that time; with 13000 those of today. */
#include "standin_driver.h"

pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
struct standin standin;
static __thread struct {
    struct cu_context_object *stack[NESTING];
    int depth;
} thread;

struct cu_context_object *standin_current(void)
{
    return thread.depth ? thread.stack[thread.depth - 1] : NULL;
}

/* ----------------------------------------------------------------------- counts and failures -- */

#define SAME_NAME(symbol, parameters) #symbol,
static const char *const names[] = {ACCD_CUDA_REQUIRED(SAME_NAME) ACCD_CUDA_OPTIONAL(SAME_NAME)};
enum { NAMES = sizeof names / sizeof names[0] };
static uint64_t counts[NAMES], total;
static struct {
    char name[64];
    uint64_t left;
    int error;
} planned;

const char *standin_setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* A process that has forked cannot go on with the driver of its parent. */
static bool forked;
static void note_fork(void)
{
    forked = true;
}

static void write_counts(void)
{
    const char *path = getenv("ACCDEEP_STANDIN_COUNTS");
    FILE *file = path && !forked ? fopen(path, "w") : NULL;
    for (int i = 0; file && i < NAMES; i++)
        if (counts[i])
            fprintf(file, "%s %llu\n", names[i], (unsigned long long)counts[i]);
    if (file)
        fclose(file);
}

static uint64_t all_bytes(void)
{
    return strtoull(standin_setting("ACCDEEP_STANDIN_BYTES", "34359738368"), NULL, 10);
}

static void start(void)
{
    char plan[64];
    standin.started = true;
    if (pthread_atfork(NULL, NULL, note_fork))
        abort();
    standin.devices = atoi(standin_setting("ACCDEEP_STANDIN_DEVICES", "1"));
    standin.room = all_bytes();
    standin.polls = (unsigned)atoi(standin_setting("ACCDEEP_STANDIN_POLLS", "2"));
    standin_start_memory();
    snprintf(plan, sizeof plan, "%s", standin_setting("ACCDEEP_STANDIN_FAIL", ""));
    if (sscanf(plan, "%63[^:]:%llu:%d", planned.name, (unsigned long long *)&planned.left, &planned.error) < 2)
        planned.left = 0;
    atexit(write_counts);
}

/* What a call gives before it does anything; 0: it may go on. */
cu_result standin_entered(int number, int usual)
{
    const char *name = names[number];
    if (!standin.started || forked)
        return CU_NOT_INITIALIZED;
    counts[number]++;
    total++;
    if (planned.left && (!strcmp(planned.name, "*") || !strcmp(planned.name, name)) && --planned.left == 0) {
        int error = planned.error ? planned.error : usual;
        bool sticky = error == CU_ILLEGAL_ADDRESS || error == CU_LAUNCH_FAILED;
        return sticky && thread.depth ? standin_lose(standin_current(), error) : error;
    }
    return thread.depth ? standin_current()->sticky : CU_OK;
}

int standin_number_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(names[i], name))
            return i;
    abort();
}

DRIVER uint64_t standin_count(const char *name);
DRIVER uint64_t standin_count(const char *name)
{
    return strcmp(name, "*") ? counts[standin_number_of(name)] : total;
}

DRIVER void standin_fail(const char *name, uint64_t n, int error);
DRIVER void standin_fail(const char *name, uint64_t n, int error)
{
    snprintf(planned.name, sizeof planned.name, "%s", name);
    planned.left = n;
    planned.error = error;
}

DRIVER int standin_pending(void);
DRIVER int standin_pending(void)
{
    return planned.left != 0;
}

DRIVER void standin_reset(void);
DRIVER void standin_reset(void)
{
    memset(counts, 0, sizeof counts);
    total = planned.left = 0;
    for (int i = 0; i < DEVICES; i++)
        standin.contexts[i].sticky = 0;
}

DRIVER uint64_t standin_live(void);
DRIVER uint64_t standin_live(void)
{
    uint64_t live = standin.live + standin.nallocations;
    for (int i = 0; i < DEVICES; i++)
        live += (uint64_t)standin.contexts[i].users;
    return live;
}

DRIVER void standin_room(uint64_t bytes);
DRIVER void standin_room(uint64_t bytes)
{
    standin.room = bytes ? bytes : all_bytes();
}

struct made {
    struct made *next, **at;
    max_align_t object[];
};
static struct made *made_first;

void *standin_make(size_t bytes)
{
    struct made *made = calloc(1, sizeof *made + bytes);
    if (!made)
        abort();
    made->next = made_first;
    made->at = &made_first;
    if (made_first)
        made_first->at = &made->next;
    made_first = made;
    standin.live++;
    return made->object;
}

void standin_unmake(void *object)
{
    struct made *made = (struct made *)(void *)((char *)object - offsetof(struct made, object));
    *made->at = made->next;
    if (made->next)
        made->next->at = made->at;
    free(made);
    standin.live--;
}

/* ------------------------------------------------------------------------------ entry points -- */

cu_result cuInit(unsigned flags)
{
    pthread_mutex_lock(&standin_lock);
    if (!standin.started)
        start();
    pthread_mutex_unlock(&standin_lock);
    BEGIN(cuInit, CU_UNKNOWN)
    if (flags)
        result = CU_INVALID_VALUE;
    else if (!standin.devices)
        result = CU_NO_DEVICE;
    END;
}

cu_result cuDriverGetVersion(int *version)
{
    *version = STANDIN_VERSION;
    return CU_OK;
}

static const struct {
    int error;
    const char *name, *text;
} errors[] = {
    {CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CU_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CU_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CU_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CU_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static cu_result describe(int error, const char **text, bool name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error) {
            *text = name ? errors[i].name : errors[i].text;
            return CU_OK;
        }
    *text = NULL;
    return CU_INVALID_VALUE;
}

cu_result cuGetErrorName(cu_result error, const char **text)
{
    return describe(error, text, true);
}
cu_result cuGetErrorString(cu_result error, const char **text)
{
    return describe(error, text, false);
}

cu_result cuDeviceGetCount(int *count)
{
    BEGIN(cuDeviceGetCount, CU_UNKNOWN)
    *count = standin.devices;
    END;
}

cu_result cuDeviceGet(cu_device *device, int at)
{
    BEGIN(cuDeviceGet, CU_UNKNOWN)
    if (at < 0 || at >= standin.devices)
        result = CU_INVALID_DEVICE;
    else
        *device = at;
    END;
}

cu_result cuDeviceGetName(char *name, int room, cu_device device)
{
    BEGIN(cuDeviceGetName, CU_UNKNOWN)
    snprintf(name, (size_t)room, "stand-in %d", device);
    END;
}

cu_result cuDeviceGetAttribute(int *value, cu_attribute attribute, cu_device device)
{
    BEGIN(cuDeviceGetAttribute, CU_UNKNOWN)
    if (device >= standin.devices)
        result = CU_INVALID_VALUE;
    else if (attribute == CU_MEMORY_POOLS_SUPPORTED)
        *value = 1;
    else if (attribute == CU_MULTIPROCESSORS)
        *value = 2;
    else if (attribute == CU_CAPABILITY_MAJOR)
        *value = STANDIN_VERSION >= 13000 ? 12 : 9; /* the stand-in of NVRTC knows 9.0 best */
    else if (attribute == CU_CAPABILITY_MINOR)
        *value = 0;
    else
        result = CU_INVALID_VALUE;
    END;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
    BEGIN(cuDeviceTotalMem_v2, CU_UNKNOWN)
    (void)device;
    *bytes = standin.room;
    END;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
    BEGIN(cuDevicePrimaryCtxRetain, CU_OUT_OF_MEMORY)
    *context = &standin.contexts[device];
    standin.contexts[device].users++;
    END;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    BEGIN(cuDevicePrimaryCtxRelease_v2, CU_OK)
    if (--standin.contexts[device].users == 0)
        standin_end_context(&standin.contexts[device]);
    END;
}

cu_result cuCtxPushCurrent_v2(cu_context context)
{
    BEGIN(cuCtxPushCurrent_v2, CU_INVALID_CONTEXT)
    if (context->sticky)
        result = context->sticky;
    else if (!context->users || thread.depth == NESTING)
        result = CU_INVALID_CONTEXT;
    else
        thread.stack[thread.depth++] = context;
    END;
}

cu_result cuCtxPopCurrent_v2(cu_context *context) /* also from a context that is lost */
{
    if (!thread.depth)
        return CU_INVALID_CONTEXT;
    *context = thread.stack[--thread.depth];
    return CU_OK;
}

cu_result cuModuleLoadData(cu_module *module, const void *image)
{
    BEGIN(cuModuleLoadData, CU_INVALID_IMAGE)
    const char *text = image;
    const size_t mark = sizeof STANDIN_IMAGE - 1;
    bool compiled = !strncmp(text, STANDIN_IMAGE, mark);
    void *library = compiled ? dlopen(text + mark, RTLD_NOW | RTLD_LOCAL) : NULL;
    bool ours = !strncmp(text, ".version ", 9) && strstr(text, ".visible .entry accd__move_pieces(");
    if (!standin_current() || (compiled ? !library : !ours)) {
        result = CU_INVALID_IMAGE;
    } else {
        *module = standin_make(sizeof **module);
        (*module)->library = library;
    }
    END;
}

cu_result cuModuleUnload(cu_module module)
{
    BEGIN(cuModuleUnload, CU_INVALID_VALUE)
    if (module->library)
        dlclose(module->library);
    standin_unmake(module);
    END;
}

cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
    BEGIN(cuModuleGetFunction, CU_NOT_FOUND)
    struct cu_function_object *made = &module->functions[module->nfunctions];
    void *kernel = module->library ? dlsym(module->library, name) : NULL;
    void *run = module->library ? dlsym(module->library, "standin_run") : NULL;
    memcpy(&made->kernel, &kernel, sizeof kernel);
    memcpy(&made->run, &run, sizeof run);
    if ((module->library ? !kernel || !run : strcmp(name, "accd__move_pieces") != 0) ||
        module->nfunctions == sizeof module->functions / sizeof module->functions[0]) {
        result = CU_NOT_FOUND;
    } else {
        module->nfunctions++;
        *function = made;
    }
    END;
}

/* Compilers of kernels ask for it without looking whether it is there. */
DRIVER cu_result cuGetExportTable(const void **table, const void *id);
cu_result cuGetExportTable(const void **table, const void *id)
{
    (void)table;
    (void)id;
    return CU_NOT_SUPPORTED;
}
