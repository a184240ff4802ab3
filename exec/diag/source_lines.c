/* source_lines.c - names of variables, and the lines of the program's source in which they stand. */
#include "base/runtime.h"
#include "lib/text_buffer.h"
#include "source_lines.h"
#include "symbolize.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next character of the name *name, and advances *name past it; 0 at the end. Skips subscripts and their
 * contents, and returns "." for "->", because p->a equals p[0].a. */
static char next_name_character(const char **name)
{
    while (**name == '[' || **name == '(') {
        const char *end = strpbrk(*name, "])");
        *name = end ? end + 1 : *name + strlen(*name);
    }
    const bool arrow = (*name)[0] == '-' && (*name)[1] == '>';
    const char character = arrow ? '.' : **name;
    *name += character ? 1 + arrow : 0;
    return character;
}

/* Returns true if two names denote the same variable or member, like u[0:4] and u[4:4], or p[1].a[0:4] and p[2].a[0:4].
 */
bool rt_is_same_variable(const char *a, const char *b)
{
    char character;
    while ((character = next_name_character(&a)) == next_name_character(&b))
        if (!character)
            return true;
    return false;
}

/* Returns the length of a name without its final section. */
size_t rt_variable_name_length(const char *name)
{
    const size_t n = strlen(name);
    size_t i = n;
    if (n && (name[n - 1] == ']' || name[n - 1] == ')'))
        while (i && name[i - 1] != '[' && name[i - 1] != '(')
            i--;
    return i > 1 ? i == n ? n : i - 1 : n;
}

/* Returns true if a character may be part of a word: a letter, a digit or "_". */
static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the first whole word `word` in a line, regardless of case; NULL if the line does not contain the word. */
static const char *find_word(const char *line, const char *word)
{
    const size_t n = strlen(word);
    const char *at = strcasestr(line, word);
    while (at && ((at > line && is_letter(at[-1])) || is_letter(at[n])))
        at = strcasestr(at + 1, word);
    return at;
}

/* Returns the length of a source line without a comment at its end: one of C, or of free-form Fortran. Comments of C
 * that begin in an earlier line are not known. */
static size_t get_code_length(const char *file, const char *source)
{
    const char *dot = strrchr(file, '.');
    const bool is_fortran = dot && (dot[1] == 'f' || dot[1] == 'F');
    char quote = 0;
    size_t i = 0;
    for (; source[i]; i++) {
        const char c = source[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (is_fortran ? c == '!' && source[i + 1] != '$'
                            : c == '/' && (source[i + 1] == '/' || source[i + 1] == '*'))
            break;
    }
    return i;
}

/* Appends a line of carets under the source line `source`, whose number was printed with `width` characters before it,
 * below the variable or member `name`, for example s.data[4]. Appends nothing if the line does not have its last part,
 * data, or has it twice. */
static void append_mark(struct rt_text_buffer *text, const char *source, int width, const char *name)
{
    char part[160] = "";
    size_t n = 0;
    for (char c; (c = next_name_character(&name));) {
        if (!is_letter(c))
            n = 0;
        else if (n + 1 < sizeof part)
            part[n++] = c;
        part[n] = 0;
    }
    const bool is_directive = strstr(source, "#pragma") || strstr(source, "!$");
    const char *from =
        is_directive ? strchr(source, '(') : source; /* a directive's name may be that of a variable, too: data */
    const char *at = n && from ? find_word(from, part) : NULL;
    if (!at || find_word(at + 1, part))
        return;
    rt_text_append(text, "%*s", width, "| ");
    for (const char *c = source; c < at; c++)
        rt_text_append(text, "%c", *c == '\t' ? '\t' : ' ');
    while (n--)
        rt_text_append(text, "^");
    rt_text_append(text, "\n");
}

/* Appends the source line `line` of a finding, with its number, and a mark under the variable `name` (NULL: none).
 * Appends nothing if the file cannot be read or is shorter. */
void rt_append_source_line(struct rt_text_buffer *text, const char *file, int line, const char *name)
{
    enum { SHOWN = 120 };
    FILE *source = fopen(file, "re");
    char *entry = NULL;
    size_t size = 0;
    ssize_t length = -1;
    for (int i = 0; source && i < line; i++)
        length = getline(&entry, &size, source);
    if (length > 0) {
        while (length > 0 && (isspace((unsigned char)entry[length - 1]) || length > SHOWN))
            entry[--length] = 0;
        rt_text_append(text, " %d | %s\n", line, entry);
        entry[get_code_length(file, entry)] = 0;
        if (name)
            append_mark(text, entry, snprintf(NULL, 0, " %d | ", line), name);
    }
    free(entry);
    if (source)
        fclose(source);
}

/* Appends the lines of a report's text, except lines of the source, as a JSON array. Host addresses are left out: they
 * differ in each process. */
void rt_append_json_lines(struct rt_text_buffer *text, const char *lines)
{
    char before = '[';
    for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line != 0) {
        char copy[512];
        const char *start = line + strspn(line, " ");
        const size_t digits = strspn(start, "0123456789");
        if (!strncmp(start + digits, " | ", 3) || !strncmp(start, "| ", 2) || *start == '\n')
            continue;
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(start, "\n"), start);
        for (char *address; (address = strstr(copy, " at 0x"));) {
            const char *end = address + strlen(" at 0x");
            end += strspn(end, "0123456789abcdef");
            memmove(address, end, strlen(end) + 1);
        }
        rt_text_append(text, "%c", before);
        rt_text_append_json_string(text, copy);
        before = ',';
    }
    rt_text_append(text, before == '[' ? "[]" : "]");
}

/* Returns true if the directive that begins in a line of a source file has the variable in a clause. */
bool rt_directive_has_variable(const char *file, int line, const char *variable)
{
    assert(file && variable);
    FILE *source = fopen(file, "re");
    char *text = NULL;
    size_t size = 0;
    bool is_found = false, is_continued = true;
    for (int i = 1; source && is_continued && !is_found && getline(&text, &size, source) > 0; i++) {
        if (i < line)
            continue;
        size_t n = get_code_length(file, text);
        while (n && isspace((unsigned char)text[n - 1]))
            n--;
        is_continued = n && (text[n - 1] == '\\' || text[n - 1] == '&');
        text[n] = 0;
        const char *clauses = i == line ? strchr(text, '(') : text;
        is_found = clauses && *variable && find_word(clauses, variable);
    }
    free(text);
    if (source)
        fclose(source);
    return is_found;
}

/* Returns the first line of the source file of `pc` that contains all words; 0 if no line does, or without the file. */
int rt_find_source_line(uintptr_t pc, const char *const words[], const char **file_p)
{
    assert(words && file_p);
    int line, number = 0, entry = 0;
    FILE *source = rt_find_line(pc, file_p, &line, NULL) ? fopen(*file_p, "re") : NULL;
    char *text = NULL;
    size_t size = 0;
    while (source && !entry && getline(&text, &size, source) > 0) {
        size_t i = 0;
        number++;
        while (words[i] && find_word(text, words[i]))
            i++;
        entry = words[i] ? 0 : number;
    }
    free(text);
    if (source)
        fclose(source);
    return entry;
}

/* Returns the clause of a requires directive that asks for shared memory, searched in the source; NULL if there is
 * none. */
const char *rt_find_requires_clause(uintptr_t pc)
{
    static const char *const clauses[] = {"unified_shared_memory", "self_maps"};
    const char *file;
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
        if (rt_find_source_line(pc, (const char *const[]){"requires", clauses[i], NULL}, &file))
            return clauses[i];
    return NULL;
}
