/* What a program sees of the library: objects and their sizes, regions, kernels, functions, errors. */
#include "support.h"

static float va[4] = {1, 2, 3, 4}, vb[4] = {5, 6, 7, 8};
static struct deep X = {3, va, vb};
static float *p = va;

/* ------------------------------------------------------------------------------------- objects -- */

static void objects(accd_session *a)
{
    int small = 0;
    void *anything = &X;
    accd_object_info none = {0};
    fine(a, accd_declare(a, deep_text));
    fine(a, accd_bind(a, "X", "struct deep", &X));
    fine(a, accd_bind(a, "v", "float[4]", &va));
    fine(a, accd_bind(a, "w", "float[4]", va));
    fine(a, accd_bind(a, "p", "float *", &p));
    fine(a, accd_bind_sized(a, "Y", "struct deep", anything, 0, NULL, 0));
    refuses(a, accd_bind(a, "X", "struct deep", &small), ACCD_ERROR_INVALID, "type-mismatch",
            "struct deep has 24 bytes, the object of the program 4");
    int line = __LINE__ + 1;
    refuses(a, accd_bind(a, "p", "float *", p), ACCD_ERROR_INVALID, "type-mismatch", "float * has 8 bytes");
    const accd_error_detail *detail = accd_last_error(a);
    is_text(detail->rule, "HOUSE-binding", "a rule");
    is_text(detail->help, "pass the address of the pointer: &p", "help");
    ok(!strcmp(detail->file, __FILE__) && detail->line == line, "the place of the call");
    ok(!memcmp(&detail->objects[0], &none, sizeof none), "no objects");
    refuses(a, accd_bind(a, "X", "struct dep", &X), ACCD_ERROR_INVALID, "unknown-type", "the size of struct dep");
    refuses(a, accd_bind(a, "X", "struct", &X), ACCD_ERROR_SYNTAX, "syntax", "");
    refuses(a, accd_bind(a, "1x", "int", &small), ACCD_ERROR_SYNTAX, "syntax", "'1x' is not a name");
    refuses(a, accd_bind(a, "sizeof", "int", &small), ACCD_ERROR_SYNTAX, "syntax", "'sizeof' is not a name");
    refuses(a, accd_bind(a, "f", "void", &small), ACCD_ERROR_INVALID, "unknown-type", "the size of void");
    fine(a, ACCD_CHECK_MEMBER(a, struct deep, b));
    refuses(a, accd_check_member(a, "struct deep", "b", 8, 8, NULL, 0), ACCD_ERROR_INVALID, "type-mismatch",
            "struct deep.b is 8 bytes at offset 16, in the program 8 at 8");
    refuses(a, accd_check_member(a, "struct deep", "z", 8, 8, NULL, 0), ACCD_ERROR_INVALID, "unknown-member",
            "struct deep has no member 'z'");
    refuses(a, accd_check_member(a, "int", "z", 8, 8, NULL, 0), ACCD_ERROR_INVALID, "not-a-struct", "int");
}

/* The length of a section has the value that it has in the program. */
static void unsigned_bounds(accd_session *a)
{
    static float values[4] = {1, 2, 3, 4};
    static struct ring {
        unsigned head, tail;
        float *data;
    } ring = {2, 4294967294u, values};
    fine(a, accd_declare(a, "struct ring { unsigned head, tail; float *data;\n"
                            "#pragma acc shape include(data[0: head - tail])\n};"));
    fine(a, accd_bind(a, "ring", "struct ring", &ring));
    fine(a, accd_run_directive(a, "acc enter data copyin(ring)"));
    ok(accd_is_present(a, values, sizeof values) && accd_deviceptr(a, values + 3), "four elements");
    fine(a, accd_run_directive(a, "acc exit data delete(ring)"));
}

/* A text that is wrong at its end declares nothing. */
static void declarations(accd_session *a)
{
    fine(a, accd_declare(a, "struct later; enum { EIGHT = 8 };"));
    refuses(a,
            accd_declare(a, "struct q { int n; }; struct later { int m; }; typedef struct q q_t;\n"
                            "int counter; template<class T> class box { T *p; }; box<int> b;\n"
                            "#pragma acc shape(less) type(struct deep) exclude(b)\n"
                            "struct deep { int z; };"),
            ACCD_ERROR_INVALID, "duplicate-name", "struct deep is defined already");
    const accd_error_detail *detail = accd_last_error(a);
    ok(detail->column == 1 && strstr(accd_last_error_message(a), "struct deep { int z; };\n"), "it is shown");
    refuses(a, accd_bind(a, "b", "struct later", &X), ACCD_ERROR_INVALID, "unknown-type", "the size of");
    fine(a, accd_declare(a, "struct q { char c; }; typedef long q_t; struct later { int m; };\n"
                            "int counter; template<class T> class box { T t; };\n"
                            "#pragma acc shape(less) type(struct deep) exclude(a)\n"));
    refuses(a, accd_bind(a, "counter", "int", &X.n), ACCD_ERROR_INVALID, "duplicate-name",
            "'counter' is declared already");
    refuses(a, accd_declare(a, "struct"), ACCD_ERROR_SYNTAX, "syntax", "");

    /* Bounds are checked where they are written, at the end of the text. */
    refuses(a, accd_declare(a, "struct r { float *a;\n#pragma acc shape include(a[0:extent])\n};"), ACCD_ERROR_INVALID,
            "unknown-name", "there is no variable 'extent'");
    detail = accd_last_error(a);
    is_text(detail->rule, "TR14-3.1.1-21", "a rule");
    ok(detail->column == 31, "the place of the name");
    refuses(a, accd_declare(a, "struct r { struct r *r;\n#pragma acc shape include(r[0:1])\n};"), ACCD_ERROR_INVALID,
            "recursive-type", "the shape of struct r reaches struct r again");
    fine(a, accd_declare(a, "struct r { float *a;\n#pragma acc shape include(a[0:extent])\n}; int extent;"));
    refuses(a, accd_run_directive(a, "acc shape(no) type(struct r) include(a[0:extend])"), ACCD_ERROR_INVALID,
            "unknown-name", "there is no variable 'extend'");
    fine(a, accd_run_directive(a, "acc shape(no) type(struct r) include(a[0:extent - 1])"));
}

/* Members are where a C++ compiler puts them: what is static is not a part of an object. */
static void classes(accd_session *a)
{
    static double v[3] = {1, 2, 3};
    static struct {
        int n;
        double *d;
    } s = {3, v};
    fine(a, accd_declare(a, "class counted { public: static int k; typedef int index; int n; double *d;\n"
                            "#pragma acc shape include(d[0:n])\n};"));
    fine(a, accd_bind(a, "s", "counted", &s));
    fine(a, accd_run_directive(a, "acc enter data copyin(s)"));
    ok(accd_deviceptr(a, v) && accd_is_present(a, v, sizeof v), "the shape is that of the object");
    fine(a, accd_run_directive(a, "acc exit data delete(s)"));
    fine(a, accd_unbind(a, "s"));
}

/* Directives that have no place where they stand, for the text of the program is not seen. */
static void misplaced(accd_session *a)
{
    refuses(a, accd_declare(a, "int lasting;\n#pragma acc declare create(lasting)\n"), ACCD_ERROR_INVALID,
            "unsupported", "'declare' in a text of declarations");
    is_text(accd_last_error(a)->help, "accd_run_directive executes it after them: acc declare create(...)", "help");
    fine(a, accd_run_directive(a, "acc data copyin(v)"));
    refuses(a, accd_run_directive(a, "acc declare create(X)"), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "declare inside a data region");
    refuses(a, accd_run_directive(a, "acc shutdown"), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "a region is still open");
    fine(a, accd_run_directive(a, "acc end data"));
}

/* ------------------------------------------------------------------------------------- regions -- */

static void regions(accd_session *a)
{
    fine(a, accd_run_directive(a, "acc data copy(X)"));
    ok(accd_is_present(a, vb, 12) && !accd_is_present(a, vb, 16), "three elements are present");
    ok(accd_hostptr(a, accd_deviceptr(a, va + 1)) == va + 1, "addresses there and back");
    refuses(a, accd_run_directive(a, "acc end parallel"), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "the innermost open region is 'data'");
    fine(a, accd_run_directive(a, "#pragma acc parallel loop gang present(X)"));
    refuses(a, accd_run_directive(a, "acc end data"), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "the innermost open region is 'parallel loop'");
    fine(a, accd_run_directive(a, "acc end parallel"));
    fine(a, accd_run_directive(a, "acc data present(X) if(X.n > 100)"));
    fine(a, accd_run_directive(a, "acc end data"));
    fine(a, accd_run_directive(a, "!$acc end data"));
    refuses(a, accd_run_directive(a, "acc end data"), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "there is no open region to end");
    is_empty(a);

    fine(a, accd_run_directive(a, "omp target data map(tofrom: p[0:4])"));
    refuses(a, accd_run_directive(a, "acc end data"), ACCD_ERROR_REGION_NESTING, "region-nesting", "the innermost");
    fine(a, accd_run_directive(a, "omp target teams map(tofrom: p[0:2])"));
    refuses(a, accd_run_directive(a, "omp end target data"), ACCD_ERROR_REGION_NESTING, "region-nesting", "the");
    fine(a, accd_run_directive(a, "omp end target"));
    fine(a, accd_run_directive(a, "#pragma omp end target data"));
    is_empty(a);

    /* the region's end fails: its pointer was changed */
    fine(a, accd_run_directive(a, "acc data copy(X)"));
    X.a = vb;
    int line = __LINE__ - 2;
    refuses(a, accd_run_directive(a, "acc end data"), ACCD_ERROR_POINTER_CHANGED, "pointer-changed", "the pointer X.a");
    ok(accd_last_error(a)->line == line, "told at the region");
    X.a = va;
    fine(a, accd_run_directive(a, "acc end data"));
    is_empty(a);
}

static void errors(accd_session *a)
{
    refuses(a, accd_run_directive(a, "acc enter data copyn(X)"), ACCD_ERROR_INVALID, "unknown-clause",
            "there is no clause 'copyn'");
    const accd_error_detail *detail = accd_last_error(a);
    is_text(detail->help, "did you mean 'copyin'?", "help");
    is_text(detail->text, "acc enter data copyn(X)", "the text");
    is_number(detail->column, 16, "the column");
    refuses(a, accd_run_directive(a, "acc update self(v)"), ACCD_ERROR_NOT_PRESENT, "not-present", "v is not present");
    detail = accd_last_error(a);
    ok(detail->objects[0].host == (uintptr_t)va && detail->objects[0].bytes == 16 &&
           !strcmp(detail->objects[0].name, "v"),
       "the object");
    refuses(a, (accd_run_directive)(a, "acc enter"), ACCD_ERROR_SYNTAX, "syntax", "");
    is_text(accd_last_error(a)->file, "text", "a call without a place");
    refuses(a, accd_run_directive(a, ""), ACCD_ERROR_SYNTAX, "syntax", "");
    refuses(a, accd_run_directive(a, "acc host_data use_device(p)"), ACCD_ERROR_INVALID, "unsupported", "'host_data'");
    refuses(a, accd_run_directive(a, "omp target data map(v) use_device_ptr(p)"), ACCD_ERROR_INVALID, "unsupported",
            "'use_device'");
    refuses(a, accd_run_directive(a, "omp parallel for"), ACCD_ERROR_INVALID, "unsupported", "'parallel for'");
    refuses(a, accd_run_directive(a, "acc set device_num(7)"), ACCD_ERROR_NO_DEVICE, "no-device", "there is no");
    refuses(a, accd_set_device(a, -1), ACCD_ERROR_NO_DEVICE, "no-device", "there is no device -1");
    is_text(accd_last_error(a)->help, "accd_session_config { .devices = n } makes more", "help for C");
    refuses(a, accd_run_directive(a, "acc update self(v[0:unheard(1)])"), ACCD_ERROR_INVALID, "unknown-name",
            "there is no function 'unheard'");
    is_text(accd_last_error(a)->help, "register it: accd_bind_function", "help for C");
    refuses(a, accd_declare(a, "struct base { int b; }; struct derived : virtual base { int d; };"), ACCD_ERROR_INVALID,
            "unsupported", "virtual base classes");
    is_text(accd_last_error(a)->help, "accd_declare_from_debug_info takes the class as the compiler laid it out",
            "help for C");
    refuses(a, accd_declare(a, "#pragma acc enter data copyin(v)"), ACCD_ERROR_INVALID, "clause-not-allowed", "");
    is_text(accd_last_error(a)->help,
            "declarations hold shape, policy, declare and routine; write accd_run_directive(session, \"acc enter data "
            "...\") after them",
            "help for C");
    refuses(a, accd_bind(a, "t", "std::vector<float>", &X), ACCD_ERROR_INVALID, "unknown-type",
            "there is no type 'std::vector<float>'");
    refuses(a, accd_unbind(a, "nothing"), ACCD_ERROR_INVALID, "unknown-name", "'nothing' is not bound");
    refuses(a, accd_memcpy_from_device(a, vb, va, 4), ACCD_ERROR_HOST_POINTER_ON_DEVICE, "host-pointer-on-device",
            "the address is not one of device 0");
    is_empty(a);
}

static void devices(accd_session *a)
{
    fine(a, accd_run_directive(a, "acc set device_num(1)"));
    is_number(accd_get_device(a), 1, "the directive chooses the device");
    fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
    ok(accd_deviceptr(a, va), "there");
    fine(a, accd_set_device(a, 0));
    ok(!accd_deviceptr(a, va), "not here");
    fine(a, accd_run_directive(a, "omp target exit data map(delete: v) device(1)"));
    fine(a, accd_run_directive(a, "omp target enter data map(to: v) device(2)")); /* the host */
    is_empty(a);
}

/* --------------------------------------------------------------------------- kernels, functions -- */

struct kernel_task {
    int result, device, runs;
    bool writes;
};

static int kernel(accd_session *a, int device, void *ud)
{
    struct kernel_task *task = ud;
    float value = 42;
    task->runs++;
    task->device = device;
    float *there = accd_deviceptr(a, va);
    must(device >= 0 || accd_kernel_read(a, &value, va, sizeof value) == ACCD_ERROR_NO_DEVICE, "the host");
    if (task->writes)
        must(accd_kernel_write(a, there, &value, sizeof value) == ACCD_OK, "a kernel writes");
    if (device >= 0 && !task->result)
        must(accd_kernel_read(a, &value, there, sizeof value) == ACCD_OK && value == 42, "reads");
    must(accd_run_directive(a, "acc wait") == ACCD_ERROR_MISUSE, "no directive in a kernel");
    must(!strcmp(accd_last_error(a)->message, "a kernel of the session is running"), "why");
    must(accd_session_free(a) == ACCD_ERROR_MISUSE && accd_session_disown(a) == ACCD_ERROR_MISUSE,
         "no end, no other thread");
    return task->result;
}

static int kernel_elsewhere(accd_session *a, int device, void *ud)
{
    (void)ud;
    return device != 1 || accd_get_device(a) != 1 || !accd_is_present(a, va, 16);
}

static void kernels(accd_session *a)
{
    fine(a, accd_run_compute(a, "omp target map(v) device(1)", kernel_elsewhere, NULL));
    is_number(accd_get_device(a), 0, "a kernel's device is its own");
    struct kernel_task task = {.writes = true};
    fine(a, accd_run_compute(a, "acc parallel copy(X)", kernel, &task));
    ok(va[0] == 42 && task.device == 0 && task.runs == 1, "the kernel's value came back");
    is_empty(a);
    va[0] = 1;
    task.result = 3;
    refuses(a, accd_run_compute(a, "acc host_data use_device(p)", kernel, &task), ACCD_ERROR_INVALID, "unsupported",
            "'host_data'");
    refuses(a, accd_run_compute(a, "acc loop", kernel, &task), ACCD_ERROR_REGION_NESTING, "region-nesting",
            "'loop' is allowed only in");
    refuses(a, accd_run_compute(a, "acc serial copy(X)", kernel, &task), ACCD_ERROR_CALLBACK, "callback",
            "the kernel of 'serial' failed: it returned 3");
    ok(va[0] == 1, "nothing came back");
    is_empty(a);

    float *device, value = 0;
    fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
    device = accd_deviceptr(a, va);
    va[0] = 50;
    refuses(a, accd_run_compute(a, "acc parallel present(v) copy(p[0:1])", kernel, &task), ACCD_ERROR_CALLBACK,
            "callback", "the kernel of 'parallel'");
    fine(a, accd_kernel_read(a, &value, device, sizeof value));
    ok(value == 1, "what was there before is as it was");
    fine(a, accd_run_directive(a, "acc exit data delete(v)"));

    task = (struct kernel_task){0};
    fine(a, accd_run_compute(a, "acc parallel copy(X) if(X.n == 0)", kernel, &task));
    ok(task.device == -1 && task.runs == 1, "an if clause leaves the kernel on the host");
    task.runs = 0;
    refuses(a, accd_run_compute(a, "acc parallel present(v)", kernel, &task), ACCD_ERROR_NOT_PRESENT, "not-present",
            "v is not present");
    refuses(a, accd_run_compute(a, "acc data copy(v)", kernel, &task), ACCD_ERROR_INVALID, "clause-not-allowed",
            "'data' is not a compute construct");
    refuses(a, accd_run_compute(a, "acc shape type(struct deep) exclude(a)", kernel, &task), ACCD_ERROR_INVALID,
            "clause-not-allowed", "'shape' is not a compute construct");
    refuses(a, accd_run_compute(a, "omp target enter data map(to: v)", kernel, &task), ACCD_ERROR_INVALID,
            "clause-not-allowed", "'target enter data' is no");
    ok(!task.runs, "no kernel ran");
    va[0] = 1;
    is_empty(a);
}

static int twice(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    accd_session *a = ud;
    if (nargs != 1 || args[0] > 2)
        return 9;
    *result_p = 2 * args[0];
    must(accd_run_directive(a, "acc wait") == ACCD_ERROR_MISUSE && !accd_deviceptr(a, va) && !accd_get_context(a) &&
             accd_get_device(a) == -1,
         "no call in a callback");
    return 0;
}

static int address(void *ud, int nargs, const int64_t *args, int64_t *result_p)
{
    *(int64_t *)ud = nargs == 2 ? args[1] : 0;
    *result_p = args[0];
    return 0;
}

static void functions(accd_session *a)
{
    int64_t seen = 0;
    fine(a, accd_bind_function(a, "twice", twice, a));
    fine(a, accd_bind_function(a, "address", address, &seen));
    refuses(a, accd_bind_function(a, "twice", twice, a), ACCD_ERROR_INVALID, "duplicate-name", "'twice' is");
    refuses(a, accd_bind(a, "twice", "float *", &p), ACCD_ERROR_INVALID, "duplicate-name", "'twice' is");
    fine(a, accd_run_directive(a, "acc enter data copyin(p[0:twice(X.n - 1)])"));
    ok(accd_is_present(a, va, 16), "four elements");
    fine(a, accd_run_directive(a, "acc exit data delete(p[0:address(4, X.a)])"));
    ok(seen == (int64_t)(uintptr_t)va, "a pointer comes as an address");
    refuses(a, accd_run_directive(a, "acc enter data copyin(v, p[0:twice(X.n)])"), ACCD_ERROR_CALLBACK, "callback",
            "the function 'twice' failed: it returned 9");
    refuses(a, accd_run_directive(a, "acc enter data copyin(v) if(twice(X.n))"), ACCD_ERROR_CALLBACK, "callback",
            "the function 'twice' failed");
    is_empty(a);
}

/* ---------------------------------------------------------------------------------------- events -- */

static void on_queue(void *ud, const accd_event *event)
{
    if (event->op == ACCD_OP_H2D)
        story_add(ud, "%d|", event->async == ACCD_SYNCHRONOUS ? 0 : (int)event->async);
}

static int leave_it(accd_session *a, int device, void *ud)
{
    return accd_deviceptr(a, ud) && device >= 0 ? 0 : 1;
}

/* Queues do their work at once; what async and wait ask for is looked at each time. */
static void queues(void)
{
    struct story story = {0};
    story_clear(&story);
    accd_session *a = open_session(&(accd_session_config){.on_event = on_queue, .event_ud = &story});
    accd_prepared *update = NULL;
    int q = 3;
    fine(a, accd_bind(a, "v", "float[4]", va));
    fine(a, accd_bind(a, "q", "int", &q));
    fine(a, accd_run_directive(a, "acc enter data copyin(v) async(q)"));
    fine(a, accd_prepare(a, "acc update device(v) async(q + 1) wait(q)", &update));
    fine(a, accd_prepared_run(update));
    q = 7;
    fine(a, accd_prepared_run(update));
    fine(a, accd_run_directive(a, "acc update device(v)"));
    fine(a, accd_run_compute(a, "acc parallel copy(v) async", leave_it, va));
    is_text(story.text, "3|4|8|0|", "the queues of the copies");
    q = -5;
    refuses(a, accd_prepared_run(update), ACCD_ERROR_INVALID, "invalid-async", "-4 is not an async value");
    refuses(a, accd_run_directive(a, "acc data copy(v) async(q)"), ACCD_ERROR_INVALID, "invalid-async", "-5 is");
    refuses(a, accd_run_directive(a, "acc update device(v) async(r)"), ACCD_ERROR_INVALID, "unknown-name",
            "there is no variable 'r'");
    refuses(a, accd_run_directive(a, "acc update device(v) wait(v)"), ACCD_ERROR_INVALID, "type-mismatch",
            "an integer is needed");
    refuses(a, accd_run_compute(a, "acc parallel copy(v) wait(devnum: 1: 2)", leave_it, va), ACCD_ERROR_NO_DEVICE,
            "no-device", "there is no device 1");
    fine(a, accd_run_directive(a, "acc update device(v) async(q) if(0)"));
    is_text(story.text, "3|4|8|0|", "refused ones copy nothing");
    fine(a, accd_run_directive(a, "acc wait"));
    fine(a, accd_run_directive(a, "acc exit data delete(v)"));
    is_empty(a);
    accd_prepared_free(update);
    accd_session_free(a);
    story_free(&story);
}

static void on_event(void *ud, const accd_event *event)
{
    story_add(ud, "%s %s|", accd_op_name(event->op), event->name);
}

static void events(void)
{
    struct story story = {0};
    story_clear(&story);
    accd_session *a = open_session(&(accd_session_config){.on_event = on_event, .event_ud = &story});
    fine(a, accd_bind(a, "v", "float[4]", va));
    fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
    is_text(story.text, "alloc v|h2d v|incref v|", "every step is told");
    accd_session_free(a);
    story_free(&story);
}

/* ---------------------------------------------------------------------------------- bad arguments -- */

static void nothing(accd_session *a)
{
    accd_prepared *prepared = NULL;
    ok(accd_session_new(NULL, NULL) == ACCD_ERROR_MISUSE, "nowhere to put the session");
    ok(accd_session_free(NULL) == ACCD_OK, "no session is closed");
    accd_prepared_free(NULL);
    const accd_status refused[] = {
        accd_declare(a, NULL),
        accd_run_directive(a, NULL),
        accd_bind_sized(a, NULL, "int", va, 4, NULL, 0),
        accd_bind_sized(a, "x", NULL, va, 4, NULL, 0),
        accd_bind_sized(a, "x", "int", NULL, 4, NULL, 0),
        accd_unbind(a, NULL),
        accd_check_member(a, NULL, "x", 0, 0, NULL, 0),
        accd_bind_function(a, NULL, twice, a),
        accd_bind_function(a, "x", NULL, a),
        accd_run_compute(a, NULL, kernel, a),
        accd_run_compute(a, "acc parallel", NULL, a),
        accd_prepare(a, NULL, &prepared),
        accd_prepare(a, "acc enter data copyin(v)", NULL),
        accd_session_adopt(a),
        accd_prepared_run(NULL),
        accd_prepared_end(NULL),
        accd_declare(NULL, "int x;"),
        accd_run_directive(NULL, "acc wait"),
        accd_bind(NULL, "v", "int", &X.n),
        accd_set_device(NULL, 0),
        accd_memcpy_to_device(NULL, va, va, 4),
        accd_kernel_read(NULL, va, va, 4),
        accd_memcpy_to_device(a, va, NULL, 4),
        accd_memcpy_from_device(a, NULL, va, 4),
        accd_kernel_read(a, NULL, va, 4),
        accd_kernel_write(a, va, NULL, 4),
        accd_session_disown(NULL),
        accd_session_adopt(NULL),
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        must(refused[i] == ACCD_ERROR_MISUSE, "bad call %zu", i);
    ok(!accd_deviceptr(NULL, va) && !accd_hostptr(NULL, va) && !accd_is_present(NULL, va, 4) &&
           accd_get_device(NULL) == -1 && !accd_get_context(NULL),
       "without a session there is nothing");
    ok(accd_last_error(NULL)->status == ACCD_ERROR_MISUSE && strstr(accd_last_error_message(NULL), "no session"),
       "which the message says");
}

static void bad_configurations(void)
{
    const struct {
        accd_session_config config;
        accd_status status;
        const char *message;
    } cases[] = {
        {{.device = "cudo"}, ACCD_ERROR_INVALID, "there is no kind of device 'cudo'"},
        {{.device = "sim:3"}, ACCD_ERROR_INVALID, "there is no kind of device 'sim:3'"},
        {{.device = "cuda:99"}, ACCD_ERROR_NO_DEVICE, ""},
        {{.rules = "tr15"}, ACCD_ERROR_INVALID, "there is no rule profile 'tr15'"},
        {{.language = "basic"}, ACCD_ERROR_INVALID, "there is no language 'basic'"},
        {{.descriptors = "nag"}, ACCD_ERROR_INVALID, "there is no layout of descriptors 'nag'"},
        {{.async = "delayed"}, ACCD_ERROR_INVALID, "there is no mode of queues 'delayed'"},
        {{.max_memory = 100 << 10}, ACCD_ERROR_LIMIT, "the interpreter needs more memory"},
        {{.max_memory = 100}, ACCD_ERROR_LIMIT, "the interpreter needs more memory"},
        {{.reserved = {&X}}, ACCD_ERROR_MISUSE, "the configuration has fields"},
        {{.device_bytes = UINT64_MAX}, ACCD_ERROR_MISUSE, "a number is too large"},
        {{.devices = UINT32_MAX}, ACCD_ERROR_MISUSE, "a number is too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        accd_session *a = NULL;
        accd_status status = accd_session_new(&a, &cases[i].config);
        refuses(a, status, cases[i].status, accd_last_error(a)->code, cases[i].message);
        must(accd_run_directive(a, "acc wait") == cases[i].status && !accd_deviceptr(a, va), "it answers nothing else");
        must(accd_session_free(a) == ACCD_OK, "it is closed as others are");
    }
}

static void limits(void)
{
    enum { LENGTH = 200000 };
    static char text[LENGTH] = "acc enter data copyin(v)";
    for (size_t n = strlen(text); n < LENGTH - 12; n += 11)
        memcpy(text + n, ", copyin(v)", 12);
    const accd_session_config configs[] = {{.max_steps = 100000}, {.max_memory = 16 << 20}};
    const char *const messages[] = {"the call takes more steps", "the interpreter needs more memory"};
    for (size_t i = 0; i < 2; i++) {
        accd_session *a = open_session(&configs[i]);
        fine(a, accd_bind(a, "v", "float[4]", va));
        refuses(a, accd_run_directive(a, text), ACCD_ERROR_LIMIT, "limit", messages[i]);
        fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
        fine(a, accd_run_directive(a, "acc exit data delete(v)"));
        is_empty(a);
        accd_session_free(a);
    }
}

int main(void)
{
    accd_session *a = open_session(&(accd_session_config){.devices = 2, .strict = 1});
    is_number(accd_last_error(a)->status, ACCD_OK, "no error yet");
    objects(a);
    unsigned_bounds(a);
    declarations(a);
    classes(a);
    misplaced(a);
    regions(a);
    errors(a);
    devices(a);
    kernels(a);
    functions(a);
    nothing(a);
    fine(a, accd_session_free(a));
    events();
    queues();
    bad_configurations();
    limits();
    return done();
}
