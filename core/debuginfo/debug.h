/* debug.h - what debug information says about the program that runs in this process: lines of
 * calls, names of memory. Read with libdw, which is loaded when it is there. Nothing here prints or
 * faults, whatever the program or its files look like. Calls on one accd__debug_info do not overlap. */
#ifndef ACCD__DEBUG_H
#define ACCD__DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACCD__DEBUG_RANK_MAX = 15 };
struct accd__debug_info;
struct accd__debug_type;

struct accd__debug_info *accd__debug_open(void); /* NULL: libdw is not there, or no memory */
void accd__debug_close(struct accd__debug_info *debug);

/* Where a call stands: return address, the caller's stack pointer after the return, its frame
 * pointer register at the call. The other registers a caller keeps are found when the call is still
 * active on this stack. */
struct accd__debug_call_frame {
    uintptr_t pc, sp, bp;
};

/* A function that was stopped: its place is like that of a call, with the address after the instruction's first byte.
 * words: a copy of its stack, from low on. */
enum { ACCD__DEBUG_FAULT_STACK_WORDS = 1024 };
struct accd__debug_fault_context {
    struct accd__debug_call_frame at;
    uint64_t low;
    size_t n;
    uintptr_t words[ACCD__DEBUG_FAULT_STACK_WORDS];
};
/* Its place becomes that of the call in the function around it. False: that is not known. */
bool accd__debug_unwind_frame(struct accd__debug_info *debug, struct accd__debug_fault_context *stopped);

/* File, line and function of the call; strings live as long as debug. Cached by pc. The parts are
 * NULL or 0 where they are not known; 0: no line is known. 2: the code has no line; one before it is given. */
int accd__debug_find_line(struct accd__debug_info *debug, uintptr_t pc, const char **file_p, int *line_p,
                          const char **function_p);

/* Returns the compiler of the code at a call, as in "GNU C17 14.2.0", followed by its options. NULL: not known. */
const char *accd__debug_get_compiler(struct accd__debug_info *debug, uintptr_t pc);

/* Whether code is the system's: of one of its libraries, or of a function in one of its headers, as
 * std::copy is. Inlined code has the line of the program's function at once. */
bool accd__debug_is_system_code(struct accd__debug_info *debug, uintptr_t pc);
/* A call in code of the system becomes the call of the program's own function around it, which is
 * active on this stack. */
void accd__debug_unwind_to_program(struct accd__debug_info *debug, struct accd__debug_call_frame *call);
/* Whether the program's code at a place was compiled without debug information. False: it was not,
 * or the code is not the program's: the system's, or made by the compiler. */
bool accd__debug_lacks_debug_info(struct accd__debug_info *debug, uintptr_t pc);

/* The function at an address as the linker calls it, "main._omp_fn.0" for an outlined one, with or
 * without debug information; lives as long as debug. NULL: not known. */
const char *accd__debug_find_symbol(struct accd__debug_info *debug, uint64_t address);

/* What the program calls a range of its memory. With section the range is name[start:bytes/unit],
 * where start counts elements from 0, also in Fortran; otherwise it is all of the object called name. */
struct accd__debug_name {
    char name[128]; /* "s.b", "p->a", "z", "v%a" in Fortran, "this->x" */
    uint64_t unit;  /* bytes of one element, 0: not an array or section */
    int64_t start;
    int section;
    int fortran;            /* the language of what is named */
    uint64_t aggregate_end; /* behind the outermost structure that holds the range; 0: none does */
    /* Of an array in Fortran, whose sections are s(3:6): bounds of its dimensions; rank is 0 elsewhere. */
    int rank;
    struct {
        int64_t lower, extent;
    } dim[ACCD__DEBUG_RANK_MAX];
    /* What the name stands for, for accd__debug_find_element: an object, or elements that begin at data, after so many
     * subscripts. NULL: not known. */
    struct accd__debug_type *type;
    uint64_t object, data;
    unsigned subscripts;
};

/* As seen from a call. 0 bytes: what begins at the address. 0: not known. */
int accd__debug_find_name(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                          uint64_t bytes, struct accd__debug_name *name_p);
/* Names the range, as accd__debug_find_name does, and the element or member of it that has the byte at, counted from
 * the address: "a[2][3]", "c(3)%v(2)". The byte may lie before or behind the range. The element's name is empty where
 * only the range is known. */
int accd__debug_find_element(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                             uint64_t address, uint64_t bytes, int64_t at, struct accd__debug_name *name_p,
                             struct accd__debug_name *element_p);
/* Whether the byte at, counted from the address, is padding of the range's type. 0: it holds a value, or nothing is
 * known. */
int accd__debug_is_padding(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                           uint64_t bytes, uint64_t at);
/* Bytes of what a global or static pointer of Fortran at an address points to, an array or scalar of constant size; 0:
 * there is no such variable. */
uint64_t accd__debug_get_pointee_bytes(struct accd__debug_info *debug, uint64_t address);

#endif
