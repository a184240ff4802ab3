/* report.c - `exec --report FILE`: findings in a file. In SARIF 2.1.0, for code hosts, it is whole after each finding; a
 * result, and a rule, is a line of its own, so that `accdeep merge` need not know more. Or as lines of JSON. */
#include "runtime.h"
#include "text.h"

#include "abi/helps/helps.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1, owner; /* owner: a process that was forked leaves the file alone */
static int lost;             /* errno of what could not be written */
static bool sarif;

/* A result without its end, to which the count is added. */
struct result {
    char *text;
    const char *code;
    uint64_t count;
};
static struct result *results;
static size_t nresults, room;

static void add_uri(FILE *to, const char *path)
{
    fputs(*path == '/' ? "\"file://" : "\"", to);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (isalnum(*c) || strchr("/._-~+@", *c))
            fputc(*c, to);
        else
            fprintf(to, "%%%02X", *c);
    fputs("\"", to);
}

static void add_string(FILE *to, const char *before, const char *value)
{
    struct goacc_text quoted;
    goacc_text_clear(&quoted);
    goacc_text_quoted(&quoted, value);
    fprintf(to, "%s%s", before, quoted.at);
}

static void add_place(FILE *to, const char *path, int line)
{
    fputs("\"physicalLocation\":{\"artifactLocation\":{\"uri\":", to);
    add_uri(to, path);
    fprintf(to, "},\"region\":{\"startLine\":%d}}", line > 0 ? line : 1);
}

static bool is_first(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(results[k].code, results[i].code))
            return false;
    return true;
}

/* It only grows: what was written before is overwritten. */
static void write_all(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
          "\"results\":[\n",
          to);
    for (size_t i = 0; i < nresults; i++)
        fprintf(to, "%s,\"occurrenceCount\":%llu}%s\n", results[i].text, (unsigned long long)results[i].count,
                i + 1 < nresults ? "," : "");
    fputs("],\"tool\":{\"driver\":{\"name\":\"accdeep\",\"version\":\"" ACCD_VERSION "\",\"rules\":[\n", to);
    for (size_t i = 0, n = 0; i < nresults; i++) {
        const struct accd_help *entry = goacc_help_entry(results[i].code);
        struct goacc_text help;
        if (!is_first(i))
            continue;
        add_string(to, n++ ? ",\n{\"id\":" : "{\"id\":", results[i].code);
        if (entry) {
            goacc_help_of(&(struct goacc_finding){.code = entry->code}, NULL, &help);
            add_string(to, ",\"shortDescription\":{\"text\":", entry->meaning);
            add_string(to, "},\"help\":{\"text\":", help.at);
            fputs("}", to);
        }
        fputs("}", to);
    }
    fputs("\n]}}}]}\n", to);
    if (!fclose(to) && pwrite(file, text, size, 0) < 0)
        lost = errno;
    free(text);
}

bool goacc_report_open(const char *pattern, char *name, size_t room_of_name)
{
    goacc_file_name(pattern, name, room_of_name);
    sarif = strlen(name) > 6 && !strcmp(name + strlen(name) - 6, ".sarif");
    owner = getpid();
    /* an earlier process may have had the number */
    file = goacc_open_file(name, sarif || strstr(pattern, "%p") ? O_TRUNC : O_APPEND);
    if (file >= 0 && sarif)
        write_all();
    return file >= 0;
}

static void add_result(FILE *to, const struct goacc_finding *finding, const struct goacc_where *where,
                       const char *rule, const char *message)
{
    /* What has no place of its own stands where its data were mapped; code hosts take no result without a place. */
    const bool own = where->file;
    const char *path = own ? where->file : finding->other.file ? finding->other.file : program_invocation_name;
    const bool advice = !strcmp(finding->level, "advice");
    add_string(to, "{\"ruleId\":", finding->code);
    add_string(to, ",\"level\":", advice ? "note" : finding->level);
    add_string(to, ",\"message\":{\"text\":", message);
    fputs("},\"locations\":[{", to);
    add_place(to, path, own ? where->line : finding->other.line);
    if (own && where->function) {
        add_string(to, ",\"logicalLocations\":[{\"name\":", where->function);
        fputs(",\"kind\":\"function\"}]", to);
    }
    fputs("}]", to);
    if (own && finding->other.file) {
        fputs(",\"relatedLocations\":[{\"id\":1,", to);
        add_place(to, finding->other.file, finding->other.line);
        const char *is = strcmp(finding->other.is, "agreed") != 0 ? finding->other.is : "host and device last agreed";
        add_string(to, ",\"message\":{\"text\":", is);
        fputs("}}]", to);
    }
    fputs(",\"properties\":{", to);
    const char *before = "";
    const char *const fields[][2] = {
        {"rule", rule},
        {"object", finding->object},
        {"element", finding->element},
        {"other", finding->second && *finding->second ? finding->second : NULL},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i][1]) {
            fprintf(to, "%s\"%s\":", before, fields[i][0]);
            add_string(to, "", fields[i][1]);
            before = ",";
        }
    const uint64_t counts[] = {finding->objects, finding->bytes, finding->times, finding->of};
    static const char *const names[] = {"objects", "bytes", "times", "of"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i]) {
            fprintf(to, "%s\"%s\":%llu", before, names[i], (unsigned long long)counts[i]);
            before = ",";
        }
    if (goacc_rank() >= 0)
        fprintf(to, "%s\"rank\":%d", before, goacc_rank());
    fputs("}", to);
}

size_t goacc_report_add(const struct goacc_finding *finding, const struct goacc_where *where, const char *rule,
                        const char *message)
{
    char *text = NULL;
    size_t size = 0;
    if (!sarif || owner != getpid())
        return 0;
    if (nresults == room) {
        struct result *grown = realloc(results, (2 * room + 16) * sizeof *grown);
        if (!grown)
            return 0;
        results = grown;
        room = 2 * room + 16;
    }
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return 0;
    add_result(to, finding, where, rule, message);
    if (fclose(to))
        return 0;
    results[nresults++] =
        (struct result){text, finding->code, finding->objects ? finding->objects : 1};
    write_all();
    return nresults;
}

void goacc_report_count(size_t number, uint64_t count)
{
    if (number)
        results[number - 1].count = count;
}

void goacc_report_line(const struct goacc_text *line)
{
    if (file >= 0 && !sarif && !goacc_text_put(file, line))
        lost = errno;
}

int goacc_report_end(void)
{
    if (sarif && owner == getpid())
        write_all();
    return lost;
}
