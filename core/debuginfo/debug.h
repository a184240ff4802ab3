/* debug.h - debug information about the program that runs in this process: lines of calls, names of memory.
 *
 * A call is given by its return address `pc`. Code of the system is code of the operating system's libraries and
 * headers, of the compiler's runtime libraries, and of accdeep; all other code is the program's. libdw, which is
 * loaded at run time if it is installed, reads the debug information. No function prints or faults, whatever the
 * program or its files look like. Calls with one accd__debug_info must not overlap. The files of the implementation
 * share debug_dw.h; HAVE_LIBDW is defined if libdw's headers were found. Without libdw every function returns "not
 * known". */
#ifndef ACCD__DEBUG_H
#define ACCD__DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACCD__DEBUG_RANK_MAX = 15 };
struct accd__debug_info;
struct accd__debug_type;

/* Returns a new reader of debug information for the files of this process; NULL: libdw is not installed, lacks a
 * function or reports an error; or no memory. */
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
 * change, if the file has no unwinding rules for at.pc, or the return address is not in the copied stack. Rules must
 * give the caller's stack pointer relative to rsp or rbp. */
bool accd__debug_unwind_frame(struct accd__debug_info *debug, struct accd__debug_fault_context *stopped);

/* Sets *file_p, *line_p and *function_p to the source location of a call; what is not known is NULL or 0. Strings live
 * as long as `debug`, which may be NULL. Returns 1 if *line_p is the line of the call, and 0 if no file or line is
 * known. Returns 2 if the call has no line of its own, so that *line_p is that of code shortly before it. */
int accd__debug_find_line(struct accd__debug_info *debug, uintptr_t pc, const char **file_p, int *line_p,
                          const char **function_p);

/* Returns compiler and options of the code at a call, such as "GNU C17 14.2.0 -O2"; NULL: not known, or `debug` is
 * NULL. */
const char *accd__debug_get_compiler(struct accd__debug_info *debug, uintptr_t pc);

/* Returns true if the code before return address `pc` is code of the system. It is then in a library of the system, or
 * in a function of a header of the system, such as std::copy. System code that was inlined into a function of the
 * program has the line of that function, and is the program's. */
bool accd__debug_is_system_code(struct accd__debug_info *debug, uintptr_t pc);
/* Stores the calls of the program that enclose the call `from` (sp 0: not known), the innermost first, at most
 * `capacity` of the next 64 frames, and returns how many. Calls in code of the system, or without a line, are left out.
 * Returns 0 if `from` is not active on this stack. */
size_t accd__debug_find_callers(struct accd__debug_info *debug, struct accd__debug_call_frame from,
                                struct accd__debug_call_frame *calls, size_t capacity);
/* Replaces *call, if it is in code of the system, by the call in the innermost enclosing frame whose function is the
 * program's and has a known line. Does nothing if none of the next 64 frames is such a frame. The call must be active
 * on this stack. */
void accd__debug_unwind_to_program(struct accd__debug_info *debug, struct accd__debug_call_frame *call);
/* Returns true if the code before return address `pc` is the program's and was compiled without debug information.
 * Returns false for functions whose symbol begins with a dot, and if no file contains the code. */
bool accd__debug_lacks_debug_info(struct accd__debug_info *debug, uintptr_t pc);

/* Returns the linker's name of the function at `address`, such as "main._omp_fn.0" for an outlined function; NULL: not
 * known. The name comes from the symbol table, so that it is known without debug information (DWARF), too. The name
 * lives as long as `debug`. */
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
    int fortran; /* 1: the type of the named object is from a Fortran unit; 0: other language, or type not known */
    uint64_t aggregate_end; /* address after the outermost structure that holds the range; 0: no structure */
    /* Number of dimensions and their bounds, for an array in Fortran, whose sections are written s(3:6). rank is 0
     * for all other objects. dim[i].extent is INT64_MAX if the extent is not known. */
    int rank;
    struct {
        int64_t lower, extent;
    } dim[ACCD__DEBUG_RANK_MAX];
    /* Object of the name, for accd__debug_find_element. `object`: address of the object. `type`: its type; NULL: not
     * known. `data`: address of its elements, from which the next subscripts count. `subscripts`: number of subscripts
     * that `name` already contains. */
    struct accd__debug_type *type;
    uint64_t object, data;
    unsigned subscripts;
};

/* Sets *name_p to the name of the range of `bytes` bytes at `address` as seen from `call`, whose variables are in
 * scope. With 0 bytes, names the object that begins at the address. Returns 1. Returns 0 if no variable contains
 * the range, and none points to it, directly or through a second pointer. */
int accd__debug_find_name(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                          uint64_t bytes, struct accd__debug_name *name_p);
/* Sets *name_p to the name of the range of `bytes` bytes at `address`. Sets *element_p to the name of the element or
 * member that has the byte at address + at: "a[2][3]", "c(3)%v(2)". That byte may be outside of the range. The name of
 * the element is empty if the range has a name, but the element has none. Returns 1; or 0 if the range has no name. */
int accd__debug_find_element(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                             uint64_t address, uint64_t bytes, int64_t at, struct accd__debug_name *name_p,
                             struct accd__debug_name *element_p);
/* Returns 1 if the byte at address + at is padding in the type of the named range. Padding lies between members of a
 * structure, or after the 10 bytes of an x87 number. Returns 0 if the byte holds a value, or if its name or type is not
 * known. */
int accd__debug_is_padding(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                           uint64_t bytes, uint64_t at);
/* Pointer in an object: its offset in bytes, and its path, such as ".child[1]", "[2].next" or "%u". */
struct accd__debug_pointer {
    uint64_t offset;
    char path[64];
};
/* Stores the pointers, references and Fortran descriptors in the `bytes` bytes at `address`, by the type of the range,
 * the first ones by offset, at most `capacity`. Returns how many; 0 if the range has no name or type. Only the first
 * 64 KiB of a range are read. */
size_t accd__debug_find_pointers(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                                 uint64_t address, uint64_t bytes, struct accd__debug_pointer *pointers,
                                 size_t capacity);
/* Returns the size in bytes of the target of the global or static Fortran pointer whose variable is at `address`.
 * Returns 0 if there is no such variable, or if the size is not constant. */
uint64_t accd__debug_get_pointee_bytes(struct accd__debug_info *debug, uint64_t address);

#endif
