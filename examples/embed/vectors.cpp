// vectors.cpp - a C++ program whose data are vectors of vectors. accdeep gets the layout of the classes, and
// a shape that includes the elements of a vector.
#include <accdeep.h>

#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

// std::vector of the GNU and LLVM libraries: three pointers. The first points to the elements.
const char declarations[] = R"(
  template<class T> class vector {
    T *first, *last, *room;
    #pragma acc shape include(first[0:last - first])
  };
  struct mesh {
    vector<double> weights;
    vector<vector<double>> rows;
  };
)";

struct mesh {
    std::vector<double> weights;
    std::vector<std::vector<double>> rows;
};

class session {
public:
    session()
    {
        accd_session_config config = {};
        config.device = "direct"; // the kernel is a function of this program
        check(accd_session_new(&a, &config));
    }
    ~session() { accd_session_free(a); }
    session(const session &) = delete;
    session &operator=(const session &) = delete;
    operator accd_session *() const { return a; }
    void check(accd_status status) const
    {
        if (status != ACCD_OK)
            throw std::runtime_error(accd_last_error_message(a));
    }

private:
    accd_session *a = nullptr;
};

// A vector on the device. Only the first pointer of each vector is attached; the others hold host addresses.
// The host's vectors know the number of elements.
struct device_vector {
    double *first, *last, *room;
};
struct device_mesh {
    device_vector weights;
    struct {
        device_vector *first, *last, *room;
    } rows;
};

int scale(accd_session *a, int, void *host)
{
    auto *m = static_cast<mesh *>(host);
    auto *d = static_cast<device_mesh *>(accd_deviceptr(a, m));
    for (size_t i = 0; i < m->rows.size(); i++)
        for (size_t k = 0; k < m->rows[i].size(); k++)
            d->rows.first[i].first[k] *= d->weights.first[i];
    return 0;
}

} // namespace

int main()
{
    mesh m{{1, 10, 100}, {{1, 2}, {3}, {4, 5, 6}}};
    try {
        session s;
        s.check(accd_declare(s, declarations));
        s.check(accd_bind(s, "m", "struct mesh", &m));
        s.check(accd_run_directive(s, "acc enter data copyin(m)"));
        s.check(accd_run_compute(s, "acc parallel present(m)", scale, &m));
        std::cout << "before the update: " << m.rows[2][0] << "\n";
        s.check(accd_run_directive(s, "acc exit data copyout(m)"));
    } catch (const std::exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    for (const auto &row : m.rows)
        for (double x : row)
            std::cout << x << " ";
    std::cout << "\n";
    return m.rows[2][2] == 600 ? 0 : 1;
}
