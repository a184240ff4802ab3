// A kernel that throws: its construct is undone by the next call, and the session goes on.
#include "../tap.h"

#include <accdeep.h>

#include <stdexcept>

static float v[4] = {1, 2, 3, 4};

static int throwing(accd_session *a, int, void *)
{
    auto *there = static_cast<float *>(accd_deviceptr(a, v));
    there[0] = 9;
    throw std::runtime_error("no convergence");
}

int main()
{
    accd_session *a = nullptr;
    accd_session_config config = {};
    config.device = "direct";
    ok(accd_session_new(&a, &config) == ACCD_OK && accd_bind(a, "v", "float[4]", &v) == ACCD_OK, "a session");
    bool caught = false;
    try {
        accd_run_compute(a, "acc parallel copy(v)", throwing, nullptr);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    ok(caught, "the exception comes through");
    ok(!accd_is_present(a, v, sizeof v) && v[0] == 1, "the construct is undone");
    ok(accd_run_directive(a, "acc data copy(v)") == ACCD_OK && accd_run_directive(a, "acc end data") == ACCD_OK,
       "the session goes on");
    accd_session_free(a);
    return done();
}
