// data race: a device routine changes memory that all iterations share.
#pragma acc routine seq
static void add(int *total, int value)
{
#ifdef RIGHT
#pragma acc atomic update
#endif
    *total += value; // checked: data-race
}

int main(void)
{
    int total = 0;
#pragma acc parallel loop copy(total)
    for (int i = 0; i < 64; i++)
        add(&total, i);
    return total != 2016;
}
