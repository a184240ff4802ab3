/* lex.c - tokens of the construct IR, and the memory of the text that is read. */
#include "inside.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the error at a token, unless an error is set. */
void accd__ir_fail(struct reader *reader, const struct token *token, const char *format, ...)
{
    assert(reader && token && format);
    if (!reader->failed && !reader->no_memory) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->error->message, sizeof reader->error->message, format, arguments);
        va_end(arguments);
        reader->error->line = token->line;
        reader->error->column = token->column;
        reader->failed = true;
    }
    reader->token.kind = TOKEN_END;
}

/* Sets reader->no_memory. */
void accd__ir_fail_memory(struct reader *reader)
{
    reader->no_memory = true;
    reader->token.kind = TOKEN_END;
}

/* Returns true for the characters of words. */
static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Reads a text in quotation marks, at whose first mark reader->at points. */
static void read_text(struct reader *reader, struct token *token)
{
    token->kind = TOKEN_TEXT;
    token->text = ++reader->at;
    while (*reader->at != '"' && *reader->at != '\n' && *reader->at)
        reader->at += *reader->at == '\\' && reader->at[1] && reader->at[1] != '\n' ? 2 : 1;
    token->length = (size_t)(reader->at - token->text);
    if (*reader->at != '"')
        accd__ir_fail(reader, token, "the text has no closing quotation mark");
    else
        reader->at++;
}

/* Reads an integer, at whose first character reader->at points. */
static void read_integer(struct reader *reader, struct token *token)
{
    char *end;
    token->kind = TOKEN_INTEGER;
    token->text = reader->at;
    errno = 0;
    token->value = strtoll(reader->at, &end, 10);
    token->length = (size_t)(end - reader->at);
    if (errno == ERANGE)
        accd__ir_fail(reader, token, "the number needs more than 64 bits");
    else if (is_word_character(*end))
        accd__ir_fail(reader, token, "the number is followed by '%c'", *end);
    reader->at = end;
}

/* Reads an operator or other sign. */
static void read_sign(struct reader *reader, struct token *token)
{
    static const char *const pairs[] = {"<<", ">>", "==", "!=", "<=", "->"};
    token->kind = TOKEN_SIGN;
    token->text = reader->at;
    token->length = 1;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strncmp(reader->at, pairs[i], 2) == 0)
            token->length = 2;
    if (!strchr("=<>!&|^~+-*/%@:()", *reader->at))
        accd__ir_fail(reader, token, "no token begins with byte 0x%02x", (unsigned char)*reader->at);
    reader->at += token->length;
}

/* Reads the next token. Lines without tokens, and comments, are skipped. */
void accd__ir_advance(struct reader *reader)
{
    if (reader->failed || reader->no_memory) {
        reader->token.kind = TOKEN_END;
        return;
    }
    const bool begins = reader->token.kind == TOKEN_LINE || reader->token.kind == TOKEN_END;
    for (;;) {
        reader->at += strspn(reader->at, " \t\r");
        if (*reader->at == '#')
            reader->at += strcspn(reader->at, "\n");
        const bool ends = *reader->at == '\n' || *reader->at == ';';
        if (!ends || !begins)
            break;
        if (*reader->at++ == '\n') {
            reader->line++;
            reader->line_start = reader->at;
        }
    }
    struct token *token = &reader->token;
    *token =
        (struct token){.line = reader->line, .column = (int)(reader->at - reader->line_start) + 1, .text = reader->at};
    if (!*reader->at) {
        token->kind = begins ? TOKEN_END : TOKEN_LINE;
    } else if (*reader->at == '\n' || *reader->at == ';') {
        token->kind = TOKEN_LINE;
        if (*reader->at++ == '\n') {
            reader->line++;
            reader->line_start = reader->at;
        }
    } else if (*reader->at == '"') {
        read_text(reader, token);
    } else if (isdigit((unsigned char)*reader->at) || (*reader->at == '-' && isdigit((unsigned char)reader->at[1]))) {
        read_integer(reader, token);
    } else if (isalpha((unsigned char)*reader->at) || *reader->at == '_') {
        token->kind = TOKEN_WORD;
        while (is_word_character(*reader->at))
            reader->at++;
        token->length = (size_t)(reader->at - token->text);
    } else {
        read_sign(reader, token);
    }
    if (reader->failed)
        token->kind = TOKEN_END;
}

/* Returns true if the next token is the sign or keyword `text`. */
bool accd__ir_is(const struct reader *reader, const char *text)
{
    const struct token *token = &reader->token;
    return (token->kind == TOKEN_WORD || token->kind == TOKEN_SIGN) && token->length == strlen(text) &&
           strncmp(token->text, text, token->length) == 0;
}

/* Skips the next token if it is the sign or keyword `text`. */
bool accd__ir_accept(struct reader *reader, const char *text)
{
    if (!accd__ir_is(reader, text))
        return false;
    accd__ir_advance(reader);
    return true;
}

/* Sets the error that the next token is not `wanted`. */
static void fail_expected(struct reader *reader, const char *wanted)
{
    const struct token token = reader->token;
    if (token.kind == TOKEN_LINE || token.kind == TOKEN_END)
        accd__ir_fail(reader, &token, "the line ends where %s is needed", wanted);
    else
        accd__ir_fail(reader, &token, "'%.*s' stands where %s is needed", (int)(token.length > 40 ? 40 : token.length),
                      token.text, wanted);
}

/* Returns true while the line has more tokens. */
bool accd__ir_has_more(const struct reader *reader)
{
    return reader->token.kind != TOKEN_LINE && reader->token.kind != TOKEN_END;
}

/* Sets the error that the next token is no attribute of `noun`. */
void accd__ir_fail_attribute(struct reader *reader, const char *noun)
{
    const struct token token = reader->token;
    accd__ir_fail(reader, &token, "'%.*s' is no attribute of %s", (int)(token.length > 40 ? 40 : token.length),
                  token.text, noun);
}

/* Skips the sign or keyword `text`. */
void accd__ir_expect(struct reader *reader, const char *text)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "'%s'", text);
    if (!accd__ir_accept(reader, text))
        fail_expected(reader, wanted);
}

/* Returns the next integer. */
int64_t accd__ir_integer(struct reader *reader, int64_t least, int64_t most)
{
    const struct token token = reader->token;
    if (token.kind != TOKEN_INTEGER) {
        fail_expected(reader, "a number");
        return 0;
    }
    if (token.value < least || token.value > most) {
        accd__ir_fail(reader, &token, "the number is not from %lld to %lld", (long long)least, (long long)most);
        return 0;
    }
    accd__ir_advance(reader);
    return token.value;
}

/* Returns true if the next token is the name of a register. */
bool accd__ir_is_register(const struct reader *reader)
{
    const struct token *token = &reader->token;
    if (token->kind != TOKEN_WORD || token->length < 2 || token->text[0] != 'r')
        return false;
    for (size_t i = 1; i < token->length; i++)
        if (!isdigit((unsigned char)token->text[i]))
            return false;
    return true;
}

/* Returns the number of the register that the next token names. */
int accd__ir_register(struct reader *reader)
{
    enum { MOST = ACCD_MAX_ITEM_REGISTERS - 1 }; /* programs have the same limit */
    const struct token token = reader->token;
    if (!accd__ir_is_register(reader)) {
        fail_expected(reader, "a register (r0, r1 ...)");
        return 0;
    }
    const long number = token.length > 3 ? MOST + 1 : strtol(token.text + 1, NULL, 10);
    if (number > MOST) {
        accd__ir_fail(reader, &token, "there are registers r0 to r%d only", MOST);
        return 0;
    }
    accd__ir_advance(reader);
    return (int)number;
}

/* Returns the index of the next token in a list of words. */
int accd__ir_word_of(struct reader *reader, const char *const *words, int n, const char *noun)
{
    for (int i = 0; i < n; i++)
        if (accd__ir_accept(reader, words[i]))
            return i;
    fail_expected(reader, noun);
    return 0;
}

/* Returns a copy of the next token, a word or a text in quotation marks. */
const char *accd__ir_name(struct reader *reader)
{
    const struct token token = reader->token;
    if (token.kind != TOKEN_WORD && token.kind != TOKEN_TEXT) {
        fail_expected(reader, "a name");
        return "";
    }
    char *name = accd__ir_take(reader, token.length + 1);
    if (!name)
        return "";
    char *to = name;
    for (size_t i = 0; i < token.length; i++) {
        if (token.kind == TOKEN_TEXT && token.text[i] == '\\' && i + 1 < token.length)
            i++;
        *to++ = token.text[i];
    }
    accd__ir_advance(reader);
    return name;
}

/* Returns zeroed memory that lives as long as the result. */
void *accd__ir_take(struct reader *reader, size_t bytes)
{
    struct block *block = calloc(1, sizeof *block + bytes);
    if (!block) {
        accd__ir_fail_memory(reader);
        return NULL;
    }
    block->next = reader->result->blocks;
    reader->result->blocks = block;
    return block + 1;
}

/* Makes room for one more element of a list. */
void *accd__ir_append(struct reader *reader, void *list_p, size_t n, size_t *capacity_p, size_t size)
{
    char **list = list_p;
    if (n == *capacity_p) {
        const size_t capacity = n ? 2 * n : 8;
        char *bytes = realloc(*list, capacity * size);
        if (!bytes) {
            accd__ir_fail_memory(reader);
            return NULL;
        }
        *list = bytes;
        *capacity_p = capacity;
    }
    return memset(*list + n * size, 0, size);
}
