/* suppress.c - `exec --suppress FILE`: findings that are not reported. A line is CODE:PLACE or CODE:PLACE:OBJECT, patterns
 * with * and ?; what follows # at the beginning of a line or after a space is a comment. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    struct line *next;
    int number;
    uint64_t matched;
    const char *code, *place, *object; /* object: NULL: any */
    char text[];
};
static struct line *first, **last = &first;

/* Of all of a text. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text)
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return false;
        }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool add(const char *text, int number)
{
    struct line *line = malloc(sizeof *line + strlen(text) + 1);
    if (!line)
        return false;
    *line = (struct line){.number = number};
    char *at = strcpy(line->text, text);
    line->code = strsep(&at, ":");
    line->place = strsep(&at, ":");
    line->object = at;
    *last = line;
    last = &line->next;
    return line->place && *line->code && *line->place;
}

int goacc_suppress_open(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    int wrong = 0;
    FILE *from = fopen(path, "re");
    if (!from)
        return -1;
    for (int number = 1; !wrong && getline(&text, &size, from) >= 0; number++) {
        for (char *c = text; *c; c++)
            if (*c == '#' && (c == text || c[-1] == ' ' || c[-1] == '\t'))
                *c = 0;
        size_t end = strlen(text), start = strspn(text, " \t");
        while (end > start && strchr(" \t\r\n", text[end - 1]))
            text[--end] = 0;
        if (end > start && !add(text + start, number))
            wrong = number;
    }
    free(text);
    fclose(from);
    return wrong;
}

static bool is_place(const char *pattern, const char *file, const char *function)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return (function && matches(pattern, function)) || (file && matches(pattern, file)) ||
           (slash && matches(pattern, slash + 1)) || !strcmp(pattern, "*");
}

/* "u" and "u[0:16]" are both of u[0:16]. */
static bool is_object(const char *pattern, const char *object)
{
    char variable[160];
    if (!object)
        return !strcmp(pattern, "*");
    snprintf(variable, sizeof variable, "%.*s", (int)strcspn(object, "[("), object);
    return matches(pattern, object) || matches(pattern, variable);
}

bool goacc_is_suppressed(const struct goacc_finding *finding, const struct goacc_where *where)
{
    const char *file = where->file ? where->file : finding->other.file;
    for (struct line *line = first; line; line = line->next)
        if (matches(line->code, finding->code) && is_place(line->place, file, where->function) &&
            (!line->object || is_object(line->object, finding->object))) {
            line->matched++;
            return true;
        }
    return false;
}

void goacc_suppress_end(void (*unused)(const char *path, int number))
{
    for (const struct line *line = first; line; line = line->next)
        if (!line->matched)
            unused(goacc.options.suppress, line->number);
}
