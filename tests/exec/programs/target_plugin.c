/* Opens a library with OpenMP that the program itself is not linked with. The library is this file, too. */
#include <stdio.h>
#ifdef LIBRARY
void compute(void)
{
    int a[4] = {1, 2, 3, 4};
#pragma omp target map(tofrom : a)
    a[3] *= 2;
    printf("%d\n", a[3]);
}
#else
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*compute)(void) = library ? (void (*)(void))dlsym(library, "compute") : NULL;
    if (!compute)
        return 1;
    compute();
    return dlclose(library);
}
#endif
