/* steady.c WAY - constructs that repeat: what changes in a late run, and what runs cost that are not looked at. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <openacc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 64, RUNS = 6000, LATE = 5000 };

static double a[N], b[N];
static struct list {
    double *data;
} list;

static void set(double *p)
{
#pragma acc parallel deviceptr(p)
    p[0] = 1;
}

/* Follows a pointer that is not attached, if it is asked to. */
static void follow(int wrong)
{
#pragma acc parallel present(list, a)
    a[0] += wrong ? list.data[0] : 1;
}

static void store(int at)
{
#pragma acc parallel present(a)
    a[at] = at;
}

/* Another argument. */
static void argument(void)
{
    double *p = acc_malloc(sizeof a), *host = malloc(sizeof a);
    for (int run = 1; run <= RUNS; run++)
        set(run == LATE ? host : p);
}

/* Another object is present. */
static void object(void)
{
    for (int run = 1; run <= RUNS; run++) {
        if (run == LATE) {
#pragma acc enter data copyin(b)
        }
        follow(run == LATE);
    }
}

static void value(void)
{
    for (int run = 1; run <= RUNS; run++)
        follow(run == LATE);
}

/* The first byte behind the data. */
static void behind(void)
{
    for (int run = 1; run <= RUNS; run++)
        store(run == LATE ? N : 0);
}

static void before(void)
{
    for (int run = 1; run <= RUNS; run++)
        store(run == LATE ? -1 : 0);
}

/* A data region in each step, the same one. */
static void step(void)
{
    for (int run = 1; run <= RUNS; run++) {
#pragma acc data copy(b)
#pragma acc parallel present(b)
        b[1] = b[0];
    }
}

/* From the run LATE on, a hundred kernels may make no system call. */
static void calls(void)
{
    static struct sock_filter only[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof only / sizeof only[0], only};
    static const char none[] = "no system call\n";
    for (int run = 1; run < LATE; run++)
        store(run % N);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        perror("seccomp");
    for (int run = LATE; run < LATE + 100; run++)
        store(run % N);
    syscall(SYS_write, 1, none, strlen(none));
    syscall(SYS_exit_group, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"argument", argument}, {"object", object}, {"value", value}, {"behind", behind},
               {"before", before},     {"step", step},     {"calls", calls}};
    list.data = b;
#pragma acc enter data copyin(a, list)
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (argc > 1 && !strcmp(argv[1], all[i].name))
            all[i].run();
#pragma acc exit data copyout(a) delete(list)
    printf("%g\n", a[0]);
    return 0;
}
