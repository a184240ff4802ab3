static float table[4];
#pragma acc declare copyin(table)
void work(void)
{
#pragma acc parallel
    table[0] = 1;
}
