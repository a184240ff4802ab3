/* spend.c COMMAND... - runs a command without its output, and prints its processor time in seconds and its memory in MB
 * at most. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    const pid_t child = argc > 1 ? fork() : -1;
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        return 1;
    printf("%.3f %.1f\n", seconds(used.ru_utime) + seconds(used.ru_stime), (double)used.ru_maxrss / 1024);
    return 0;
}
