/* nvrtc.h - NVIDIA's compiler for text at run time, found when it is first needed: our own
 * declarations, which agrees.c compares with the toolkit's where there is one. */
#ifndef ACCD_CUDA_NVRTC_H
#define ACCD_CUDA_NVRTC_H

#include <stddef.h>

struct accd__mem;

typedef int nv_result;
typedef struct nv_program_object *nv_program;

enum { NV_OK = 0, NV_INVALID_OPTION = 5, NV_COMPILATION = 6 };

#define ACCD_NVRTC_REQUIRED(X)                                                              \
    X(nvrtcVersion, (int *major, int *minor))                                               \
    X(nvrtcCreateProgram, (nv_program * program, const char *text, const char *name, int n, \
                           const char *const *headers, const char *const *names))           \
    X(nvrtcDestroyProgram, (nv_program * program))                                          \
    X(nvrtcCompileProgram, (nv_program program, int n, const char *const *options))         \
    X(nvrtcGetPTXSize, (nv_program program, size_t * bytes))                                \
    X(nvrtcGetPTX, (nv_program program, char *to))                                          \
    X(nvrtcGetProgramLogSize, (nv_program program, size_t * bytes))                         \
    X(nvrtcGetProgramLog, (nv_program program, char *to))

/* Of CUDA 11.1 and 11.2; without them the driver translates what is compiled for the oldest GPUs. */
#define ACCD_NVRTC_OPTIONAL(X)                                 \
    X(nvrtcGetCUBINSize, (nv_program program, size_t * bytes)) \
    X(nvrtcGetCUBIN, (nv_program program, char *to))           \
    X(nvrtcGetNumSupportedArchs, (int *n))                     \
    X(nvrtcGetSupportedArchs, (int *archs))

/* What it is called, or why there is none for a driver of this version (12040: CUDA 12.4): then 0. */
int accd__nvrtc_get_version(int driver, char *what, size_t capacity);
/* What became of a text. */
struct accd__image {
    char *bytes; /* from mem; NULL: none was made */
    size_t n;
    char *log; /* the compiler's, from mem, if the text is wrong; else NULL */
    size_t nlog;
    char why[200]; /* else why none was made */
};
/* Compiles a text for GPUs of a capability (90: 9.0). What was compiled once in this process is kept. */
void accd__nvrtc_compile(struct accd__mem *mem, int driver, int capability, const char *text,
                         struct accd__image *image);

#endif
