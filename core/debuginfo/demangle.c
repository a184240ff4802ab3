/* demangle.c - reads names of C++ functions by __cxa_demangle of the program's own C++ library. */
#include "demangle.h"

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns the first position of the part of `name` that ends at `end`: after the last character `separator` that is in
 * no brackets, or else the beginning. */
static const char *find_part(const char *name, const char *end, char separator)
{
    assert(end >= name);
    int depth = 0;
    while (end > name && (depth || end[-1] != separator)) {
        end--;
        depth += (*end == '>' || *end == ')') - (*end == '<' || *end == '(');
    }
    return end;
}

/* Returns the name of a C++ function without parameters and type. */
char *accd__demangle(const char *symbol)
{
    char *(*demangle)(const char *name, char *buffer, size_t *length, int *status) = NULL;
    if (symbol && !strncmp(symbol, "_Z", 2))
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    char *whole = demangle ? demangle(symbol, NULL, NULL, NULL) : NULL;
    const char *end = whole ? strrchr(whole, ')') : NULL;
    if (!end)
        return whole;
    int depth = 1;
    while (end > whole && depth) {
        end--;
        depth += (*end == ')') - (*end == '(');
    }
    const char *first = find_part(whole, end, ' ');
    const size_t n = (size_t)(end - first);
    memmove(whole, first, n);
    whole[n] = 0;
    return whole;
}

/* Returns the last part of a name. */
const char *accd__strip_classes(const char *name)
{
    return find_part(name, name + strlen(name), ':');
}
