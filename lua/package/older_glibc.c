/* older_glibc.c - the self-contained program runs on C libraries older than the one it is linked with.
 * Functions of which that one has newer versions are called by the version they always had; the linker
 * sends calls of NAME here by --wrap=NAME. Nothing else may be newer than what README says. */
#include <pthread.h>
#include <sys/stat.h>

#define BY_OLD_NAME(type, name, parameters, arguments)      \
    __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5"); \
    type old_##name parameters;                             \
    type __wrap_##name parameters;                          \
    type __wrap_##name parameters                           \
    {                                                       \
        return old_##name arguments;                        \
    }

BY_OLD_NAME(double, exp, (double x), (x))
BY_OLD_NAME(double, log, (double x), (x))
BY_OLD_NAME(double, log2, (double x), (x))
BY_OLD_NAME(double, pow, (double x, double y), (x, y))
BY_OLD_NAME(void *, dlopen, (const char *file, int mode), (file, mode))
BY_OLD_NAME(void *, dlsym, (void *library, const char *name), (library, name))
BY_OLD_NAME(int, dlclose, (void *library), (library))
BY_OLD_NAME(char *, dlerror, (void), ())
BY_OLD_NAME(int, pthread_create,
            (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
            (thread, attributes, start, argument))
BY_OLD_NAME(int, pthread_join, (pthread_t thread, void **result), (thread, result))

/* stat was an inline function over this one. */
enum { STAT_VERSION = 1 };
__asm__(".symver old_xstat,__xstat@GLIBC_2.2.5");
int old_xstat(int version, const char *path, struct stat *buffer);
int __wrap_stat(const char *path, struct stat *buffer);
int __wrap_stat(const char *path, struct stat *buffer)
{
    return old_xstat(STAT_VERSION, path, buffer);
}

/* The old start of a program leaves its constructors to a function of the program itself. */
typedef void initialiser(int argc, char **argv, char **environment);
extern initialiser *const __init_array_start[], *const __init_array_end[];
extern void _init(void);

static void construct(int argc, char **argv, char **environment)
{
    _init();
    for (initialiser *const *f = __init_array_start; f < __init_array_end; f++)
        (*f)(argc, argv, environment);
}

__asm__(".symver old_start,__libc_start_main@GLIBC_2.2.5");
int old_start(int (*program)(int, char **, char **), int argc, char **argv, initialiser *init, void (*fini)(void),
              void (*loader_fini)(void), void *stack_end);
int __wrap___libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, initialiser *init,
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end);
int __wrap___libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, initialiser *init,
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    (void)init; /* new starting code has none */
    return old_start(program, argc, argv, construct, fini, loader_fini, stack_end);
}
