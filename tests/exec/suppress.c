/* Suppressions against a model: random patterns in a file, and random findings. */
#include "../tap.h"
#include "random.h"

#include <base/runtime.h>
#include <diag/diagnostics.h>

#include <unistd.h>

enum { LINES = 60, FINDINGS = 20000 };

/* Writes a random text of 1 to 4 of the characters in `alphabet` to `to`, and returns `to`. */
static char *choose_text(char *to, const char *alphabet)
{
    const size_t n = 1 + pick(4);
    for (size_t i = 0; i < n; i++)
        to[i] = alphabet[pick(strlen(alphabet))];
    to[n] = 0;
    return to;
}

/* Line of the file; object "": the line has none. */
static struct line {
    char code[8], location[8], object[8];
    bool is_used;
} lines[LINES];

static bool matches(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return !*pattern ? !*text : *text && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

/* file, function, object NULL: not known, or no object. */
static bool is_suppressed_in_model(const char *code, const char *file, const char *function, const char *object)
{
    char variable[16] = "";
    if (object)
        snprintf(variable, sizeof variable, "%.*s", (int)strcspn(object, "[("), object);
    for (size_t i = 0; i < LINES; i++) {
        const struct line *line = &lines[i];
        const bool is_here = !strcmp(line->location, "*") || (function && matches(line->location, function)) ||
                             (file && (matches(line->location, file) || matches(line->location, strrchr(file, '/') + 1)));
        const bool is_it = !*line->object || (object ? matches(line->object, object) || matches(line->object, variable)
                                                     : !strcmp(line->object, "*"));
        if (matches(line->code, code) && is_here && is_it)
            return lines[i].is_used = true;
    }
    return false;
}

static void write_file(const char *path)
{
    FILE *to = fopen(path, "w");
    fprintf(to, "# a comment, and an empty line\n\n");
    for (size_t i = 0; i < LINES; i++) {
        const bool has_object = pick(2);
        fprintf(to, "%s%s:%s%s%s%s\n", pick(4) ? "" : " \t", choose_text(lines[i].code, "ab*?"),
                choose_text(lines[i].location, "ab*?/"), has_object ? ":" : "",
                has_object ? choose_text(lines[i].object, "ab*?[") : "", pick(4) ? "" : "  # a comment\r");
    }
    fclose(to);
}

static size_t nunused;

static void check_unused(const char *path, int number)
{
    must(!strcmp(path, rt.options.suppress), "path of an unused line");
    must(number > 2 && number <= LINES + 2 && !lines[number - 3].is_used, "line %d is not used", number);
    nunused++;
}

/* Returns the result of reading a file with this text. */
static int load_text(const char *path, const char *text)
{
    FILE *to = fopen(path, "w");
    fputs(text, to);
    fclose(to);
    return rt_load_suppressions(path);
}

int main(void)
{
    char path[] = "/tmp/suppress.XXXXXX";
    size_t nsuppressed = 0, nused = 0;
    close(mkstemp(path));
    rt.options.suppress = path;
    write_file(path);
    is_number(rt_load_suppressions(path), 0, "a file is read");
    for (size_t i = 0; i < FINDINGS; i++) {
        char code[8], folder[8], name[8], file[32], function[8], object[8];
        choose_text(code, "ab");
        snprintf(file, sizeof file, "%s/%s", choose_text(folder, "ab"), choose_text(name, "ab"));
        choose_text(function, "ab");
        choose_text(object, "ab[");
        const struct rt_source_location location = {.file = pick(4) ? file : NULL, .function = pick(4) ? function : NULL};
        const struct rt_diagnostic finding = {.code = code, .object = pick(4) ? object : NULL};
        const bool is_suppressed = is_suppressed_in_model(code, location.file, location.function, finding.object);
        must(rt_is_suppressed(&finding, &location) == is_suppressed, "%s in %s of %s about %s", code, function, file, object);
        nsuppressed += is_suppressed;
    }
    ok(nsuppressed > 1000 && nsuppressed < FINDINGS - 1000, "%zu of %d findings are suppressed", nsuppressed, FINDINGS);
    for (size_t i = 0; i < LINES; i++)
        nused += lines[i].is_used;
    rt_for_each_unused_suppression(check_unused);
    is_number(nunused + nused, LINES, "the other lines are listed as unused");
    is_number(load_text(path, "a:b\n# c\nwrong\n"), 3, "a line without a place is wrong");
    is_number(load_text(path, "a:\n"), 1, "and one with an empty place");
    is_number(load_text(path, ":b\n"), 1, "and one without a code");
    unlink(path);
    is_number(rt_load_suppressions(path), -1, "a file that is absent cannot be read");
    ok(!tap_failed, "findings are suppressed as in the model");
    return done();
}
