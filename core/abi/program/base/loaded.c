/* loaded.c - tells `accdeep exec` that the library is in a process, and that the first directive is
 * executed. It sees then that the system has not left the library out; lua/program/supervise.c
 * waits for that. */
#include "runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void goacc_tell_supervisor(char what)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv("ACCDEEP_LOADED");
    const size_t n = name ? strlen(name) : 0;
    const int before = errno, file = n && n < sizeof address.sun_path - 1
                                         ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
                                         : -1;
    if (file >= 0) {
        memcpy(address.sun_path + 1, name, n);
        const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
        sendto(file, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (const void *)&address, size);
        close(file);
    }
    errno = before;
}

#ifdef GOACC_PRELOADED
__attribute__((constructor)) static void tell_loaded(void)
{
    goacc_tell_supervisor('L');
}
#endif
