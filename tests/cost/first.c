/* first MODE SESSIONS - opens so many sessions, one after another; each does what the mode says. */
#include <accdeep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    int n;
    float *data;
};

static void one(int goes_on, const char *rules, const char *directive)
{
    float data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
    accd_session *a;
    int fails =
        accd_session_new(&a, &(accd_session_config){.device = "direct", .threads = 1, .rules = rules}) != ACCD_OK;
    if (!fails && goes_on)
        fails = accd_declare(a, "struct vector { int n; float *data; };") || accd_bind(a, "v", "struct vector", &v) ||
                accd_run_directive(a, directive);
    if (fails)
        fprintf(stderr, "%s\n", accd_last_error_message(a));
    if (fails || accd_session_free(a))
        exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    for (int i = 0; i < atoi(argv[2]); i++)
        if (!strcmp(argv[1], "openmp"))
            one(1, "openmp-6.0", "omp target enter data map(to: v, v.data[0:v.n])");
        else
            one(!strcmp(argv[1], "openacc"), NULL, "acc enter data copyin(v, v.data[0:v.n])");
    return 0;
}
