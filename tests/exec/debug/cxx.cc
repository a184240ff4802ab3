// Names and lines in a C++ program.
#include "probe.h"

#include <vector>

#define APART __attribute__((noipa))

namespace mesh
{
double *coordinates;
static float weights[6];

struct Base {
    int id;
    double *shared;
};

struct Field : Base {
    virtual ~Field() {}
    double *x;
    int n;
    APART void own();
};

void Field::own()
{
    names(&x, sizeof x, "this->x");
    names(&id, sizeof id, "this->id");
    names(x, 4 * sizeof *x, "this->x[0:4] of 8");
    names(x + 1, 2 * sizeof *x, "this->x[1:2] of 8");
    names(shared, 2 * sizeof *shared, "this->shared[0:2] of 8");
    names(this, sizeof *this, "this[0:1] of 40");
    element(this, sizeof *this, &id, "this[0].id");
    stands_at("cxx.cc", __LINE__, "own");
    n++;
}
}

template <class T> static APART void reference(T &field, double (&fixed)[3])
{
    names(&field, sizeof field, "field");
    names(&field.n, sizeof field.n, "field.n");
    names(field.x, 4 * sizeof *field.x, "field.x[0:4] of 8");
    names(fixed, sizeof fixed, "fixed of 8");
    names(fixed + 1, sizeof *fixed, "fixed[1:1] of 8");
}

static APART void containers(std::vector<float> &v)
{
    std::vector<int> mine(8);
    names(v.data(), v.size() * sizeof v[0], "v[0:5] of 4");
    names(&v[2], 2 * sizeof v[0], "v[2:2] of 4");
    element(v.data(), v.size() * sizeof v[0], &v[3], "v[3]");
    names(&mine, sizeof mine, "mine");
    names(mine.data(), 8 * sizeof mine[0], "mine[0:8] of 4");
}

static APART void closures(double *captured)
{
    auto run = [captured](int n) APART {
        int local = n;
        names(captured, 4 * sizeof *captured, "captured[0:4] of 8");
        names(&local, sizeof local, "local");
    };
    run(3);
}

int main()
{
    std::vector<float> v(5);
    double fixed[3] = {};
    mesh::Field field;
    field.x = new double[4]();
    field.shared = new double[2]();
    mesh::coordinates = new double[3]();
    names(mesh::weights, sizeof mesh::weights, "weights of 4");
    names(mesh::coordinates, 3 * sizeof(double), "coordinates[0:3] of 8");
    field.own();
    reference(field, fixed);
    containers(v);
    closures(field.x);
    delete[] field.x;
    delete[] field.shared;
    delete[] mesh::coordinates;
    return probe_done();
}
