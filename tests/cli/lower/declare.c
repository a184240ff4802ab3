struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
struct part P;
#pragma acc declare create(P)
int main(void)
{
    struct part Q = {0};
#pragma acc declare copyin(Q)
    return Q.n;
}
