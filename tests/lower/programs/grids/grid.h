#pragma once
#include "field.h"

template<typename T> class grid {
    field<T> values;
    int nlines;
    field<T> *lines;
#pragma acc shape include(values, lines[0:nlines])

  public:
    grid(int n, int m) : values(n, 0), nlines(n), lines(new field<T>[n])
    {
        for (int i = 0; i < n; i++)
            lines[i] = field<T>(m, i);
    }
    ~grid() { delete[] lines; }
    void enter()
    {
#pragma acc enter data copyin(this [0:1])
    }
    void leave()
    {
#pragma acc exit data copyout(this [0:1])
    }
    void scale(T by)
    {
#pragma acc parallel loop present(this [0:1])
        for (int i = 0; i < nlines; i++)
            for (int k = 0; k < lines[i].size(); k++)
                lines[i][k] *= by;
    }
    T total() const
    {
        T sum = 0;
        for (int i = 0; i < nlines; i++)
            for (int k = 0; k < lines[i].size(); k++)
                sum += lines[i][k];
        return sum;
    }
    field<T> &line(int i) { return lines[i]; }
    int count() const { return nlines; }
};

double more(grid<double> &g);
