/* Variables of declare directives at file scope, host_data, deviceptr, acc_on_device, no_create,
 * firstprivate, if clauses, queues, the host as device. */
#include <assert.h>
#include <openacc.h>
#include <stdlib.h>

enum { N = 16 };

int table[N] = {1, 2, 3};
#pragma acc declare copyin(table)
static int counter;
#pragma acc declare create(counter)

#pragma acc routine seq
static int look(int i)
{
    counter++;
    return table[i];
}

/* Constants, which the compiler maps like any array. */
static void constants(void)
{
    static const int primes[4] = {2, 3, 5, 7};
    int sum = 0;
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < 4; i++)
        sum += primes[i];
    assert(sum == 17);
}

static void declared(void)
{
    int sum = 0;
    assert(acc_is_present(table, sizeof table));
    table[0] = 100; /* the device's copy is another one */
#pragma acc serial copy(sum)
    {
        for (int i = 0; i < 3; i++)
            sum += look(i);
    }
    assert(sum == 6 && counter == 0 && table[0] == 100);
    acc_update_self(&counter, sizeof counter);
    acc_update_device(table, sizeof table);
    assert(counter == 3);
#pragma acc serial copyout(sum)
    {
        sum = look(0);
    }
    assert(sum == 100);
}

static void pointers(void)
{
    int data[N] = {0}, *host = data, *device = NULL, *absent = NULL;
#pragma acc data copy(data)
    {
#pragma acc host_data use_device(data)
        {
            device = data;
        }
        assert(device == acc_deviceptr(host) && device != host);
#pragma acc parallel loop deviceptr(device)
        for (int i = 0; i < N; i++)
            device[i] = 3 * i;
#pragma acc host_data use_device(absent)
        assert(!absent);
    }
    assert(data[4] == 12);
    int *raw = acc_malloc(N * sizeof *raw);
    acc_map_data(host, raw, N * sizeof *raw);
    data[1] = 50;
#pragma acc update device(host[0:N])
#pragma acc parallel loop present(host[0:N])
    for (int i = 0; i < N; i++)
        host[i]++;
    acc_unmap_data(host);
    acc_memcpy_from_device(data, raw, N * sizeof *raw);
    assert(data[1] == 51 && data[4] == 13);
    acc_free(raw);
}

static void conditions(void)
{
    int x = 1, there = 0, host = 1, local = 4;
#pragma acc data no_create(x)
    {
        assert(!acc_is_present(&x, sizeof x));
    }
#pragma acc serial copyout(there, host)
    {
        there = acc_on_device(acc_device_not_host);
        host = acc_on_device(acc_device_host);
    }
    assert(there && !host && acc_on_device(acc_device_host));
#pragma acc data copyin(x)
    {
        x = 9;
#pragma acc serial if (0) copy(x)
        {
            x++;
        }
        assert(x == 10);
    }
#pragma acc parallel firstprivate(local) copyout(x) async(3)
    {
        local++;
        x = local;
    }
#pragma acc wait(3)
    assert(local == 4 && x == 5 && acc_async_test(3) && acc_async_test_all());
}

static void host_as_device(void)
{
    int x = 1;
    acc_set_device_type(acc_device_host);
    assert(acc_get_device_type() == acc_device_host && acc_is_present(&x, sizeof x));
#pragma acc data copyin(x)
    {
#pragma acc serial present(x)
        {
            x = 2;
        }
    }
    assert(x == 2 && acc_deviceptr(&x) == &x && acc_copyin(&x, sizeof x) == &x);
    acc_set_device_type(acc_device_default);
    assert(acc_get_num_devices(acc_device_default) == 1 && !acc_is_present(&x, sizeof x));
    acc_shutdown(acc_device_default);
    assert(acc_is_present(table, sizeof table)); /* again, by the next call */
}

int main(void)
{
    constants();
    declared();
    pointers();
    conditions();
    host_as_device();
    return 0;
}
