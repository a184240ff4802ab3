/* accdeep_ir.h - reads the printed form of the construct IR: what directives mean, as text that people read and other
 * implementations can write. examples/construct-ir.md describes the language.
 *
 * A text is a list of statements. Variables are names, which the reader numbers by their first use in the text: the
 * inputs of the text. Whoever executes a construct passes their values. */
#ifndef ACCDEEP_IR_H
#define ACCDEEP_IR_H

#include <accdeep_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Value that a text needs from outside. */
typedef struct accd_ir_input {
    const char *name; /* name of a variable, or with is_value a description of the value */
    int64_t offset;   /* the input is the address this number of bytes after the beginning of the variable */
    int is_value;     /* true: the input is the value that `name` describes, not an address */
} accd_ir_input;

/* Operand of a construct. `item` has what the text says; accd_item_locate computes the rest from `code`, with the
 * inputs of the text as its parameters. */
typedef struct accd_ir_item {
    accd_item item;
    accd_item_code code;
    int64_t *params; /* space for the parameters of item.program */
    int frame;       /* number of the input with the address of item.frame; -1: no frame */
    int first_row;   /* array that the item belongs to: number of the first of 1 + 2 * rows.rank inputs, which are the
                        address of the array, and lower bound and extent of each dimension; -1: not known */
    accd_array rows; /* name and rank of this array */
} accd_ir_item;

typedef enum accd_ir_kind {
    ACCD_IR_MEMORY,    /* memory of the host: a variable of `bytes` zeroed bytes */
    ACCD_IR_STORE,     /* stores an integer or an address in memory */
    ACCD_IR_CONSTRUCT, /* executes a construct */
    ACCD_IR_END,       /* ends the innermost region */
} accd_ir_kind;

typedef struct accd_ir_statement {
    accd_ir_kind kind;
    int line;           /* line of the statement in the text, from 1 */
    const char *name;   /* variable of ACCD_IR_MEMORY and _STORE; name of the construct, "data" */
    uint64_t bytes;     /* ACCD_IR_MEMORY: size of the variable */
    int64_t offset;     /* ACCD_IR_STORE: stores at this number of bytes after the beginning of the variable */
    accd_scalar scalar; /* ACCD_IR_STORE: type of the integer */
    int64_t value;      /* ACCD_IR_STORE: the integer, or the offset in the variable `target` */
    const char *target; /* ACCD_IR_STORE: the address that is stored lies in this variable; NULL: an integer */
    accd_construct_kind construct;
    int finalize;        /* clause finalize of the construct */
    const char *file;    /* place of the directive, or NULL */
    int file_line;       /* line in `file` */
    accd_ir_item *items; /* operands of the construct */
    size_t nitems;
    size_t ninputs; /* the statement needs only the first `ninputs` inputs of the text */
} accd_ir_statement;

/* Text that was read. */
typedef struct accd_ir {
    const accd_ir_statement *statements;
    size_t nstatements;
    const accd_ir_input *inputs;
    size_t ninputs;
} accd_ir;

/* Error in a text, at a line and column that count from 1. */
typedef struct accd_ir_error {
    int line, column;
    char message[200];
} accd_ir_error;

/* Configuration of a reader. */
typedef struct accd_ir_config {
    const char *file; /* file of the directive in labels, if the text does not name one; NULL: not known */
    int line;         /* line in `file` */
    /* Returns the number by which the core calls the function `name` (ACCD_I_CALL); -1: there is none. NULL: the text
     * must call no functions. */
    int (*find_function)(void *ud, const char *name);
    void *ud;
} accd_ir_config;

/* Reads a null-terminated text, and makes its labels and programs in the context. *ir_p receives the result, which the
 * caller frees with accd_ir_free before the context is closed. ACCD_ERROR_MISUSE: the text is wrong, or of another
 * version; *error has the first error. ACCD_ERROR_OUT_OF_MEMORY: *error is unchanged. */
accd_status accd_ir_read(accd_context *context, const char *text, const accd_ir_config *config, accd_ir **ir_p,
                         accd_ir_error *error);
/* Frees what accd_ir_read made; NULL does nothing. Labels stay with the context. */
void accd_ir_free(accd_ir *ir);

#ifdef __cplusplus
}
#endif

#endif
