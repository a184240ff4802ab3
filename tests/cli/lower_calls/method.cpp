struct s {
    int n;
    double *x;
#pragma acc shape include(x[0:n])
    double first() { return x[0]; }
    void work(int n)
    {
#pragma acc parallel copy(this[0:1])
        x[n] = first();
    }
};
int main()
{
    double x[2] = {1, 2};
    s object{2, x};
    object.work(1);
}
