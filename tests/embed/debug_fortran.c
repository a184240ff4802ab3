/* Deep copy of an object of gfortran's, whose type is known from debug information alone. */
#include "support.h"

void *new_planet(void);
int wrong(void);

/* The type of stars as text, with one component otherwise. */
#define CLUSTER(mass, names)                                                                    \
    "type body\n integer :: id\n real(8) :: x(3)\nend type\n"                                   \
    "type, extends(body) :: cluster\n " mass ", allocatable :: mass(:, :)\n type(body), " names \
    " :: members(:)\n real(8), pointer :: total\n type(body), allocatable :: hub\nend type\n"

/* What is declared already has to be the same: also what pointers and descriptors lead to. */
static void declared_before(void)
{
    const accd_session_config config = {.language = "fortran", .descriptors = "gfortran"};
    const char *const others[] = {CLUSTER("integer", "pointer"), CLUSTER("real", "allocatable")};
    const char *const messages[] = {"type(cluster) is declared already, and not as in this program: member 'mass'",
                                    "type(cluster) is declared already, and not as in this program: member 'members'"};
    for (size_t i = 0; i < 2; i++) {
        accd_session *a = open_session(&config);
        fine(a, accd_declare(a, others[i]));
        refuses(a, accd_declare_from_debug_info(a, NULL, "cluster"), ACCD_ERROR_INVALID, "duplicate-name", messages[i]);
        accd_session_free(a);
    }
    accd_session *a = open_session(&config);
    fine(a, accd_declare(a, CLUSTER("real", "pointer")));
    fine(a, accd_declare_from_debug_info(a, NULL, "cluster"));
    accd_session_free(a);
}

int main(void)
{
    accd_session *a = open_session(&(accd_session_config){.language = "fortran", .descriptors = "gfortran"});
    void *planet = new_planet();
    fine(a, accd_declare_from_debug_info(a, NULL, "type(Planet)"));
    fine(a, accd_declare_from_debug_info(a, NULL, "planet"));
    fine(a, accd_bind_sized(a, "p", "type(planet)", planet, 0, __FILE__, __LINE__));
    fine(a, accd_run_directive(a, "!$acc enter data copyin(p)"));
    accd_stats stats;
    accd_get_stats(accd_get_context(a), 0, &stats);
    is_number((int)stats.attachments, 3, "three components lead somewhere on the device");
    float hundred = 100;
    int nine = 9;
    float *map = NULL;
    /* body has 32 bytes, then there is the descriptor of map(0:2, 4) */
    char *at = planet;
    memcpy(&map, at + 32, sizeof map);
    char *moons = NULL;
    memcpy(&moons, at + 32 + 88, sizeof moons);
    ok(accd_deviceptr(a, map) && accd_deviceptr(a, moons), "arrays are on the device");
    fine(a, accd_kernel_write(a, accd_deviceptr(a, map + 1 + 3), &hundred, sizeof hundred));
    fine(a, accd_kernel_write(a, accd_deviceptr(a, moons + 32), &nine, sizeof nine));
    fine(a, accd_run_directive(a, "!$acc exit data copyout(p)"));
    is_number(wrong(), 0, "what a kernel wrote came back, and nothing else changed");
    is_empty(a);
    accd_session_free(a);

    a = open_session(&(accd_session_config){.language = "fortran"});
    refuses(a, accd_bind(a, "n", "integer :: m", &nine), ACCD_ERROR_INVALID, "unknown-name", "this declares no 'n'");
    fine(a, accd_declare(a, "type point\ninteger :: x\nend type\nclass(point), pointer :: any"));
    refuses(a, accd_run_directive(a, "!$acc enter data copyin(any)"), ACCD_ERROR_INVALID, "unsupported",
            "polymorphic objects need steps of their own");
    refuses(a, accd_declare_from_debug_info(a, NULL, "planet"), ACCD_ERROR_INVALID, "type-mismatch",
            "types of this program have descriptors of gfortran, here they are cfi");
    accd_session_free(a);
    declared_before();
    return done();
}
