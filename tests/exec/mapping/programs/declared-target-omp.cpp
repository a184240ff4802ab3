// declared variables: the target region changes the variable, and no update copies it to the host.
#pragma omp declare target
double state[8];
#pragma omp end declare target
int main()
{
#pragma omp target
    for (int i = 0; i < 8; i++)
        state[i] = i;
#ifdef RIGHT
#pragma omp target update from(state)
#endif
    return state[2] == 9; // checked: stale-data
}
