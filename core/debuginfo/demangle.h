/* demangle.h - names of C++ functions, from those that the linker uses. */
#ifndef ACCD_DEMANGLE_H
#define ACCD_DEMANGLE_H

/* Returns the name of the C++ function that the linker calls `symbol`, with its classes and without parameters and
 * type, such as "Matrix<double>::multiply"; the caller must free it. Returns NULL if `symbol` is no such name, if the
 * process has no library of C++, or without memory. */
char *accd__demangle(const char *symbol);
/* Returns the part of a name from accd__demangle after its classes: "multiply". */
const char *accd__strip_classes(const char *name);

#endif
