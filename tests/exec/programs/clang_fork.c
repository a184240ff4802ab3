/* After a fork, each process has variables of the device of its own. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma omp declare target
int number = 1, many[100000];
#pragma omp end declare target

static int of_device(void)
{
    int value;
    #pragma omp target map(from: value)
    value = number + many[99999];
    return value;
}

static void change(int by)
{
    #pragma omp target
    {
        number += by;
        many[99999] = by;
    }
    #pragma omp target update from(number, many[99999:1])
}

int main(void)
{
    int status = 0, parent[2], child[2];
    char byte = 0;
    if (pipe(parent) || pipe(child))
        return 1;
    change(1);
    const pid_t pid = fork();
    if (!pid) {
        if (read(parent[0], &byte, 1) != 1) /* the parent has changed its own */
            return 1;
        const int before = of_device();
        change(10);
        const int sum = of_device();
        if (write(child[1], &byte, 1) != 1 || before != 3 || sum != 22)
            return 1;
        _exit(number == 12 ? 0 : 1);
    }
    change(100);
    if (write(parent[1], &byte, 1) != 1 || read(child[0], &byte, 1) != 1)
        return 1;
    waitpid(pid, &status, 0);
    printf("parent %d %d, child %d\n", number, of_device(), status);
}
