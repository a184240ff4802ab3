// data race: iterations change a member of a structure that they share.
struct state {
    int count, value[64];
};

int main(void)
{
    struct state s = {0, {0}};
#pragma acc parallel loop copy(s)
    for (int i = 0; i < 64; i++) {
        s.value[i] = i;
#ifdef RIGHT
#pragma acc atomic update
#endif
        s.count++; // checked: data-race
    }
    return s.count != 64;
}
