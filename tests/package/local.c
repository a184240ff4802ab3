/* Opens libaccdeep.so as a plugin, whose libraries no other sees, and a session of it. */
#include <accdeep.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "local LIBRARY");
        return 1;
    }
    accd_status (*open)(accd_session **, const accd_session_config *);
    const char *(*message)(const accd_session *);
    *(void **)&open = dlsym(library, "accd_session_new");
    *(void **)&message = dlsym(library, "accd_last_error_message");
    accd_session *a = NULL;
    if (open(&a, &(accd_session_config){.device = "sim"}) == ACCD_OK)
        return 0;
    fprintf(stderr, "%s\n", message(a));
    return 1;
}
