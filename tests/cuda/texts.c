/* texts FILE... - kernels made from bodies are valid for the NVRTC of this machine; 77: it has none. */
#include "base/mem.h"
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEWEST = 99000, HOPPER = 90, MOST = 1 << 20 };

int main(int argc, char **argv)
{
    static char text[MOST];
    struct accd__mem mem;
    char what[200];
    int failed = 0;
    accd__mem_init(&mem, NULL, NULL);
    if (!accd__nvrtc_get_version(NEWEST, what, sizeof what)) {
        puts(what);
        return 77;
    }
    for (int i = 1; i < argc; i++) {
        struct accd__image image;
        FILE *file = fopen(argv[i], "r");
        size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file)
            fclose(file);
        text[n] = 0;
        accd__nvrtc_compile(&mem, NEWEST, HOPPER, text, &image);
        if (!n || !image.bytes) {
            printf("%s: %s\n", argv[i], image.log ? image.log : image.why);
            failed = 1;
        }
        accd__mem_free(&mem, image.bytes, image.n);
        accd__mem_free(&mem, image.log, image.nlog);
    }
    accd__mem_drop_cache(&mem);
    printf("%d texts, by %s\n", argc - 1, what);
    return failed || argc == 1;
}
