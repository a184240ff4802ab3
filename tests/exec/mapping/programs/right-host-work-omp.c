// nothing: host and device work in turn, with an update each time.
int main(void)
{
    double u[34] = {0}, v[34] = {0};
#pragma omp target data map(to : u) map(from : v)
    for (int t = 0; t < 3; t++) {
        u[0] = u[33] = t;
#pragma omp target update to(u[0:1], u[33:1])
#pragma omp target
        for (int i = 1; i < 33; i++)
            v[i] = u[i - 1] + u[i + 1];
#pragma omp target
        {
            v[0] = v[33] = 0;
            for (int i = 1; i < 33; i++)
                u[i] = v[i];
        }
#pragma omp target update from(u[1:32])
        u[0] += u[5];
    }
    return v[1] < 0;
}
