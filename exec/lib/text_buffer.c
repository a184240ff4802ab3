/* text_buffer.c - appends to buffers of reports and JSON, and writes them to files; used by all reports. */
#include "text_buffer.h"

#include "rank.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Appends formatted text, and cuts off what does not fit. */
void rt_text_append(struct rt_text_buffer *text, const char *format, ...)
{
    assert(text->n < sizeof text->at);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
    va_end(args);
    size_t rest = sizeof text->at - 1 - text->n;
    text->n += n < 0 ? 0 : (size_t)n < rest ? (size_t)n : rest;
}

/* Appends `value` as a JSON string with its quotes. */
void rt_text_append_json_string(struct rt_text_buffer *text, const char *value)
{
    rt_text_append(text, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c == '"' || *c == '\\')
            rt_text_append(text, "\\%c", *c);
        else if (*c < 0x20)
            rt_text_append(text, "\\u%04x", *c);
        else
            rt_text_append(text, "%c", *c);
    rt_text_append(text, "\"");
}

/* Appends a field of a JSON object, after a comma unless it is the first one. */
void rt_text_append_json_field(struct rt_text_buffer *text, const char *key, const char *value)
{
    assert(text->n > 0);
    rt_text_append(text, "%s\"%s\":", text->at[text->n - 1] == '{' ? "" : ",", key);
    rt_text_append_json_string(text, value);
}

/* Appends the field "rank" in an MPI program. */
void rt_text_append_rank(struct rt_text_buffer *text)
{
    if (rt_get_mpi_rank() >= 0)
        rt_text_append(text, ",\"rank\":%d", rt_get_mpi_rank());
}

/* Returns a duplicate of `file` with a high number; -1 with errno set on failure. The caller still owns `file`. */
int rt_move_to_high_fd(int file)
{
    const int high = fcntl(file, F_DUPFD_CLOEXEC, 600);
    return high < 0 ? fcntl(file, F_DUPFD_CLOEXEC, 3) : high;
}

/* Opens a file for writing under a high number, with the further flags `flags`; -1 with errno set on failure. */
int rt_open_output_file(const char *name, int flags)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    const int high = file < 0 ? -1 : rt_move_to_high_fd(file);
    if (file >= 0)
        close(file);
    return high;
}

/* Writes the buffer to `fd`, with SIGPIPE blocked. Returns false with errno set if bytes were lost. */
bool rt_text_write(int fd, const struct rt_text_buffer *text)
{
    assert(text->n < sizeof text->at);
    sigset_t pipe, before;
    int write_error = 0;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    for (size_t nwritten = 0; nwritten < text->n;) {
        ssize_t n = write(fd, text->at + nwritten, text->n - nwritten);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE) /* the pipe is closed: takes the pending signal, which the program must not get */
            sigtimedwait(&pipe, NULL, &(struct timespec){0});
        if (n <= 0) {
            write_error = n < 0 && errno != EPIPE ? errno : 0;
            break;
        }
        nwritten += (size_t)n;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = write_error;
    return !write_error;
}
