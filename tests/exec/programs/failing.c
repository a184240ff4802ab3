/* Allocations and constructs that fail, and functions of the C library that allocate. The argument chooses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>

struct pair {
    float *p;
    int n;
};

/* The second clause fails: the first one, which could be executed, changes nothing. */
static void construct(void)
{
    struct pair s = {calloc(4, sizeof(float)), 4};
    int a[10] = {0};
#pragma acc enter data copyin(s.p[0 : 4])
#pragma acc enter data copyin(a[0 : 5])
#pragma acc enter data copyin(a, s)
}

/* realloc fails: the old block of n elements is still there, mapped, and of the size that was requested. */
static void resize(int n, volatile size_t more, int is_array)
{
    int sum = 0, *old = calloc((size_t)n, sizeof *old);
#pragma acc enter data copyin(old[0 : n])
    old[3] = 3;
    if (is_array ? reallocarray(old, more, sizeof *old) : realloc(old, more))
        abort();
#pragma acc parallel loop present(old[0 : n]) reduction(+ : sum) /* stale: nothing has sent old[3] */
    for (int i = 0; i < n; i++)
        sum += old[i];
    printf("%d\n", sum);
#pragma acc exit data delete(old[0 : n])
#pragma acc enter data copyin(old[0 : n + 1]) /* longer than the block */
}

/* Maps n bytes of a block. */
static void map(const char *block, size_t n)
{
#pragma acc enter data copyin(block[0 : n])
    (void)block;
}

#pragma weak free_sized
void free_sized(void *block, size_t n); /* C23 */

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char *line = NULL;
    size_t n = 0;
    if (!strcmp(how, "construct"))
        construct();
    if (!strcmp(how, "realloc"))
        resize(100, (size_t)-1 / 4, 0);
    if (!strcmp(how, "large"))
        resize(100000, (size_t)-1 / 4, 0);
    if (!strcmp(how, "reallocarray"))
        resize(100, (size_t)-1 / 2, 1);
    if (!strcmp(how, "strdup"))
        map(strdup("seven c"), 9);
    if (!strcmp(how, "asprintf") && asprintf(&line, "%d", 1234567) > 0)
        map(line, 9);
    if (!strcmp(how, "grown")) {
        char *block = malloc(40);
        block = reallocarray(block, 2, 44);
        map(memset(block, 0, 88), 89);
    }
    if (!strcmp(how, "valloc"))
        map(memset(valloc(100), 0, 100), 101);
    if (!strcmp(how, "aligned")) {
        void *block;
        if (!posix_memalign(&block, 64, 100))
            map(memset(block, 0, 100), 101);
    }
    if (!strcmp(how, "free")) {
        char *block = calloc(100, 1);
        map(block, 100);
        free_sized(block, 100);
    }
    if (!strcmp(how, "getline")) {
        FILE *file = fmemopen((char[]){"a line of some bytes\n"}, 21, "r");
        if (getline(&line, &n, file) > 0)
            map(line, n + 1);
    }
}
