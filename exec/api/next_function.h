/* next_function.h - calls of functions of libgomp and libomp. This library has functions with the same names as most of
 * them, which the program calls in their place (interposition). */
#ifndef RT_NEXT_FUNCTION_H
#define RT_NEXT_FUNCTION_H

#include <stdbool.h>

/* Function of libgomp or libomp. */
struct rt_next_function {
    const char *name;
    void (*address)(void); /* set at the first use; NULL: not yet looked up, or missing */
};

/* Looks the function up, stores its address and returns it: from the libraries after this one in the search order,
 * otherwise from a loaded libgomp or libomp. Ends the program if none has the function. */
void (*rt_find_next_function(struct rt_next_function *function))(void);

/* Looks up, once, all functions that RT_NEXT names, as far as the program has them. Called before a kernel runs whose
 * host pages are protected, because a look-up would access them. */
void rt_find_next_functions(void);

/* Returns the address of the function, looked up at the first call. */
static inline void (*rt_get_next_function(struct rt_next_function *function))(void)
{
    void (*const address)(void) = __atomic_load_n(&function->address, __ATOMIC_RELAXED);
    return address ? address : rt_find_next_function(function);
}

/* Pointer to libgomp's or libomp's function `name`, which must be declared. The linker collects the records of all uses
 * in a section of their own, where rt_find_next_functions finds them. */
#define RT_NEXT(name)                                                                                               \
    ({                                                                                                              \
        static struct rt_next_function next_function __attribute__((section("rt_next_functions"))) = {#name, NULL}; \
        (__typeof__(name) *)rt_get_next_function(&next_function);                                                   \
    })

/* Functions of libgomp, most of which libomp has, too, that several files call. */
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, bool deferred,
               unsigned flags, void **depend, int priority, void *detach);
int omp_get_default_device(void);
void omp_set_default_device(int device);
void omp_set_max_active_levels(int regions);
int omp_get_level(void);

#endif
