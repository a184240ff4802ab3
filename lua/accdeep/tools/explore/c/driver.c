/* driver.c - executes all programs of a tree of words, and prints the state after each word (test_driver.lua).
 *
 * Before this text stand device_gcc.c or device_clang.c, the declarations of the vocabulary, and macros: OBJECTS and
 * MOST_NODES are capacities, DRIVER_LEAVES is a list of {object, offset, bytes, kind}. */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10 };
static struct object {
    char *name;
    char *start;
    size_t bytes;
} objects[OBJECTS];
static const struct leaf {
    int object;
    size_t offset, bytes;
    char kind;
} leaves[] = {DRIVER_LEAVES};
enum { LEAVES = sizeof leaves / sizeof leaves[0] };

static struct {
    short depth, word;
} nodes[MOST_NODES];
static int node_count, node;

/* ------------------------------------------------------------------------------------------- the state -- */

static char buffer[1 << 16];
static size_t length;

static void emit(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(buffer + length, sizeof buffer - length, format, list);
    va_end(list);
    length = n < 0 || length + n >= sizeof buffer ? sizeof buffer - 1 : length + n;
}

static void flush_output(void)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = write(1, buffer + at, length - at);
        if (n <= 0)
            _exit(3);
        at += n;
    }
    length = 0;
}

/* Parts of objects that are present. */
static struct run {
    int object;
    char *host, *device;
    size_t bytes;
} runs[1024];
static int run_count;

static void find_runs(void)
{
    run_count = 0;
    for (int i = 0; i < OBJECTS; i++)
        for (size_t at = 0; at < objects[i].bytes; at++) {
            char *host = objects[i].start + at, *device = device_of(host);
            struct run *last = run_count > 0 ? &runs[run_count - 1] : NULL;
            if (device == NULL)
                continue;
            if (last && last->object == i && last->host + last->bytes == host && last->device + last->bytes == device)
                last->bytes++;
            else if (run_count < 1024)
                runs[run_count++] = (struct run){i, host, device, 1};
        }
}

static bool emit_host(const char *mark, char *value, size_t past_end)
{
    for (int i = 0; i < OBJECTS; i++)
        if (value >= objects[i].start && value < objects[i].start + objects[i].bytes + past_end)
            return emit("%s%s+%zu", mark, objects[i].name, (size_t)(value - objects[i].start)), true;
    return false;
}

static bool is_unwritten(const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)bytes)[i] != 0x7f)
            return false;
    return true;
}

/* A pointer's value: "a+4" points to the host's a, "@a+4" to the device's. like: what the host's pointer holds. An
 * address may lie in one object, and before the part of another one that is present: "@a+4/@b+0". */
static void emit_pointer(char *value, char *like)
{
    if (value == NULL) {
        emit(" null");
        return;
    }
    for (int i = 0; like != NULL && i < run_count; i++) {
        const struct object *o = &objects[runs[i].object];
        if (like >= o->start && like <= o->start + o->bytes && value - runs[i].device == like - runs[i].host &&
            emit_host(" @", like, 0))
            return;
    }
    if (emit_host(" ", value, 0) || emit_host(" ", value, 1))
        return;
    bool found = false;
    for (int i = 0; i < run_count; i++) {
        const struct object *o = &objects[runs[i].object];
        char *host = value - runs[i].device + runs[i].host;
        if (host >= o->start && host <= o->start + o->bytes) {
            emit("%s@%s+%zu", found ? "/" : " ", o->name, (size_t)(host - o->start));
            found = true;
        }
    }
    if (!found)
        emit(" ?");
}

static void emit_value(const struct leaf *leaf, const void *bytes, char *like)
{
    union {
        signed char b;
        short s;
        int i;
        long long l;
        unsigned long long u;
        float f;
        double d;
        char *p;
    } v = {.u = 0};
    memcpy(&v, bytes, leaf->bytes < sizeof v ? leaf->bytes : sizeof v);
    if (is_unwritten(bytes, leaf->bytes))
        emit(" u");
    else if (leaf->kind == 'p')
        emit_pointer(v.p, like);
    else if (leaf->kind == 'f')
        emit(leaf->bytes == 4 ? " %.9g" : " %.17g", leaf->bytes == 4 ? (double)v.f : v.d);
    else if (leaf->kind == 'u')
        emit(" %llu", v.u);
    else
        emit(" %lld", leaf->bytes == 1 ? v.b : leaf->bytes == 2 ? v.s : leaf->bytes == 4 ? v.i : v.l);
}

static void emit_device(const struct leaf *leaf)
{
    char *host = objects[leaf->object].start + leaf->offset, *like = NULL;
    size_t present = 0;
    unsigned char bytes[64];
    for (int i = 0; i < run_count; i++)
        for (size_t k = 0; k < leaf->bytes; k++)
            if (host + k >= runs[i].host && host + k < runs[i].host + runs[i].bytes) {
                from_device(bytes + k, runs[i].device + (host + k - runs[i].host), 1);
                present++;
            }
    if (leaf->kind == 'p')
        memcpy(&like, host, sizeof like);
    if (present == 0)
        emit(" -");
    else if (present < leaf->bytes)
        emit(" ~%zu", present);
    else
        emit_value(leaf, bytes, like);
}

static void report_state(void)
{
    alarm(0);
    find_runs();
    emit("S %d", node);
    for (int i = 0, k = 0; i < OBJECTS; i++) {
        int first = k;
        emit(" %s:", objects[i].name);
        for (; k < LEAVES && leaves[k].object == i; k++)
            emit_value(&leaves[k], objects[i].start + leaves[k].offset, NULL);
        emit(" |");
        for (k = first; k < LEAVES && leaves[k].object == i; k++)
            emit_device(&leaves[k]);
        emit(i + 1 < OBJECTS ? ";" : "\n");
    }
    flush_output();
}

/* ------------------------------------------------------------------------------------------- the words -- */

static void play(void);

/* Returns in a process for each word that may come next, and never where all of them are done. */
static int next(void)
{
    for (int i = node + 1; i < node_count && nodes[i].depth > nodes[node].depth; i++) {
        if (nodes[i].depth != nodes[node].depth + 1)
            continue;
        pid_t child = fork();
        if (child == 0) {
            node = i;
            alarm(SECONDS);
            return nodes[i].word;
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            _exit(3);
        if (status != 0) {
            emit("E %d %s %d\n", i, WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            flush_output();
        }
    }
    _exit(0);
}

/* Executes a word; returns false if the word is the end of a region. test_driver.lua appends it. */
bool execute(int word);

/* Executes the words up to the end of a region. */
static void play(void)
{
    while (execute(next()))
        ;
}

/* Reads the tree of words from the file that the arguments of the program name. Returns false if there is none. */
static bool read_tree(int count, char **arguments)
{
    int depth, word;
    FILE *tree = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (tree == NULL)
        return false;
    for (node_count = 1; node_count < MOST_NODES && fscanf(tree, "%d %d", &depth, &word) == 2; node_count++) {
        nodes[node_count].depth = depth;
        nodes[node_count].word = word;
    }
    fclose(tree);
    return true;
}
