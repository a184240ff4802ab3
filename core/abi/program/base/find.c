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
    bool object; /* about is a variable */
    uint64_t count;
};
static struct found **all;
static size_t nall, room;

/* ------------------------------------------------------------------------------------- known -- */

/* u[0:4] and u[4:4] are of one variable. */
static bool same_variable(const char *a, const char *b)
{
    const size_t n = strcspn(a, "[(");
    return n && n == strcspn(b, "[(") && !strncmp(a, b, n);
}

/* Sums, and what has no place, are the same where they say the same. */
static bool is_by_object(const struct goacc_finding *finding)
{
    return finding->object && finding->pc && !finding->times;
}

static bool is_about(const struct found *found, const struct goacc_finding *finding, const char *message)
{
    if (strcmp(found->code, finding->code) != 0 || found->object != is_by_object(finding))
        return false;
    return finding->together || (found->object ? same_variable(found->about, finding->object)
                                               : message && !strcmp(found->about, message));
}

/* Counts one more. */
static void count(struct found *found, const struct goacc_finding *finding)
{
    found->count++;
    if (!finding->together || same_variable(found->about, finding->object))
        return;
    char variable[160], *longer = NULL;
    snprintf(variable, sizeof variable, "%.*s", (int)strcspn(finding->object, "[("), finding->object);
    const char *at = found->also ? strstr(found->also, variable) : NULL;
    const size_t n = strlen(variable);
    if (at && strspn(at + n, ",") + !at[n])
        return;
    if (asprintf(&longer, "%s%s%s", found->also ? found->also : "", found->also ? ", " : "", variable) < 0)
        return;
    free(found->also);
    found->also = longer;
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

static struct found *known_line(const struct goacc_finding *finding, const char *message, const char *file, int line)
{
    for (size_t i = 0; i < nall; i++)
        if (!all[i]->first && all[i]->file && all[i]->line == line && !strcmp(all[i]->file, file) &&
            is_about(all[i], finding, message))
            return all[i];
    return NULL;
}

/* Without memory a finding is reported again. */
static void remember(struct found *first, const struct goacc_finding *finding, const char *message, const char *file,
                     int line)
{
    if (nall == room) {
        struct found **grown = realloc(all, (2 * room + 64) * sizeof *grown);
        if (!grown)
            return;
        all = grown;
        room = 2 * room + 64;
    }
    struct found *found = malloc(sizeof *found);
    char *about = first ? NULL : strdup(is_by_object(finding) ? finding->object : message);
    if (!found || (!first && !about)) {
        free(found);
        free(about);
        return;
    }
    *found = (struct found){
        .first = first,
        .pc = finding->pc,
        .file = file,
        .line = line,
        .level = finding->level,
        .code = finding->code,
        .about = about,
        .object = is_by_object(finding),
        .count = 1,
    };
    all[nall++] = found;
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

/* The house rule behind an error that no document asks for. */
static const char *house_rule(const char *code)
{
    static const char *const rules[][2] = {
        {"file", "HOUSE-files"},
        {"out-of-memory", "HOUSE-memory"},
        {"misuse", "HOUSE-misuse"},
        {"unsupported", "HOUSE-version"},
        {"no-device", "DIR-1-04"},
        {"region-nesting", "DIR-4.3-06"},
        {"not-present", "ACC33-hd-1"},
        {"device-pointer-on-host", "ACC33-hd-1"},
        {"invalid-section", "ACC33-2.7.1-1"},
        {"null-pointer", "ACC33-3.2.18-1"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!strcmp(rules[i][0], code))
            return rules[i][1];
    return NULL;
}

/* The rule that says the same in the profile's document. */
static const char *in_profile(const char *rule)
{
    static const char *const rules[][2] = {
        {"ACC33-2.6.7-4", "OMP60-map-6"},      {"ACC33-2.7-1", "OMP60-map-5"},   {"ACC33-2.7.1-1", "OMP60-sec-1"},
        {"ACC33-att-6", "OMPEX-struct_map-6"}, {"ACC33-det-1", "OMP60-map-7"},   {"ACC33-gloss-2", "OMP60-sec-1"},
        {"ACC33-impl-1", "OMP60-map-11"},      {"ACC33-hd-1", "OMP60-api-12"},   {"DIR-1-04", "OMP60-api-2"},
        {"DIR-4.3-06", "OMP60-tgt-1"},         {"ACC33-upd-1", "OMP60-upd-1"},
        {"ACC33-async-2", NULL},               {"ACC33-async-4", NULL},
    };
    if (rule && goacc.options.rules && !strncmp(goacc.options.rules->documents, "OMP60", 5))
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
            if (!strcmp(rule, rules[i][0]))
                return rules[i][1];
    return rule;
}

static void add_at(struct goacc_text *text, const char *key, const char *file, int line)
{
    char at[1024];
    snprintf(at, sizeof at, "%s:%d", file, line);
    goacc_text_field(text, key, at);
}

/* The first line of a report, or the first fields. */
static void begin(struct goacc_text *text, const char *level, const char *code, uintptr_t pc, const char *file,
                  int line)
{
    goacc_text_clear(text);
    if (goacc.options.json) {
        goacc_text(text, "{");
        goacc_text_field(text, "level", level);
        goacc_text_field(text, "code", code);
        return;
    }
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

/* The help of a code in the words of its rule's language, with the objects' names in place of {1|...} and {2|...},
 * but no addresses; false if there is none. */
static bool help_of(const struct goacc_finding *finding, const char *rule, struct goacc_text *to)
{
    const struct goacc_help *help = goacc_helps;
    while (help->code && strcmp(help->code, finding->code) != 0)
        help++;
    const bool openmp = rule && (!strncmp(rule, "OMP", 3) || !strncmp(rule, "LLNL", 4));
    goacc_text_clear(to);
    for (const char *c = !help->code ? "" : openmp ? help->openmp : help->help; *c; c++) {
        const char *name = c[0] != '{' ? NULL : c[1] == '1' ? finding->object : c[1] == '2' ? finding->second : NULL;
        const char *close = c[0] == '{' ? strchr(c, '}') : NULL;
        if (!close)
            goacc_text(to, "%c", *c);
        else if (name && *name && !isdigit((unsigned char)*name))
            goacc_text(to, "%s", name);
        else
            goacc_text(to, "%.*s", (int)(close - c) - 3, c + 3);
        c = close ? close : c;
    }
    return to->n > 0;
}

/* What the program said before comes before. */
static void say(const struct goacc_text *text)
{
    if (!ftrylockfile(stdout)) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    goacc_text_put(STDERR_FILENO, text);
}

static void add_fields(struct goacc_text *text, const struct goacc_finding *finding, const char *rule,
                       const char *message, const char *file, int line, const char *function)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"bytes", finding->bytes}, {"times", finding->times}, {"of", finding->of}};
    char key[40];
    goacc_text_field(text, "message", message);
    if (rule)
        goacc_text_field(text, "rule", rule);
    if (file)
        add_at(text, "at", file, line);
    if (file && function)
        goacc_text_field(text, "function", function);
    if (finding->object)
        goacc_text_field(text, "object", finding->object);
    if (finding->element)
        goacc_text_field(text, "element", finding->element);
    if (finding->other.file) {
        snprintf(key, sizeof key, "%s_at", finding->other.is);
        add_at(text, key, finding->other.file, finding->other.line);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value)
            goacc_text(text, ",\"%s\":%llu", counts[i].key, (unsigned long long)counts[i].value);
    goacc_text_rank(text);
}

static void print(const struct goacc_finding *finding, const char *rule, const char *message, const char *file,
                  int line, const char *function)
{
    static bool hinted;
    struct goacc_text text, help;
    const bool helps = !strcmp(finding->level, "error") && help_of(finding, rule, &help);
    begin(&text, finding->level, finding->code, finding->pc, file, line);
    if (goacc.options.json) {
        add_fields(&text, finding, rule, message, file, line, function);
        if (helps)
            goacc_text_field(&text, "help", help.at);
        goacc_text(&text, "}\n");
        say(&text);
        return;
    }
    goacc_text(&text, "%s\n", message);
    if (file)
        add_snippet(&text, file, line);
    goacc_text(&text, "%s", finding->lines ? finding->lines : "");
    if (rule)
        goacc_text(&text, "  rule: %s\n", rule);
    if (helps)
        goacc_text(&text, "  help: %s\n  more: accdeep explain %s\n", help.at, finding->code);
    if (!hinted && finding->pc && !file) {
        hinted = true;
        goacc_text(&text, "  hint: compile with -g: then reports have lines and names\n");
    }
    say(&text);
}

/* ---------------------------------------------------------------------------------- findings -- */

static bool find(const struct goacc_finding *finding, const char *message)
{
    const char *file = NULL, *function = NULL;
    int line = 0;
    struct found *found = known(finding, message);
    if (!found && goacc_line(finding->pc, &file, &line, &function)) {
        found = known_line(finding, message, file, line);
        if (found)
            remember(found, finding, message, file, line);
    }
    if (found) {
        count(found, finding);
        return false;
    }
    remember(NULL, finding, message, file, line);
    if (strcmp(finding->level, "advice") != 0 && strcmp(finding->code, "unsupported") != 0)
        goacc.found = true; /* the others are limits of this runtime */
    if (goacc.on_error && !strcmp(finding->level, "error"))
        goacc.on_error(message);
    print(finding, in_profile(finding->rule ? finding->rule : house_rule(finding->code)), message, file, line,
          function);
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
    const bool is_new = find(finding, message);
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
    struct goacc_text text, words;
    goacc_text_clear(&words);
    goacc_text(&words, "%s%s%llu more time%s%s%s", found->object ? found->about : "", found->object ? ": " : "",
              (unsigned long long)found->count - 1, found->count == 2 ? "" : "s", found->also ? ", also of " : "",
              found->also ? found->also : "");
    begin(&text, found->level, found->code, found->pc, found->file, found->line);
    if (!goacc.options.json) {
        goacc_text(&text, "%s\n", words.at);
        say(&text);
        return;
    }
    goacc_text_field(&text, "message", words.at);
    if (found->file)
        add_at(&text, "at", found->file, found->line);
    if (found->object)
        goacc_text_field(&text, "object", found->about);
    if (found->also)
        goacc_text_field(&text, "also", found->also);
    goacc_text(&text, ",\"more\":%llu", (unsigned long long)found->count - 1);
    goacc_text_rank(&text);
    goacc_text(&text, "}\n");
    say(&text);
}

void goacc_find_end(void)
{
    goacc_take_words();
    for (size_t i = 0; i < nall; i++) {
        if (!all[i]->first && all[i]->count > 1)
            print_count(all[i]);
        free(all[i]->about);
        free(all[i]->also);
        free(all[i]);
    }
    nall = 0; /* acc_shutdown reports, and the end of the program does */
    goacc_give_words();
}
