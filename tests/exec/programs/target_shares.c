/* target_shares.c WAY - threads of a region that divide work by how many there are, or by how many were asked for. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, TEAMS = 2, THREADS = 8 };

int main(int argc, char **argv)
{
    const int requested = argc > 1 && !strcmp(argv[1], "requested");
    int v[N], sum = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(from : v)
#pragma omp parallel num_threads(THREADS)
    {
        const int teams = requested ? TEAMS : omp_get_num_teams();
        const int threads = requested ? THREADS : omp_get_num_threads();
        const int own = omp_get_team_num() * threads + omp_get_thread_num(), share = N / (teams * threads);
        for (int i = own * share; i < (own + 1) * share; i++)
            v[i] = 1;
    }
    for (int i = 0; i < N; i++)
        sum += v[i];
    printf("%s\n", sum == N ? "all" : "not all");
    return 0;
}
