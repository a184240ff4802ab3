/* Kernels of the program itself, which use device memory without a word: with own_kernels nothing is known of
 * what was written, and memory is there when its construct returns, for any stream. */
#include "../core/support.h"

#include "../../cuda/driver.h"

static struct cuda_driver driver;

/* Writes to a device address as a kernel of the program would, in a stream of its own. */
static void write_by_itself(uint64_t to, const void *from, size_t bytes)
{
    cu_device gpu;
    cu_context context;
    cu_stream stream = NULL;
    must(driver.cuDeviceGet(&gpu, 0) == CU_OK && driver.cuDevicePrimaryCtxRetain(&context, gpu) == CU_OK &&
             driver.cuCtxPushCurrent_v2(context) == CU_OK &&
             driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING_FLAG) == CU_OK,
         "a stream");
    must(driver.cuMemcpyHtoDAsync_v2(to, from, bytes, stream) == CU_OK && driver.cuStreamSynchronize(stream) == CU_OK,
         "its work");
    (void)driver.cuStreamDestroy_v2(stream);
    (void)driver.cuCtxPopCurrent_v2(&context);
    (void)driver.cuDevicePrimaryCtxRelease_v2(gpu);
}

static accd_context *open_own(int own_kernels)
{
    accd_context_config config;
    accd_context *context;
    init_config(&config);
    config.own_kernels = own_kernels;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    return context;
}

/* Data that are only created, filled by a kernel, and fetched. */
static void filled(void)
{
    int values[100], kernel[100];
    accd_context *context = open_own(1);
    for (int i = 0; i < 100; i++)
        kernel[i] = i, values[i] = -1;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, values)), ACCD_OK, "create");
    write_by_itself(accd_device_address(context, 0, values), kernel, sizeof kernel);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, values)), ACCD_OK, "copyout");
    ok(!memcmp(values, kernel, sizeof values), "what the program's kernel wrote is fetched: %d", values[7]);
    is_number((uint64_t)accd_device_count_written(context, 0, 0, 0) + 1, 0, "of no memory nothing is known");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, values)), ACCD_OK, "create again");
    ok(accd_device_count_written(context, 0, accd_device_address(context, 0, values), sizeof values) ==
           (int64_t)sizeof values,
       "all of it counts as written");
    is_sound(context);
    accd_context_free(context);
}

/* Without, what only such a kernel has written is noise, and is marked as that. */
static void unknown(void)
{
    int values[100] = {0}, kernel[100] = {0}, there[1];
    accd_context *context = open_own(0);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, values)), ACCD_OK, "copyin");
    write_by_itself(accd_device_address(context, 0, values), kernel, sizeof kernel);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, values)), ACCD_OK, "delete");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, values)), ACCD_OK, "create");
    is_status(accd_device_read(context, 0, accd_device_address(context, 0, values), there, sizeof there),
              ACCD_ERROR_UNINITIALIZED_READ, "a read finds that nothing was written");
    accd_context_free(context);
}

int main(void)
{
    char why[200];
    if (accd__cuda_load_driver(&driver, why, sizeof why) != CU_OK) {
        printf("Bail out! %s\n", why);
        return 1;
    }
    filled();
    unknown();
    return done();
}
