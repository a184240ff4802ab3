/* suppress.c - `exec --suppress FILE`: reads and applies suppressions of findings. A line is CODE:PLACE or
 * CODE:PLACE:OBJECT, patterns with * and ?. A # at the beginning of a line or after a space begins a comment. Called
 * by diagnostics.c. */
#include "base/runtime.h"
#include "diagnostics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Suppression read from one line, in a list in order of the file. */
struct line {
    struct line *next;
    int number;
    uint64_t nmatches;                    /* number of suppressed findings */
    const char *code, *location, *object; /* patterns for a finding; `object` NULL: any or no object */
    char text[];
};
static struct line *first, **last = &first;

/* Returns true if a pattern with * and ? matches the whole text. */
static bool matches_pattern(const char *pattern, const char *text)
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

/* Appends the suppression in `text`, of line `number`, to the list. Returns false without memory, and also if the code
 * or the location is missing: then the caller stops reading the file. */
static bool add_suppression(const char *text, int number)
{
    assert(text && *text && number > 0);
    struct line *line = malloc(sizeof *line + strlen(text) + 1);
    if (!line)
        return false;
    *line = (struct line){.number = number};
    char *at = strcpy(line->text, text);
    line->code = strsep(&at, ":");
    line->location = strsep(&at, ":");
    line->object = at;
    *last = line;
    last = &line->next;
    return line->location && *line->code && *line->location;
}

/* Reads the suppressions in the file `path`. Returns 0; the number of the first wrong line; or -1 with errno set if the
 * file cannot be opened. */
int rt_load_suppressions(const char *path)
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
        if (end > start && !add_suppression(text + start, number))
            wrong = number;
    }
    free(text);
    fclose(from);
    return wrong;
}

/* Returns true if `pattern` matches the name `function`, the path `file` or the file's name without folders. function,
 * file NULL: not known; the pattern "*" also matches if both are. */
static bool matches_location(const char *pattern, const char *file, const char *function)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return (function && matches_pattern(pattern, function)) || (file && matches_pattern(pattern, file)) ||
           (slash && matches_pattern(pattern, slash + 1)) || !strcmp(pattern, "*");
}

/* Returns true if a pattern matches an object or its variable: "u" and "u[0:16]" both match u[0:16]. object NULL: only
 * "*" matches. */
static bool matches_object(const char *pattern, const char *object)
{
    char variable[160];
    if (!object)
        return !strcmp(pattern, "*");
    snprintf(variable, sizeof variable, "%.*s", (int)strcspn(object, "[("), object);
    return matches_pattern(pattern, object) || matches_pattern(pattern, variable);
}

/* Returns true if a suppression matches the code, location and object of the finding, and counts the match. Without a
 * file in `location`, the file of the finding's related location is matched. */
bool rt_is_suppressed(const struct rt_diagnostic *diagnostic, const struct rt_source_location *location)
{
    assert(diagnostic->code);
    const char *file = location->file ? location->file : diagnostic->other.file;
    for (struct line *line = first; line; line = line->next)
        if (matches_pattern(line->code, diagnostic->code) &&
            matches_location(line->location, file, location->function) &&
            (!line->object || matches_object(line->object, diagnostic->object))) {
            line->nmatches++;
            return true;
        }
    return false;
}

/* Calls unused(file, line number) for each suppression without a match. */
void rt_for_each_unused_suppression(void (*unused)(const char *path, int number))
{
    for (const struct line *line = first; line; line = line->next)
        if (!line->nmatches)
            unused(rt.options.suppress, line->number);
}
