/* Uses a library's declared variable; the linker may put the variable into the program. */
#include <assert.h>
#include <openacc.h>

extern int of_plugin[2];
int ask(int i);

int main(void)
{
    acc_init(acc_device_default); /* before anybody changes the variable */
    assert(ask(0) == 5 && acc_is_present(of_plugin, sizeof of_plugin) && of_plugin[0] == -1);
    of_plugin[1] = 9;
    acc_update_device(of_plugin, sizeof of_plugin);
    assert(ask(1) == 9);
    return 0;
}
