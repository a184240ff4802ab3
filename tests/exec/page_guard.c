/* Kernels with the host's memory closed: what is found, and what correct kernels do unharmed. */
#include "page_guard.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

extern int library_variable;
int *library_variable_p(void);

/* --------------------------------------------------------------------------------- faults -- */

static int zero_variable;
static char wide[4 * PAGE];

static void test_found(void)
{
    char *small = malloc(100), *large = malloc(1 << 20), local = 'l';
    small[50] = 's';
    large[70000] = 'b';
    found(small + 50, "the heap");
    found(large + 70000, "a large block");
    found(&local, "the caller's stack");
    found(&zero_variable, "a variable without a value");
    found(&variable, "a variable with a value");
    found(wide + 2 * PAGE, "a large variable");
    found(&library_variable, "a library's variable");
    free(small);
    free(large);
}

static void test_not_host(void)
{
    char *gone = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, PAGE);
    ok(run(k_write, gone, 0) == RT_GUARD_FAULT && fault.address == (uintptr_t)gone &&
           fault.write && fault.host == 0,
       "a write to memory that is gone is not one to the host's");
    ok(run(k_read, NULL, 0) == RT_GUARD_FAULT && fault.address == 0 && fault.host == 0,
       "a null pointer");
    ok(run(k_read, (char *)0x7f7f7f7f7f7f7f7f, 0) == RT_GUARD_FAULT && fault.address == 0 &&
           fault.host == 0 && pc_in(k_read),
       "a pointer that is not an address");
}

/* ----------------------------------------------------------------------------- open memory -- */

static void k_sum(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        a->result += a->p[i]++;
}

static void test_open(void)
{
    char *device = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    memset(device, 1, 16 * PAGE);
    ok(run(k_sum, device, 16 * PAGE) == RT_GUARD_FAULT && fault.address == (uintptr_t)device,
       "private memory that is not among the open");
    opened = (struct rt_range){(uintptr_t)device, 16 * PAGE};
    ok(run(k_sum, device, 16 * PAGE) == RT_GUARD_OK && argument->result == 16 * PAGE,
       "a kernel on open memory");
    /* Any length: the pages at both ends are closed, and shared with what is not open. */
    opened = (struct rt_range){(uintptr_t)wide + 10, 2 * PAGE};
    ok(run(k_sum, wide + 10, 2 * PAGE) == RT_GUARD_OK && argument->result == 0 &&
           wide[10] == 1 && wide[9 + 2 * PAGE] == 1 && wide[10 + 2 * PAGE] == 0,
       "an open range that ends inside of pages");
    ok(run(k_read, wide + 10 + 2 * PAGE, 0) == RT_GUARD_FAULT &&
           fault.address == (uintptr_t)wide + 10 + 2 * PAGE,
       "the byte after an open range");
    ok(run(k_write, wide + 9, 0) == RT_GUARD_FAULT && fault.write, "the byte before it");
    opened = (struct rt_range){(uintptr_t)&variable, sizeof variable};
    ok(run(k_read, &variable, 0) == RT_GUARD_OK && argument->result == 1, "an open variable");
    ok(run(k_read, &zero_variable, 0) == RT_GUARD_FAULT, "another variable");
    opened.bytes = 0;
    munmap(device, 16 * PAGE);
}

static void k_move(void *arg)
{
    struct argument *a = arg;
    char *from = a->p, *to = a->q;
    size_t n = a->n;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
}

static void test_crossing(void)
{
    char *block = malloc(64 * PAGE), *edge = (char *)(((uintptr_t)block + 3 * PAGE) / PAGE * PAGE);
    long wanted = 0x0102030405060708;
    memcpy(edge - 3, &wanted, 8);
    opened = (struct rt_range){(uintptr_t)edge - 3, 8};
    ok(run(k_read_word, edge - 3, 1) == RT_GUARD_OK && argument->result == wanted,
       "one access to two closed pages");
    ok(run(k_read_word, edge - 3, 100000) == RT_GUARD_OK &&
           argument->result == wanted * 100000,
       "the same often");
    opened.bytes = 3;
    ok(run(k_read_word, edge - 3, 1) == RT_GUARD_FAULT && fault.address == (uintptr_t)edge,
       "one access of which the second page is not open");
    argument->q = edge + 10 * PAGE - 5;
    opened = (struct rt_range){(uintptr_t)edge - 3, 20 * PAGE};
    memset(edge, 'e', 8 * PAGE);
    memset(argument->q, 0, 8 * PAGE);
    ok(run(k_move, edge - 2, 8 * PAGE) == RT_GUARD_OK &&
           !memcmp(edge + 10 * PAGE - 5, edge - 2, 8 * PAGE),
       "a string instruction from open to open memory");
    argument->q = (char *)rt_arena_realloc(NULL, NULL, 0, 2 * PAGE);
    opened = (struct rt_range){(uintptr_t)edge + 10, PAGE};
    ok(run(k_move, edge + 10, PAGE) == RT_GUARD_OK && argument->q[PAGE - 1] == 'e',
       "a string instruction over closed pages");
    ok(run(k_move, edge + 10, PAGE + 1) == RT_GUARD_FAULT &&
           fault.address == (uintptr_t)edge + 10 + PAGE && !fault.write,
       "a string instruction that goes too far");
    rt_arena_realloc(NULL, argument->q, 2 * PAGE, 0);
    opened.bytes = 0;
    free(block);
}

/* ------------------------------------------------------------------------- system libraries -- */

static void k_print(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        fprintf(a->file, "line %zu of %s\n", i, "a kernel");
}

static void k_print_out(void *arg)
{
    (void)arg;
    fprintf(stdout, "# a kernel prints\n");
    fflush(stdout);
}

static void test_print(void)
{
    char line[64], wanted[64];
    FILE *file = tmpfile();
    fprintf(file, "the host\n"); /* the buffer is the host's */
    argument->file = file;
    ok(run(k_print, NULL, 20000) == RT_GUARD_OK, "a kernel prints 20000 lines");
    argument->file = NULL;
    rewind(file);
    bool good = fgets(line, sizeof line, file) && !strcmp(line, "the host\n");
    for (size_t i = 0; i < 20000; i++) {
        snprintf(wanted, sizeof wanted, "line %zu of %s\n", i, "a kernel");
        good = good && fgets(line, sizeof line, file) && !strcmp(line, wanted);
    }
    ok(good && !fgets(line, sizeof line, file), "they arrive");
    fclose(file);
    ok(run(k_print_out, NULL, 0) == RT_GUARD_OK, "a kernel prints to stdout");
}

static void test_allocate(void)
{
    ok(run(k_allocate, NULL, 500) == RT_GUARD_OK && argument->result == 500,
       "a kernel allocates");
    ok(run(k_use, argument->p, 0) == RT_GUARD_OK && argument->result == 1,
       "a later kernel uses what it left");
}

static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

/* Called here for the first time: the loader writes to the linker's tables. */
static void k_call(void *arg)
{
    struct argument *a = arg;
    int n[100];
    for (int i = 0; i < 100; i++)
        n[i] = (i * 37) % 100;
    qsort(n, 100, sizeof n[0], compare);
    a->result = n[42] + strtol("100", NULL, 10) + atoi("1000");
    for (size_t i = 0; i < a->n; i++)
        a->real += cbrt((double)(i % 8));
    errno = ENOENT;
    a->result += strlen(strerror(errno)) > 0;
}

static void test_call(void)
{
    errno = 0;
    ok(run(k_call, NULL, 50000) == RT_GUARD_OK && argument->result == 1143 &&
           argument->real > 62000,
       "a kernel calls functions that are not bound yet");
    ok(errno == 0, "errno of the caller is its own");
}

static void k_copy(void *arg)
{
    struct argument *a = arg;
    memcpy(a->q, a->p, a->n);
}

static void k_format(void *arg)
{
    struct argument *a = arg;
    a->result = snprintf(a->q, a->n, "%s", a->p);
}

static void test_copy(void)
{
    char *block = malloc(8 * PAGE), *copy = rt_arena_realloc(NULL, NULL, 0, 8 * PAGE);
    memset(block, 'b', 8 * PAGE);
    strcpy(block + 1000, "text");
    argument->q = copy;
    ok(run(k_copy, block, 8 * PAGE) == RT_GUARD_OK && !memcmp(block, copy, 8 * PAGE),
       "memcpy of memory that is not present is let through");
    *present = (struct present){(uintptr_t)block + 1000, (uintptr_t)block + 2000};
    ok(run(k_copy, block, 8 * PAGE) == RT_GUARD_FAULT && fault.host && !fault.write &&
           is_present(present, fault.address),
       "memcpy of present memory is the kernel's fault");
    ok(run(k_format, block + 1000, 8 * PAGE) == RT_GUARD_FAULT && fault.host,
       "printing a present text too");
    argument->q = block + 1000;
    ok(run(k_copy, copy, 100) == RT_GUARD_FAULT && fault.write &&
           is_present(present, fault.address),
       "memcpy to present memory too");
    *present = (struct present){0};
    rt_arena_realloc(NULL, copy, 8 * PAGE, 0);
    free(block);
}

/* ------------------------------------------------------------------------------ the thread -- */

static void k_round(void *arg)
{
    struct argument *a = arg;
    volatile double three = 3;
    a->real = 1 / three;
    a->result = fegetround();
}

static size_t dig(size_t depth)
{
    volatile char room[1000];
    room[0] = (char)depth;
    return depth ? dig(depth - 1) + (room[0] == (char)depth) : 0;
}

static void k_dig(void *arg)
{
    struct argument *a = arg;
    a->result = (long)dig(a->n);
}

static void k_nested(void *arg)
{
    struct argument *a = arg, *inner = a + 1;
    struct rt_guard_fault none;
    enum rt_guard_result watched = rt_guard_run(guard, k_sum, inner, NULL, 0, NULL, &none);
    a->result = watched == RT_GUARD_OK && inner->result == 3;
}

static void test_thread(void)
{
    fesetround(FE_UPWARD);
    ok(run(k_round, NULL, 0) == RT_GUARD_OK && argument->result == FE_UPWARD &&
           argument->real > 1.0 / 3.0,
       "a kernel rounds as its caller does");
    fesetround(FE_TONEAREST);
    ok(run(k_dig, NULL, 20000) == RT_GUARD_OK && argument->result == 20000,
       "a kernel has a deep stack");
    ok(run(k_dig, NULL, 2000000) == RT_GUARD_FAULT && !fault.host && fault.write,
       "an endless recursion is found");
    bool good = true;
    for (int i = 0; i < 1000; i++)
        good = good && run(k_read, &variable, 0) == RT_GUARD_FAULT &&
               run(k_dig, NULL, 1) == RT_GUARD_OK;
    ok(good, "kernels run after others that were stopped");
}

static void test_nested(void)
{
    struct argument *two = rt_arena_realloc(NULL, NULL, 0, 2 * sizeof *two + 3);
    char *ones = (char *)(two + 2);
    memset(two, 0, 2 * sizeof *two);
    memset(ones, 1, 3);
    two[1].p = ones;
    two[1].n = 3;
    ok(rt_guard_run(guard, k_nested, two, &(struct rt_range){(uintptr_t)&guard, 8}, 1,
                       NULL, &fault) == RT_GUARD_OK &&
           two->result == 1,
       "a kernel in a kernel");
    rt_arena_realloc(NULL, two, 2 * sizeof *two + 3, 0);
}

static void test_many(void)
{
    struct timespec from, to;
    bool good = true;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 10000; i++)
        good = good && run(k_nothing, NULL, 0) == RT_GUARD_OK;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    ok(good, "10000 kernels (%.1f us each)", ns / 10000 / 1000);
}

/* ------------------------------------------------------------------------- between kernels -- */

/* Once twice the same pages were needed, they are opened without a fault. */
static void run_often(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        run(k_nothing, NULL, 0);
}

/* The stack has never been so deep: it grows while its lower end is closed. */
static void child_digs(void)
{
    enum { DEPTH = 2 << 20 };
    guard = open_watch();
    run_often(3);
    volatile char *deep = __builtin_alloca(DEPTH);
    deep[0] = deep[DEPTH / 2] = 'd';
    _exit(deep[0] == 'd' && run(k_nothing, NULL, 0) == RT_GUARD_OK && run(k_read, &variable, 0) == RT_GUARD_FAULT
              ? 0
              : 1);
}

static void test_held(void)
{
    enum { BYTES = 1 << 20 };
    char *large = malloc(BYTES), copy[100];
    memset(large, 'h', BYTES);
    run_often(3);
    const uint64_t start = (uintptr_t)large + PAGE, bytes = BYTES - 2 * PAGE, gap = rt_guard_get_interval(guard);
    run_often(3);
    ok(rt_guard_get_interval(guard) == gap + 3, "gaps between kernels are numbered");
    ok(rt_guard_is_untouched(guard, start, bytes, gap), "large memory stays closed between kernels");
    ok(rt_guard_peek(guard, start, copy, sizeof copy) && copy[99] == 'h' &&
           rt_guard_is_untouched(guard, start, bytes, gap),
       "a look at closed memory is no use of it");
    large[BYTES / 2]++;
    ok(large[BYTES / 2] == 'h' + 1 && !rt_guard_is_untouched(guard, start, bytes, gap),
       "the host writes to closed memory");
    ok(rt_guard_is_untouched(guard, start, BYTES / 4, gap), "other pages stay closed");
    for (int i = PAGE; i < BYTES - PAGE; i++)
        large[i]++;
    ok(large[PAGE] == 'h' + 1 && large[BYTES / 2] == 'h' + 2, "the host writes to all of it");
    found(large + BYTES / 2, "what the host has opened between kernels");
    run_often(3);
    ok(rt_guard_is_untouched(guard, start, bytes, rt_guard_get_interval(guard) - 1), "it is closed again");
    int ends[2], done = pipe(ends);
    run_often(2);
    done += (int)write(ends[1], large + PAGE, 10) + (int)read(ends[0], large + BYTES / 2, 10);
    ok(done == 20 && large[BYTES / 2] == 'h' + 1, "system calls with closed memory");
    close(ends[0]);
    close(ends[1]);
    run_often(2);
    struct sigaction before;
    handle(SIGSEGV, on_segment_jump, &before);
    run_often(2);
    if (!sigsetjmp(back, 1)) {
        *(volatile char *)NULL = 1;
        ok(false, "the program's handler gets a fault of the host");
    } else {
        ok(true, "the program's handler gets a fault of the host");
    }
    sigaction(SIGSEGV, &before, NULL);
    free(large);
}

/* Writes to the first byte of p. */
static void k_touch_first(void *arg)
{
    struct argument *a = arg;
    a->p[0] = 't';
}

/* Which sections of device memory a kernel touches. The system cannot protect the last section, as it is unmapped. */
static void test_sections(void)
{
    enum { N = 3 };
    char *device = mmap(NULL, N * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rt_device_section *sections = rt_arena_realloc(NULL, NULL, 0, N * sizeof *sections);
    munmap(device + (N - 1) * PAGE, PAGE);
    for (size_t i = 0; i < N; i++)
        sections[i] = (struct rt_device_section){.start = (uintptr_t)device + i * PAGE, .bytes = 100};
    rt_guard_set_sections(guard, sections, N);
    ok(run(k_touch_first, device, 0) == RT_GUARD_OK && device[0] == 't' && sections[0].touch == RT_TOUCHED,
       "the section that a kernel touches is found");
    ok(sections[1].touch == RT_TOUCH_NONE, "another one is not touched");
    ok(sections[2].touch == RT_TOUCH_UNKNOWN, "nothing is known of one that cannot be protected");
    rt_guard_set_sections(guard, NULL, 0);
    munmap(device, (N - 1) * PAGE);
    rt_arena_realloc(NULL, sections, N * sizeof *sections, 0);
}

int main(void)
{
    int status = in_child(child_digs);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the caller's stack grows between kernels");
    guard = open_watch();
    if (!ok(guard != NULL, "a watch opens"))
        return done();
    test_found();
    test_held();
    test_not_host();
    test_open();
    test_crossing();
    test_print();
    test_allocate();
    test_call();
    test_copy();
    test_thread();
    test_nested();
    test_many();
    test_sections();
    rt_guard_free(guard);
    ok(*library_variable_p() == 7, "variables are as they were");
    return done();
}
