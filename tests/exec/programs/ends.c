/* Programs that end in the middle of something, by argument. */
#include <openacc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void GOACC_data_end(void);

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "status";
    int x = 1, out = !strcmp(way, "kernel-exit");
    printf("%s\n", way);
    fflush(stdout);
#pragma acc data copy(x)
    {
        if (!strcmp(way, "region"))
            exit(3);
        if (!strcmp(way, "signal"))
            raise(SIGTERM);
        if (!strcmp(way, "segv"))
            raise(SIGSEGV); /* sent: no access that could be explained */
        if (!strcmp(way, "abort"))
            abort();
#pragma acc serial present(x) copyin(out)
        {
            x = 2;
            if (out)
                exit(9);
        }
        if (!strcmp(way, "fork")) {
            pid_t child = fork();
            int status = 0;
            if (!child)
                exit(4);
            waitpid(child, &status, 0);
            printf("child %d\n", WEXITSTATUS(status));
        }
    }
    if (!strcmp(way, "end-twice"))
        GOACC_data_end();
    return 42;
}
