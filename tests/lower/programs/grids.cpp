// Classes of headers: private members, templates, methods with directives; the unit itself has no directive.
#include <cstdio>
#include "grids/grid.h"

int main()
{
    grid<double> g(3, 4);
    grid<float> h(2, 2);
    g.enter();
    h.enter();
    g.scale(2);
    h.scale(0.5f);
    const double sum = more(g);
    g.leave();
    h.leave();
    std::printf("%g %g %g\n", sum, g.total(), h.total());
}
