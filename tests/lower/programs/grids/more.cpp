#include "grid.h"
#include "field.h"

double more(grid<double> &g)
{
    double sum = 0;
    for (int i = 0; i < g.count(); i++) {
        g.line(i).add(1.5);
        for (int k = 0; k < g.line(i).size(); k++)
            sum += g.line(i)[k];
    }
    return sum;
}
