/* text.c - lines under way: reports as text, or as JSON. */
#include "text.h"

#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void goacc_text(struct goacc_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
    va_end(args);
    size_t left = sizeof text->at - 1 - text->n;
    text->n += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
}

void goacc_text_quoted(struct goacc_text *text, const char *value)
{
    goacc_text(text, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c == '"' || *c == '\\')
            goacc_text(text, "\\%c", *c);
        else if (*c < 0x20)
            goacc_text(text, "\\u%04x", *c);
        else
            goacc_text(text, "%c", *c);
    goacc_text(text, "\"");
}

void goacc_text_field(struct goacc_text *text, const char *key, const char *value)
{
    goacc_text(text, "%s\"%s\":", text->at[text->n - 1] == '{' ? "" : ",", key);
    goacc_text_quoted(text, value);
}

void goacc_text_rank(struct goacc_text *text)
{
    if (goacc_rank() >= 0)
        goacc_text(text, ",\"rank\":%d", goacc_rank());
}

int goacc_high_file(int file)
{
    const int high = fcntl(file, F_DUPFD_CLOEXEC, 600);
    return high < 0 ? fcntl(file, F_DUPFD_CLOEXEC, 3) : high;
}

int goacc_open_file(const char *name, int how)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
    const int high = file < 0 ? -1 : goacc_high_file(file);
    if (file >= 0)
        close(file);
    return high;
}

bool goacc_text_put(int fd, const struct goacc_text *text)
{
    sigset_t pipe, before;
    int lost = 0;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    for (size_t done = 0; done < text->n;) {
        ssize_t n = write(fd, text->at + done, text->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE) /* the reader is gone; that is no signal for the program */
            sigtimedwait(&pipe, NULL, &(struct timespec){0});
        if (n <= 0) {
            lost = n < 0 && errno != EPIPE ? errno : 0;
            break;
        }
        done += (size_t)n;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = lost;
    return !lost;
}

