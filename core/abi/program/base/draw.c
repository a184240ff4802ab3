/* draw.c - `exec --draw`: a picture of host and devices for Graphviz. Drawn is the state at
 * the first finding or, without one, the first of those with the most present objects. */
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OBJECTS_MOST = 200 };

static char *picture;    /* DOT text of the state to be drawn */
static uint64_t richest; /* objects in it */
static bool final;       /* nothing later matters */

extern char **environ;

/* -------------------------------------------------------------------------------------- text -- */

/* A line that gets long is broken at a space. */
static void put_text(FILE *to, const char *text)
{
    enum { LONG = 80 };
    for (int column = 0; *text; text++, column++) {
        if (*text == ' ' && column > LONG) {
            fputs("<br/>", to);
            column = 0;
            continue;
        }
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, to);
        }
    }
}

/* The present object that holds a host address, among those in order; n: none does. */
static size_t holder_of(const accd_present *objects, size_t n, uint64_t host)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (objects[middle].info.host <= host)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low && host - objects[low - 1].info.host < objects[low - 1].info.bytes;
    return inside ? low - 1 : n;
}

/* The object a pointer is attached to: its value may lie outside of the section that is present. */
static size_t target_of(const accd_present *objects, size_t n, const accd_attachment *pointer)
{
    size_t i = 0;
    while (i < n && objects[i].dev != pointer->low)
        i++;
    return i;
}

/* A box: the object's name, on the device its counters, and a port for each attached pointer. */
static void put_object(FILE *to, char side, int device, const accd_present *objects, size_t i)
{
    const accd_present *object = &objects[i];
    const struct goacc_shown shown = goacc_shown(&object->info);
    accd_attachment pointer;
    uint64_t at = object->info.host, end = at + object->info.bytes;
    fprintf(to,
            "    %c%d_%zu [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">"
            "<tr><td port=\"all\" bgcolor=\"%s\"><b>",
            side, device, i,
            object->mapped ? "lightyellow"
            : side == 'h'  ? "white"
                           : "lightblue");
    put_text(to, shown.name);
    fprintf(to, "</b><br/>%llu bytes", (unsigned long long)object->info.bytes);
    if (side == 'd')
        fprintf(to, "<br/>structured %u, dynamic %u%s", object->structured, object->dynamic,
                object->mapped ? ", acc_map_data" : "");
    else if (shown.file) {
        fputs("<br/>", to);
        put_text(to, shown.file);
        fprintf(to, ":%d", shown.line);
    }
    fputs("</td></tr>", to);
    while (accd_attachment_next(goacc.context, device, &at, &pointer) && pointer.slot < end) {
        fprintf(to, "<tr><td port=\"p%llx\">",
                (unsigned long long)(pointer.slot - object->info.host));
        put_text(to, goacc_shown_pointer(&pointer).name);
        if (side == 'd')
            fprintf(to, " (attached %u)", pointer.count);
        fputs("</td></tr>", to);
    }
    fputs("</table>>];\n", to);
}

static void put_device(FILE *to, int device, const accd_present *objects, size_t n)
{
    accd_attachment pointer;
    accd_level level;
    for (const char *side = "hd"; *side; side++) {
        fprintf(to, "  subgraph cluster_%c%d {\n    fontcolor=black; label=\"", *side, device);
        if (*side == 'h')
            fputs("host", to);
        else
            fprintf(to, "device %d", device);
        for (size_t i = 0; *side == 'd' && accd_level_at(goacc.context, device, i, &level); i++)
            fprintf(to, "%s%s", i ? ", " : "\\nregions: ", level.name);
        fprintf(to, "\"; style=\"rounded,filled\"; fillcolor=\"%s\"; color=gray;\n",
                *side == 'h' ? "gray97" : "aliceblue");
        for (size_t i = 0; i < n; i++)
            put_object(to, *side, device, objects, i);
        fputs("  }\n", to);
    }
    for (size_t i = 0; i < n; i++)
        fprintf(to, "  h%d_%zu:all -> d%d_%zu:all [dir=none, style=dotted, color=gray];\n", device,
                i, device, i);
    for (uint64_t at = 0; accd_attachment_next(goacc.context, device, &at, &pointer);) {
        size_t from = holder_of(objects, n, pointer.slot);
        size_t target = target_of(objects, n, &pointer);
        if (from == n || target == n)
            continue;
        unsigned long long port = pointer.slot - objects[from].info.host;
        for (const char *side = "hd"; *side; side++)
            fprintf(to, "  %c%d_%zu:p%llx -> %c%d_%zu:all [color=%s, constraint=false];\n", *side,
                    device, from, port, *side, device, target, *side == 'd' ? "blue" : "black");
    }
}

/* NULL: no memory for a picture. */
static char *draw(const char *title)
{
    char *text = NULL;
    size_t size = 0, left_out = 0;
    FILE *to = open_memstream(&text, &size);
    accd_present *objects = calloc(OBJECTS_MOST, sizeof *objects);
    if (!to || !objects) {
        if (to)
            fclose(to);
        free(objects);
        free(text);
        return NULL;
    }
    fputs("digraph accdeep {\n  rankdir=LR; fontname=Helvetica; labelloc=t;\n"
          "  node [shape=plain, fontname=Helvetica, fontsize=10];\n",
          to);
    for (int device = 0; device < accd_device_count(goacc.context); device++) {
        size_t n = 0;
        accd_present object;
        for (uint64_t at = 0; accd_present_next(goacc.context, device, &at, &object);)
            if (n < OBJECTS_MOST)
                objects[n++] = object;
            else
                left_out++;
        put_device(to, device, objects, n);
    }
    fprintf(to, "  fontcolor=%s; label=<", final ? "red" : "black");
    put_text(to, title);
    if (left_out)
        fprintf(to, "<br/>%zu more objects are not drawn", left_out);
    fputs(">;\n}\n", to);
    free(objects);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ------------------------------------------------------------------------------------ moments --
 */

static void keep(const char *title)
{
    char *text = draw(title);
    if (!text)
        return;
    free(picture);
    picture = text;
}

void goacc_draw_look(void)
{
    accd_stats stats;
    uint64_t objects = 0;
    char place[1100], title[1200];
    for (int i = 0; i < goacc.options.devices; i++) {
        accd_get_stats(goacc.context, i, &stats);
        objects += stats.objects;
    }
    if (final || objects <= richest)
        return;
    richest = objects;
    goacc_place(goacc.site->call.pc, place, sizeof place);
    snprintf(title, sizeof title, "after %s%s", goacc.site->what, place);
    keep(title);
}

void goacc_draw_finding(const char *message)
{
    if (!goacc.options.draw || final || !goacc.context)
        return;
    final = true;
    keep(message);
}

/* ------------------------------------------------------------------------------------- the end --
 */

static bool save(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t size = strlen(picture), done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, picture + done, size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    bool fine = fd >= 0 && done == size && !close(fd);
    if (!fine)
        goacc_tell("error", "file", NULL, 0, "%s: %s", path, strerror(errno));
    return fine;
}

/* Graphviz must not run on our runtime. */
static char **plain_environment(void)
{
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **plain = calloc(n + 1, sizeof *plain);
    for (size_t i = 0; plain && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "ACCDEEP_", 8) != 0)
            plain[kept++] = environ[i];
    return plain;
}

static bool lay_out(const char *dot, const char *path)
{
    enum { TENTHS = 300 };
    char format[16];
    const char *suffix = strrchr(path, '.');
    snprintf(format, sizeof format, "-T%.8s", suffix ? suffix + 1 : "svg");
    char *const args[] = {(char[]){"dot"},        format, (char[]){"-o"}, (char *)(uintptr_t)path,
                          (char *)(uintptr_t)dot, NULL};
    char **plain = plain_environment();
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_t quiet; /* its warnings are about the picture, not about the program */
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool runs = plain && !posix_spawnp(&child, args[0], &quiet, NULL, args, plain);
    posix_spawn_file_actions_destroy(&quiet);
    free(plain);
    if (!runs)
        return false;
    for (int i = 0; i < TENTHS && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(100000);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void goacc_draw_end(void)
{
    char dot[4096];
    const char *path = goacc.options.draw, *suffix = strrchr(path, '.');
    if (!picture || goacc.pid != getpid())
        return;
    if (suffix && !strcmp(suffix, ".dot")) {
        save(path);
        return;
    }
    snprintf(dot, sizeof dot, "%s.dot", path);
    if (!save(dot))
        return;
    if (lay_out(dot, path)) {
        unlink(dot);
        return;
    }
    unlink(path); /* an empty file, or none */
    goacc_tell("note", "file", NULL, 0,
               "%s was not drawn, but %s was written: Graphviz (Debian's package graphviz) makes "
               "a picture of it",
               path, dot);
}
