/* find.c - findings: what is wrong with a program, or may be. The first of a kind at a place, about a variable, is
 * printed at once, as good compilers write errors or as JSON; the end counts the others. */
#include "runtime.h"
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was reported. Of an alias, another call on the same line, only the place is its own. */
struct found {
    struct found *first; /* of an alias: what it counts for; otherwise NULL */
    uintptr_t pc;
    const char *file; /* NULL: not known */
    int line;
    const char *level, *code;
    char *about; /* the variable; without one, the message */
    char *also;  /* names of other variables, or NULL */
    unsigned others; /* how many they are */
    bool object; /* about is a variable */
    const char *
        mapped; /* of findings that are counted together: their second place; NULL: there is none */
    int mapped_line;
    bool suppressed;
    size_t result; /* in the report; 0: none */
    uint64_t count;
};
static struct found **all;
static size_t nall, room;

/* ------------------------------------------------------------------------------------- known -- */

/* The next letter of a name without its subscripts; p->a is the member that p[0].a is. */
static char next_letter(const char **name)
{
    while (**name == '[' || **name == '(') {
        const char *end = strpbrk(*name, "])");
        *name = end ? end + 1 : *name + strlen(*name);
    }
    const bool arrow = (*name)[0] == '-' && (*name)[1] == '>';
    const char letter = arrow ? '.' : **name;
    *name += letter ? 1 + arrow : 0;
    return letter;
}

/* u[0:4] and u[4:4] are of one variable, p[1].a[0:4] and p[2].a[0:4] of one member. */
static bool same_variable(const char *a, const char *b)
{
    char letter;
    while ((letter = next_letter(&a)) == next_letter(&b))
        if (!letter)
            return true;
    return false;
}

size_t goacc_variable_length(const char *name)
{
    const size_t n = strlen(name);
    size_t i = n;
    if (n && (name[n - 1] == ']' || name[n - 1] == ')'))
        while (i && name[i - 1] != '[' && name[i - 1] != '(')
            i--;
    return i > 1 ? i == n ? n : i - 1 : n;
}

static bool is_address(const char *name)
{
    return !strncmp(name, "0x", 2);
}

/* Sums, and what has no place, are the same where they say the same. */
static bool is_by_object(const struct goacc_finding *finding)
{
    return finding->object && finding->pc && !finding->times;
}

/* Where the data of findings that are counted together were mapped: those of one place are one. */
static struct goacc_mark mapping_of(const struct goacc_finding *finding)
{
    const bool has_place =
        finding->together && finding->other.file && !strcmp(finding->other.is, "mapped");
    return has_place ? finding->other : (struct goacc_mark){0};
}

static bool is_about(const struct found *found, const struct goacc_finding *finding, const char *message)
{
    if (strcmp(found->code, finding->code) != 0 || found->object != is_by_object(finding))
        return false;
    const struct goacc_mark mapped = mapping_of(finding);
    if (finding->together)
        return found->mapped_line == mapped.line &&
               (found->mapped ? mapped.file && !strcmp(found->mapped, mapped.file) : !mapped.file);
    return (found->object ? same_variable(found->about, finding->object)
                          : message && !strcmp(found->about, message));
}

/* Counts one more. Of many other variables the first ones are named, those that have a name. */
static void count(struct found *found, const struct goacc_finding *finding)
{
    enum { NAMED = 5 };
    found->count++;
    if (!finding->together || found->others > NAMED || is_address(finding->object))
        return;
    char variable[160], *longer = NULL;
    snprintf(variable, sizeof variable, "%.*s", (int)goacc_variable_length(finding->object),
             finding->object);
    const size_t n = strlen(variable);
    if (n == goacc_variable_length(found->about) && !strncmp(variable, found->about, n))
        return;
    const char *at = found->also ? strstr(found->also, variable) : NULL;
    if (at && strspn(at + n, ",") + !at[n])
        return;
    if (asprintf(&longer, "%s%s%s", found->also ? found->also : "", found->also ? ", " : "",
                 found->others == NAMED ? "..." : variable) < 0)
        return;
    free(found->also);
    found->also = longer;
    found->others++;
}

static struct found *known(const struct goacc_finding *finding, const char *message)
{
    for (size_t i = 0; i < nall; i++)
        if (all[i]->pc == finding->pc) {
            struct found *found = all[i]->first ? all[i]->first : all[i];
            if (is_about(found, finding, message))
                return found;
        }
    return NULL;
}

static struct found *known_line(const struct goacc_finding *finding, const char *message,
                                const struct goacc_where *where)
{
    for (size_t i = 0; i < nall; i++)
        if (!all[i]->first && all[i]->file && all[i]->line == where->line && !strcmp(all[i]->file, where->file) &&
            is_about(all[i], finding, message))
            return all[i];
    return NULL;
}

/* NULL: without memory a finding is reported again. */
static struct found *remember(struct found *first, const struct goacc_finding *finding, const char *message,
                              const struct goacc_where *where)
{
    if (nall == room) {
        struct found **grown = realloc(all, (2 * room + 64) * sizeof *grown);
        if (!grown)
            return NULL;
        all = grown;
        room = 2 * room + 64;
    }
    struct found *found = malloc(sizeof *found);
    char *about = first ? NULL : strdup(is_by_object(finding) ? finding->object : message);
    if (!found || (!first && !about)) {
        free(found);
        free(about);
        return NULL;
    }
    *found = (struct found){
        .first = first,
        .pc = finding->pc,
        .file = where->file,
        .line = where->line,
        .level = finding->level,
        .code = finding->code,
        .about = about,
        .object = is_by_object(finding),
        .mapped = mapping_of(finding).file,
        .mapped_line = mapping_of(finding).line,
        .count = 1,
    };
    return all[nall++] = found;
}

bool goacc_find_again(const char *code, uintptr_t pc, const char *object)
{
    const struct goacc_finding finding = {.code = code, .pc = pc, .object = object};
    goacc_take_words();
    struct found *found = pc ? known(&finding, NULL) : NULL;
    if (found)
        count(found, &finding);
    goacc_give_words();
    return found;
}

/* ------------------------------------------------------------------------------------- texts -- */

static void add_snippet(struct goacc_text *text, const char *file, int line)
{
    FILE *source = fopen(file, "re");
    char *found = NULL;
    size_t size = 0;
    ssize_t length = -1;
    for (int i = 0; source && i < line; i++)
        length = getline(&found, &size, source);
    if (length > 0) {
        while (length > 0 && isspace((unsigned char)found[length - 1]))
            found[--length] = 0;
        goacc_text(text, " %d | %.120s\n", line, found);
    }
    free(found);
    if (source)
        fclose(source);
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether a line has a word, in small letters or capitals. */
static bool has_word(const char *line, const char *word)
{
    const size_t n = strlen(word);
    const char *at = strcasestr(line, word);
    while (at && ((at > line && is_letter(at[-1])) || is_letter(at[n])))
        at = strcasestr(at + 1, word);
    return at != NULL;
}

int goacc_source_line(uintptr_t pc, const char *const words[], const char **file_p)
{
    int line, number = 0, found = 0;
    FILE *source = goacc_line(pc, file_p, &line, NULL) ? fopen(*file_p, "re") : NULL;
    char *text = NULL;
    size_t size = 0;
    while (source && !found && getline(&text, &size, source) > 0) {
        size_t i = 0;
        number++;
        while (words[i] && has_word(text, words[i]))
            i++;
        found = words[i] ? 0 : number;
    }
    free(text);
    if (source)
        fclose(source);
    return found;
}

const char *goacc_required_memory(uintptr_t pc)
{
    static const char *const clauses[] = {"unified_shared_memory", "self_maps"};
    const char *file;
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
        if (goacc_source_line(pc, (const char *const[]){"requires", clauses[i], NULL}, &file))
            return clauses[i];
    return NULL;
}

static void add_at(struct goacc_text *text, const char *key, const char *file, int line)
{
    char at[1024];
    snprintf(at, sizeof at, "%s:%d", file, line);
    goacc_text_field(text, key, at);
}

static void begin_json(struct goacc_text *text, const char *level, const char *code)
{
    goacc_text_clear(text);
    goacc_text(text, "{");
    goacc_text_field(text, "level", level);
    goacc_text_field(text, "code", code);
}

/* The beginning of the first line. */
static void begin(struct goacc_text *text, const char *level, const char *code, uintptr_t pc, const char *file,
                  int line)
{
    goacc_text_clear(text);
    if (file)
        goacc_text(text, "%s:%d: ", file, line);
    else if (pc)
        goacc_text(text, "accdeep: at %p: ", (void *)pc);
    else
        goacc_text(text, "accdeep: ");
    goacc_text(text, "%s[%s]: ", level, code);
    if (goacc_rank() >= 0)
        goacc_text(text, "rank %d: ", goacc_rank());
}

/* What the program said before comes before. */
static void say(const struct goacc_text *text)
{
    if (!goacc.dying && !ftrylockfile(stdout)) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    goacc_text_put(STDERR_FILENO, text);
}

static void add_fields(struct goacc_text *text, const struct goacc_finding *finding, const char *rule,
                       const char *message, const struct goacc_where *where)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"objects", finding->objects},
                  {"bytes", finding->bytes},
                  {"times", finding->times},
                  {"of", finding->of}};
    char key[40];
    goacc_text_field(text, "message", message);
    if (rule)
        goacc_text_field(text, "rule", rule);
    if (where->file)
        add_at(text, "at", where->file, where->line);
    if (where->file && where->function)
        goacc_text_field(text, "function", where->function);
    if (finding->object)
        goacc_text_field(text, "object", finding->object);
    if (finding->element)
        goacc_text_field(text, "element", finding->element);
    if (finding->second && *finding->second)
        goacc_text_field(text, "other", finding->second);
    if (finding->other.file) {
        snprintf(key, sizeof key, "%s_at", finding->other.is);
        add_at(text, key, finding->other.file, finding->other.line);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value)
            goacc_text(text, ",\"%s\":%llu", counts[i].key, (unsigned long long)counts[i].value);
    goacc_text_rank(text);
}

/* A line of JSON is put wherever such lines are wanted. */
static void put_json(struct goacc_text *text)
{
    goacc_text(text, "}\n");
    if (goacc.options.json)
        say(text);
    goacc_report_line(text);
}

static void print_json(const struct goacc_finding *finding, const char *rule, const char *message,
                       const struct goacc_where *where, const char *help)
{
    struct goacc_text text;
    begin_json(&text, finding->level, finding->code);
    add_fields(&text, finding, rule, message, where);
    if (help)
        goacc_text_field(&text, "help", help);
    put_json(&text);
}

/* Help stands under each error, and under the first other finding of its code. */
static void print_text(const struct goacc_finding *finding, const char *rule, const char *message,
                       const struct goacc_where *where, const char *help)
{
    static bool hinted;
    struct goacc_text text;
    begin(&text, finding->level, finding->code, finding->pc, where->file, where->line);
    goacc_text(&text, "%s\n", message);
    if (where->file)
        add_snippet(&text, where->file, where->line);
    goacc_text(&text, "%s", finding->lines ? finding->lines : "");
    if (rule)
        goacc_text(&text, "  rule: %s\n", rule);
    if (help)
        goacc_text(&text, "  help: %s\n  more: accdeep explain %s\n", help, finding->code);
    if (!hinted && finding->pc && !where->file && goacc_lacks_lines(finding->pc)) {
        hinted = true;
        goacc_text(&text, "  hint: compile with -g: then reports have lines and names\n");
    }
    say(&text);
}

/* ---------------------------------------------------------------------------------- findings -- */

/* Whether a finding of the code was printed. */
static bool is_first_of_code(const struct found *found)
{
    for (size_t i = 0; i < nall; i++)
        if (all[i] != found && !all[i]->first && !all[i]->suppressed && !strcmp(all[i]->code, found->code))
            return false;
    return true;
}

/* Advice, limits of this runtime, and files that cannot be written are no defects of the program. */
static bool is_defect(const struct goacc_finding *finding)
{
    static const char *const others[] = {"unsupported", "not-watched", "not-checked", "file"};
    bool is_other = !strcmp(finding->level, "advice");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        is_other |= !strcmp(finding->code, others[i]);
    return !is_other;
}

/* Whether a finding counts for --fail. The host may have no need of a change that is lost: scratch memory of kernels is
 * mapped by copyin, too. A checked program reports the read of what was lost. */
static bool is_failure(const struct goacc_finding *finding)
{
    return is_defect(finding) && strcmp(finding->code, "lost-change") != 0;
}

static bool find(const struct goacc_finding *finding, const char *message)
{
    struct goacc_where where = {0};
    struct goacc_text help;
    const bool is_error = !strcmp(finding->level, "error");
    struct found *found = known(finding, message);
    if (!found && goacc_line(finding->pc, &where.file, &where.line, &where.function)) {
        found = known_line(finding, message, &where);
        if (found)
            remember(found, finding, message, &where);
    }
    if (found) {
        count(found, finding);
        return false;
    }
    found = remember(NULL, finding, message, &where);
    const bool suppressed = (!is_error || finding->continues) && goacc_is_suppressed(finding, &where);
    if (suppressed) {
        if (found)
            found->suppressed = true;
        return false;
    }
    const char *rule = goacc_rule_of(finding);
    const bool helps = (is_error || is_defect(finding) || finding->times) && goacc_help_of(finding, rule, &help);
    if (goacc.on_finding && (is_error || is_defect(finding)))
        goacc.on_finding(message);
    goacc.found |= is_failure(finding);
    print_json(finding, rule, message, &where, helps ? help.at : NULL);
    if (!goacc.options.json)
        print_text(finding, rule, message, &where,
                   helps && (is_error || !found || is_first_of_code(found)) ? help.at : NULL);
    const size_t result = goacc_report_add(finding, &where, rule, message);
    if (found)
        found->result = result;
    return true;
}

bool goacc_find(const struct goacc_finding *finding, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    goacc_take_words();
    const bool is_new = GOACC_ON_OWN_STACK(find, finding, message); /* the thread may have a small one */
    goacc_give_words();
    return is_new;
}

void goacc_tell(const char *level, const char *code, const char *rule, uintptr_t pc, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    goacc_find(&(struct goacc_finding){.level = level, .code = code, .rule = rule, .pc = pc}, "%s", message);
}

static void print_count(const struct found *found)
{
    const bool named = found->object && !is_address(found->about);
    struct goacc_text text, words;
    goacc_text_clear(&words);
    goacc_text(&words, "%s%s%llu more time%s%s%s", named ? found->about : "", named ? ": " : "",
              (unsigned long long)found->count - 1, found->count == 2 ? "" : "s", found->also ? ", also of " : "",
              found->also ? found->also : "");
    if (found->mapped)
        goacc_text(&words, ", mapped at %s:%d", found->mapped, found->mapped_line);
    if (!goacc.options.json) {
        begin(&text, found->level, found->code, found->pc, found->file, found->line);
        goacc_text(&text, "%s\n", words.at);
        say(&text);
    }
    begin_json(&text, found->level, found->code);
    goacc_text_field(&text, "message", words.at);
    if (found->file)
        add_at(&text, "at", found->file, found->line);
    if (found->object)
        goacc_text_field(&text, "object", found->about);
    if (found->also)
        goacc_text_field(&text, "also", found->also);
    goacc_text(&text, ",\"more\":%llu", (unsigned long long)found->count - 1);
    goacc_text_rank(&text);
    put_json(&text);
    goacc_report_count(found->result, found->count);
}

/* Only in JSON: a file of suppressions serves several programs. */
static void print_unused(const char *path, int line)
{
    const struct goacc_finding finding = {.level = "note", .code = "unused-suppression", .rule = "HOUSE-files"};
    const struct goacc_where where = {.file = path, .line = line};
    print_json(&finding, finding.rule, "this suppression matched no finding", &where, NULL);
}

/* reason: errno; 0: the file is whole. */
static void tell_lost(const char *variable, int reason)
{
    char name[4096];
    if (!reason)
        return;
    goacc_file_name(getenv(variable), name, sizeof name);
    goacc_tell("note", "file", NULL, 0, "%s is not complete: %s", name, strerror(reason));
}

void goacc_find_end(void)
{
    static bool ended;
    goacc_take_words();
    if (ended) {
        goacc_give_words();
        return;
    }
    ended = true;
    for (size_t i = 0; i < nall; i++) {
        if (!all[i]->first && !all[i]->suppressed && all[i]->count > 1)
            print_count(all[i]);
        free(all[i]->about);
        free(all[i]->also);
        free(all[i]);
    }
    nall = 0;
    goacc_suppress_end(print_unused);
    tell_lost("ACCDEEP_REPORT", goacc_report_end());
    tell_lost("ACCDEEP_TRACE", goacc.trace_lost);
    goacc_give_words();
}
