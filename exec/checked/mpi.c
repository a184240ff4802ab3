/* mpi.c - MPI's functions that read or write memory of their caller. The functions here check these accesses,
 * and call the MPI library's function of the same name.
 *
 * Handles are pointers in Open MPI and numbers in MPICH. Both pass each argument in a word, so the functions
 * here take words and pass them on unchanged. Fortran's handles are numbers; Open MPI has functions that
 * translate them.
 *
 * A function may receive less than its count. So a receive buffer is copied before the call and compared
 * afterwards: bytes that have changed were written. Bytes that have not changed may have been written, too;
 * to avoid false reports they become valid. Libraries with support for GPUs take device addresses, too. Such
 * a message is checked as an access to device memory. */
#include "fast_path.h"
#include "libc_calls.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word; /* any argument of an MPI function: a number, a handle or an address */

/* Returns the symbol `name` of the loaded libraries; NULL if no library has it. */
static void *find_mpi_function(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* Calls the function `name` of the MPI library, with arguments of the types `types`. If no library has the
 * function, nothing is called, and the variables for its results stay as they are. */
#define ASK(name, types, ...)                            \
    do {                                                 \
        static void *function;                           \
        if (!function)                                   \
            function = find_mpi_function(#name);         \
        if (function)                                    \
            ((int(*) types)(word)function)(__VA_ARGS__); \
    } while (0)

/* Returns the rank of the process in the communicator `comm` (a handle of C); -1 without an MPI library. */
static int get_comm_rank(word comm)
{
    int rank = -1;
    ASK(MPI_Comm_rank, (word, int *), comm, &rank);
    return rank;
}

/* Returns the number of processes of a communicator; 0 without an MPI library. */
static int get_comm_size(word comm)
{
    int size = 0;
    ASK(MPI_Comm_size, (word, int *), comm, &size);
    return size;
}

/* ------------------------------------------------------------------------------------- types -- */

/* Datatype of MPI, with the communicator of the call that uses it. */
struct type {
    word handle, comm;
    int size; /* bytes of one element, without gaps */
    /* first byte, relative to an element's address, and size of the element; true_low and true_extent: the
     * same without gaps at the ends of the element */
    long low, extent, true_low, true_extent;
};

/* Returns the MPI datatype `handle` with its sizes, for a call in the communicator `comm`; size 0 without an
 * MPI library. */
static struct type get_type(word handle, word comm)
{
    struct type type = {.handle = handle, .comm = comm};
    ASK(MPI_Type_size, (word, int *), handle, &type.size);
    ASK(MPI_Type_get_extent, (word, long *, long *), handle, &type.low, &type.extent);
    ASK(MPI_Type_get_true_extent, (word, long *, long *), handle, &type.true_low, &type.true_extent);
    return type;
}

/* Returns true if consecutive elements of a type do not fill memory without gaps. */
static bool has_gaps(const struct type *type)
{
    return type->true_extent != type->size || type->extent != type->size;
}

/* Returns an array with a byte for each byte of a type's true extent: 1 if the byte is sent, 0 in gaps. To find them,
 * the MPI library unpacks bytes of value 1 into zeroed memory. The caller frees the array; NULL without memory. */
static char *get_type_mask(const struct type *type)
{
    assert(type->size > 0);
    char *mask = calloc(1, (size_t)type->true_extent), *packed_data = malloc((size_t)type->size);
    int at = 0;
    if (mask && packed_data) {
        memset(packed_data, 1, (size_t)type->size);
        ASK(MPI_Unpack, (const void *, int, int *, void *, int, word, word), packed_data, type->size, &at,
            mask - type->true_low, 1, type->handle, type->comm);
    }
    free(packed_data);
    return mask;
}

/* ----------------------------------------------------------------------------------- buffers -- */

/* Returns true for buffer addresses with a special meaning, which have no bytes to check. They are MPI_BOTTOM
 * and MPI_IN_PLACE (0, 1 or -1 in C), and the addresses of the Fortran variables of these names. */
static bool is_special(word at)
{
    static const char *const names[] = {"mpi_fortran_in_place_", "mpi_fortran_bottom_"};
    static word variables[2], common;
    static bool is_searched;
    enum { COMMON = 28 }; /* size of MPICH's common block */
    if (!is_searched) {
        for (int i = 0; i < 2; i++)
            variables[i] = (word)find_mpi_function(names[i]);
        common = (word)find_mpi_function("mpipriv1_");
        is_searched = true;
    }
    return at + 1 <= 2 || at == variables[0] || at == variables[1] || (common && at - common < COMMON);
}

/* Returns true if a buffer begins in device memory. */
static bool is_device_buffer(word at)
{
    return at - local_shadow.low < local_shadow.bytes;
}

/* Checks an access of n bytes at `at`: to device memory by rt_shadow.on_mpi_transfer, otherwise as a host
 * access. */
static void check_buffer(word at, size_t n, bool write, struct rt_caller caller)
{
    if (is_device_buffer(at))
        local_shadow.on_mpi_transfer(at, n, write, caller.pc, caller.frame);
    else
        rt_check_word_range((const void *)at, n, write, caller);
}

/* Checks that `count` elements of the send buffer at `at` may be read, except for the gaps of their type.
 * handle, comm: handles of the datatype and the communicator. Does nothing if the caller is not instrumented,
 * for special addresses, or without memory for a mask of the gaps. */
static void check_send_buffer(word at, long count, word handle, word comm, struct rt_caller caller)
{
    if (count <= 0 || is_special(at) || !rt_is_instrumented_caller(caller))
        return;
    const struct type type = get_type(handle, comm);
    if (type.size <= 0)
        return;
    if (!has_gaps(&type)) {
        check_buffer(at + (word)type.true_low, (size_t)type.size * (size_t)count, false, caller);
        return;
    }
    char *mask = get_type_mask(&type);
    for (long i = 0; i < count && mask; i++)
        for (long k = 0, end; k < type.true_extent; k = end + 1) {
            for (end = k; end < type.true_extent && mask[end]; end++)
                ;
            if (end > k)
                check_buffer(at + (word)(i * type.extent + type.true_low + k), (size_t)(end - k), false, caller);
        }
    free(mask);
}

/* Receive buffer: its address, its size in bytes, and a copy of its bytes from before the receive. bytes
 * NULL: the buffer is not checked, for example because nothing of it is mapped. */
struct recv_buffer {
    word at;
    size_t n;
    char *bytes;
};

/* Returns the address of the shadow states (checked.h) of the word (8 bytes) that contains `at`; NULL if the
 * word has no shadow. */
static uint32_t *get_states(word at)
{
    if (is_device_buffer(at))
        return &local_shadow.states[(at - local_shadow.low) / 8];
    uint32_t *shadow_page = local_shadow.shadow_pages[at / RT_SHADOW_PAGE_BYTES % RT_SHADOW_PAGES];
    return shadow_page ? &shadow_page[at % RT_SHADOW_PAGE_BYTES / 8] : NULL;
}

/* Returns true if one of the words that contain the n bytes at `at` has a mapped byte. */
static bool is_mapped(word at, size_t n)
{
    for (word i = at & ~(word)7; i < at + n; i += 8) {
        const uint32_t *states = get_states(i);
        if (!states)
            i |= RT_SHADOW_PAGE_BYTES - 8; /* continues at the next shadow page */
        else if (__atomic_load_n(states, __ATOMIC_RELAXED) & RT_ALL_BYTES(RT_PRESENT))
            return true;
    }
    return false;
}

/* Returns a copy of the receive buffer of `count` elements at `at`, made before the receive. handle, comm:
 * handles of the datatype and the communicator. The bytes of the copy are NULL if the caller is not
 * instrumented, the address is special, no byte of the buffer is mapped, or without memory. */
static struct recv_buffer save_recv_buffer(word at, long count, word handle, word comm, struct rt_caller caller)
{
    struct recv_buffer buffer = {0};
    if (count <= 0 || is_special(at) || !rt_is_instrumented_caller(caller))
        return buffer;
    const struct type type = get_type(handle, comm);
    buffer.at = at + (word)type.true_low;
    buffer.n = (size_t)((count - 1) * type.extent + type.true_extent);
    const bool device = is_device_buffer(buffer.at) && is_device_buffer(buffer.at + buffer.n - 1);
    if (type.size > 0 && (device || is_mapped(buffer.at, buffer.n)))
        buffer.bytes = malloc(buffer.n);
    if (buffer.bytes)
        memcpy(buffer.bytes, (const void *)buffer.at, buffer.n);
    return buffer;
}

/* Returns how many bytes of the buffer from offset k on lie in the same word (8 bytes). */
static size_t get_word_part(const struct recv_buffer *buffer, size_t k)
{
    assert(k < buffer->n);
    const size_t rest = buffer->n - k, part = 8 - (buffer->at + k) % 8;
    return rest < part ? rest : part;
}

/* Returns how many bytes of the buffer from offset `from` on lie in words that have all changed since the
 * copy. Whole words are compared, because a received number may equal the old one in some of its bytes. */
static size_t count_changed_bytes(const struct recv_buffer *buffer, size_t from)
{
    const char *content = (const char *)buffer->at;
    size_t k = from;
    for (size_t n; k < buffer->n; k += n) {
        n = get_word_part(buffer, k);
        if (!memcmp(content + k, buffer->bytes + k, n))
            break;
    }
    return k - from;
}

/* Checks the writes to a receive buffer after the receive, and frees the copy. Present bytes that have not
 * changed become valid. Does nothing if there is no copy. */
static void check_received(struct recv_buffer buffer, struct rt_caller caller)
{
    for (size_t k = 0, n; buffer.bytes && k < buffer.n; k += n) {
        const unsigned offset = (buffer.at + k) % 8;
        uint32_t *states = get_states(buffer.at + k);
        n = count_changed_bytes(&buffer, k);
        if (n) {
            check_buffer(buffer.at + k, n, true, caller);
            continue;
        }
        n = get_word_part(&buffer, k);
        if (states) {
            const uint32_t bytes = (n == 8 ? UINT32_MAX : (1u << 4 * n) - 1) << 4 * offset;
            const uint32_t present = __atomic_load_n(states, __ATOMIC_RELAXED) & bytes & RT_ALL_BYTES(RT_PRESENT);
            __atomic_or_fetch(states, present / RT_PRESENT * RT_VALID, __ATOMIC_RELAXED);
        }
    }
    free(buffer.bytes);
}

/* ---------------------------------------------------------------------------------- requests -- */

/* Nonblocking receive that the program has not waited for: handle, buffer, and caller of the function that
 * began it. */
struct request {
    word handle;
    struct recv_buffer buffer;
    struct rt_caller caller;
    struct request *next;
};
static struct request *requests;
static bool spin_lock;

/* Returns element i of an array of request handles. Elements are pointers in C programs with Open MPI,
 * otherwise 32-bit numbers. fortran: true if the array is one of a Fortran program. */
static word handle_at(const void *handles, long i, bool fortran)
{
    static int is_pointer = -1;
    if (is_pointer < 0)
        is_pointer = find_mpi_function("ompi_mpi_comm_world") != NULL;
    return is_pointer && !fortran ? ((const word *)handles)[i] : ((const unsigned *)handles)[i];
}

/* Removes the receive request with the handle `handle` from the list, and returns it, to be freed by the
 * calling function; NULL if there is none. */
static struct request *remove_request(word handle)
{
    struct request *request = NULL;
    rt_spin_lock(&spin_lock);
    for (struct request **at = &requests; *at && !request; at = &(*at)->next)
        if ((*at)->handle == handle) {
            request = *at;
            *at = request->next;
            break;
        }
    rt_spin_unlock(&spin_lock);
    return request;
}

/* Records a receive request, takes ownership of the copy of its buffer, and tells the runtime that MPI may
 * write the buffer. Without memory, frees the copy and records nothing. A send has no copy (buffer.bytes
 * NULL): then only an older receive with the same handle is forgotten. */
static void add_request(word handle, struct recv_buffer buffer, struct rt_caller caller)
{
    struct request *request = buffer.bytes ? malloc(sizeof *request) : NULL;
    if (buffer.bytes)
        local_shadow.on_async_buffer(buffer.at, buffer.n, caller.pc, caller.frame);
    /* MPI uses a handle again once its request was cancelled or freed, so that the old request is forgotten */
    struct request *old = remove_request(handle);
    if (old)
        free(old->buffer.bytes);
    free(old);
    if (!request) {
        free(buffer.bytes);
        return;
    }
    *request = (struct request){handle, buffer, {caller.pc, NULL}, NULL};
    rt_spin_lock(&spin_lock);
    request->next = requests;
    requests = request;
    rt_spin_unlock(&spin_lock);
}

/* Returns a copy of n request handles, made before a wait or a test, for complete_requests. fortran: true for
 * handles of a Fortran program. Returns NULL if no receive is pending, or without memory. */
static word *save_handles(const void *handles, long n, bool fortran)
{
    word *before = n > 0 && __atomic_load_n(&requests, __ATOMIC_RELAXED) ? calloc((size_t)n, sizeof *before) : NULL;
    for (long i = 0; before && i < n; i++)
        before[i] = handle_at(handles, i, fortran);
    return before;
}

/* Checks the received buffers of complete requests after a wait or a test, and frees `before`, the n handles
 * from before (NULL: nothing is checked). A request is complete if the MPI library has replaced its handle in
 * `handles`. */
static void complete_requests(word *before, const void *handles, long n, bool fortran)
{
    assert(!before || handles);
    for (long i = 0; before && i < n; i++) {
        struct request *request = before[i] != handle_at(handles, i, fortran) ? remove_request(before[i]) : NULL;
        if (request)
            check_received(request->buffer, request->caller);
        free(request);
    }
    free(before);
}

/* --------------------------------------------------------------------------------- functions -- */

/* Checks the part of a send buffer for each process of a communicator. counts[i]: number of elements for
 * process i; starts[i]: index of the first element of that part. at: address of the buffer; handle, comm:
 * handles of the datatype and the communicator. */
static void check_send_parts(word at, const int *counts, const int *starts, word handle, word comm,
                             struct rt_caller caller)
{
    if (is_special(at) || !rt_is_instrumented_caller(caller))
        return;
    const long extent = get_type(handle, comm).extent;
    for (int i = 0; i < get_comm_size(comm); i++)
        check_send_buffer(at + (word)(starts[i] * extent), counts[i], handle, comm, caller);
}

/* Returns a copy, made by save_recv_buffer, of a receive buffer with a part for each process. The copy begins
 * with the lowest part and ends with the highest one. Its bytes are NULL if all parts are empty or nothing is
 * to be checked. counts[i] and starts[i]: number of elements and index of the first element of the part of
 * process i. */
static struct recv_buffer save_recv_parts(word at, const int *counts, const int *starts, word handle, word comm,
                                          struct rt_caller caller)
{
    long low = LONG_MAX, high = LONG_MIN;
    if (is_special(at) || !rt_is_instrumented_caller(caller))
        return (struct recv_buffer){0};
    for (int i = 0; i < get_comm_size(comm); i++)
        if (counts[i] > 0) {
            low = starts[i] < low ? starts[i] : low;
            high = starts[i] + counts[i] > high ? starts[i] + counts[i] : high;
        }
    if (low > high)
        return (struct recv_buffer){0};
    return save_recv_buffer(at + (word)(low * get_type(handle, comm).extent), high - low, handle, comm, caller);
}

/* The macros BEFORE_... are the actions before the call of the MPI library, common to C and Fortran. The
 * function's arguments are named a, b, c ... in their order. N(x) is argument x as a number, NS(x) as an
 * array of numbers, D(x) as a datatype, C(x) as a communicator. READS checks a send buffer, KEEPS copies a
 * receive buffer, and ALL is the number of elements if each process gets `count`. */
#define READS(at, count, type, comm) check_send_buffer(at, count, D(type), C(comm), CALLER)
#define KEEPS(at, count, type, comm) buffer = save_recv_buffer(at, count, D(type), C(comm), CALLER)
#define ALL(count, comm) ((long)N(count) * get_comm_size(C(comm)))
#define IS_ROOT(root, comm) (N(root) == get_comm_rank(C(comm)))

#define BEFORE_SEND READS(a, N(b), c, f)
#define BEFORE_RECV KEEPS(a, N(b), c, f)
#define BEFORE_SENDRECV READS(a, N(b), c, k), KEEPS(f, N(g), h, k)
#define BEFORE_REPLACE READS(a, N(b), c, h), KEEPS(a, N(b), c, h)
#define BEFORE_BCAST          \
    if (IS_ROOT(d, e))        \
        READS(a, N(b), c, e); \
    else                      \
        KEEPS(a, N(b), c, e)
#define BEFORE_REDUCE                         \
    READS(is_special(a) ? b : a, N(c), d, g); \
    if (IS_ROOT(f, g))                        \
    KEEPS(b, N(c), d, g)
#define BEFORE_ALLREDUCE READS(is_special(a) ? b : a, N(c), d, f), KEEPS(b, N(c), d, f)
#define BEFORE_GATHER     \
    READS(a, N(b), c, h); \
    if (IS_ROOT(g, h))    \
    KEEPS(d, ALL(e, h), f, h)
#define BEFORE_GATHERV    \
    READS(a, N(b), c, i); \
    if (IS_ROOT(h, i))    \
    buffer = save_recv_parts(d, NS(e), NS(f), D(g), C(i), CALLER)
#define BEFORE_SCATTER             \
    if (IS_ROOT(g, h))             \
        READS(a, ALL(b, h), c, h); \
    KEEPS(d, N(e), f, h)
#define BEFORE_SCATTERV                                        \
    if (IS_ROOT(h, i))                                         \
        check_send_parts(a, NS(b), NS(c), D(d), C(i), CALLER); \
    KEEPS(e, N(f), g, i)
#define BEFORE_ALLGATHER READS(a, N(b), c, g), KEEPS(d, ALL(e, g), f, g)
#define BEFORE_ALLGATHERV READS(a, N(b), c, h), buffer = save_recv_parts(d, NS(e), NS(f), D(g), C(h), CALLER)
#define BEFORE_ALLTOALL                                                    \
    is_special(a) ? READS(d, ALL(e, g), f, g) : READS(a, ALL(b, g), c, g); \
    KEEPS(d, ALL(e, g), f, g)
#define BEFORE_ALLTOALLV                                                   \
    is_special(a) ? check_send_parts(e, NS(f), NS(g), D(h), C(i), CALLER)  \
                  : check_send_parts(a, NS(b), NS(c), D(d), C(i), CALLER); \
    buffer = save_recv_parts(e, NS(f), NS(g), D(h), C(i), CALLER)
#define BEFORE_ONE before = save_handles((void *)a, 1, FORTRAN)
#define BEFORE_SOME before = save_handles((void *)b, N(a), FORTRAN)

/* The macros AFTER_... are the actions after the call of the MPI library. NOTHING: none. WROTE: check the
 * received bytes. BEGUN: record a request. ONE_DONE, SOME_DONE: check the buffer of the request if it is
 * complete, or the buffers of all complete ones. */
#define AFTER_NOTHING (void)0
#define AFTER_WROTE check_received(buffer, CALLER)
#define AFTER_BEGUN add_request(handle_at((void *)g, 0, FORTRAN), buffer, CALLER)
#define AFTER_ONE_DONE complete_requests(before, (void *)a, 1, FORTRAN)
#define AFTER_SOME_DONE complete_requests(before, (void *)b, N(a), FORTRAN)

/* Each entry: name in C, name in Fortran, number of arguments in C and in Fortran, action before the call
 * (BEFORE_...) and after the call (AFTER_...). */
#define EACH(F)                                                  \
    F(Send, send, 6, 7, SEND, NOTHING)                           \
    F(Ssend, ssend, 6, 7, SEND, NOTHING)                         \
    F(Bsend, bsend, 6, 7, SEND, NOTHING)                         \
    F(Rsend, rsend, 6, 7, SEND, NOTHING)                         \
    F(Isend, isend, 7, 8, SEND, BEGUN)                           \
    F(Issend, issend, 7, 8, SEND, BEGUN)                         \
    F(Ibsend, ibsend, 7, 8, SEND, BEGUN)                         \
    F(Irsend, irsend, 7, 8, SEND, BEGUN)                         \
    F(Recv, recv, 7, 8, RECV, WROTE)                             \
    F(Irecv, irecv, 7, 8, RECV, BEGUN)                           \
    F(Sendrecv, sendrecv, 12, 13, SENDRECV, WROTE)               \
    F(Sendrecv_replace, sendrecv_replace, 9, 10, REPLACE, WROTE) \
    F(Bcast, bcast, 5, 6, BCAST, WROTE)                          \
    F(Reduce, reduce, 7, 8, REDUCE, WROTE)                       \
    F(Allreduce, allreduce, 6, 7, ALLREDUCE, WROTE)              \
    F(Scan, scan, 6, 7, ALLREDUCE, WROTE)                        \
    F(Exscan, exscan, 6, 7, ALLREDUCE, WROTE)                    \
    F(Gather, gather, 8, 9, GATHER, WROTE)                       \
    F(Gatherv, gatherv, 9, 10, GATHERV, WROTE)                   \
    F(Scatter, scatter, 8, 9, SCATTER, WROTE)                    \
    F(Scatterv, scatterv, 9, 10, SCATTERV, WROTE)                \
    F(Allgather, allgather, 7, 8, ALLGATHER, WROTE)              \
    F(Allgatherv, allgatherv, 8, 9, ALLGATHERV, WROTE)           \
    F(Alltoall, alltoall, 7, 8, ALLTOALL, WROTE)                 \
    F(Alltoallv, alltoallv, 9, 10, ALLTOALLV, WROTE)             \
    F(Wait, wait, 2, 3, ONE, ONE_DONE)                           \
    F(Test, test, 3, 4, ONE, ONE_DONE)                           \
    F(Waitall, waitall, 3, 4, SOME, SOME_DONE)                   \
    F(Waitany, waitany, 4, 5, SOME, SOME_DONE)                   \
    F(Waitsome, waitsome, 5, 6, SOME, SOME_DONE)                 \
    F(Testall, testall, 4, 5, SOME, SOME_DONE)                   \
    F(Testany, testany, 5, 6, SOME, SOME_DONE)                   \
    F(Testsome, testsome, 5, 6, SOME, SOME_DONE)

/* LISTn(x): list of the first n of a, b, c, ..., with the token x before each. */
#define LIST2(x) x a, x b
#define LIST3(x) LIST2(x), x c
#define LIST4(x) LIST3(x), x d
#define LIST5(x) LIST4(x), x e
#define LIST6(x) LIST5(x), x f
#define LIST7(x) LIST6(x), x g
#define LIST8(x) LIST7(x), x h
#define LIST9(x) LIST8(x), x i
#define LIST10(x) LIST9(x), x j
#define LIST11(x) LIST10(x), x k
#define LIST12(x) LIST11(x), x l
#define LIST13(x) LIST12(x), x m

/* Defines the MPI function `name` with n arguments: does the action BEFORE_before_, calls the MPI library's
 * function, does the action AFTER_after_, and returns the library's result. */
#define DEFINE(name, n, before_, after_)                                                  \
    API int name(LIST##n(word));                                                          \
    int name(LIST##n(word))                                                               \
    {                                                                                     \
        static void *real;                                                                \
        __typeof__(name) *call = (__typeof__(name) *)rt_find_real_function(&real, #name); \
        struct recv_buffer buffer = {0};                                                  \
        word *before = NULL;                                                              \
        (void)buffer, (void)before;                                                       \
        BEFORE_##before_;                                                                 \
        const int status = call(LIST##n());                                               \
        AFTER_##after_;                                                                   \
        return status;                                                                    \
    }

#define FORTRAN false
#define N(x) ((int)(x))
#define NS(x) ((const int *)(x))
#define D(x) (x)
#define C(x) (x)
#define IN_C(name, lower, n, fortran_n, before, after) DEFINE(MPI_##name, n, before, after)
EACH(IN_C)

/* The macros are redefined for Fortran, which passes the address of each argument. Fortran's datatypes and
 * communicators are numbers; in MPICH, these numbers are also the handles of C. */
#undef FORTRAN
#undef N
#undef D
#undef C
#define FORTRAN true
#define N(x) (*(const int *)(x))
#define D(x) translate_handle("MPI_Type_f2c", N(x))
#define C(x) translate_handle("MPI_Comm_f2c", N(x))

/* Returns the handle of C for `number`, a handle of Fortran, by the MPI library's function `name`. If no
 * library has the function, returns the number itself. */
static word translate_handle(const char *name, int number)
{
    word (*function)(int) = (word(*)(int))(word)find_mpi_function(name);
    return function ? function(number) : (word)(unsigned)number;
}

#define IN_FORTRAN(name, lower, n, fortran_n, before, after) DEFINE(mpi_##lower##_, fortran_n, before, after)
EACH(IN_FORTRAN)
