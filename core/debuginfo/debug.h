/* debug.h - debug information about the program that runs in this process: lines of calls, names of memory.
 *
 * libdw, which is loaded at run time if it is installed, reads the debug information. No function prints or faults,
 * whatever the program or its files look like. Calls with one accd__debug_info must not overlap. The files of the
 * implementation share debug_dw.h; HAVE_LIBDW is defined if libdw's headers were found. Without libdw every function
 * returns "not known". */
#ifndef ACCD__DEBUG_H
#define ACCD__DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACCD__DEBUG_RANK_MAX = 15 };
struct accd__debug_info;
struct accd__debug_type;

/* Returns a new reader of debug information; NULL: libdw is not installed, or no memory. */
struct accd__debug_info *accd__debug_open(void);
/* Frees `debug` and all strings that its functions have returned. Does nothing for NULL. */
void accd__debug_close(struct accd__debug_info *debug);

/* Call of a function: `pc` is the return address, `sp` the caller's stack pointer after the return, `bp` the frame
 * pointer register at the call, 0: not known. If the call is still active on this stack, unwinding finds the other
 * registers that calls preserve. */
struct accd__debug_call_frame {
    uintptr_t pc, sp, bp;
};

enum { ACCD__DEBUG_FAULT_STACK_WORDS = 1024 };
/* Function that was stopped by a fault. `at` describes the fault like a call; at.pc is the address after the first byte
 * of the instruction. `words` is a copy of `n` words of the stack, from address `low` on. */
struct accd__debug_fault_context {
    struct accd__debug_call_frame at;
    uint64_t low;
    size_t n;
    uintptr_t words[ACCD__DEBUG_FAULT_STACK_WORDS];
};
/* Replaces stopped->at by the call in the caller of the stopped function, and returns true. Returns false, without a
 * change, if the caller is not known. */
bool accd__debug_unwind_frame(struct accd__debug_info *debug, struct accd__debug_fault_context *stopped);

/* Sets *file_p, *line_p and *function_p to the source location of a call; what is not known is NULL or 0. Strings live
 * as long as `debug`, which may be NULL. Returns 1; 0 if no line is known. Returns 2 if the code has no line of its
 * own, so that the line of code shortly before it is given. */
int accd__debug_find_line(struct accd__debug_info *debug, uintptr_t pc, const char **file_p, int *line_p,
                          const char **function_p);

/* Returns compiler and options of the code at a call, such as "GNU C17 14.2.0 -O2"; NULL: not known, or `debug` is
 * NULL. */
const char *accd__debug_get_compiler(struct accd__debug_info *debug, uintptr_t pc);

/* Returns true if the code at `pc` is code of the system: of its libraries, or of a function of its headers, such as
 * std::copy. Code that was inlined into a function of the program has the line of that function already, and does not
 * count. */
bool accd__debug_is_system_code(struct accd__debug_info *debug, uintptr_t pc);
/* Replaces *call, if it is in code of the system, by the call in the innermost function of the program that encloses
 * it. Does nothing if there is none within 64 frames. The call must be active on this stack. */
void accd__debug_unwind_to_program(struct accd__debug_info *debug, struct accd__debug_call_frame *call);
/* Returns true if the code at `pc` is the program's and was compiled without debug information. */
bool accd__debug_lacks_debug_info(struct accd__debug_info *debug, uintptr_t pc);

/* Returns the linker's name of the function at an address, such as "main._omp_fn.0" for an outlined function; NULL: not
 * known. Works without debug information, too. The name lives as long as `debug`. */
const char *accd__debug_find_symbol(struct accd__debug_info *debug, uint64_t address);

/* Name that the program has for a range of its memory. If `section` is set, the range is name[start:bytes/unit], where
 * `start` counts elements from 0, also in Fortran. Otherwise the range is all of the object called `name`. */
struct accd__debug_name {
    char name[128]; /* examples: "s.b", "p->a", "z", "v%a" in Fortran, "this->x" */
    uint64_t unit;  /* bytes of one element; 0: the name is not an array or section */
    /* index of the first element of the section, from 0 */
    int64_t start;
    /* 1: the range is a section, name[start:bytes/unit]; 0: the range is all of the object */
    int section;
    int fortran;            /* the language of the named object is Fortran */
    uint64_t aggregate_end; /* address after the outermost structure that holds the range; 0: no structure */
    /* Bounds of an array in Fortran, whose sections are written s(3:6). rank is 0 for all other objects. */
    int rank;
    struct {
        int64_t lower, extent;
    } dim[ACCD__DEBUG_RANK_MAX];
    /* Object of the name, for accd__debug_find_element: the object at `object`, or its elements, which begin at `data`
     * if the name already has `subscripts` subscripts. `type` is NULL if it is not known. */
    struct accd__debug_type *type;
    uint64_t object, data;
    unsigned subscripts;
};

/* Sets *name_p to the name of a range of memory as seen from `call`, whose variables are in scope. With 0 bytes, names
 * the object that begins at the address. Returns 1, or 0 if no name is known. */
int accd__debug_find_name(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                          uint64_t bytes, struct accd__debug_name *name_p);
/* Names a range as accd__debug_find_name does, and sets *element_p to the name of the element or member that has byte
 * `at`, counted from the address: "a[2][3]", "c(3)%v(2)". The byte may be outside of the range. The name of the element
 * is empty if only the range has one. Returns 1, or 0 if no name is known. */
int accd__debug_find_element(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                             uint64_t address, uint64_t bytes, int64_t at, struct accd__debug_name *name_p,
                             struct accd__debug_name *element_p);
/* Returns 1 if byte `at`, counted from the address, is padding of the type of the range; 0 if the byte holds a value or
 * its type is not known. */
int accd__debug_is_padding(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                           uint64_t bytes, uint64_t at);
/* Returns the size of the target of a global or static Fortran pointer at an address. Returns 0 if there is no such
 * variable, or the size is not constant. */
uint64_t accd__debug_get_pointee_bytes(struct accd__debug_info *debug, uint64_t address);

#endif
