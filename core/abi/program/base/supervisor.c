/* supervisor.c - tells `accdeep exec` that the library is in a process, and that the first directive is
 * executed. It sees then that the system has not left the library out; lua/program/supervise.c
 * waits for that. The process that it started also tells its end, and waits for what is said then. */
#include "runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Sends a letter. answered: waits for an answer, for a second at most. */
static void send_letter(char what, bool answered)
{
    const struct sockaddr_un any = {.sun_family = AF_UNIX};
    struct sockaddr_un address = any;
    const struct timeval second = {.tv_sec = 1};
    const char *name = getenv("ACCDEEP_LOADED");
    const size_t n = name ? strlen(name) : 0;
    const int before = errno,
              file = n && n < sizeof address.sun_path - 1 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (file >= 0) {
        memcpy(address.sun_path + 1, name, n);
        const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
        answered = answered && !bind(file, (const void *)&any, sizeof any.sun_family) &&
                   !setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
        const ssize_t sent = sendto(file, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (const void *)&address, size);
        if (answered && sent == 1 && recv(file, &what, 1, 0) < 0) {
        } /* it is said, or late */
        close(file);
    }
    errno = before;
}

void rt_notify_supervisor(char what)
{
    send_letter(what, false);
}

#ifdef RT_PRELOADED
static pid_t supervised; /* the process that `accdeep exec` started */

__attribute__((constructor)) static void tell_loaded(void)
{
    const char *process = getenv("ACCDEEP_PROCESS");
    supervised = process ? atoi(process) : 0;
    rt_notify_supervisor('L');
}

__attribute__((destructor)) static void tell_end(void)
{
    rt_note_process_end();
}

void rt_note_process_end(void)
{
    /* A child of vfork has the parent's memory. With rules, a directive was executed, and has told so. */
    if (!supervised || supervised != getpid() || rt.options.rules)
        return;
    supervised = 0;
    send_letter('E', true);
}
#endif
