// data race: one statement is atomic, the read of another one is not.
int main(void)
{
    int n = 0, at[64];
#pragma acc parallel loop copy(n) copyout(at)
    for (int i = 0; i < 64; i++) {
#ifdef RIGHT
        int mine;
#pragma acc atomic capture
        mine = n++;
        at[i] = mine;
#else
#pragma acc atomic update // checked: data-race
        n++; // checked: data-race
        at[i] = n; // checked: data-race
#endif
    }
    return n != 64;
}
