/* modules.h - Lua modules inside the program. */
#ifndef ACCD_MODULES_H
#define ACCD_MODULES_H

#include <stddef.h>

struct embedded_module {
    const char *name;
    const unsigned char *code;
    size_t bytes;
};

extern const struct embedded_module embedded_modules[];

#endif
