/* A library with a declared variable of its own. */
int of_plugin[2] = {5, 6};
#pragma acc declare copyin(of_plugin)

#pragma acc routine seq
static int at(int i) { return of_plugin[i]; }

int ask(int i);
int ask(int i)
{
    int answer = 0;
    of_plugin[0] = -1; /* the device's is another one */
#pragma acc serial copyout(answer)
    {
        answer = at(i);
    }
    return answer;
}
