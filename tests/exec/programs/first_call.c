/* A signal whose handler has a directive comes as soon as the first directive begins. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
    double b[4] = {0};
    (void)number;
#pragma acc parallel loop copy(b)
    for (int i = 0; i < 4; i++)
        b[i] += 1;
    handled = b[3] == 1;
}

int main(void)
{
    double a[4] = {0};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 200}}, NULL);
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 4; i++)
        a[i] += 1;
    while (!handled) { }
    printf("%g\n", a[3]);
    return 0;
}
