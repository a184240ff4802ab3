/* The profiling interface: what callbacks hear, in which order, and what they may do. */
#undef NDEBUG
#include <acc_prof.h>
#include <assert.h>
#include <openacc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };
static int a[N], b[N];

/* ----------------------------------------------------------------------------------- the log -- */

static const char *const names[acc_ev_last] = {
    [acc_ev_device_init_start] = "init(",
    [acc_ev_device_init_end] = ")init",
    [acc_ev_device_shutdown_start] = "shutdown(",
    [acc_ev_device_shutdown_end] = ")shutdown",
    [acc_ev_create] = "create",
    [acc_ev_delete] = "delete",
    [acc_ev_alloc] = "alloc",
    [acc_ev_free] = "free",
    [acc_ev_enter_data_start] = "enter(",
    [acc_ev_enter_data_end] = ")enter",
    [acc_ev_exit_data_start] = "exit(",
    [acc_ev_exit_data_end] = ")exit",
    [acc_ev_update_start] = "update(",
    [acc_ev_update_end] = ")update",
    [acc_ev_compute_construct_start] = "compute(",
    [acc_ev_compute_construct_end] = ")compute",
    [acc_ev_enqueue_launch_start] = "launch(",
    [acc_ev_enqueue_launch_end] = ")launch",
    [acc_ev_enqueue_upload_start] = "up(",
    [acc_ev_enqueue_upload_end] = ")up",
    [acc_ev_enqueue_download_start] = "down(",
    [acc_ev_enqueue_download_end] = ")down",
    [acc_ev_wait_start] = "wait(",
    [acc_ev_wait_end] = ")wait",
};

static char text[4096];

static void say(const char *word)
{
    if (*text)
        strcat(text, " ");
    strcat(text, word);
}

static void expect(const char *wanted)
{
    if (strcmp(text, wanted) != 0) {
        fprintf(stderr, "heard  %s\nwanted %s\n", text, wanted);
        abort();
    }
    *text = 0;
}

static bool is_data(acc_event_t event)
{
    return (event >= acc_ev_create && event <= acc_ev_free) ||
           (event >= acc_ev_enqueue_upload_start && event <= acc_ev_enqueue_download_end);
}

static bool is_launch(acc_event_t event)
{
    return event == acc_ev_enqueue_launch_start || event == acc_ev_enqueue_launch_end;
}

/* What every event must be told with; writes down its name. */
static void note(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    assert(info->valid_bytes == _ACC_PROF_INFO_VALID_BYTES);
    assert(info->version == _ACC_PROF_INFO_VERSION);
    assert(info->event_type == event->event_type);
    assert(info->async == info->async_queue);
    assert(api->valid_bytes == _ACC_API_INFO_VALID_BYTES);
    assert(api->device_type == info->device_type && !api->device_handle);
    assert((size_t)event->other_event.valid_bytes ==
           (is_data(info->event_type)     ? _ACC_DATA_EVENT_INFO_VALID_BYTES
            : is_launch(info->event_type) ? _ACC_LAUNCH_EVENT_INFO_VALID_BYTES
                                          : _ACC_OTHER_EVENT_INFO_VALID_BYTES));
    if (info->src_file)
        assert(strstr(info->src_file, "profile.c") && info->line_no > 0);
    say(names[info->event_type]);
}

static void listen(bool on)
{
    for (int event = acc_ev_none + 1; event < acc_ev_last; event++)
        if (names[event])
            (on ? acc_prof_register : acc_prof_unregister)((acc_event_t)event, note, acc_reg);
}

/* ------------------------------------------------------------------------------------- order -- */

static void order(void)
{
    listen(true);
    acc_is_present(a, sizeof a);
    expect("init( )init");
#pragma acc data copy(a)
    {
        expect("enter( alloc create up( )up )enter");
#pragma acc parallel loop present(a)
        for (int i = 0; i < N; i++)
            a[i] = i;
        expect("compute( enter( )enter launch( )launch exit( )exit )compute");
#pragma acc update self(a[2:4])
        expect("update( down( )down )update");
#pragma acc wait
        expect("wait( )wait");
    }
    expect("exit( down( )down delete free )exit");
#pragma acc serial copyin(a) copyout(b)
    for (int i = 0; i < N; i++)
        b[i] = a[i] + 1;
    assert(b[7] == 8);
    say("-");
    assert(strstr(text, "compute( enter( alloc create alloc create up( )up )enter launch( )launch "
                        "exit( down( )down delete free delete free )exit )compute -") == text);
    *text = 0;
#pragma acc enter data create(a)
    expect("enter( alloc create )enter");
    acc_update_device(a, sizeof a);
    expect("update( up( )up )update");
#pragma acc exit data delete(a)
    expect("exit( delete free )exit");
    void *device = acc_malloc(64);
    acc_memcpy_to_device(device, a, sizeof a);
    acc_map_data(a, device, sizeof a);
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
    acc_unmap_data(a);
    acc_free(device);
    expect("alloc up( )up create enter( )enter exit( )exit delete free");
#pragma acc parallel if (0)
    b[0] = 0;
    expect("compute( )compute"); /* on the host */
    listen(false);
#pragma acc update self(a) if_present
    expect("");
}

/* ----------------------------------------------------------------------------------- details -- */

static struct {
    acc_prof_info info;
    acc_event_info event;
} last[acc_ev_last];

static void keep(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)api;
    last[info->event_type].info = *info;
    last[info->event_type].event = *event;
    event->other_event.tool_info = &last[info->event_type];
}

static void details(void)
{
    for (int event = acc_ev_none + 1; event < acc_ev_last; event++)
        acc_prof_register((acc_event_t)event, keep, acc_reg);
#pragma acc enter data copyin(a[1:4]) async(5)
    const acc_data_event_info *data = &last[acc_ev_enqueue_upload_start].event.data_event;
    assert(data->host_ptr == &a[1] && data->bytes == 4 * sizeof a[0]);
    assert(data->device_ptr == acc_deviceptr(&a[1]));
    assert(data->parent_construct == acc_construct_enter_data);
    assert(!data->var_name || !strcmp(data->var_name, "a[1:4]"));
    assert(last[acc_ev_alloc].event.data_event.device_ptr == data->device_ptr);
    assert(last[acc_ev_enter_data_start].info.async == 5);
    assert(last[acc_ev_enter_data_start].info.device_type == acc_get_device_type());
    assert(last[acc_ev_enter_data_start].event.other_event.implicit == 0);
    /* what a start leaves is there at its end, and only there */
    assert(!last[acc_ev_enter_data_start].event.other_event.tool_info);
    assert(last[acc_ev_enter_data_end].event.other_event.tool_info ==
           &last[acc_ev_enter_data_start]);
    assert(last[acc_ev_enqueue_upload_end].event.data_event.tool_info ==
           &last[acc_ev_enqueue_upload_start]);
    const void *was = data->device_ptr;
    acc_copyout(&a[1], 4 * sizeof a[0]);
    assert(last[acc_ev_free].event.data_event.device_ptr == was);
    assert(last[acc_ev_enqueue_download_end].event.data_event.device_ptr == was);
    assert(last[acc_ev_exit_data_end].event.other_event.parent_construct ==
           acc_construct_runtime_api);
    int queue = 70000;
#pragma acc parallel copy(b) async(queue)
    b[1] = 1;
    assert(last[acc_ev_compute_construct_end].info.async == queue);
    assert(last[acc_ev_compute_construct_end].event.other_event.implicit == 0);
    const acc_launch_event_info *launch = &last[acc_ev_enqueue_launch_end].event.launch_event;
    assert(launch->implicit == 1 && launch->num_gangs >= 1 && launch->vector_length >= 1);
    assert(!launch->kernel_name || strstr(launch->kernel_name, "details._omp_fn"));
    assert(launch->tool_info == &last[acc_ev_enqueue_launch_start]);
#pragma acc parallel copy(b) async(3)
    b[1] = 1;
    assert(last[acc_ev_compute_construct_end].info.async == 3);
#pragma acc wait(3)
    assert(last[acc_ev_wait_end].info.async == 3);
#pragma acc data copyin(a)
#pragma acc host_data use_device(a)
    assert(last[acc_ev_enter_data_end].event.other_event.parent_construct ==
           acc_construct_host_data);
    assert(last[acc_ev_exit_data_start].event.other_event.parent_construct == acc_construct_data);
    for (int event = acc_ev_none + 1; event < acc_ev_last; event++)
        acc_prof_unregister((acc_event_t)event, keep, acc_reg);
}

/* ------------------------------------------------------------------------------ registration -- */

static void first(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)event, (void)api;
    say("first");
}

static void second(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)event, (void)api;
    say("second");
}

static void wait_for(const char *wanted)
{
    acc_wait_all();
    expect(wanted);
}

static void registration(void)
{
    acc_prof_register(acc_ev_wait_start, first, acc_reg);
    acc_prof_register(acc_ev_wait_start, second, acc_reg);
    acc_prof_register(acc_ev_wait_start, first, acc_reg);
    acc_prof_register(acc_ev_wait_end, first, acc_reg);
    acc_prof_register(acc_ev_wait_end, second, acc_reg);
    wait_for("first second second first"); /* backwards at the end */
    acc_prof_unregister(acc_ev_wait_start, first, acc_reg);
    wait_for("first second second first"); /* it was registered twice */
    acc_prof_unregister(acc_ev_wait_start, first, acc_reg);
    wait_for("second second first");
    acc_prof_unregister(acc_ev_wait_start, second, acc_toggle);
    wait_for("second first");
    acc_prof_register(acc_ev_wait_start, second, acc_toggle);
    acc_prof_unregister(acc_ev_wait_end, NULL, acc_toggle);
    wait_for("second");
    acc_prof_unregister(acc_ev_none, NULL, acc_toggle);
    acc_prof_register(acc_ev_wait_end, NULL, acc_toggle);
    wait_for("");
    acc_prof_register(acc_ev_none, NULL, acc_toggle);
    wait_for("second second first");
    acc_prof_unregister(acc_ev_none, NULL, acc_toggle_per_thread);
    wait_for("");
    acc_prof_register(acc_ev_none, NULL, acc_toggle_per_thread);
    acc_prof_unregister(acc_ev_wait_start, second, acc_reg);
    acc_prof_unregister(acc_ev_wait_end, second, acc_reg);
    acc_prof_unregister(acc_ev_wait_end, first, acc_reg);
    wait_for("");
    acc_prof_register(acc_ev_last, first, acc_reg); /* no such event */
    wait_for("");
}

/* --------------------------------------------------------------------------------- callbacks -- */

static void inside(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    acc_wait_all(); /* nothing is told of this */
    assert(acc_async_test_all());
    say(names[info->event_type]);
    say(acc_is_present(a, sizeof a) ? "present" : "absent");
    if (info->event_type == acc_ev_exit_data_end)
        acc_prof_unregister(acc_ev_exit_data_end, inside, acc_reg);
    if (info->event_type == acc_ev_enter_data_end) { /* the device has its copy by now */
        a[0] = 20;
        acc_update_self(&a[1], sizeof a[1]);
    }
}

static void callbacks(void)
{
    acc_prof_register(acc_ev_enter_data_start, inside, acc_reg);
    acc_prof_register(acc_ev_enter_data_end, inside, acc_reg);
    acc_prof_register(acc_ev_exit_data_end, inside, acc_reg);
    acc_prof_register(acc_ev_wait_start, note, acc_reg);
    a[0] = 10;
    b[0] = 0;
#pragma acc parallel copyin(a) copyout(b)
    b[0] = a[0];
    assert(a[0] == 20 && b[0] == 10);
    expect("enter( absent )enter present )exit absent");
    acc_prof_unregister(acc_ev_enter_data_start, inside, acc_reg);
    acc_prof_unregister(acc_ev_enter_data_end, inside, acc_reg);
    acc_create(a, sizeof a);
    acc_delete(a, sizeof a);
    expect(""); /* it unregistered itself */
    acc_prof_unregister(acc_ev_wait_start, note, acc_reg);
}

/* ------------------------------------------------------------------------------------- start -- */

static int introduced, ended;

static void at_end(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)event, (void)api;
    ended++;
}

void acc_register_library(acc_prof_reg enter, acc_prof_reg leave, acc_prof_lookup_func lookup)
{
    introduced++;
    assert(leave && !lookup("acc_prof_none"));
    enter(acc_ev_runtime_shutdown, at_end, acc_reg);
}

static void check_end(void)
{
    if (ended != 1)
        _Exit(2);
}

int main(void)
{
    atexit(check_end); /* after the runtime's, which comes later */
    order();
    assert(introduced == 1);
    details();
    registration();
    callbacks();
    listen(true);
    acc_shutdown(acc_device_default);
    expect("shutdown( )shutdown");
    acc_init(acc_device_host);
    expect("init( )init");
#pragma acc parallel copy(a)
    a[0] = 1;
    expect("compute( )compute");
    return 0;
}
