/* What used to go without a word, or with a wrong one, by argument. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wide {
    float *a;
    double pad[80];
    float *b;
};

/* The report of a strict run does not wait for the end of the program. */
static void shutdown_first(void)
{
    static int a[100], b[100];
#pragma acc enter data copyin(a, b)
#pragma acc update device(a)
#pragma acc update self(a)
#pragma acc exit data delete(a)
    acc_shutdown(acc_device_default);
}

/* Members far apart in one structure, one directive each. */
static void members(void)
{
    struct wide v = {.a = calloc(4, sizeof(float)), .b = calloc(4, sizeof(float))};
#pragma acc enter data copyin(v.a[0:4])
#pragma acc enter data copyin(v.b[0:4])
    v.b[3] = 2;
#pragma acc update device(v.b[0:4])
    v.b[3] = 0;
#pragma acc exit data copyout(v.b[0:4])
#pragma acc exit data delete(v.a[0:4])
    printf("%g\n", v.b[3]);
}

static void blocks(size_t bytes, int n, int fetched)
{
    int *between = malloc(400), *c = malloc(bytes);
    memset(between, 1, 400); /* no block's head */
    if (fetched) {
#pragma acc enter data create(c[0:n])
#pragma acc exit data copyout(c[0:n])
    } else {
#pragma acc enter data copyin(c[0:n])
    }
    free(c);
    free(between);
    puts("moved");
}

/* Words of the program's own that look like a block's head in front of a section. */
static void lookalike(void)
{
    unsigned long *c = calloc(1000, sizeof *c);
    for (int i = 0; i < 1000; i++)
        c[i] = 33;
    unsigned long *part = c + 2;
#pragma acc parallel loop copy(part[0:900])
    for (int i = 0; i < 900; i++)
        part[i]++;
    printf("%lu\n", c[901]);
}

static void stray(int value)
{
    int **p = malloc(80);
    unsigned u = 0;
    for (int i = 0; i < 10; i++)
        p[i] = (int *)0x1234567890abcdefL;
    if (value) {
#pragma acc parallel copyin(p[0:10]) copy(u)
        u = *p[3];
    } else {
#pragma acc parallel create(p[0:10]) copy(u)
        u = *p[3];
    }
}

/* Host memory that is freed before its data are deleted: nothing moves there. */
static void freed(void)
{
    int *c = malloc(4000), *large = malloc(1 << 20);
#pragma acc enter data create(c[0:1000], large[0:1 << 18])
    free(c);
    free(large);
    free(malloc(400)); /* begins where c began */
#pragma acc exit data delete(c[0:1000], large[0:1 << 18])
    puts("deleted");
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (!strcmp(way, "shutdown"))
        shutdown_first();
    else if (!strcmp(way, "members"))
        members();
    else if (!strcmp(way, "within"))
        blocks(400, 100, 1);
    else if (!strcmp(way, "fetched"))
        blocks(400, 1000, 1);
    else if (!strcmp(way, "sent"))
        blocks(400, 120, 0);
    else if (!strcmp(way, "large"))
        blocks(1 << 20, (1 << 18) + 4096, 0);
    else if (!strcmp(way, "lookalike"))
        lookalike();
    else if (!strcmp(way, "freed"))
        freed();
    else
        stray(!strcmp(way, "stray"));
    return 0;
}
