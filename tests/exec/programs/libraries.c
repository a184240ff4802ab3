/* A program that loads libraries, whose paths are the arguments, and unloads them again. */
#include <assert.h>
#include <dlfcn.h>
#include <openacc.h>
#include <stdio.h>

static int of_program[2] = {1, 2};
#pragma acc declare copyin(of_program)

#pragma acc routine seq
static int at(int i) { return of_program[i]; }

static int own(int i)
{
    int answer = 0;
#pragma acc serial copyout(answer)
    {
        answer = at(i);
    }
    return answer;
}

int main(int argc, char **argv)
{
    assert(argc > 1 && own(1) == 2);
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        int (*ask)(int) = library ? (int (*)(int))dlsym(library, "ask") : NULL;
        assert(ask && ask(0) == 5 && ask(1) == 6 && own(0) == 1);
        assert(acc_is_present(dlsym(library, "of_plugin"), 8));
        dlclose(library);
        assert(own(1) == 2);
    }
    void *one = dlopen(argv[1], RTLD_NOW), *two = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
    int (*ask_one)(int) = one ? (int (*)(int))dlsym(one, "ask") : NULL;
    int (*ask_two)(int) = two ? (int (*)(int))dlsym(two, "ask") : NULL;
    assert(ask_one && ask_two && ask_one != ask_two && ask_one(0) == 5 && ask_two(0) == 5);
    dlclose(one);
    assert(ask_two(0) == 5 && ask_two(1) == 6 && own(0) == 1);
    acc_shutdown(acc_device_default);
    dlclose(two);
    assert(own(1) == 2);
    printf("plugins come and go\n");
    return 0;
}
