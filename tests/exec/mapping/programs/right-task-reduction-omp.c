// nothing: libgomp has memory of its own for the reduction of a task in a target region.
int main(void)
{
    int y[8] = {1, 2, 3}, sum = 0;
#pragma omp target parallel reduction(task, + : sum) num_threads(1) map(to : y) map(tofrom : sum)
    {
#pragma omp master
        {
#pragma omp task in_reduction(+ : sum)
            for (int i = 0; i < 8; i++)
                sum += y[i];
        }
    }
    return sum != 6;
}
