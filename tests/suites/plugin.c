/*
 * A simulated discrete device for the libgomp of gcc 12, so that OpenACC programs run on stock
 * libgomp without an accelerator. libgomp opens "libgomp-plugin-nvptx.so.1" by its bare name, which
 * LD_LIBRARY_PATH leads here. The device says NATIVE_EXEC and not SHARED_MEM: kernels are the
 * functions that gcc made for the host, called with device addresses; all data is copied.
 *
 * Memory of the device is poisoned when allocated and closed for good when freed, so that neither
 * data that was never copied nor data that is gone looks right. Queues do everything at once. The
 * events of the profiling interface that plugins raise, for allocations and launches, are missing:
 * tests that wait for them fail here.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct addr_pair;
struct rt_asyncqueue;
typedef void kernel(void *);

union rt_property_value {
    const char *ptr;
    size_t val;
};

/* The interface libgomp 12 wants of a plugin. */
const char *GOMP_OFFLOAD_get_name(void);
unsigned GOMP_OFFLOAD_get_caps(void);
int GOMP_OFFLOAD_get_type(void);
int GOMP_OFFLOAD_get_num_devices(void);
unsigned GOMP_OFFLOAD_version(void);
bool GOMP_OFFLOAD_init_device(int device);
bool GOMP_OFFLOAD_fini_device(int device);
int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *image,
                            struct addr_pair **table);
bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *image);
void *GOMP_OFFLOAD_alloc(int device, size_t size);
bool GOMP_OFFLOAD_free(int device, void *address);
bool GOMP_OFFLOAD_dev2host(int device, void *to, const void *from, size_t size);
bool GOMP_OFFLOAD_host2dev(int device, void *to, const void *from, size_t size);
bool GOMP_OFFLOAD_dev2dev(int device, void *to, const void *from, size_t size);
bool GOMP_OFFLOAD_can_run(void *function);
void GOMP_OFFLOAD_run(int device, void *function, void *variables, void **arguments);
void GOMP_OFFLOAD_openacc_exec(kernel *run, size_t count, void **host, void **device,
                               unsigned *dimensions, void *data);
void *GOMP_OFFLOAD_openacc_create_thread_data(int device);
void GOMP_OFFLOAD_openacc_destroy_thread_data(void *data);
struct rt_asyncqueue *GOMP_OFFLOAD_openacc_async_construct(int device);
bool GOMP_OFFLOAD_openacc_async_destruct(struct rt_asyncqueue *queue);
int GOMP_OFFLOAD_openacc_async_test(struct rt_asyncqueue *queue);
bool GOMP_OFFLOAD_openacc_async_synchronize(struct rt_asyncqueue *queue);
bool GOMP_OFFLOAD_openacc_async_serialize(struct rt_asyncqueue *first,
                                          struct rt_asyncqueue *second);
void GOMP_OFFLOAD_openacc_async_queue_callback(struct rt_asyncqueue *queue,
                                               void (*callback)(void *), void *data);
void GOMP_OFFLOAD_openacc_async_exec(kernel *run, size_t count, void **host, void **device,
                                     unsigned *dimensions, void *data,
                                     struct rt_asyncqueue *queue);
bool GOMP_OFFLOAD_openacc_async_dev2host(int device, void *to, const void *from, size_t size,
                                         struct rt_asyncqueue *queue);
bool GOMP_OFFLOAD_openacc_async_host2dev(int device, void *to, const void *from, size_t size,
                                         struct rt_asyncqueue *queue);
union rt_property_value GOMP_OFFLOAD_openacc_get_property(int device, int property);

/* What libgomp gives plugins: prints a message after "libgomp: ". */
void GOMP_PLUGIN_error(const char *format, ...);

enum { NATIVE_EXEC = 2, OPENMP_400 = 4, OPENACC_200 = 8 };
enum { TYPE_NVIDIA = 5, PLUGIN_VERSION = 1, POISON = 0x7f };
enum {
    PROPERTY_MEMORY = 1,
    PROPERTY_FREE_MEMORY,
    PROPERTY_NAME = 0x10001,
    PROPERTY_VENDOR,
    PROPERTY_DRIVER
};
static const size_t device_memory = (size_t)1 << 32;

#ifdef PLAIN
/* For measurements of libgomp itself: nothing is checked, everything is quick. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const size_t memory_used;

static void *take(size_t size) { return malloc(size > 0 ? size : 1); }

static bool give_back(void *address)
{
    free(address);
    return true;
}

static const char *wrong_with(const void *host, const void *device, size_t size)
{
    (void)host, (void)device, (void)size;
    return NULL;
}
#else
/* Live allocations, the newest last. */
struct block {
    uintptr_t start;
    size_t size;   /* as asked for */
    size_t mapped; /* whole pages, more than size: the last page is closed */
};
static struct block *blocks;
static size_t block_count, block_room, memory_used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *block_of(uintptr_t address)
{
    for (size_t i = block_count; i-- > 0;)
        if (address - blocks[i].start < blocks[i].size)
            return &blocks[i];
    return NULL;
}

static void *take(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t open = (size + page - 1) / page * page;

    if (open < size || open > device_memory - memory_used)
        return NULL;
    if (block_count == block_room) {
        size_t room = block_room == 0 ? 64 : 2 * block_room;
        struct block *more = realloc(blocks, room * sizeof *more);
        if (more == NULL)
            return NULL;
        blocks = more;
        block_room = room;
    }
    char *start = mmap(NULL, open + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (open > 0 && mprotect(start, open, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, open + page);
        return NULL;
    }
    memset(start, POISON, open);
    blocks[block_count++] = (struct block){(uintptr_t)start, size > 0 ? size : 1, open + page};
    memory_used += open;
    return start;
}

/* The pages stay closed: their addresses never come back. */
static bool give_back(void *address)
{
    struct block *block = block_of((uintptr_t)address);

    if (block == NULL || block->start != (uintptr_t)address)
        return false;
    memory_used -= block->mapped - (size_t)sysconf(_SC_PAGESIZE);
    void *closed = mmap(address, block->mapped, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    *block = blocks[--block_count];
    return closed != MAP_FAILED;
}

static const char *wrong_with(const void *host, const void *device, size_t size)
{
    if (host == NULL)
        return "invalid host address";
    if (device == NULL)
        return "invalid device address";
    if (host == device)
        return "invalid host or device address";
    const struct block *block = block_of((uintptr_t)device);
    if (block == NULL)
        return "invalid device address";
    if (size > block->size - ((uintptr_t)device - block->start))
        return "invalid size";
    return NULL;
}
#endif

static bool is_copy_right(const void *host, const void *device, size_t size)
{
    if (size == 0)
        return true;
    pthread_mutex_lock(&lock);
    const char *wrong = wrong_with(host, device, size);
    pthread_mutex_unlock(&lock);
    if (wrong != NULL)
        GOMP_PLUGIN_error("%s", wrong);
    return wrong == NULL;
}

const char *GOMP_OFFLOAD_get_name(void)
{
    return "nvptx"; /* by this name libgomp knows the device type "nvidia" */
}

unsigned GOMP_OFFLOAD_get_caps(void)
{
    return NATIVE_EXEC | OPENMP_400 | OPENACC_200;
}

int GOMP_OFFLOAD_get_type(void)
{
    return TYPE_NVIDIA;
}

int GOMP_OFFLOAD_get_num_devices(void)
{
    return 1;
}

unsigned GOMP_OFFLOAD_version(void)
{
    return PLUGIN_VERSION;
}

bool GOMP_OFFLOAD_init_device(int device)
{
    return device == 0;
}

bool GOMP_OFFLOAD_fini_device(int device)
{
    return device == 0;
}

/* Programs come without images (-foffload=disable): there is none to load. */
int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *image,
                            struct addr_pair **table)
{
    (void)device, (void)version, (void)image, (void)table;
    return -1;
}

bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *image)
{
    (void)device, (void)version, (void)image;
    return false;
}

void *GOMP_OFFLOAD_alloc(int device, size_t size)
{
    (void)device;
    pthread_mutex_lock(&lock);
    void *start = take(size);
    pthread_mutex_unlock(&lock);
    return start;
}

bool GOMP_OFFLOAD_free(int device, void *address)
{
    (void)device;
    pthread_mutex_lock(&lock);
    bool done = give_back(address);
    pthread_mutex_unlock(&lock);
    if (!done)
        GOMP_PLUGIN_error("invalid device address");
    return done;
}

bool GOMP_OFFLOAD_dev2host(int device, void *to, const void *from, size_t size)
{
    (void)device;
    if (!is_copy_right(to, from, size))
        return false;
    memcpy(to, from, size);
    return true;
}

bool GOMP_OFFLOAD_host2dev(int device, void *to, const void *from, size_t size)
{
    (void)device;
    if (!is_copy_right(from, to, size))
        return false;
    memcpy(to, from, size);
    return true;
}

bool GOMP_OFFLOAD_dev2dev(int device, void *to, const void *from, size_t size)
{
    (void)device;
    memmove(to, from, size);
    return true;
}

bool GOMP_OFFLOAD_can_run(void *function)
{
    return function != NULL;
}

void GOMP_OFFLOAD_run(int device, void *function, void *variables, void **arguments)
{
    (void)device, (void)arguments;
    kernel *run;
    memcpy(&run, &function, sizeof run);
    run(variables);
}

/* What is not on the device (no_create) keeps its host address, as with the plugins of gcc. */
void GOMP_OFFLOAD_openacc_exec(kernel *run, size_t count, void **host, void **device,
                               unsigned *dimensions, void *data)
{
    (void)dimensions, (void)data;
    for (size_t i = 0; i < count; i++)
        if (device[i] == NULL)
            device[i] = host[i];
    run(device);
}

/* libgomp takes NULL for "none yet": an address that is never read stands for the data. */
void *GOMP_OFFLOAD_openacc_create_thread_data(int device)
{
    (void)device;
    return &lock;
}

void GOMP_OFFLOAD_openacc_destroy_thread_data(void *data)
{
    (void)data;
}

struct rt_asyncqueue *GOMP_OFFLOAD_openacc_async_construct(int device)
{
    (void)device;
    return malloc(1);
}

bool GOMP_OFFLOAD_openacc_async_destruct(struct rt_asyncqueue *queue)
{
    free(queue);
    return true;
}

int GOMP_OFFLOAD_openacc_async_test(struct rt_asyncqueue *queue)
{
    (void)queue;
    return 1;
}

bool GOMP_OFFLOAD_openacc_async_synchronize(struct rt_asyncqueue *queue)
{
    (void)queue;
    return true;
}

bool GOMP_OFFLOAD_openacc_async_serialize(struct rt_asyncqueue *first,
                                          struct rt_asyncqueue *second)
{
    (void)first, (void)second;
    return true;
}

void GOMP_OFFLOAD_openacc_async_queue_callback(struct rt_asyncqueue *queue,
                                               void (*callback)(void *), void *data)
{
    (void)queue;
    callback(data);
}

void GOMP_OFFLOAD_openacc_async_exec(kernel *run, size_t count, void **host, void **device,
                                     unsigned *dimensions, void *data,
                                     struct rt_asyncqueue *queue)
{
    (void)queue;
    GOMP_OFFLOAD_openacc_exec(run, count, host, device, dimensions, data);
}

bool GOMP_OFFLOAD_openacc_async_dev2host(int device, void *to, const void *from, size_t size,
                                         struct rt_asyncqueue *queue)
{
    (void)queue;
    return GOMP_OFFLOAD_dev2host(device, to, from, size);
}

bool GOMP_OFFLOAD_openacc_async_host2dev(int device, void *to, const void *from, size_t size,
                                         struct rt_asyncqueue *queue)
{
    (void)queue;
    return GOMP_OFFLOAD_host2dev(device, to, from, size);
}

union rt_property_value GOMP_OFFLOAD_openacc_get_property(int device, int property)
{
    union rt_property_value value = {.val = 0};

    (void)device;
    switch (property) {
    case PROPERTY_MEMORY:
        value.val = device_memory;
        break;
    case PROPERTY_FREE_MEMORY:
        pthread_mutex_lock(&lock);
        value.val = device_memory - memory_used;
        pthread_mutex_unlock(&lock);
        break;
    case PROPERTY_NAME:
        value.ptr = "simulated discrete device";
        break;
    case PROPERTY_VENDOR:
        value.ptr = "accdeep";
        break;
    case PROPERTY_DRIVER:
        value.ptr = "1.0";
        break;
    default:
        break;
    }
    return value;
}
