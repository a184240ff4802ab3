/* supervisor.c - sends letters (messages of one character) to `accdeep exec`: the library was loaded, the first
 * directive is executed, the process ends without a directive. Thereby the command notices if the system ignored the
 * preloaded library; lua/program/supervise.c receives the letters. The started process also waits for an answer at its
 * end, so that all reports appear, and the picture of --draw is there, before the command returns. */
#include "runtime.h"
#include "supervisor.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Receives an answer, in at most `seconds` seconds; signals of the program do not end the wait. */
static void await_answer(int file, time_t seconds)
{
    struct timespec now, end;
    char letter;
    clock_gettime(CLOCK_MONOTONIC, &end);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (recvfrom(file, &letter, 1, 0, NULL, NULL) < 0 && errno == EINTR && now.tv_sec < end.tv_sec + seconds);
}

/* Sends the letter `letter` over the socket named by ACCDEEP_LOADED; failures are ignored, and errno is kept. seconds:
 * longest time to wait for an answer; 0: does not wait. */
static void send_letter(char letter, time_t seconds)
{
    assert(letter == 'L' || letter == 'D' || letter == 'E');
    const struct sockaddr_un unnamed = {.sun_family = AF_UNIX};
    struct sockaddr_un address = unnamed;
    const struct timeval limit = {.tv_sec = seconds};
    const char *name = getenv("ACCDEEP_LOADED");
    const size_t n = name ? strlen(name) : 0;
    const int before = errno,
              file = n && n < sizeof address.sun_path - 1 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (file >= 0) {
        memcpy(address.sun_path + 1, name, n);
        const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
        const bool needs_answer = seconds && !bind(file, (const void *)&unnamed, sizeof unnamed.sun_family) &&
                                  !setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        const ssize_t nsent = sendto(file, &letter, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (const void *)&address, size);
        if (needs_answer && nsent == 1)
            await_answer(file, seconds);
        close(file);
    }
    errno = before;
}

/* Sends a letter to `accdeep exec`, without waiting for an answer. */
void rt_notify_supervisor(char letter)
{
    send_letter(letter, 0);
}

static pid_t supervised; /* process that `accdeep exec` started; 0: `accdeep exec` did not start this process */
static bool is_drawn;    /* true: `accdeep exec` draws a picture at the end of the process */

/* Sends the letter 'E' and waits for the answer, once; does nothing in a process that `accdeep exec` did not start. */
void rt_note_process_end(void)
{
    /* A child of vfork shares the memory of `supervised`, but has another id. The first directive sets rt.options.rules
     * and has sent 'D', so without a picture no message is needed at the end. */
    if (!supervised || supervised != getpid() || (rt.options.rules && !is_drawn))
        return;
    supervised = 0;
    send_letter('E', is_drawn ? 30 : 1);
}

#ifdef RT_PRELOADED
/* Sends the letter 'L' when the library is loaded. */
__attribute__((constructor)) static void tell_loaded(void)
{
    const char *process = getenv("ACCDEEP_PROCESS"), *draw = getenv("ACCDEEP_DRAW");
    supervised = process ? atoi(process) : 0;
    is_drawn = draw && *draw;
    rt_notify_supervisor('L');
}

/* Calls rt_note_process_end at the end of the process, after destructors without a priority, which may report. */
__attribute__((destructor(1000))) static void tell_end(void)
{
    rt_note_process_end();
}
#endif
