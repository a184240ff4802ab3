-- test_driver.lua - writes the C program that executes programs on a real runtime (oracle.lua compiles and runs it).
--
-- Each action of the vocabulary (a directive or statement) becomes a C function, and the programs are the paths through
-- a prefix tree. The tree is read as lines "depth action" in preorder. At each node the process forks for each
-- following action. A common prefix is therefore executed once, and a crash or a change of process state affects only
-- its own branch. A region is a C block around a call of play. After each action the state is printed: the value of
-- each scalar of the observed objects on the host and on the device. observation.lua writes the state of a session in
-- the same format.

local c_writer = require "accdeep.steps.c_writer"
local steps = require "accdeep.steps"

local test_driver = {}

local head = [[
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
]]

-- C code by compiler family. `begin` starts the runtime; `device_of` returns the device address of a byte, or NULL if
-- the byte is not present; `from_device` copies bytes from the device.
local queries = {
  gcc = [[
#include <omp.h>
#include <openacc.h>
static void begin(void) { acc_init(acc_device_nvidia); }
static char *device_of(void *host) { return acc_is_present(host, 1) ? acc_deviceptr(host) : NULL; }
static void from_device(void *to, void *from, size_t bytes) { acc_memcpy_from_device(to, from, bytes); }
]],
  -- Memory of clang's device is never freed, so that a new object never gets an address that an old pointer holds. New
  -- memory is filled with 0x7f, the value of unwritten bytes. Gaps of GAP bytes keep a pointer outside an object from
  -- pointing into its neighbour.
  clang = [[
#include <errno.h>
#include <omp.h>
#include <sys/mman.h>
enum { GAP = 256, CHUNK = 1 << 24, HEAD = 16 };
static char *chunk, *chunk_end;
void *memalign(size_t to, size_t bytes);
void *memalign(size_t to, size_t bytes)
{
    to = to < HEAD ? HEAD : to;
    if (bytes > (size_t)1 << 40)
        return errno = ENOMEM, NULL;
    size_t room = bytes + to + HEAD + GAP;
    if (chunk == NULL || (size_t)(chunk_end - chunk) < room) {
        size_t all = room > CHUNK ? room : CHUNK;
        chunk = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (chunk == MAP_FAILED)
            return chunk = NULL, errno = ENOMEM, NULL;
        chunk_end = chunk + all;
    }
    char *start = (char *)(((uintptr_t)chunk + HEAD + to - 1) / to * to);
    memcpy(start - sizeof bytes, &bytes, sizeof bytes);
    chunk += room;
    return memset(start, 0x7f, bytes);
}
void *malloc(size_t bytes) { return memalign(HEAD, bytes); }
void free(void *start) { (void)start; }
void *calloc(size_t n, size_t bytes) { void *p = malloc(n * bytes); return p ? memset(p, 0, n * bytes) : p; }
void *realloc(void *old, size_t bytes)
{
    void *start = malloc(bytes);
    size_t before = 0;
    if (start && old) {
        memcpy(&before, (char *)old - sizeof before, sizeof before);
        memcpy(start, old, before < bytes ? before : bytes);
    }
    return start;
}
void *aligned_alloc(size_t to, size_t bytes) { return memalign(to, bytes); }
int posix_memalign(void **at, size_t to, size_t bytes) { return (*at = memalign(to, bytes)) ? 0 : ENOMEM; }

static int begun;
static void begin(void)
{
    #pragma omp target enter data map(to: begun)
    #pragma omp target exit data map(delete: begun)
}
extern void *omp_get_mapped_ptr(const void *, int) __attribute__((weak));
static char *device_of(void *host)
{
    int device = omp_get_default_device();
    if (!omp_target_is_present(host, device))
        return NULL;
    if (omp_get_mapped_ptr)
        return omp_get_mapped_ptr(host, device);
    char *there = host;
    #pragma omp target data use_device_ptr(there)
    host = there;
    return host;
}
static void from_device(void *to, void *from, size_t bytes)
{
    omp_target_memcpy(to, from, bytes, 0, 0, omp_get_initial_device(), omp_get_default_device());
}
]],
}

local body = [[

enum { MOST_NODES = %d, SECONDS = 10 };
enum { OBJECTS = %d };
static struct object { char *name; char *start; size_t bytes; } objects[OBJECTS];
static const struct leaf { int object; size_t offset, bytes; char kind; } leaves[] = {
%s};
enum { LEAVES = sizeof leaves / sizeof leaves[0] };

static struct { short depth, word; } nodes[MOST_NODES];
static int node_count, node;

/* ------------------------------------------------------------------------------------------- the state -- */

static char said[1 << 16];
static size_t length;

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(said + length, sizeof said - length, format, list);
    va_end(list);
    length = n < 0 || length + n >= sizeof said ? sizeof said - 1 : length + n;
}

static void flush_output(void)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = write(1, said + at, length - at);
        if (n <= 0)
            _exit(3);
        at += n;
    }
    length = 0;
}

/* Parts of objects that are present. */
static struct run { int object; char *host, *device; size_t bytes; } runs[1024];
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

static bool say_host(const char *mark, char *value, size_t behind)
{
    for (int i = 0; i < OBJECTS; i++)
        if (value >= objects[i].start && value < objects[i].start + objects[i].bytes + behind)
            return say("%%s%%s+%%zu", mark, objects[i].name, (size_t)(value - objects[i].start)), true;
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
 * address may lie in one object, and in front of the part of another one that is present: "@a+4/@b+0". */
static void say_pointer(char *value, char *like)
{
    if (value == NULL) {
        say(" null");
        return;
    }
    for (int i = 0; like != NULL && i < run_count; i++) {
        const struct object *o = &objects[runs[i].object];
        if (like >= o->start && like <= o->start + o->bytes && value - runs[i].device == like - runs[i].host
            && say_host(" @", like, 0))
            return;
    }
    if (say_host(" ", value, 0) || say_host(" ", value, 1))
        return;
    bool found = false;
    for (int i = 0; i < run_count; i++) {
        const struct object *o = &objects[runs[i].object];
        char *host = value - runs[i].device + runs[i].host;
        if (host >= o->start && host <= o->start + o->bytes) {
            say("%%s@%%s+%%zu", found ? "/" : " ", o->name, (size_t)(host - o->start));
            found = true;
        }
    }
    if (!found)
        say(" ?");
}

static void say_value(const struct leaf *leaf, const void *bytes, char *like)
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
        say(" u");
    else if (leaf->kind == 'p')
        say_pointer(v.p, like);
    else if (leaf->kind == 'f')
        say(leaf->bytes == 4 ? " %%.9g" : " %%.17g", leaf->bytes == 4 ? (double)v.f : v.d);
    else if (leaf->kind == 'u')
        say(" %%llu", v.u);
    else
        say(" %%lld", leaf->bytes == 1 ? v.b : leaf->bytes == 2 ? v.s : leaf->bytes == 4 ? v.i : v.l);
}

static void say_device(const struct leaf *leaf)
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
        say(" -");
    else if (present < leaf->bytes)
        say(" ~%%zu", present);
    else
        say_value(leaf, bytes, like);
}

static void report_state(void)
{
    alarm(0);
    find_runs();
    say("S %%d", node);
    for (int i = 0, k = 0; i < OBJECTS; i++) {
        int first = k;
        say(" %%s:", objects[i].name);
        for (; k < LEAVES && leaves[k].object == i; k++)
            say_value(&leaves[k], objects[i].start + leaves[k].offset, NULL);
        say(" |");
        for (k = first; k < LEAVES && leaves[k].object == i; k++)
            say_device(&leaves[k]);
        say(i + 1 < OBJECTS ? ";" : "\n");
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
            say("E %%d %%s %%d\n", i, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            flush_output();
        }
    }
    _exit(0);
}

%s
/* The words up to the end of a region. */
static void play(void)
{
    for (;;)
        switch (next()) {
%s        default: return; /* the end of a region */
        }
}

int main(int count, char **arguments)
{
    int depth, word;
    FILE *tree = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (tree == NULL)
        return 3;
    for (node_count = 1; node_count < MOST_NODES && fscanf(tree, "%%d %%d", &depth, &word) == 2; node_count++) {
        nodes[node_count].depth = depth;
        nodes[node_count].word = word;
    }
    fclose(tree);
    dup2(1, 2);
%s%s    begin();
    report_state();
    play();
    return 3;
}
]]

-- Capacity of the tree in nodes; node 0 is the root.
test_driver.MOST_NODES = 1 << 17

-- Returns a text as a string literal of C.
local function c_text(text) return '"' .. text:gsub('[\\"]', "\\%0") .. '"' end

-- Returns the C function of an action. In a region, the block of the construct calls `play` of the C program, which
-- executes the actions up to the region's end.
local function define(number, action)
  local report = { kind = "c", text = "report_state();" }
  local list = { action.construct or action, report }
  if steps.opens(action) then
    list = { action, report, { kind = "c", text = "play();" }, { kind = "end" }, report }
  end
  return ('static void word_%d(void)\n{\n#line 1 "word %d"\n%s\n}\n'):format(number, number,
    table.concat(c_writer.lines(list, 1), "\n"))
end

-- Returns the text of the C program for the compiler family `family`. `declared`: {declarations, globals, lines} of an
-- exported program. `actions`: the actions that the compiler accepts, by number. `layout`: a result of
-- observation.layout.
function test_driver.text(family, declared, actions, layout)
  local parts, objects, leaves, functions, cases = { head, queries[family] }, {}, {}, {}, {}
  -- Arrays separate the variables, so that a pointer past the end of one variable does not point to the next one.
  for i, text in ipairs(declared.declarations) do
    parts[#parts + 1] = ('#line 1 "declaration %d"\n%s\n'):format(i, text)
    parts[#parts + 1] = ("char apart_%d_[256] = {1}, apart_%d_0_[256];\n"):format(i, i)
  end
  for _, text in ipairs(declared.globals) do parts[#parts + 1] = text .. "\n" end
  for i, object in ipairs(layout) do
    objects[i] = ("    objects[%d] = (struct object){%s, (char *)%s%s, %d};\n"):format(i - 1, c_text(object.name),
      object.is_variable and "&" or "", object.name, object.bytes)
    for _, leaf in ipairs(object.leaves) do
      leaves[#leaves + 1] = ("    {%d, %d, %d, '%s'},\n"):format(i - 1, leaf.offset, leaf.bytes, leaf.kind)
    end
  end
  local numbers = {}
  for number in pairs(actions) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    functions[#functions + 1] = define(number, actions[number])
    cases[#cases + 1] = ("        case %d: word_%d(); break;\n"):format(number, number)
  end
  local first = {}
  for i, text in ipairs(declared.lines) do first[i] = text .. "\n" end
  parts[#parts + 1] = body:format(test_driver.MOST_NODES, #layout, table.concat(leaves), table.concat(functions, "\n"),
    table.concat(cases), table.concat(first), table.concat(objects))
  return table.concat(parts)
end

return test_driver
