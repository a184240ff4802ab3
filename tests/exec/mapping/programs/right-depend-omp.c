// nothing: a chain of tasks, ordered by depend clauses.
int main(void)
{
    int a[32] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp target enter data map(to : a) nowait depend(out : a)
#pragma omp target nowait depend(inout : a)
        for (int i = 0; i < 32; i++)
            a[i] += 1;
#pragma omp target exit data map(from : a) nowait depend(inout : a)
#pragma omp task depend(in : a) shared(a, sum)
        sum = a[0] + a[31];
#pragma omp taskwait
    }
    return sum != 2;
}
