#define N 3
struct part { int n; float *v[N]; double *m[2][2]; int (*rows)[4]; struct part *next; 
#pragma acc shape include(v[0:N][0:n], m[0:2][0:2][0:n], rows[0:n], next[0:1])
};
int f(struct part *Q)
{
#pragma acc enter data copyin(Q[0:1])
#pragma acc exit data copyout(Q[0:1]) finalize
    return 1;
}
