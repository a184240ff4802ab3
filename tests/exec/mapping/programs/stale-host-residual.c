// stale host data: the loop ends by a value that stays on the device.
int main(void)
{
    double residual[1] = {8};
    int steps = 0;
#pragma acc data copy(residual)
    while (residual[0] > 1 && steps < 5) { // checked: stale-data
#pragma acc parallel present(residual)
        residual[0] /= 2;
#ifdef RIGHT
#pragma acc update self(residual)
#endif
        steps++;
    }
#ifdef RIGHT
    return steps != 3;
#else
    return 0;
#endif
}
