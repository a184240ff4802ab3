/* A library that profiles: says at the end how much a program did on the device. */
#include <acc_prof.h>
#include <stdio.h>

static int kernels, uploads;

static void count(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    kernels += info->event_type == acc_ev_enqueue_launch_end;
    uploads += info->event_type == acc_ev_enqueue_upload_end;
}

static void tell(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)event, (void)api;
    printf("%d kernels, %d uploads\n", kernels, uploads);
}

void acc_register_library(acc_prof_reg enter, acc_prof_reg leave, acc_prof_lookup_func lookup)
{
    (void)leave, (void)lookup;
    enter(acc_ev_enqueue_launch_end, count, acc_reg);
    enter(acc_ev_enqueue_upload_end, count, acc_reg);
    enter(acc_ev_runtime_shutdown, tell, acc_reg);
}
