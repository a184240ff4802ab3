#include <cstdio>

struct Grid {
    int n;
    double *u;

    explicit Grid(int size) : n(size), u(new double[size]())
    {
#ifdef NVC
#pragma acc enter data copyin(this, u[0:n])
#else
        Grid *self = this;
#pragma acc enter data copyin(self[0:1], self->u[0:n])
#endif
    }

    void fill()
    {
#ifdef NVC
#pragma acc parallel loop present(this, u[0:n])
        for (int i = 0; i < n; i++)
            u[i] = i;
#else
        Grid *self = this;
#pragma acc parallel loop present(self[0:1])
        for (int i = 0; i < self->n; i++)
            self->u[i] = i;
#endif
    }

    ~Grid()
    {
#ifdef NVC
#pragma acc exit data delete(u[0:n], this)
#else
        Grid *self = this;
#pragma acc exit data delete(self->u[0:n], self[0:1])
#endif
        delete[] u;
    }
};

int main()
{
    Grid g(8);
    g.fill();
#pragma acc update self(g.u[0:g.n])
    std::printf("%g\n", g.u[7]);
}
