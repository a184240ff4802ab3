/* finalize and the attach counter of a member, by directives and by routines: which leave the pointer attached. */
#include <openacc.h>
#include <string.h>

static int values[4] = {1, 2, 3, 4};
static struct {
    int n;
    int *p;
} s = {4, values};

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    #pragma acc data copyin(s) copy(values)
    {
        #pragma acc enter data copyin(s.p[0:4])
        #pragma acc enter data attach(s.p)
        if (!strcmp(way, "delete")) { /* detaches once */
            #pragma acc exit data delete(s.p[0:4]) finalize
        } else if (!strcmp(way, "routine")) { /* changes no attach counter */
            acc_delete_finalize(s.p, sizeof values);
        } else if (!strcmp(way, "detach")) {
            #pragma acc exit data detach(s.p) finalize
        } else if (!strcmp(way, "detach-routine")) {
            acc_detach_finalize((void **)&s.p);
        }
        #pragma acc parallel present(s)
        s.p[1] += 10;
    }
    return values[1] != 12;
}
