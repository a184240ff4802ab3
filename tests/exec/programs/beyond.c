/* Sections that leave the program's memory, and pointers that lead nowhere, by argument. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int way = argc > 1 ? atoi(argv[1]) : 0, n = 1 << 26;
    static float few[4];
    float *p = few, *nothing = NULL;
    printf("what it said before is not lost");
    switch (way) {
    case 1: {
#pragma acc enter data copyin(p[0:n])
        break;
    }
    case 2: {
#pragma acc parallel loop copy(nothing[0:4])
        for (int i = 0; i < 4; i++)
            nothing[i] = 1;
        break;
    }
    case 3:
        p = acc_copyin(p, 16);
        acc_copyin(p, 16);
        break;
    }
    printf("\nnothing was wrong\n");
    return 0;
}
