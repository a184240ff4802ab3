/* nvrtc.c - texts to images that a GPU runs. The library is looked for once, and images are kept for
 * the life of the process: contexts come and go with the cases of a scenario, texts stay the same. */
#include "nvrtc.h"
#include "driver.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 256, MOST_ARCHS = 64 }; /* images: a place in the table is its last user's */

static struct {
    pthread_mutex_t lock;
    bool looked;
#define X(symbol, parameters) \
    nv_result(*symbol) parameters; /* NOLINT(bugprone-macro-parentheses): no expressions */
    ACCD_NVRTC_REQUIRED(X)
    ACCD_NVRTC_OPTIONAL(X)
#undef X
    const char *(*nvrtcGetErrorString)(nv_result error);
    char what[200]; /* its version, or why there is none */
    int archs[MOST_ARCHS], narchs;
    struct kept {
        char *text, *bytes;
        int capability;
        size_t n;
    } kept[KEPT];
} nvrtc = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---------------------------------------------------------------------------------- finding -- */

/* What is newer than the driver makes images that it may refuse. */
static void *open_library(int driver)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/opt/cuda/lib64/"};
    static const char *const versions[] = {"13", "12", "11.2", "11.1", "11.0"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        for (size_t k = 0; k < sizeof versions / sizeof versions[0]; k++) {
            char path[80];
            snprintf(path, sizeof path, "%slibnvrtc.so.%s", folders[i], versions[k]);
            void *library =
                atoi(versions[k]) <= driver / 1000 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
            if (library)
                return library;
        }
    }
    return NULL;
}

static bool find_all(void *library)
{
#define X(symbol, parameters)                    \
    if (!accd_cuda_find(library, #symbol, &nvrtc.symbol)) \
        return false;
    ACCD_NVRTC_REQUIRED(X)
#undef X
#define X(symbol, parameters) accd_cuda_find(library, #symbol, &nvrtc.symbol);
    ACCD_NVRTC_OPTIONAL(X)
#undef X
    return accd_cuda_find(library, "nvrtcGetErrorString", &nvrtc.nvrtcGetErrorString);
}

/* With the lock held. Whether it is there. */
static bool look(int driver)
{
    int major = 0, minor = 0;
    if (nvrtc.looked)
        return nvrtc.nvrtcVersion;
    nvrtc.looked = true;
    void *library = open_library(driver);
    if (!library)
        snprintf(nvrtc.what, sizeof nvrtc.what, "no NVRTC for CUDA %d.%d is installed",
                 driver / 1000, driver % 1000 / 10);
    else if (!find_all(library) || nvrtc.nvrtcVersion(&major, &minor) != NV_OK)
        snprintf(nvrtc.what, sizeof nvrtc.what, "the NVRTC that is installed is not usable");
    else
        snprintf(nvrtc.what, sizeof nvrtc.what, "NVRTC %d.%d", major, minor);
    if (!major) {
        nvrtc.nvrtcVersion = NULL;
        return false;
    }
    if (nvrtc.nvrtcGetCUBIN && nvrtc.nvrtcGetCUBINSize && nvrtc.nvrtcGetSupportedArchs &&
        nvrtc.nvrtcGetNumSupportedArchs &&
        (nvrtc.nvrtcGetNumSupportedArchs(&nvrtc.narchs) != NV_OK || nvrtc.narchs > MOST_ARCHS ||
         nvrtc.nvrtcGetSupportedArchs(nvrtc.archs) != NV_OK))
        nvrtc.narchs = 0;
    return true;
}

int accd_nvrtc_about(int driver, char *what, size_t room)
{
    pthread_mutex_lock(&nvrtc.lock);
    bool found = look(driver);
    snprintf(what, room, "%s", nvrtc.what);
    pthread_mutex_unlock(&nvrtc.lock);
    return found;
}

/* -------------------------------------------------------------------------------- compiling -- */

/* The newest architecture it knows that the GPU understands; 0: it does not say. */
static int architecture(int capability)
{
    int best = 0;
    for (int i = 0; i < nvrtc.narchs; i++)
        if (nvrtc.archs[i] <= capability && nvrtc.archs[i] > best)
            best = nvrtc.archs[i];
    return best;
}

static void say(struct accd_image *image, nv_result result, const char *call)
{
    snprintf(image->why, sizeof image->why, "%s in %s", nvrtc.nvrtcGetErrorString(result), call);
}

static bool read_log(struct accd_mem *mem, nv_program program, struct accd_image *image)
{
    if (nvrtc.nvrtcGetProgramLogSize(program, &image->nlog) != NV_OK || !image->nlog)
        return false;
    image->log = accd_mem_zero(mem, image->nlog);
    return image->log && nvrtc.nvrtcGetProgramLog(program, image->log) == NV_OK;
}

static void compile(struct accd_mem *mem, int capability, const char *text,
                    struct accd_image *image)
{
    int arch = architecture(capability);
    bool whole = arch && arch == capability; /* else the driver does the rest */
    char target[40];
    const char *options[] = {"--fmad=false", "-lineinfo", target}; /* the same results everywhere */
    nv_program program = NULL;
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", whole ? "sm" : "compute",
             arch ? arch : 52);
    nv_result result = nvrtc.nvrtcCreateProgram(&program, text, "accd_body.cu", 0, NULL, NULL);
    if (result != NV_OK) {
        say(image, result, "nvrtcCreateProgram");
        return;
    }
    const char *call = "nvrtcCompileProgram";
    result = nvrtc.nvrtcCompileProgram(program, 3, options);
    if (result == NV_COMPILATION && read_log(mem, program, image)) {
        (void)nvrtc.nvrtcDestroyProgram(&program);
        return;
    }
    if (result == NV_OK) {
        call = whole ? "nvrtcGetCUBIN" : "nvrtcGetPTX";
        result = (whole ? nvrtc.nvrtcGetCUBINSize : nvrtc.nvrtcGetPTXSize)(program, &image->n);
    }
    if (result == NV_OK) {
        image->bytes = accd_mem_new(mem, image->n);
        if (image->bytes)
            result = (whole ? nvrtc.nvrtcGetCUBIN : nvrtc.nvrtcGetPTX)(program, image->bytes);
        else
            snprintf(image->why, sizeof image->why, "no memory for what NVRTC made");
    }
    if (result != NV_OK) {
        say(image, result, call);
        accd_mem_free(mem, image->bytes, image->n);
        image->bytes = NULL;
    }
    (void)nvrtc.nvrtcDestroyProgram(&program);
}

static struct kept *place_of(const char *text, int capability)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)capability; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return &nvrtc.kept[(hash ^ hash >> 32) % KEPT];
}

static void keep(struct kept *kept, int capability, const char *text,
                 const struct accd_image *image)
{
    char *bytes = malloc(image->n), *copy = strdup(text);
    if (!bytes || !copy) {
        free(bytes);
        free(copy);
        return;
    }
    memcpy(bytes, image->bytes, image->n);
    free(kept->bytes);
    free(kept->text);
    *kept = (struct kept){copy, bytes, capability, image->n};
}

void accd_nvrtc_compile(struct accd_mem *mem, int driver, int capability, const char *text,
                        struct accd_image *image)
{
    *image = (struct accd_image){0};
    pthread_mutex_lock(&nvrtc.lock);
    struct kept *kept = place_of(text, capability);
    bool found = kept->text && kept->capability == capability && !strcmp(kept->text, text);
    if (!look(driver)) {
        snprintf(image->why, sizeof image->why, "%s", nvrtc.what);
    } else if (found) {
        image->bytes = accd_mem_new(mem, kept->n);
        image->n = kept->n;
        if (image->bytes)
            memcpy(image->bytes, kept->bytes, kept->n);
        else
            snprintf(image->why, sizeof image->why, "no memory for an image");
    } else {
        compile(mem, capability, text, image);
        if (image->bytes)
            keep(kept, capability, text, image);
    }
    pthread_mutex_unlock(&nvrtc.lock);
}
