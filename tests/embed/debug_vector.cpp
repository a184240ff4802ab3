// A C++ program whose vectors are copied deep: their layout comes from its debug information.
#include <accdeep.h>

#include "../tap.h"

#include <vector>

namespace app {

struct cell {
    int id;
    std::vector<float> values;
};

struct grid {
    std::vector<cell> cells;
    double spacing;
};

} // namespace app

#define fine(a, call)                                                                              \
    do {                                                                                           \
        if (!ok((call) == ACCD_OK, "%s", #call))                                                   \
            printf("# %s\n", accd_last_error_message(a));                                                \
    } while (0)

int main()
{
    app::grid G{{{1, {1, 2, 3}}, {2, {4, 5}}}, 0.5};
    accd_session *a = nullptr;
    accd_session_new(&a, nullptr);
    fine(a, accd_declare_from_debug_info(a, nullptr, "app::grid"));
    // A shape of the vector itself, and one of the class that its pointers are members of.
    fine(a, accd_run_directive(a, "acc shape type(std::vector<float>) "
                              "include(_M_impl._M_start[0:_M_impl._M_finish - _M_impl._M_start], "
                              "_M_impl._M_finish[@_M_impl._M_start], "
                              "_M_impl._M_end_of_storage[@_M_impl._M_start])"));
    fine(a, accd_run_directive(a, "acc shape type(std::_Vector_base<app::cell>::_Vector_impl_data) "
                              "include(_M_start[0:_M_finish - _M_start], _M_finish[@_M_start], "
                              "_M_end_of_storage[@_M_start])"));
    fine(a, accd_bind(a, "G", "app::grid", &G));
    fine(a, accd_bind(a, "V", "std::vector<app::cell>", &G.cells));
    fine(a, accd_run_directive(a, "acc enter data copyin(G)"));

    // What a kernel does with the vectors as they are on the device.
    float nine = 9;
    float *second = static_cast<float *>(accd_deviceptr(a, G.cells[1].values.data()));
    ok(second && accd_is_present(a, G.cells[0].values.data(), 3 * sizeof(float)), "elements are there");
    std::vector<float> *on_device = static_cast<std::vector<float> *>(accd_deviceptr(a, &G.cells[1].values));
    float *begins = nullptr;
    fine(a, accd_kernel_read(a, &begins, on_device, sizeof begins));
    ok(begins == second, "the vector's pointer leads to them");
    fine(a, accd_kernel_write(a, second + 1, &nine, sizeof nine));

    fine(a, accd_run_directive(a, "acc exit data copyout(G)"));
    ok(G.cells[1].values[1] == 9 && G.cells[0].values[2] == 3, "what the kernel wrote came back");
    ok(G.cells[1].values.size() == 2, "into a vector that is as it was");
    accd_session_free(a);
    return done();
}
