/* next_function.c - finds the functions of libgomp and libomp that functions of this library hide. */
#include "next_function.h"

#include "diag/errors.h"

#include <dlfcn.h>

/* Bounds of the section that RT_NEXT fills; the linker defines them. */
extern struct rt_next_function first_function[] __asm__("__start_rt_next_functions")
    __attribute__((visibility("hidden")));
extern struct rt_next_function end_of_functions[] __asm__("__stop_rt_next_functions")
    __attribute__((visibility("hidden")));

/* Stores the address of the function, if a library of the program has it, and returns it; NULL: none has. */
static void (*look_up(struct rt_next_function *function))(void)
{
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so"};
    void *symbol = dlsym(RTLD_NEXT, function->name), *library = NULL;
    /* A plug-in with its own copy of this library may come after libgomp or libomp in the search order. */
    for (size_t i = 0; !symbol && i < sizeof libraries / sizeof libraries[0]; i++)
        if ((library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD)))
            symbol = dlsym(library, function->name);
    void (*address)(void);
    *(void **)&address = symbol;
    __atomic_store_n(&function->address, address, __ATOMIC_RELAXED);
    return address;
}

/* Looks a function up, and returns its address. Ends the program if none of its libraries has the function. */
void (*rt_find_next_function(struct rt_next_function *function))(void)
{
    void (*const address)(void) = look_up(function);
    if (!address)
        rt_fatal("file", "libgomp of gcc 12 or later, or libomp, is needed: %s is not in the program's libraries",
                 function->name);
    return address;
}

/* Looks up all functions that RT_NEXT names. */
static void find_all(void)
{
    for (struct rt_next_function *function = first_function; function < end_of_functions; function++)
        look_up(function);
}

/* Looks up all functions that RT_NEXT names, at the first call. */
void rt_find_next_functions(void)
{
    static pthread_once_t once_control = PTHREAD_ONCE_INIT;
    pthread_once(&once_control, find_all);
}
