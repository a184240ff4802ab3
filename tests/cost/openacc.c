/* openacc.c - a directive or a routine of OpenACC on present data, as often as its argument says, for cost.lua. */
#include <openacc.h>
#include <stdlib.h>
#include <string.h>

enum { DATA, DATA_3, ENTER_EXIT, SERIAL_3, SERIAL_VALUES, UPDATE, IS_PRESENT, MEMBERS, MODES };
static const char *const modes[] = {"data",          "data-3", "enter-exit", "serial-3",
                                    "serial-values", "update", "is_present", "members"};
static float a[64], b[64], c[64];
static struct {
    float *a, *b;
    int n;
} s = {a, b, 64}; /* the first member lies where the structure does */

int main(int argc, char **argv)
{
    const size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    int mode = 0;
    while (mode < MODES && argc > 1 && strcmp(argv[1], modes[mode]) != 0)
        mode++;
#pragma acc enter data copyin(a, b, c)
#pragma acc serial present(a) /* the first directives of a program take longer */
    a[0] = 1;
    for (size_t i = 0; i < rounds; i++) {
        switch (mode) {
        case DATA:
#pragma acc data present(a)
        {
        } break;
        case DATA_3:
#pragma acc data copyin(a, b) copy(c)
        {
        } break;
        case ENTER_EXIT: {
#pragma acc enter data copyin(a)
#pragma acc exit data delete (a)
            break;
        }
        case SERIAL_3:
#pragma acc serial present(a, b, c)
            c[0] = a[0] + b[0];
            break;
        case SERIAL_VALUES:
#pragma acc serial present(a, b)
            a[mode] = b[mode] + (float)i;
            break;
        case UPDATE: {
#pragma acc update device(a)
            break;
        }
        case MEMBERS:
#pragma acc data copyin(s, s.a [0:64], s.b [0:64])
        {
        } break;
        case IS_PRESENT:
            if (!acc_is_present(a, sizeof a))
                return 1;
            break;
        default:
            return 2;
        }
    }
    return 0;
}
