// nothing: the end of a group waits for the target task, and then adds its result.
int main(void)
{
    double sum = 999, a = 311;
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp target map(to : a) in_reduction(+ : sum) nowait
        sum += a;
    }
    return sum < 0;
}
