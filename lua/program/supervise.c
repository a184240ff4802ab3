/* supervise.c - checks of `accdeep exec` on the processes around it.
 *
 * 1. Is the runtime's library loaded into the program that this process becomes? The system may ignore LD_PRELOAD, and
 * a program that starts others may remove it. A process beside the program, the supervisor, waits for datagrams from
 *    the library. If the program ends without them, the supervisor reports it.
 *
 *        accdeep exec --fork--> supervisor <------ 'L' loaded, 'D' first directive, 'E' end ------.
 *             |                      `------------ answer to 'E' ------------------------------>  |
 *             `--exec--> program, with the library ----------------------------------------------'
 *
 *    A program with the library sends 'E' only if it has executed no directive, or if a picture is to be drawn. It
 *    waits for the answer, so that reports are complete, and the picture is there, before it ends. 'Q': the program
 * could not be started.
 *
 * 2. Does a file belong to the same run of tests? It does if it was written after the parent process started. */
#include "program.h"

#include <lauxlib.h>

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static const struct sockaddr_un any = {.sun_family = AF_UNIX};
static const char variable[] = "ACCDEEP_LOADED", of_process[] = "ACCDEEP_PROCESS";

/* Moves a descriptor above those of the standard streams, which may be closed. Returns the new descriptor; -1: `file`
 * is -1, or the move failed. */
static int move_above_streams(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(file);
    return moved;
}

/* Returns a datagram socket with a name that the system chooses, stored in *address_p; -1: failure. */
static int open_socket(struct sockaddr_un *address_p)
{
    socklen_t size = sizeof *address_p;
    const int file = move_above_streams(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (file < 0)
        return -1;
    memset(address_p, 0, sizeof *address_p);
    if (!bind(file, (const void *)&any, sizeof any.sun_family) && !getsockname(file, (void *)address_p, &size))
        return file;
    close(file);
    return -1;
}

/* Writes a text to standard error. */
static void write_error(const char *text)
{
    const ssize_t unused = write(STDERR_FILENO, text, strlen(text));
    (void)unused;
}

/* Waits until the program has ended, or reports that it ends (letter 'E'), or was not started ('Q'). Unless `until_end`
 * is set, waits only until the library has reported that it is loaded and has executed a directive. Then writes the
 * text `not_loaded` if no datagram came, or the text `no_directive` if no directive was executed; NULL: none is
 * expected. Returns the last letter, and stores its sender. `file`: socket; `program`: pidfd. */
static char supervise(int file, int program, const char *not_loaded, const char *no_directive, bool until_end,
                      struct sockaddr_un *from_p, socklen_t *size_p)
{
    assert(not_loaded);
    struct pollfd files[] = {{.fd = file, .events = POLLIN}, {.fd = program, .events = POLLIN}};
    bool loaded = false, executed = no_directive == NULL, ended = false;
    char what = 0;
    while ((!loaded || !executed || until_end) && what != 'E' && what != 'Q') {
        *size_p = sizeof *from_p;
        if (recvfrom(file, &what, 1, 0, (void *)from_p, size_p) == 1) {
            loaded = true;
            executed |= what == 'D' || what == 'Q';
        } else if (ended) {
            break;
        } else {
            poll(files, 2, -1);
            ended = files[1].revents != 0;
        }
    }
    if (!loaded)
        write_error(not_loaded);
    else if (!executed)
        write_error(no_directive);
    return what;
}

/* Life of the supervisor: supervises the program `program`, calls the function at stack index 3 if there is one,
 * answers the letter 'E', and ends. The argument of the function is false if the program was not started. */
static _Noreturn void run_supervisor(lua_State *L, int file, int program)
{
    struct sockaddr_un from = any;
    socklen_t size = 0;
    const bool at_end = lua_isfunction(L, 3);
    const int terminal[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP};
    for (size_t i = 0; i < sizeof terminal / sizeof terminal[0]; i++)
        signal(terminal[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    /* readers of the program's output get its end when the program ends */
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(none, STDIN_FILENO);
    dup2(none, STDOUT_FILENO);
    const char what =
        supervise(file, program, luaL_checkstring(L, 1), luaL_optstring(L, 2, NULL), at_end, &from, &size);
    if (at_end) {
        lua_settop(L, 3);
        lua_pushboolean(L, what != 'Q');
        if (lua_pcall(L, 1, 0, 0))
            write_error(luaL_tolstring(L, -1, NULL));
    }
    if (what == 'E')
        sendto(file, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL, (const void *)&from, size);
    _exit(0);
}

/* Starts the supervisor, which gets the socket `file`. The supervisor is a grandchild of this process, so that the
 * program cannot wait for it as for a child of its own. Returns false if the system refuses. */
static bool start_supervisor(lua_State *L, int file)
{
    const pid_t program = getpid(), child = fork();
    int status = -1;
    if (child > 0)
        waitpid(child, &status, 0);
    if (child)
        return !status;
    const int process = move_above_streams((int)syscall(SYS_pidfd_open, program, 0));
    const pid_t supervisor = process < 0 ? -1 : fork();
    if (supervisor)
        _exit(supervisor < 0);
    run_supervisor(L, file, process);
}

/* system.supervise(not_loaded [, no_directive [, at_end]]) -> true, or false if the system refuses. Starts a supervisor
 * for the program that this process becomes. The supervisor writes not_loaded to standard error if the library was not
 * loaded, or no_directive if no directive was executed. It calls at_end(true) when the program has ended, or just
 * before that: the library then waits for the call. It calls at_end(false) if the program could not be started. */
static int l_supervise(lua_State *L)
{
    struct sockaddr_un address;
    char process[24];
    luaL_checkstring(L, 1);
    const int file = open_socket(&address);
    const bool is_started = file >= 0 && start_supervisor(L, file);
    lua_pushboolean(L, is_started);
    if (file < 0)
        return 1;
    close(file);
    setenv(variable, address.sun_path + 1, 1);
    snprintf(process, sizeof process, "%d", (int)getpid());
    setenv(of_process, process, 1);
    return 1;
}

void accd__end_supervision(void)
{
    struct sockaddr_un address = any;
    const char *name = getenv(variable);
    const int file = name ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (file < 0)
        return;
    const size_t n = strlen(name);
    if (n < sizeof address.sun_path - 1) {
        memcpy(address.sun_path + 1, name, n);
        const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
        const ssize_t unused = sendto(file, "Q", 1, MSG_DONTWAIT, (const void *)&address, size);
        (void)unused;
    }
    close(file);
}

/* Stores the time of the real-time clock at which a process started, in seconds, and whether the process is a shell of
 * a terminal. Returns false if unknown. */
static bool read_start(pid_t process, double *start_p, bool *interactive_p)
{
    char name[32], text[1024];
    long long ticks = 0;
    int session = 0, terminal = 0;
    struct timespec now, since_boot;
    snprintf(name, sizeof name, "/proc/%d/stat", (int)process);
    FILE *file = fopen(name, "r");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = 0;
    const char *rest = strrchr(text, ')'); /* the last one: the name before it may contain any characters */
    if (!rest || sscanf(rest, ") %*c %*d %*d %d %d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
                        &session, &terminal, &ticks) != 3)
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    *start_p = (double)(now.tv_sec - since_boot.tv_sec) + (double)(now.tv_nsec - since_boot.tv_nsec) / 1e9 +
               (double)ticks / (double)sysconf(_SC_CLK_TCK);
    *interactive_p = session == process && terminal;
    return true;
}

/* system.is_of_sibling(path) -> true if a file was written after the parent of this process started, and the parent is
 * not an interactive shell. Such a file is a report of the same script or run of tests. */
static int l_is_of_sibling(lua_State *L)
{
    struct stat status;
    double start = 0;
    bool interactive = true;
    const bool known = !stat(luaL_checkstring(L, 1), &status) && S_ISREG(status.st_mode) &&
                       read_start(getppid(), &start, &interactive);
    lua_pushboolean(L, known && !interactive &&
                           (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9 >= start);
    return 1;
}

void accd__open_supervise(lua_State *L)
{
    lua_pushcfunction(L, l_supervise);
    lua_setfield(L, -2, "supervise");
    lua_pushcfunction(L, l_is_of_sibling);
    lua_setfield(L, -2, "is_of_sibling");
}
