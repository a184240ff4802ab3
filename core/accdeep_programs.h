/* accdeep_programs.h - labels of data, and mapping programs, which describe the pointers and members to follow.
 * accdeep_core.h includes this header and has the conventions. */
#ifndef ACCDEEP_PROGRAMS_H
#define ACCDEEP_PROGRAMS_H

#include "accdeep_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dimension of a Fortran array: lower bound, number of elements, and bytes from one element to the next. */
typedef struct accd_dimension {
    int64_t lower, extent, stride;
} accd_dimension;
#define ACCD_MAX_RANK 15

/* Dimensions by which the elements of an array are named. Fortran: s(1,2). C: s[1][2]; for C only the extents of
 * `dimensions` count, the innermost dimension first. */
typedef struct accd_array {
    const char *name; /* name of the array, if the label names a part of it: "s" for "s(2:3)"; or NULL */
    int64_t shift;    /* bytes from the array's first element to the object that the label names */
    unsigned rank;
    uint32_t described; /* 0: `dimensions` below counts. Otherwise the offset of the dimensions in the descriptor that
                           points to the object; each has three words: lower bound, extent and stride */
    uint32_t span; /* 0, or for gfortran's descriptors the offset of the word with the bytes of one stride. The three
                      words of a dimension are then stride, lower bound and upper bound */
    accd_dimension dimensions[ACCD_MAX_RANK];
} accd_array;

/* Name of an object. Labels belong to the context, and live as long as the context. */
typedef struct accd_label {
    const char *name; /* "X", "X.a"; for a member only its own name, "a". Each # is replaced by the next index of the
                         item: "Y[#].b" */
    uint64_t unit;    /* size of one element of the object */
    unsigned flags;   /* set of the flags ACCD_LABEL_* below */
    const char *file; /* file of the clause; NULL: not known */
    int line;
    const accd_program *layout; /* program whose members name the parts of an element, or NULL */
    const char *pointer;        /* name of the pointer that points to the object; NULL: the name of the object */
    const accd_array *array;    /* dimensions in names of elements; NULL: one dimension from 0 */
    uint32_t id;                /* number given by the core */
} accd_label;
#define ACCD_MAX_LABEL_INDICES 3
#define ACCD_LABEL_SECTION 1u     /* the name is printed with [start:length] */
#define ACCD_LABEL_MEMBER 2u      /* the name is printed after that of the element that contains the pointer */
#define ACCD_LABEL_ELEMENT 4u     /* the name is printed with [start], for one element of an array */
#define ACCD_LABEL_PARENTHESES 8u /* elements are named (1), (2) ..., as in Fortran, not [0], [1] */
#define ACCD_LABEL_INDEXED 16u    /* set by the core: the name has a # */

/* Returns the context's copy of a label and its strings; equal labels share one copy. NULL: out of memory. */
ACCD_API const accd_label *accd_label_intern(accd_context *context, const accd_label *label);

/* Operation of a clause on an item. */
typedef enum accd_action {
    ACCD_ACTION_INHERIT, /* the action of the enclosing element; in mapping programs only */
    ACCD_ACTION_COPY,
    ACCD_ACTION_COPYIN,
    ACCD_ACTION_COPYOUT,
    ACCD_ACTION_CREATE,
    ACCD_ACTION_NO_CREATE,
    ACCD_ACTION_PRESENT,
    ACCD_ACTION_DELETE,
    ACCD_ACTION_ATTACH,
    ACCD_ACTION_DETACH,
    ACCD_ACTION_UPDATE_SELF,
    ACCD_ACTION_UPDATE_DEVICE,
    ACCD_ACTION_HOLD, /* storage and a reference, no copies: the base of a member clause (TR14-3.4-05) */
    ACCD_ACTION_COUNT
} accd_action;
/* Returns the name of an action in messages, such as "copyin"; the string is constant. */
ACCD_API const char *accd_action_name(accd_action action);

/* A mapping program describes one element of an object: which of its bytes are copied, and which of its pointers are
 * followed. It is the compiled form of a nest (TR14-3.3-17). */
typedef struct accd_piece { /* bytes of the element itself */
    uint64_t offset, bytes;
    uint8_t action;          /* ACCD_ACTION_INHERIT, or another action */
    uint8_t init;            /* init_needed: create acts as copyin, copyout as copy */
    uint8_t entry_only;      /* true for a pointer that is not attached: copied to the device at entry, never back */
    uint8_t base_pointer;    /* true for the base pointer of a section: copied with a new object only */
    const accd_label *label; /* name of the bytes; NULL: the name of the object */
} accd_piece;

typedef struct accd_field { /* pointer that is followed, or embedded elements */
    uint64_t offset;        /* offset in the element of the pointer, or of the embedded elements */
    uint64_t unit;          /* bytes of one element of the section */
    int count;              /* register with the number of elements */
    int start;              /* register with the index of the first element; -1: the index is 0 */
    uint8_t action;
    uint16_t flags;   /* ACCD_ITEM_PRESENT_OR, _COPY_ABSENT, _UPDATE_PRESENT, _ALWAYS_IN, _ALWAYS_OUT, _REQUIRE_PRESENT,
                         _FINALIZE, _ZERO, _ATTACH_*. They count for an explicit action only; a section with
                         ACCD_ACTION_INHERIT has the flags of the enclosing object except _ATTACH_* */
    uint8_t init;     /* true for init_needed: create acts as copyin, copyout as copy */
    uint8_t embedded; /* true if the elements lie in the object itself, so that they are walked but not mapped */
    uint8_t in_place; /* true for a section of an embedded array: bytes of the object, without a pointer */
    uint32_t slot_bytes; /* size of the Fortran descriptor that begins with the pointer; 0: a plain pointer */
    size_t code_end; /* number of instructions, from the start of the program, that are executed before this field is
                        computed */
    const accd_label *label;
    accd_program *child; /* program for the elements of the section, retained; NULL: plain data */
    unsigned up; /* recursive types; 0: not recursive. Otherwise `child` is NULL, and the elements have the program `up`
                    levels further out (1: the program of this field). Each element is walked once, even if several
                    pointers point to it (TR14-5-10) */
} accd_field;

/* Operations of mapping programs; each one computes 256 elements at once. R[x] is register x, a column of 64-bit
 * integers, one for each element. The instructions of a field run just before its sections are computed, so later
 * fields can reuse registers. The program of the elements of a section (accd_field.child) reads, with ACCD_I_INHERIT,
 * the values that registers have after the last field. */
typedef enum accd_opcode {
    ACCD_I_CONST,   /* R[to] = k */
    ACCD_I_PARAM,   /* R[to] = parameter k of the item */
    ACCD_I_INHERIT, /* R[to] = R[k] of the enclosing element */
    ACCD_I_SELF,    /* R[to] = host address of the element */
    ACCD_I_LOAD,    /* R[to] = member of scalar type b at offset k of the element */
    ACCD_I_LOAD_AT, /* R[to] = value of scalar type b at address R[a] + k. A null or dangling address is an error; at
                       address -1 nothing is read */
    /* Arithmetic: k selects the type. k = 0: computed in 64 bits; an undefined result becomes ACCD_UNREPRESENTABLE. k =
     * 1 + ACCD_SCALAR_I32, ACCD_SCALAR_U32, ACCD_SCALAR_I64 or ACCD_SCALAR_U64: as C computes in this type. Results
     * undefined in C are errors: a division by zero, an overflow of a signed type, a shift by too many bits. Registers
     * have the value of the type; for ACCD_SCALAR_U64, its bits. */
    ACCD_I_ADD,
    ACCD_I_SUB,
    ACCD_I_MUL,
    ACCD_I_DIV,
    ACCD_I_MOD,
    ACCD_I_SHL,
    ACCD_I_SHR,
    ACCD_I_AND,
    ACCD_I_OR,
    ACCD_I_XOR,
    ACCD_I_EQ,
    ACCD_I_NE,
    ACCD_I_LT,
    ACCD_I_LE, /* LT and LE: k = 0 compares signed numbers, k = 1 + ACCD_SCALAR_U64 unsigned ones */
    ACCD_I_NEG,
    ACCD_I_NOT,
    ACCD_I_LNOT,
    ACCD_I_DISTANCE, /* R[to] = (R[a] - R[b]) / k, for pointers to elements of k bytes */
    ACCD_I_SELECT,   /* R[to] = R[a] ? R[b] : R[k] */
    ACCD_I_CAST,     /* R[to] = R[a] converted to type b */
    ACCD_I_CALL,     /* R[to] = function k of registers a .. a+b-1 */
    ACCD_I_REQUIRE,  /* R[to] = R[a]. R[a] = 0 is an error: the section covers parts of several rows of k elements each;
                        with k = 0, the section runs off its row */
    ACCD_I_CALL_IF,  /* R[to] = R[a] ? function k of registers a+1 .. a+b : 0; called only where R[a] is not 0 */
    ACCD_I_COUNT
} accd_opcode;

typedef enum accd_scalar {
    ACCD_SCALAR_I8,
    ACCD_SCALAR_U8,
    ACCD_SCALAR_I16,
    ACCD_SCALAR_U16,
    ACCD_SCALAR_I32,
    ACCD_SCALAR_U32,
    ACCD_SCALAR_I64,
    ACCD_SCALAR_U64,
    ACCD_SCALAR_BOOL,
    ACCD_SCALAR_COUNT
} accd_scalar;

typedef struct accd_instruction {
    uint8_t op, to, a, b; /* accd_opcode; registers or other numbers, as the comment of the opcode says */
    int64_t k;
} accd_instruction;

typedef struct accd_member {
    uint64_t offset, bytes;
    const accd_label *label;
} accd_member;

/* Specification of a mapping program: the arguments of accd_program_new. */
typedef struct accd_program_spec {
    uint64_t stride; /* bytes of one element */
    const accd_piece *pieces;
    size_t npieces;
    const accd_field *fields;
    size_t nfields;
    const accd_instruction *code;
    size_t ncode;
    unsigned registers;
    unsigned params; /* number of parameters that the program reads, and that an item with this program must have */
    const accd_member *excluded; /* members that are not mapped, so that device code must not use them */
    size_t nexcluded;
    const accd_member *members; /* named parts of an element, for messages */
    size_t nmembers;
} accd_program_spec;

/* Checks `spec` and makes a program with copies of its arrays. The caller releases the program. ACCD_ERROR_MISUSE: an
 * invalid program, such as registers out of range, or members outside of the element. */
ACCD_API accd_status accd_program_new(accd_context *context, const accd_program_spec *spec, accd_program **program_p);
/* Adds a user to a program, and returns the program; NULL does nothing and is returned. Programs that contain the
 * program, and constructs that use it, are users, too. */
ACCD_API accd_program *accd_program_retain(accd_program *program);
/* Removes a user of a program, which may be NULL. The last user frees the program; with config.checkpoints, the context
 * does. */
ACCD_API void accd_program_release(accd_program *program);

/* Runs code once, without an element. `registers` is the number of registers; out[0 .. registers-1] receives their
 * final values. `params` has the values for ACCD_I_PARAM; NULL: none. ACCD_ERROR_MISUSE: the code has instructions
 * about elements (ACCD_I_LOAD, ACCD_I_INHERIT, ACCD_I_SELF). ACCD_ERROR_NULL_POINTER: a load from a null or dangling
 * address. ACCD_ERROR_CALLBACK: a called function failed. ACCD_ERROR_INVALID_SECTION: a result that C leaves undefined,
 * or ACCD_I_REQUIRE with k > 0. ACCD_ERROR_OUT_OF_BOUNDS: ACCD_I_REQUIRE with k = 0 (TR14-3.1.1-21). */
ACCD_API accd_status accd_evaluate(accd_context *context, const accd_instruction *code, size_t ncode,
                                   unsigned registers, const int64_t *params, int64_t *out);
/* Value of a register whose result does not fit into 64 bits, after a division by zero or an overflow. */
#define ACCD_UNREPRESENTABLE INT64_MIN

#ifdef __cplusplus
}
#endif

#endif
