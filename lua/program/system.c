/* system.c - accdeep.system: terminals, files and processes for the command line. */
#include "program.h"

#include <lauxlib.h>

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* system.isatty(descriptor) -> true if standard output (1) or standard error (2) is a terminal */
static int l_isatty(lua_State *L)
{
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

/* Compares entries by name, for scandir. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* system.listdir(path) -> sorted names that do not begin with "."; or nil, message */
static int l_listdir(lua_State *L)
{
    struct dirent **entries;
    int n = scandir(luaL_checkstring(L, 1), &entries, NULL, compare_names);
    if (n < 0) {
        lua_pushnil(L);
        lua_pushstring(L, strerror(errno));
        return 2;
    }
    lua_newtable(L);
    lua_Integer link = 0;
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            lua_pushstring(L, entries[i]->d_name);
            lua_rawseti(L, -2, ++link);
        }
        free(entries[i]);
    }
    free(entries);
    return 1;
}

/* system.mkdir(path) -> true; or nil, message. Succeeds if the folder exists, or path is "". */
static int l_mkdir(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct stat st;
    if (!*path || !mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode))) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, strerror(errno));
    return 2;
}

/* system.temporary_folder([folder]) -> path of a new folder for this user only, in this folder, TMPDIR or /tmp; or nil,
 * message */
static int l_temporary_folder(lua_State *L)
{
    const char *place = luaL_optstring(L, 1, getenv("TMPDIR"));
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    luaL_addstring(&buffer, place && *place ? place : "/tmp");
    luaL_addlstring(&buffer, "/accdeep-XXXXXX", sizeof "/accdeep-XXXXXX");
    luaL_pushresult(&buffer);
    size_t bytes;
    const char *pattern = lua_tolstring(L, -1, &bytes);
    char *path = lua_newuserdatauv(L, bytes, 0);
    memcpy(path, pattern, bytes);
    if (mkdtemp(path)) {
        lua_pushstring(L, path);
        return 1;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", pattern, strerror(errno));
    return 2;
}

/* system.realpath(path) -> absolute path; or nil, message */
static int l_realpath(lua_State *L)
{
    char *path = realpath(luaL_checkstring(L, 1), NULL);
    lua_pushstring(L, path);
    if (path) {
        free(path);
        return 1;
    }
    lua_pushstring(L, strerror(errno));
    return 2;
}

/* system.filetype(path) -> "file", "directory" or "device" (also pipes and sockets); or nil, message */
static int l_filetype(lua_State *L)
{
    struct stat st;
    if (stat(luaL_checkstring(L, 1), &st)) {
        lua_pushnil(L);
        lua_pushstring(L, strerror(errno));
        return 2;
    }
    lua_pushstring(L, S_ISDIR(st.st_mode) ? "directory" : S_ISREG(st.st_mode) ? "file" : "device");
    return 1;
}

/* system.elevates(path) -> text about the additional rights that a program gets when it starts; nothing if it gets
 * none. The system ignores LD_PRELOAD for programs with such rights. */
static int l_elevates(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct stat status;
    struct statvfs files;
    const bool gets_none =
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (!statvfs(path, &files) && files.f_flag & ST_NOSUID);
    if (gets_none || stat(path, &status))
        return 0;
    if ((status.st_mode & S_ISUID && status.st_uid != getuid()) ||
        (status.st_mode & S_ISGID && status.st_gid != getgid()))
        lua_pushstring(L, "the rights of another user or group");
    else if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        lua_pushstring(L, "capabilities of its file");
    else
        return 0;
    return 1;
}

/* system.fork() -> process id of the child; in the child, 0. The child is killed when this process ends. Raises if no
 * process can be started. */
static int l_fork(lua_State *L)
{
    const pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0)
        return luaL_error(L, "cannot start a process: %s", strerror(errno));
    if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
        _exit(EXIT_FAILURE);
    lua_pushinteger(L, pid);
    return 1;
}

/* system.wait([seconds]) -> process id, exit status of a child that has ended. The status is 128 + n for a child that
 * signal n has ended. Returns nothing if there are no children, and false if no child ended in so many seconds;
 * seconds nil: waits without a limit. */
static int l_wait(lua_State *L)
{
    const double tick = 0.005;
    bool limited = !lua_isnoneornil(L, 1);
    double left = luaL_optnumber(L, 1, 0);
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, limited ? WNOHANG : 0)) <= 0) {
        if (pid < 0 && errno != EINTR)
            return 0;
        if (pid == 0 && left <= 0) {
            lua_pushboolean(L, false);
            return 1;
        }
        if (pid == 0)
            nanosleep(&(struct timespec){.tv_nsec = (long)(tick * 1e9)}, NULL);
        left -= tick;
    }
    lua_pushinteger(L, pid);
    lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 2;
}

/* system.kill(pid): kills a child of system.fork that has not been waited for. */
static int l_kill(lua_State *L)
{
    const lua_Integer pid = luaL_checkinteger(L, 1);
    luaL_argcheck(L, pid > 1, 1, "no child");
    kill((pid_t)pid, SIGKILL);
    return 0;
}

/* system.read(descriptor [, seconds]) -> bytes that have arrived, at most 64 KiB; "" at the end of the stream. Returns
 * false if none arrived in so many seconds, and nil, message if reading fails. seconds nil: waits without a limit. */
static int l_read(lua_State *L)
{
    struct pollfd stream = {.fd = (int)luaL_checkinteger(L, 1), .events = POLLIN};
    const double seconds = luaL_optnumber(L, 2, -1);
    int n = poll(&stream, 1, seconds < 0 ? -1 : seconds > 3600 ? 3600000 : (int)(seconds * 1000));
    if (n == 0 || (n < 0 && errno == EINTR)) {
        lua_pushboolean(L, false);
        return 1;
    }
    char bytes[1 << 16];
    const ssize_t length = n < 0 ? -1 : read(stream.fd, bytes, sizeof bytes);
    if (length >= 0) {
        lua_pushlstring(L, bytes, (size_t)length);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, strerror(errno));
    return 2;
}

/* system.redirect(descriptor, path) -> true; or nil, message. Opens the file for a standard stream: standard input (0)
 * for reading, others for writing, emptied before. */
static int l_redirect(lua_State *L)
{
    const int stream = (int)luaL_checkinteger(L, 1);
    luaL_argcheck(L, stream >= STDIN_FILENO && stream <= STDERR_FILENO, 1, "no standard stream");
    const int file = open(luaL_checkstring(L, 2), stream ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0600);
    const bool is_done = file >= 0 && (file == stream || dup2(file, stream) == stream);
    const int error = errno;
    if (file >= 0 && file != stream)
        close(file);
    if (is_done) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, strerror(error));
    return 2;
}

/* Name of the class of counters: an array of n numbers in memory that this process shares with the processes that it
 * forks. Methods: c:add(i, k), c:get(i); i counts from 1. */
static const char counters_name[] = "accdeep.counters";

/* Lua object of system.counters. */
struct counters {
    _Atomic long long *link;
    size_t n;
};

/* Returns the counter whose number is at stack index 2, of the counters at index 1. Raises for another number. */
static _Atomic long long *check_counter(lua_State *L)
{
    struct counters *counters = luaL_checkudata(L, 1, counters_name);
    lua_Integer i = luaL_checkinteger(L, 2);
    luaL_argcheck(L, counters->link && i >= 1 && (size_t)i <= counters->n, 2, "no such counter");
    return &counters->link[i - 1];
}

/* c:add(i, k): adds k to counter i, atomically. */
static int l_counters_add(lua_State *L)
{
    *check_counter(L) += luaL_checkinteger(L, 3);
    return 0;
}

/* c:get(i) -> value of counter i */
static int l_counters_get(lua_State *L)
{
    lua_pushinteger(L, *check_counter(L));
    return 1;
}

/* Metamethod __gc: unmaps the counters. */
static int l_counters_gc(lua_State *L)
{
    struct counters *counters = luaL_checkudata(L, 1, counters_name);
    if (counters->link)
        munmap(counters->link, counters->n * sizeof *counters->link);
    counters->link = NULL;
    return 0;
}

/* system.counters(n) -> object with n counters, all 0. Raises unless n is in 1 to 1000, or without memory. */
static int l_counters(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"add", l_counters_add}, {"get", l_counters_get}, {"__gc", l_counters_gc}, {NULL, NULL}};
    lua_Integer n = luaL_checkinteger(L, 1);
    luaL_argcheck(L, n >= 1 && n <= 1000, 1, "1 to 1000");
    struct counters *counters = lua_newuserdatauv(L, sizeof *counters, 0);
    *counters = (struct counters){.n = (size_t)n};
    if (luaL_newmetatable(L, counters_name)) {
        luaL_setfuncs(L, methods, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
    void *memory =
        mmap(NULL, (size_t)n * sizeof *counters->link, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return luaL_error(L, "no memory for processes: %s", strerror(errno));
    counters->link = memory;
    return 1;
}

/* system.exit(status): ends a child of system.fork at once, without closing anything. */
static int l_exit(lua_State *L)
{
    _exit((int)luaL_checkinteger(L, 1));
}

/* system.executable() -> path of the running program; nil: unknown */
static int l_executable(lua_State *L)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path)
        return 0;
    lua_pushlstring(L, path, (size_t)n);
    return 1;
}

/* Multiplies the soft limit of the stack's size by `times`, as far as the hard limit allows. Affects the programs
 * that this process executes. */
static void widen_stack(rlim_t times)
{
    assert(times > 0);
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    const bool fits = limit.rlim_cur <= limit.rlim_max / times;
    limit.rlim_cur = fits ? limit.rlim_cur * times : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* system.exec({program, argument, ...}, {NAME = "value", ...} [, times]) -> message, if exec fails. Replaces this
 * process by the program, with these variables added to its environment, and a limit of the stack `times` as large;
 * nil: 1. */
static int l_exec(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    const lua_Integer times = luaL_optinteger(L, 3, 1);
    lua_Integer n = luaL_len(L, 1);
    const char **args = lua_newuserdatauv(L, (size_t)(n + 1) * sizeof *args, 0);
    for (lua_Integer i = 0; i < n; i++) { /* the strings stay in the table */
        lua_rawgeti(L, 1, i + 1);
        args[i] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    args[n] = NULL;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        setenv(lua_tostring(L, -2), lua_tostring(L, -1), 1);
    widen_stack((rlim_t)times);
    fflush(NULL);
    execvp(args[0], (char *const *)(uintptr_t)args);
    lua_pushstring(L, strerror(errno));
    accd__end_supervision();
    return 1;
}

__attribute__((visibility("default"))) int luaopen_accdeep_system(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"isatty", l_isatty},
        {"listdir", l_listdir},
        {"mkdir", l_mkdir},
        {"filetype", l_filetype},
        {"fork", l_fork},
        {"wait", l_wait},
        {"kill", l_kill},
        {"read", l_read},
        {"redirect", l_redirect},
        {"exit", l_exit},
        {"executable", l_executable},
        {"exec", l_exec},
        {"counters", l_counters},
        {"realpath", l_realpath},
        {"elevates", l_elevates},
        {"temporary_folder", l_temporary_folder},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    accd__open_edit(L);
    accd__open_supervise(L);
    return 1;
}
