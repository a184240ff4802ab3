/* standin_nvrtc.c - a stand-in for NVRTC, libnvrtc.so: what it compiles becomes a library for the
 * host, by g++, which the stand-in driver (standin.c) runs. Threads of a block run one after the
 * other, backwards; two blocks run at a time.
 *
 * Texts and libraries are kept in STANDIN_CACHE, for the next process, for other builds and for other compilers to
 * try. Texts that differ in #line alone share theirs.
 *
 * ACCDEEP_STANDIN_NVRTC_FAIL  N[:ERROR] the N-th compilation fails (6: the text is wrong) */
#include "../../cuda/nvrtc.h"
#include "standin.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NVRTC __attribute__((visibility("default")))

/* What CUDA C++ knows without being told, as far as our kernels use it. Headers would cost more than
 * kernels do. */
static const char prelude[] =
    "extern \"C\" double sqrt(double), fabs(double), floor(double), ceil(double), fmod(double, double),\n"
    "    trunc(double), round(double);\n"
    "extern \"C\" int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);\n"
    "extern \"C\" int pthread_join(unsigned long, void **);\n"
    "#define __device__ inline\n" /* those that are not called are left out */
    "#define __global__\n"
    "struct standin_dim { unsigned x, y, z; };\n"
    "static thread_local standin_dim threadIdx, blockIdx, blockDim, gridDim;\n"
    "template <class T> static T atomicCAS(T *at, T is, T to)\n"
    "{ __atomic_compare_exchange_n(at, &is, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return is; }\n"
    "template <class T> static T atomicExch(T *at, T to) { return __atomic_exchange_n(at, to, __ATOMIC_SEQ_CST); }\n"
    "template <class T> static T atomicAdd(T *at, T by) { return __atomic_fetch_add(at, by, __ATOMIC_SEQ_CST); }\n"
    "template <class T> static T atomicOr(T *at, T by) { return __atomic_fetch_or(at, by, __ATOMIC_SEQ_CST); }\n"
    "static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }\n"
    "typedef void standin_kernel(unsigned long);\n"
    "struct standin_grid { standin_kernel *kernel; unsigned long argument; unsigned blocks, threads, part; };\n"
    "static void *standin_part(void *p)\n"
    "{\n"
    "  standin_grid *grid = (standin_grid *)p;\n"
    "  blockDim.x = grid->threads; gridDim.x = grid->blocks;\n"
    "  for (unsigned b = grid->blocks; b-- > 0;) {\n"
    "    if (b % 2 != grid->part) continue;\n"
    "    blockIdx.x = b;\n"
    "    for (unsigned i = grid->threads; i-- > 0;) { threadIdx.x = i; grid->kernel(grid->argument); }\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "extern \"C\" void standin_run(standin_kernel *kernel, unsigned long argument, unsigned blocks, unsigned threads)\n"
    "{\n"
    "  standin_grid even = {kernel, argument, blocks, threads, 0}, odd = {kernel, argument, blocks, threads, 1};\n"
    "  unsigned long other;\n"
    "  bool two = blocks > 1 && !pthread_create(&other, 0, standin_part, &odd);\n"
    "  standin_part(&even);\n"
    "  if (two) pthread_join(other, 0);\n"
    "  else if (blocks > 1) standin_part(&odd);\n"
    "}\n"
    "#line 1 \"accd_body.cu\"\n";

struct nv_program_object {
    char *text, *log;
    char image[600];
};

#define DECLARE(symbol, parameters) NVRTC nv_result symbol parameters;
ACCD_NVRTC_REQUIRED(DECLARE)
ACCD_NVRTC_OPTIONAL(DECLARE)
NVRTC const char *nvrtcGetErrorString(nv_result result);

const char *nvrtcGetErrorString(nv_result result)
{
    return result == NV_COMPILATION      ? "NVRTC_ERROR_COMPILATION"
           : result == NV_INVALID_OPTION ? "NVRTC_ERROR_INVALID_OPTION"
                                         : "NVRTC_ERROR_INTERNAL_ERROR";
}

nv_result nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 8;
    return NV_OK;
}

nv_result nvrtcGetNumSupportedArchs(int *n)
{
    *n = 3;
    return NV_OK;
}

nv_result nvrtcGetSupportedArchs(int *archs)
{
    memcpy(archs, (const int[]){52, 75, 90}, 3 * sizeof archs[0]);
    return NV_OK;
}

nv_result nvrtcCreateProgram(nv_program *program, const char *text, const char *name, int n, const char *const *headers,
                             const char *const *names)
{
    (void)name;
    if (n || headers || names)
        return NV_INVALID_OPTION;
    *program = calloc(1, sizeof **program);
    if (!*program || !((*program)->text = strdup(text)))
        abort();
    return NV_OK;
}

nv_result nvrtcDestroyProgram(nv_program *program)
{
    free((*program)->text);
    free((*program)->log);
    free(*program);
    *program = NULL;
    return NV_OK;
}

static void write_file(const char *path, const char *first, const char *second)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(first, file) < 0 || fputs(second, file) < 0 || fclose(file))
        abort();
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 65536);
    if (!file || !text)
        abort();
    (void)!fread(text, 1, 65535, file);
    fclose(file);
    return text;
}

/* No library: what a kernel needs is in the process that loads it, and linking would take as long as compiling. */
#define OPTIONS                                                                                        \
    "-xc++", "-std=c++11", "-O0", "-w", "-fPIC", "-shared", "-nostdlib", "-pipe", "-ffp-contract=off", \
        "-fno-strict-aliasing"

/* Runs a C++ compiler that is there; what it says goes to a file. */
static bool run_compiler(const char *from, const char *to, const char *log)
{
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(log, "w", stderr))
            _exit(126);
        unsetenv("LD_PRELOAD");
        unsetenv("LD_LIBRARY_PATH");
        execlp("g++", "g++", OPTIONS, "-o", to, from, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool planned_failure(nv_result *result_p)
{
    static unsigned long left;
    static int error = -1;
    const char *plan = getenv("ACCDEEP_STANDIN_NVRTC_FAIL");
    if (plan && error < 0 && sscanf(plan, "%lu:%d", &left, &error) < 2)
        error = 11;
    *result_p = error;
    return left && --left == 0;
}

static bool is_known(const char *option)
{
    static const char *const known[] = {"--fmad=false", "-lineinfo", "--gpu-architecture=sm_90",
                                        "--gpu-architecture=compute_90"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(option, known[i]) == 0)
            return true;
    return false;
}

/* FNV-1a, of all lines but #line. */
static uint64_t add_hash(uint64_t hash, const char *text)
{
    bool begins = true;
    while (*text) {
        if (begins && strncmp(text, "#line ", 6) == 0) {
            text += strcspn(text, "\n");
            continue;
        }
        begins = *text == '\n';
        hash = (hash ^ (unsigned char)*text++) * 1099511628211u;
    }
    return hash;
}

static uint64_t hash_of(const char *text)
{
    static const char *const options[] = {OPTIONS};
    uint64_t hash = add_hash(1469598103934665603u, prelude);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        hash = add_hash(hash, options[i]);
    return add_hash(hash, text);
}

nv_result nvrtcCompileProgram(nv_program program, int n, const char *const *options)
{
    nv_result planned;
    char from[540], to[540], made[560], log[580], text[580];
    for (int i = 0; i < n; i++)
        if (!is_known(options[i]))
            return NV_INVALID_OPTION;
    if (planned_failure(&planned)) {
        if (planned == NV_COMPILATION)
            program->log = strdup("scenario.lua(1): error: as planned\n");
        return planned;
    }
    const uint64_t hash = hash_of(program->text);
    (void)mkdir(STANDIN_CACHE, 0777);
    snprintf(to, sizeof to, "%s/%016llx.so", STANDIN_CACHE, (unsigned long long)hash);
    snprintf(program->image, sizeof program->image, STANDIN_IMAGE "%s", to);
    if (access(to, R_OK) == 0)
        return NV_OK;
    snprintf(made, sizeof made, "%s.%d", to, (int)getpid());
    snprintf(log, sizeof log, "%s.log", made);
    snprintf(from, sizeof from, "%s/%016llx.cu", STANDIN_CACHE, (unsigned long long)hash);
    write_file(from, program->text, "");
    snprintf(text, sizeof text, "%s.cpp", made);
    write_file(text, prelude, program->text);
    bool ok = run_compiler(text, made, log);
    program->log = ok ? NULL : read_file(log);
    unlink(log);
    unlink(text);
    return ok && rename(made, to) == 0 ? NV_OK : NV_COMPILATION;
}

nv_result nvrtcGetPTXSize(nv_program program, size_t *bytes)
{
    *bytes = strlen(program->image) + 1;
    return NV_OK;
}

nv_result nvrtcGetPTX(nv_program program, char *to)
{
    memcpy(to, program->image, strlen(program->image) + 1);
    return NV_OK;
}

nv_result nvrtcGetCUBINSize(nv_program program, size_t *bytes)
{
    return nvrtcGetPTXSize(program, bytes);
}

nv_result nvrtcGetCUBIN(nv_program program, char *to)
{
    return nvrtcGetPTX(program, to);
}

nv_result nvrtcGetProgramLogSize(nv_program program, size_t *bytes)
{
    *bytes = program->log ? strlen(program->log) + 1 : 0;
    return NV_OK;
}

nv_result nvrtcGetProgramLog(nv_program program, char *to)
{
    memcpy(to, program->log, strlen(program->log) + 1);
    return NV_OK;
}
