/* Loads a library after the start, and calls its function. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int a[8] = {0};
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    void (*work)(int *, int) = library ? (void (*)(int *, int))dlsym(library, "work") : NULL;
    if (!work)
        return 1;
    work(a, 8);
    printf("end %d\n", a[3]);
    return 7;
}
