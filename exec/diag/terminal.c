/* terminal.c - writes reports to standard error, in color if `accdeep exec` found a terminal there. The styles are
 * those of errors of scenarios, see lua/accdeep/base/report.lua. */
#include "base/runtime.h"
#include "lib/text_buffer.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

/* Writes a text to standard error, after the program's earlier output to standard output. */
void rt_write_stderr(const struct rt_text_buffer *text)
{
    if (!rt.is_dying && !ftrylockfile(stdout)) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    rt_text_write(STDERR_FILENO, text);
}

/* Appends the `n` characters at `from` in a style; nothing if n is 0. */
static void append_styled(struct rt_text_buffer *to, const char *style, const char *from, size_t n)
{
    if (n)
        rt_text_append(to, "%s%.*s" PLAIN, style, (int)n, from);
}

/* Appends the first line of a report, "LOCATION: LEVEL[CODE]: MESSAGE", of `n` characters, in color. A line of another
 * form is appended as it is. */
static void append_headline(struct rt_text_buffer *to, const char *line, size_t n)
{
    const char *end = memmem(line, n, "]: ", 3), *level = end;
    while (level && level > line && level[-1] != ' ')
        level--;
    if (!end || level < line + 2) {
        rt_text_append(to, "%.*s", (int)n, line);
        return;
    }
    append_styled(to, BOLD, line, (size_t)(level - line) - 2);
    rt_text_append(to, ": ");
    append_styled(to, RED, level, (size_t)(end + 1 - level));
    rt_text_append(to, ": ");
    append_styled(to, BOLD, end + 3, (size_t)(line + n - end) - 3);
}

/* Appends another line of a report, of `n` characters: a source line, a line of marks, or "  WORDS: TEXT". */
static void append_further_line(struct rt_text_buffer *to, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n), *mark = memchr(line, '^', n);
    if (n > 2 && mark && strspn(line, " |\t") == (size_t)(mark - line)) {
        rt_text_append(to, "%.*s", (int)(mark - line), line);
        append_styled(to, RED, mark, (size_t)(line + n - mark));
    } else if (n > 2 && line[0] == ' ' && line[1] == ' ' && colon && colon > line + 2 && line[2] != ' ') {
        rt_text_append(to, "  ");
        append_styled(to, CYAN, line + 2, (size_t)(colon + 1 - line) - 2);
        rt_text_append(to, "%.*s", (int)(line + n - colon) - 1, colon + 1);
    } else {
        rt_text_append(to, "%.*s", (int)n, line);
    }
}

/* Writes a report to standard error, in color with rt.options.color. A report that is too long in color is written
 * without. */
void rt_write_report(const struct rt_text_buffer *text)
{
    enum { SEQUENCES = 40 }; /* longest escape sequences of a line */
    struct rt_text_buffer colored;
    rt_text_clear(&colored);
    for (const char *line = text->at; rt.options.color && *line;) {
        const size_t n = strcspn(line, "\n");
        if (sizeof colored.at - colored.n < n + SEQUENCES)
            break;
        if (line == text->at)
            append_headline(&colored, line, n);
        else
            append_further_line(&colored, line, n);
        rt_text_append(&colored, line[n] ? "\n" : "");
        line += n + (line[n] != 0);
        if (!*line) {
            rt_write_stderr(&colored);
            return;
        }
    }
    rt_write_stderr(text);
}
