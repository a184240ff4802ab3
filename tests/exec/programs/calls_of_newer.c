/* The calls that newer compilers make, with the arguments that they pass: gcc 14 to 16, clang 22
 * and 23. They are written down here, so that they are tested where none of these compilers is
 * installed. The first argument chooses. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------------------------- gcc -- */

void GOACC_data_start(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds);
void GOACC_data_end(void);
void GOACC_enter_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                      int async, int waits, ...);
void GOACC_exit_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                     int async, int waits, ...);
void GOACC_parallel_keyed(int flags, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                          unsigned short *kinds, ...);
void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args);
void GOMP_target_data_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds);
void GOMP_target_end_data(void);
void GOMP_target_update_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t n, void **host, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend);
void GOMP_taskwait(void);
void GOMP_interop(int device, int init, void *objects);
const char *omp_get_uid_from_device(int device);
int omp_get_device_from_uid(const char *uid);
void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *pointer, int device);
#pragma weak GOMP_interop
#pragma weak omp_get_uid_from_device
#pragma weak omp_get_device_from_uid

enum {
    ALLOC,
    TO,
    FROM,
    TOFROM,
    POINTER,
    TO_PSET,
    PRESENT,
    DELETE,
    ZERO_LENGTH = 0x0f,
    RELEASE = 0x17,
    STRUCT = 0x1c
};
enum { ATTACH = 0x50, DETACH = 0x51, STRUCT_UNORD = 0x5c };
enum { ALWAYS_PRESENT_TO = 0x95, ALWAYS_PRESENT_FROM = 0x96, ALWAYS_PRESENT_TOFROM = 0x97 };
enum { NO_FLAGS = -1, SELF = -3, SYNC = -2, EXIT = 2, NOWAIT = 1 };

/* Entries of a directive. */
struct entry {
    unsigned kind;
    void *host;
    size_t size;
};
static struct {
    size_t n, size[16];
    void *host[16];
    unsigned short kind[16];
} list;
static void fill(const struct entry *entries, size_t n)
{
    list.n = n;
    for (size_t i = 0; i < n; i++) {
        list.host[i] = entries[i].host;
        list.size[i] = entries[i].size;
        list.kind[i] = (unsigned short)entries[i].kind;
    }
}
#define ENTRIES(...)                              \
    const struct entry entries[] = {__VA_ARGS__}; \
    fill(entries, LENGTH(entries))
#define ACC_ENTER(...)                                                                \
    do {                                                                              \
        ENTRIES(__VA_ARGS__);                                                         \
        GOACC_enter_data(NO_FLAGS, list.n, list.host, list.size, list.kind, SYNC, 0); \
    } while (0)
#define ACC_EXIT(...)                                                                \
    do {                                                                             \
        ENTRIES(__VA_ARGS__);                                                        \
        GOACC_exit_data(NO_FLAGS, list.n, list.host, list.size, list.kind, SYNC, 0); \
    } while (0)
#define ACC_PARALLEL(flags, fn, ...)                                                 \
    do {                                                                             \
        ENTRIES(__VA_ARGS__);                                                        \
        GOACC_parallel_keyed(flags, fn, list.n, list.host, list.size, list.kind, 0); \
    } while (0)
#define ENTER_EXIT(flags, ...)                                                                 \
    do {                                                                                       \
        ENTRIES(__VA_ARGS__);                                                                  \
        GOMP_target_enter_exit_data(-1, list.n, list.host, list.size, list.kind, flags, NULL); \
    } while (0)
#define UPDATE(...)                                                                   \
    do {                                                                              \
        ENTRIES(__VA_ARGS__);                                                         \
        GOMP_target_update_ext(-1, list.n, list.host, list.size, list.kind, 0, NULL); \
    } while (0)
#define TARGET(flags, fn, ...)                                                                   \
    do {                                                                                         \
        ENTRIES(__VA_ARGS__);                                                                    \
        GOMP_target_ext(-1, fn, list.n, list.host, list.size, list.kind, flags, NULL, no_teams); \
    } while (0)
static void *no_teams[] = {NULL};

/* A Fortran array of one dimension. */
struct descriptor {
    float *data;
    long offset;
    char type[16];
    long span;
    struct {
        long stride, low, high;
    } dim;
};

static void read_bounds(void *args)
{
    struct descriptor *d = ((void **)args)[0];
    int *r = ((void **)args)[1];
    *r = (int)(d->dim.high - d->dim.low + 1) * 100 + (int)d->data[1];
}

/* exit data of an array and of a scalar that are not allocated: gcc 16 passes the descriptor, and the pointer of the
 * scalar, before their data. */
static void unallocated(void)
{
    static struct descriptor array;
    static double *scalar;
    ENTER_EXIT(EXIT, {RELEASE, &array, sizeof array}, {RELEASE, NULL, 8}, {RELEASE, &scalar, sizeof scalar},
               {RELEASE, NULL, 8});
}

/* gcc 14 passes the descriptor of a component before its data, older ones behind it. */
static void map_component(struct descriptor *d, int is_new)
{
    const size_t bytes = sizeof(float) * (size_t)d->dim.high;
    int r = 0;
    if (is_new)
        ACC_ENTER({STRUCT, d, 1}, {TO_PSET, d, sizeof *d}, {TO, d->data, bytes}, {ATTACH, d, 0});
    else
        ACC_ENTER({STRUCT, d, 1}, {ALLOC, d, sizeof *d}, {TO, d->data, bytes},
                  {TO_PSET, d, sizeof *d}, {ATTACH, d, 0});
    ACC_PARALLEL(NO_FLAGS, read_bounds, {PRESENT, d, sizeof *d}, {FROM, &r, sizeof r});
    printf("%d\n", r);
    if (is_new)
        ACC_EXIT({RELEASE, d, sizeof *d}, {RELEASE, d->data, bytes}, {DETACH, d, 0});
    else
        ACC_EXIT({RELEASE, d, sizeof *d}, {RELEASE, d->data, bytes}, {TO_PSET, d, sizeof *d},
                 {DETACH, d, 0});
}

static void descriptor(int is_new)
{
    float a[3] = {1, 2, 3}, b[5] = {4, 5, 6, 7, 8};
    struct descriptor d = {.data = a, .span = 4, .dim = {1, 1, 3}};
    ACC_ENTER({TO, &d, sizeof d});
    map_component(&d, is_new);
    d = (struct descriptor){.data = b, .span = 4, .dim = {1, 1, 5}};
    map_component(&d, is_new);
    ACC_EXIT({RELEASE, &d, sizeof d});
}

static void add_ten(void *args)
{
    int *a = ((void **)args)[0];
    a[0] += 10;
}

/* Of gcc 14: the self clause of a compute construct. */
static void self(void)
{
    int a[4] = {1};
    {
        ENTRIES({TOFROM, a, sizeof a});
        GOACC_data_start(NO_FLAGS, list.n, list.host, list.size, list.kind);
    }
    ACC_PARALLEL(NO_FLAGS, add_ten, {TOFROM, a, sizeof a});
    ACC_PARALLEL(SELF, add_ten, {TOFROM, a, sizeof a});
    printf("host %d\n", a[0]);
    GOACC_data_end();
    printf("device %d\n", a[0]);
}

struct pair {
    int n, *p;
};

static void set_members(void *args)
{
    struct pair *s = ((void **)args)[0];
    s[0].p[0] = 1;
    s[2].p[3] = 2;
}

/* Of gcc 14: members of elements whose order is not known. */
static void unordered(void)
{
    int x[4] = {0}, y[4] = {0};
    struct pair s[3] = {{4, x}, {4, NULL}, {4, y}};
    ACC_ENTER({TO, s, sizeof s});
    ACC_ENTER({STRUCT_UNORD, s, 2}, {ALLOC, &s[2].p, 8}, {ALLOC, &s[0].p, 8}, {TO, x, sizeof x},
              {ATTACH, &s[0].p, 0}, {TO, y, sizeof y}, {ATTACH, &s[2].p, 0});
    ACC_PARALLEL(NO_FLAGS, set_members, {PRESENT, s, sizeof s});
    ACC_EXIT({RELEASE, &s[2].p, 8}, {RELEASE, &s[0].p, 8}, {FROM, x, sizeof x},
             {DETACH, &s[0].p, 0}, {FROM, y, sizeof y}, {DETACH, &s[2].p, 0});
    ACC_EXIT({RELEASE, s, sizeof s});
    printf("%d %d\n", x[0], y[3]);
}

/* Of gcc 14: the present modifier, with always and in updates. */
static void present(int is_mapped)
{
    int a[4] = {1};
    if (is_mapped)
        ENTER_EXIT(0, {TO, a, sizeof a});
    a[0] = 5;
    UPDATE({ALWAYS_PRESENT_TO, a, sizeof a});
    a[0] = 7;
    UPDATE({ALWAYS_PRESENT_FROM, a, sizeof a});
    printf("updated %d\n", a[0]);
    a[0] = 20;
    TARGET(0, add_ten, {ALWAYS_PRESENT_TOFROM, a, sizeof a});
    printf("mapped %d\n", a[0]);
    ENTER_EXIT(EXIT, {DELETE, a, sizeof a});
    TARGET(0, add_ten, {ALWAYS_PRESENT_TOFROM, a, sizeof a});
}

enum { ROWS = 3, COLUMNS = 4 };
static void add_rows(void *args)
{
    int *sum = ((void **)args)[0], ***rows = ((void **)args)[2], *last = ((void **)args)[3];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            *sum += (*rows)[i][j];
    ++*last;
}
static void change_rows(void *args)
{
    int **rows = ((void **)args)[0];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            rows[i][j]++;
}

int omp_target_is_present(const void *pointer, int device);

/* Of gcc 16: an entry with iterators has the count, and for each value an address and a size. `absent`: an optional
 * array that is absent may have the size of iterators, too, because gcc computes it from an unset descriptor. */
static void iterators(unsigned flags)
{
    enum { LIST = 1 + 2 * ROWS };
    const size_t iterated = SIZE_MAX;
    int *rows[ROWS], sum = 0, last = 0, (*base)[] = (int(*)[])rows;
    uintptr_t data[LIST] = {ROWS}, bases[LIST] = {ROWS}, pointers[LIST] = {ROWS}, none[1] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = calloc(COLUMNS, sizeof *rows[i]);
        rows[i][0] = (int)i;
        data[1 + 2 * i] = (uintptr_t)rows[i];
        data[2 + 2 * i] = COLUMNS * sizeof *rows[i];
        bases[1 + 2 * i] = (uintptr_t)&base;
        bases[2 + 2 * i] = i * sizeof *rows;
        pointers[1 + 2 * i] = (uintptr_t)&rows[i];
    }
    void *const absent = NULL;
    ENTER_EXIT(0, {TO, rows, sizeof rows}, {TO, absent, iterated});
    TARGET(flags, add_rows, {TOFROM, &sum, sizeof sum}, {TO, data, iterated}, {POINTER, bases, iterated},
           {TOFROM, &last, sizeof last}, {ATTACH, pointers, iterated}, {TOFROM, absent, iterated});
    GOMP_taskwait();
    printf("target %d %d\n", sum, last);
    ENTER_EXIT(0, {STRUCT_UNORD, rows, 2}, {ZERO_LENGTH, &rows[ROWS], 0}, {ALLOC, none, iterated},
               {TO, data, iterated}, {ATTACH, pointers, iterated});
    TARGET(0, change_rows, {0x63, rows, sizeof rows});
    UPDATE({FROM, data, iterated});
    printf("update %d %d\n", rows[0][0], rows[2][0]);
    TARGET(0, change_rows, {0x63, rows, sizeof rows});
    ENTER_EXIT(EXIT, {DETACH, pointers, iterated}, {FROM, data, iterated});
    printf("exit %d %d\n", rows[0][0], rows[2][0]);
    {
        ENTRIES({TOFROM, data, iterated}, {ATTACH, pointers, iterated});
        GOMP_target_data_ext(-1, list.n, list.host, list.size, list.kind);
    }
    TARGET(0, change_rows, {0x63, rows, sizeof rows});
    GOMP_target_end_data();
    printf("data %d %d\n", rows[0][0], rows[2][0]);
    ENTER_EXIT(0, {TO, data, iterated});
    ENTER_EXIT(EXIT, {DELETE, data, iterated});
    printf("deleted %d\n", !omp_target_is_present(rows[0], 0) && !omp_target_is_present(rows[2], 0));
    ENTER_EXIT(EXIT, {RELEASE, rows, sizeof rows});
}

/* Of gcc 16 and clang 22: the default device has a number, and devices have names. */
static void devices(void)
{
    enum { OMP_DEFAULT_DEVICE = -5 };
    int a[1] = {1};
    ENTRIES({TOFROM, a, sizeof a});
    GOMP_target_ext(OMP_DEFAULT_DEVICE, add_ten, list.n, list.host, list.size, list.kind, 0, NULL,
                    no_teams);
    void *memory = omp_target_alloc(8, OMP_DEFAULT_DEVICE);
    printf("default %d %d\n", a[0], memory != NULL);
    omp_target_free(memory, OMP_DEFAULT_DEVICE);
    for (int device = -1; device < 3; device++) {
        const char *uid = omp_get_uid_from_device(device);
        printf("%d: %s %d\n", device, uid ? uid : "none", uid ? omp_get_device_from_uid(uid) : -1);
    }
    printf("unknown: %d\n", omp_get_device_from_uid("other"));
    GOMP_interop(0, 1, NULL);
}

/* ----------------------------------------------------------------------------------- clang -- */

struct image {
    void *start, *end, *entries, *entries_end;
};
struct library {
    int32_t nimages;
    struct image *images;
    void *entries, *entries_end;
};
struct offload_entry {
    uint64_t zero;
    uint16_t version, kind;
    uint32_t flags;
    void *host;
    const char *name;
    uint64_t bytes, data;
    void *more;
};
struct kernel_arguments {
    uint32_t version, n;
    void **base, **begin;
    int64_t *size;
    uint64_t *type;
    char **name;
    void **mapper;
    uint64_t rest[8];
};
void __tgt_register_lib(const struct library *library);
int __tgt_target_kernel(void *place, int64_t device, int32_t teams, int32_t threads,
                        const void *region, const struct kernel_arguments *arguments);
void __tgt_target_data_begin_mapper(void *place, int64_t device, int32_t n, void **base,
                                    void **begin, int64_t *size, uint64_t *type, char **name,
                                    void **mapper);
#pragma weak __tgt_target_data_begin_mapper
#pragma weak __tgt_register_lib
#pragma weak __tgt_target_kernel

/* Device code is a file for this machine. */
static void load(const char *path)
{
    static char by_value, with_environment, by_address;
    static struct offload_entry entries[] = {
        {.version = 1, .kind = 1, .host = &by_value, .name = "by_value"},
        {.version = 1, .kind = 1, .host = &with_environment, .name = "with_environment"},
        {.version = 1, .kind = 1, .host = &by_address, .name = "by_address"},
    };
    static struct image image;
    const int file = open(path, O_RDONLY);
    const off_t bytes = lseek(file, 0, SEEK_END);
    image.start = malloc((size_t)bytes);
    if (pread(file, image.start, (size_t)bytes, 0) != bytes)
        exit(2);
    image.end = (char *)image.start + bytes;
    static struct library library = {1, &image, entries, entries + LENGTH(entries)};
    __tgt_register_lib(&library);
    const struct offload_entry *of[] = {NULL,        &entries[0], &entries[0], &entries[1],
                                        &entries[0], &entries[2], &entries[0]};
    enum { VALUE = 0x120, TOFROM_ARGUMENT = 0x23 };
    for (uint32_t version = 2; version < LENGTH(of); version++) {
        int a[2] = {1, 2};
        void *base[] = {(void *)5, a, NULL};
        int64_t size[] = {4, sizeof a, 0};
        uint64_t type[] = {VALUE, TOFROM_ARGUMENT, VALUE};
        const struct kernel_arguments arguments = {.version = version,
                                                   .n = version < 4 ? 2 : 3,
                                                   .base = base,
                                                   .begin = base,
                                                   .size = size,
                                                   .type = type};
        const int result = __tgt_target_kernel(NULL, -1, -1, 0, of[version]->host, &arguments);
        printf("version %u: %d, %d %d\n", version, result, a[0], a[1]);
        fflush(stdout);
    }
}

/* Of clang 23: use_device_ptr(fb_nullify: p). And a type that nobody knows. */
static void types(void)
{
    int a[2] = {0};
    void *base[] = {a, a}, *begin[] = {a, a};
    int64_t size[] = {0, 0};
    uint64_t type[] = {0x40, 0x8040};
    __tgt_target_data_begin_mapper(NULL, -1, 2, base, begin, size, type, NULL, NULL);
    printf("preserved %d, null %d\n", base[0] == a, base[1] == NULL);
    type[0] = 0x10003;
    __tgt_target_data_begin_mapper(NULL, -1, 1, base, begin, size, type, NULL, NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int a[4] = {0};
    setlinebuf(stdout);
    if (!strcmp(what, "descriptor")) {
        descriptor(0);
        descriptor(1);
    } else if (!strcmp(what, "unallocated")) {
        unallocated();
    } else if (!strcmp(what, "self")) {
        self();
    } else if (!strcmp(what, "unordered")) {
        unordered();
    } else if (!strcmp(what, "present")) {
        present(1);
    } else if (!strcmp(what, "absent")) {
        present(0);
    } else if (!strcmp(what, "iterators")) {
        iterators(0);
        iterators(NOWAIT);
    } else if (!strcmp(what, "devices")) {
        devices();
    } else if (!strcmp(what, "kernels")) {
        load(argv[2]);
    } else if (!strcmp(what, "types")) {
        types();
    } else if (!strcmp(what, "entry")) {
        ACC_ENTER({0x99, a, sizeof a});
    } else if (!strcmp(what, "exit")) {
        ENTER_EXIT(EXIT, {0x99, a, sizeof a});
    } else if (!strcmp(what, "update")) {
        UPDATE({0x99, a, sizeof a});
    } else if (!strcmp(what, "flags")) {
        ACC_PARALLEL(~4, add_ten, {TOFROM, a, sizeof a});
    } else if (!strcmp(what, "target-flags")) {
        TARGET(8, add_ten, {TOFROM, a, sizeof a});
    }
    return 0;
}
