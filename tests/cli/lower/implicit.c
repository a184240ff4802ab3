struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
struct part P[2];
int f(struct part Q)
{
#pragma acc parallel loop
    for (int i = 0; i < Q.n; i++) Q.v[i] = P[1].v[i];
    { struct part P = Q;
#pragma acc serial
    P.v[0] = 1;
    }
    return 1;
}
