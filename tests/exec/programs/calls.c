/* Calls of the C library that read old data of the host, by argument; with a second one the data are new. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 64 };
static int a[N], b[N];
static char t[N] = "abc", line[N];

static int by_value(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

static void call(const char *way)
{
    if (!strcmp(way, "memcpy"))
        memcpy(b, a, sizeof a);
    else if (!strcmp(way, "memcmp"))
        b[0] = memcmp(a, b, sizeof a) > 0;
    else if (!strcmp(way, "qsort"))
        qsort(a, N, sizeof *a, by_value);
    else if (!strcmp(way, "fwrite"))
        fwrite(t, 1, 3, stdout);
    else if (!strcmp(way, "write"))
        b[0] = (int)write(STDERR_FILENO, t, 3);
    else if (!strcmp(way, "printf"))
        printf("%d%% %*d %5.2f %Lg %ld %.4s|\n", 3, 2, 1, 2.5, 1.5L, 7L, t);
    else if (!strcmp(way, "vprintf"))
        say("%d %s\n", 3, t);
    else if (!strcmp(way, "snprintf"))
        b[0] = snprintf(line, sizeof line, "%c %s", 'c', t);
    else if (!strcmp(way, "strlen"))
        b[0] = (int)strlen(t);
    else if (!strcmp(way, "strcpy"))
        strcpy(line, t + b[0]);
    else if (!strcmp(way, "strcmp"))
        b[0] = strcmp(t, line) > 0;
}

int main(int argc, char **argv)
{
    #pragma acc enter data copyin(a, t)
    #pragma acc parallel loop present(a, t)
    for (int i = 0; i < N; i++) {
        a[i] = N - i;
        t[i] = i < 20 ? 'x' : 0;
    }
    if (argc > 2) {
        #pragma acc update self(a, t)
    }
    const char *way = argv[1];
    call(way);
    if (!strcmp(way, "memset") || !strcmp(way, "sscanf")) { /* and now the device is old */
        if (!strcmp(way, "memset"))
            memset(a, 0, sizeof a);
        else if (sscanf("7 2.5 [x] 9 8", "%d %*f [%5[^]]] %d%%", &b[2], line, &a[5]) != 3)
            return 1;
        #pragma acc parallel loop present(a) copyout(b)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
    #pragma acc exit data delete(a, t) finalize
    printf("%d\n", b[1] >= 0);
}
