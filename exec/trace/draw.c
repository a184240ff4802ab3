/* draw.c - `exec --draw`: draws the data on host and devices as a graph for Graphviz. The picture shows the state at
 * the first finding. Without a finding it shows the state after a call at which the most objects were present. Called
 * after each call of the program, at findings and at the end. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "draw.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* most objects of a device that are drawn */
enum { OBJECTS_MOST = 200 };

static char *picture;         /* DOT text of the best state so far; NULL: nothing drawn yet */
static uint64_t most_objects; /* number of present objects in `picture` */
static bool final;            /* true after the first finding: the picture stays as it is */

extern char **environ;

/* -------------------------------------------------------------------------------------- text -- */

/* Writes text with HTML escapes, breaking lines of more than 80 characters at a space. */
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
        case '\x22': /* quotation mark */
            fputs("&quot;", to);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, to);
        }
    }
}

/* Returns the index of the object that contains a host address, among n objects sorted by address; n if no object
 * contains the address. */
static size_t find_holder(const accd_present_object *objects, size_t n, uint64_t host)
{
    assert(objects || !n);
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (objects[middle].info.host <= host)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_inside = low && host - objects[low - 1].info.host < objects[low - 1].info.bytes;
    return is_inside ? low - 1 : n;
}

/* Returns the index of the object that a pointer is attached to, among n objects; n if it is not one of them. Compares
 * device addresses because the pointer's value may lie outside the present section. */
static size_t find_target_object(const accd_present_object *objects, size_t n, const accd_attachment *pointer)
{
    size_t i = 0;
    while (i < n && objects[i].dev != pointer->low)
        i++;
    return i;
}

/* Writes the box of object i: its name, the counters on the device, and a port for each attached pointer. side: 'h' for
 * the host's box, 'd' for the device's. */
static void put_object(FILE *to, char side, int device, const accd_present_object *objects, size_t i)
{
    const accd_present_object *object = &objects[i];
    const struct rt_display_name display = rt_get_display_name(&object->info);
    accd_attachment pointer;
    uint64_t at = object->info.host, end = at + object->info.bytes;
    fprintf(to,
            "    %c%d_%zu [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">"
            "<tr><td port=\"all\" bgcolor=\"%s\"><b>",
            side, device, i,
            object->mapped ? "lightyellow"
            : side == 'h'  ? "white"
                           : "lightblue");
    put_text(to, display.name);
    fprintf(to, "</b><br/>%llu bytes", (unsigned long long)object->info.bytes);
    if (side == 'd')
        fprintf(to, "<br/>structured %u, dynamic %u%s", object->structured, object->dynamic,
                object->mapped ? ", acc_map_data" : "");
    else if (display.file) {
        fputs("<br/>", to);
        put_text(to, display.file);
        fprintf(to, ":%d", display.line);
    }
    fputs("</td></tr>", to);
    while (accd_attachment_next(rt.context, device, &at, &pointer) && pointer.slot < end) {
        fprintf(to, "<tr><td port=\"p%llx\">", (unsigned long long)(pointer.slot - object->info.host));
        put_text(to, rt_get_pointer_display_name(&pointer).name);
        if (side == 'd')
            fprintf(to, " (attached %u)", pointer.count);
        fputs("</td></tr>", to);
    }
    fputs("</table>>];\n", to);
}

/* Writes the boxes of host and device for n objects, and the arrows between pointers and their targets. */
static void put_device(FILE *to, int device, const accd_present_object *objects, size_t n)
{
    accd_attachment pointer;
    accd_level level;
    for (const char *side = "hd"; *side; side++) {
        fprintf(to, "  subgraph cluster_%c%d {\n    fontcolor=black; label=\"", *side, device);
        if (*side == 'h')
            fputs("host", to);
        else
            fprintf(to, "device %d", device);
        for (size_t i = 0; *side == 'd' && accd_level_get(rt.context, device, i, &level); i++)
            fprintf(to, "%s%s", i ? ", " : "\\nregions: ", level.name);
        fprintf(to, "\"; style=\"rounded,filled\"; fillcolor=\"%s\"; color=gray;\n",
                *side == 'h' ? "gray97" : "aliceblue");
        for (size_t i = 0; i < n; i++)
            put_object(to, *side, device, objects, i);
        fputs("  }\n", to);
    }
    for (size_t i = 0; i < n; i++)
        fprintf(to, "  h%d_%zu:all -> d%d_%zu:all [dir=none, style=dotted, color=gray];\n", device, i, device, i);
    for (uint64_t at = 0; accd_attachment_next(rt.context, device, &at, &pointer);) {
        size_t from = find_holder(objects, n, pointer.slot);
        size_t target = find_target_object(objects, n, &pointer);
        if (from == n || target == n)
            continue;
        unsigned long long port = pointer.slot - objects[from].info.host;
        for (const char *side = "hd"; *side; side++)
            fprintf(to, "  %c%d_%zu:p%llx -> %c%d_%zu:all [color=%s, constraint=false];\n", *side, device, from, port,
                    *side, device, target, *side == 'd' ? "blue" : "black");
    }
}

/* Returns the DOT text of the current state with this title, to be freed by the caller; NULL: no memory. */
static char *draw_state(const char *title)
{
    char *text = NULL;
    size_t size = 0, left_out = 0;
    FILE *to = open_memstream(&text, &size);
    accd_present_object *objects = calloc(OBJECTS_MOST, sizeof *objects);
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
    for (int device = 0; device < accd_device_count(rt.context); device++) {
        size_t n = 0;
        accd_present_object object;
        for (uint64_t at = 0; accd_present_next(rt.context, device, &at, &object);)
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

/* Replaces the stored picture by a drawing of the current state, with this title; without memory the old picture stays.
 */
static void keep_picture(const char *title)
{
    char *text = draw_state(title);
    if (!text)
        return;
    free(picture);
    picture = text;
}

/* Draws the state, if more objects are present than in the stored picture and no finding was drawn. */
static void update_picture(struct rt_thread *thread)
{
    (void)thread;
    if (!rt.context)
        return;
    accd_stats stats;
    uint64_t objects = 0;
    char location[1100], title[1200];
    for (int i = 0; i < rt.options.devices; i++) {
        accd_get_stats(rt.context, i, &stats);
        objects += stats.objects;
    }
    if (final || objects <= most_objects)
        return;
    most_objects = objects;
    rt_format_location(rt.site->call.pc, location, sizeof location);
    snprintf(title, sizeof title, "after %s%s", rt.site->construct_name, location);
    keep_picture(title);
}

/* Draws the state at the first finding, with its message as title; does nothing at later findings. */
static void draw_finding(const char *message)
{
    if (final || !rt.context)
        return;
    final = true;
    keep_picture(message);
}

/* ------------------------------------------------------------------------------------- the end --
 */

/* Writes the picture as DOT text to the file `path`. Returns false, after a report, on failure. */
static bool save_dot(const char *path)
{
    assert(path && picture);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t size = strlen(picture), nwritten = 0;
    while (fd >= 0 && nwritten < size) {
        ssize_t n = write(fd, picture + nwritten, size - nwritten);
        if (n <= 0)
            break;
        nwritten += (size_t)n;
    }
    bool success = fd >= 0 && nwritten == size && !close(fd);
    if (!success)
        rt_report("error", "file", NULL, 0, "%s: %s", path, strerror(errno));
    return success;
}

/* Returns an environment without this runtime, so that Graphviz runs without it; NULL: no memory. The caller must free
 * the array. */
static char **plain_environment(void)
{
    size_t n = 0, nplain = 0;
    while (environ[n])
        n++;
    char **plain = calloc(n + 1, sizeof *plain);
    for (size_t i = 0; plain && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "ACCDEEP_", 8) != 0)
            plain[nplain++] = environ[i];
    return plain;
}

/* Converts the DOT file `dot` to the picture `path` by Graphviz, in the format of its suffix. Returns false if that
 * fails or takes longer than 30 seconds. */
static bool run_dot(const char *dot, const char *path)
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
    /* the output for errors is closed, because warnings of Graphviz concern only the picture */
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool is_running = plain && !posix_spawnp(&child, args[0], &quiet, NULL, args, plain);
    posix_spawn_file_actions_destroy(&quiet);
    free(plain);
    if (!is_running)
        return false;
    for (int i = 0; i < TENTHS && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(100000);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the picture to its file: as DOT text if the name ends in ".dot", otherwise by Graphviz. If Graphviz fails,
 * keeps the DOT text in a file beside it, and reports that. */
static void write_picture(void)
{
    assert(rt.options.draw);
    char dot[4096];
    const char *path = rt.options.draw, *suffix = strrchr(path, '.');
    if (!picture || rt.pid != getpid())
        return;
    if (suffix && !strcmp(suffix, ".dot")) {
        save_dot(path);
        return;
    }
    snprintf(dot, sizeof dot, "%s.dot", path);
    if (!save_dot(dot))
        return;
    if (run_dot(dot, path)) {
        unlink(dot);
        return;
    }
    unlink(path); /* removes an empty file that Graphviz may have left */
    rt_report("note", "file", NULL, 0,
              "%s was not drawn, but %s was written: Graphviz (Debian's package graphviz) makes "
              "a picture of it",
              path, dot);
}

const struct rt_tool rt_draw_tool = {
    .name = "draw", .finish = write_picture, .abort = write_picture, .end_call = update_picture, .find = draw_finding};
