/* Mapping programs of structures against a model: random members, the gaps between them, and the cache. */
#include "../tap.h"
#include "random.h"

#include <base/runtime.h>
#include <diag/errors.h>
#include <image/struct_programs.h>

enum { ROUNDS = 3000, MEMBERS = 6, BYTES = 64 };

_Noreturn void rt_fatal(const char *code, const char *format, ...) /* the tested file calls it without memory */
{
    printf("Bail out! %s: %s\n", code, format);
    exit(1);
}
void rt_fail_with_core_error(void)
{
    rt_fatal("internal", "the core reports an error");
}

/* The core's programs: those made and not released, and which bytes the last one excludes. */
static int nprograms, nmade;
static bool excluded[BYTES];

accd_status accd_program_new(accd_context *context, const accd_program_spec *spec, accd_program **program_p)
{
    (void)context;
    memset(excluded, 0, sizeof excluded);
    for (size_t i = 0; i < spec->nexcluded; i++)
        memset(excluded + spec->excluded[i].offset, 1, spec->excluded[i].bytes);
    nprograms++;
    nmade++;
    *program_p = malloc(1);
    return ACCD_OK;
}
void accd_program_release(accd_program *program)
{
    nprograms -= program != NULL;
    free(program);
}

int main(void)
{
    size_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t n = 1 + pick(MEMBERS);
        bool named[BYTES] = {false};
        accd_piece *pieces[2] = {calloc(n, sizeof *pieces[0]), calloc(n, sizeof *pieces[0])};
        uint64_t end = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t offset = end + pick(4), bytes = 1 + pick(6);
            memset(named + offset, 1, bytes);
            end = offset + bytes;
            pieces[0][i] = (accd_piece){.offset = offset, .bytes = bytes, .action = ACCD_ACTION_COPYIN};
        }
        memcpy(pieces[1], pieces[0], n * sizeof *pieces[0]);
        const int before = nmade;
        accd_program *const program = rt_get_struct_program(BYTES, pieces[0], n);
        const int made = nmade;
        for (uint64_t k = 0; k < end && made > before; k++) /* a new program */
            wrong += excluded[k] == named[k];
        wrong += rt_get_struct_program(BYTES, pieces[1], n) != program || nmade != made;
    }
    is_number(wrong, 0, "programs exclude the gaps before the last member; a second request is answered by the cache");
    ok(nmade > ROUNDS / 2 && nprograms <= 64, "the cache keeps at most 64 programs");
    rt_clear_struct_programs();
    is_number(nprograms, 0, "and releases all");
    return done();
}
