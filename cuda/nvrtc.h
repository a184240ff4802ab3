/* nvrtc.h - NVRTC, NVIDIA's run-time compiler, loaded at its first use. The declarations are our own; toolkit_check.c
 * compares them with the toolkit's where there is one. */
#ifndef ACCD_CUDA_NVRTC_H
#define ACCD_CUDA_NVRTC_H

#include <stddef.h>

struct accd__mem;

typedef int nv_result;
typedef struct nv_program_object *nv_program;

enum { NV_OK = 0, NV_INVALID_OPTION = 5, NV_COMPILATION = 6 };

/* X(symbol, parameters): entry points without which no text is compiled. */
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

/* X(symbol, parameters): entry points that NVRTC has had since CUDA 11.1 or 11.2. If one is missing, texts are
 * compiled to PTX for the oldest GPUs, and the driver translates the PTX. */
#define ACCD_NVRTC_OPTIONAL(X)                                 \
    X(nvrtcGetCUBINSize, (nv_program program, size_t * bytes)) \
    X(nvrtcGetCUBIN, (nv_program program, char *to))           \
    X(nvrtcGetNumSupportedArchs, (int *n))                     \
    X(nvrtcGetSupportedArchs, (int *archs))

/* Writes the name and version of the compiler to `version` (`capacity` bytes), for a driver of version `driver` (12040:
 * CUDA 12.4). Returns 1; or 0, with the reason in `version`, if no compiler is available. */
int accd__nvrtc_get_version(int driver, char *version, size_t capacity);
/* Result of compiling a text. */
struct accd__image {
    char *bytes; /* image, allocated from `mem`; NULL: no image was made */
    size_t n;
    char *log; /* log of the compiler if it rejected the text, allocated from `mem`; otherwise NULL */
    size_t nlog;
    char why[200]; /* reason why no image was made; used only if there is no log */
};
/* Sets *image to the result of compiling `text` for GPUs of compute capability `capability` (90: 9.0) with a driver of
 * version `driver`. Images are cached for the life of the process. */
void accd__nvrtc_compile(struct accd__mem *mem, int driver, int capability, const char *text,
                         struct accd__image *image);

#endif
