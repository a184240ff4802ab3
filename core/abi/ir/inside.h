/* inside.h - the parts of the reader of the construct IR. */
#ifndef ACCD_IR_INSIDE_H
#define ACCD_IR_INSIDE_H

#include "accdeep_ir.h"

#include <stdbool.h>

enum token_kind {
    TOKEN_END,  /* end of the text, or an error was found */
    TOKEN_LINE, /* end of a line that has other tokens */
    TOKEN_WORD, /* letters, digits, _ and points: a keyword, a name or a register */
    TOKEN_TEXT, /* text in quotation marks */
    TOKEN_INTEGER,
    TOKEN_SIGN, /* an operator or other sign */
};

/* Token: the smallest part of the text that has a meaning. */
struct token {
    enum token_kind kind;
    int line, column; /* place of its first character */
    const char *text; /* the characters, without quotation marks; they are not null-terminated */
    size_t length;
    int64_t value; /* TOKEN_INTEGER */
};

/* Block of memory that belongs to the text that is read. */
struct block {
    struct block *next;
};

/* Mapping program of the text. */
struct named_program {
    const char *name;
    accd_program *core;
    bool *needs; /* element i: the program, or a program inside it, needs input i; `ninputs` elements */
    size_t ninputs;
    uint64_t stride; /* bytes of an element */
    unsigned depth;  /* number of programs on the longest path of '->' that begins with this program */
    unsigned open;   /* number of enclosing programs that its fields with 'up' need; 0: an item may use it */
    bool has_outer;  /* true: it reads registers of the enclosing element, so that no item may use it */
};

struct result {
    accd_ir ir;
    struct block *blocks;
    struct named_program *programs;
    size_t nprograms, capacity;
};

struct reader {
    accd_context *context;
    const accd_ir_config *config;
    struct result *result;
    accd_ir_error *error;
    const char *at; /* next character */
    const char *line_start;
    int line;
    bool failed, no_memory;
    struct token token; /* the next token */
    /* Growing lists of the result. */
    accd_ir_statement *statements;
    accd_ir_input *inputs;
    size_t nstatements, statement_capacity, ninputs, input_capacity;
};

/* lex.c */
/* Sets the error at `token`, unless an error is set; reading then ends, because every next token is TOKEN_END. */
__attribute__((format(printf, 3, 4))) void accd__ir_fail(struct reader *reader, const struct token *token,
                                                         const char *format, ...);
/* Sets reader->no_memory; reading then ends. */
void accd__ir_fail_memory(struct reader *reader);
/* Reads the next token into reader->token. */
void accd__ir_advance(struct reader *reader);
/* Returns true if the next token is the sign or keyword `text`, or any token of a kind. */
bool accd__ir_is(const struct reader *reader, const char *text);
/* Skips the next token and returns true if it is the sign or keyword `text`; otherwise false. */
bool accd__ir_accept(struct reader *reader, const char *text);
/* Skips the sign or keyword `text`; sets an error if there is another token. */
void accd__ir_expect(struct reader *reader, const char *text);
/* Return the next integer from `least` to `most`; the number of a register; the index of the next word in a list, which
 * `noun` describes in errors; a name. Set an error and return 0 or "" if there is another token. */
int64_t accd__ir_integer(struct reader *reader, int64_t least, int64_t most);
int accd__ir_register(struct reader *reader);
int accd__ir_word_of(struct reader *reader, const char *const *words, int n, const char *noun);
const char *accd__ir_name(struct reader *reader);
/* Returns true if the next token is the name of a register, such as r12. */
bool accd__ir_is_register(const struct reader *reader);
/* Returns true while the line has more tokens. */
bool accd__ir_has_more(const struct reader *reader);
/* Sets the error that the next token is no attribute of `noun`, such as "a field". */
void accd__ir_fail_attribute(struct reader *reader, const char *noun);

/* Returns zeroed memory that lives as long as the result; NULL, with an error, if there is none. */
void *accd__ir_take(struct reader *reader, size_t bytes);
/* Makes room for one more element of `size` bytes in the list at list_p, which has n elements and space for
 * *capacity_p; the element is zeroed. Returns its address; NULL, with an error, if there is no memory. */
void *accd__ir_append(struct reader *reader, void *list_p, size_t n, size_t *capacity_p, size_t size);

/* code.c */
/* Instructions of one program or item. */
struct code {
    accd_instruction *list;
    size_t n, capacity;
    unsigned registers; /* number of registers that the instructions use */
    uint64_t set;       /* bit r: an instruction sets register r */
    uint64_t stride;    /* bytes of the program's element; 0: instructions of an item, which have no element */
    bool *needs;        /* element i: an instruction reads input i; `ninputs` elements */
    size_t ninputs;
};
/* Returns the number of the register that the next token names. Sets an error if no instruction of *code sets it. */
int accd__ir_operand(struct reader *reader, const struct code *code);
/* Reads the instruction `register = ...`, whose first token is the next one, and appends it to *code. */
void accd__ir_read_instruction(struct reader *reader, struct code *code);
/* Reads an address, & name [+ offset], and returns the number of its input. */
int accd__ir_read_address(struct reader *reader);
/* Returns the number of a new input of the text. */
int accd__ir_add_input(struct reader *reader, accd_ir_input input);
/* Append an instruction that loads an input, or a constant, into a register. */
void accd__ir_load_input(struct reader *reader, struct code *code, int to, int input);
void accd__ir_load_constant(struct reader *reader, struct code *code, int to, int64_t value);
/* Marks in *code that the input is needed. */
void accd__ir_need(struct reader *reader, struct code *code, size_t input);
/* Names of scalar types, in the order of accd_scalar. */
extern const char *const accd__ir_scalars[ACCD_SCALAR_COUNT];

/* program.c */
/* Attributes of a label, and what is known where it is written. */
struct label_text {
    const char *name; /* NULL: no label */
    accd_label label;
    accd_array array;
    bool has_layout;
};
/* Reads an attribute of a label, whose keyword or text is the next token. Returns false if the next token is none. */
bool accd__ir_read_label_attribute(struct reader *reader, struct label_text *text);
/* Returns the core's label; NULL if text->name is NULL, or on failure. `layout`: program of the elements, unless the
 * text names another one. */
const accd_label *accd__ir_make_label(struct reader *reader, struct label_text *text, const accd_program *layout);
/* Reads the flags of items: skips the next token and sets its bit in *flags if it is one. Returns false otherwise. */
bool accd__ir_read_flag(struct reader *reader, uint16_t *flags);
/* Reads the name of an action. */
uint8_t accd__ir_read_action(struct reader *reader);
/* Returns the program that the next token names; NULL, with an error, if there is none. */
const struct named_program *accd__ir_read_program_name(struct reader *reader);
/* Reads a statement `program`, whose keyword was read. */
void accd__ir_read_program(struct reader *reader);

#endif
