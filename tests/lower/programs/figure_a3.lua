-- What figure_a3.c does, step by step.
scenario { title = "TR14 figures A.3, A.6 to A.8: the events of their program",
  rules = { base = "tr14", present = "shallow" } }

declare [[
typedef struct {
    int n;
    float *a, *b, *c;
#pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
#pragma acc policy(calc_a) default(copyin) copyout(a)
#pragma acc policy(move_a_to_c) default(copyin) copyout(c) exclude(b)
#pragma acc policy(update_b) default(exclude) update(b)
} deep_type;
struct bare { int n; float *a, *b, *c; };
deep_type of_main, *x;
struct bare X, Y[2];
int size = 2, n = 2;
]]

local function make(object, n, first)
  object.n = n
  for i, name in ipairs { "a", "b", "c" } do
    object[name] = alloc("float", n)
    for k = 0, n - 1 do object[name][k] = first + i + k end
  end
end

make(host.of_main, 3, 1)
host.x = addr "of_main"
make(host.X, 2, 3)
make(host.Y[0], 1, 1)
make(host.Y[1], 2, 1)

local region = acc "data invoke<calc_a>(x[0:1])"
acc "parallel loop present(x[0:1])" [[for (int i = 0; i < x->n; i++) x->a[i] = x->b[i] + x->c[i];]]
region:close()
region = acc "data invoke<move_a_to_c>(x[0:1])"
acc "parallel loop present(x[0:1])" [[for (int i = 0; i < x->n; i++) x->c[i] = x->a[i] + 1;]]
region:close()
acc "enter data copyin(x[0:1])"
acc "update invoke<update_b>(device: x[0:1])"
acc "serial present(x[0:1])" [[x->b[1] = x->b[0] + 1;]]
acc "update invoke<>(self: x[0:1])::{ default(exclude) update(b) }"
acc "exit data delete(x[0:1])"

acc "parallel loop copy(X)::{ init_needed(n) include(a[0:n], b[0:n], c[0:n]) }" [[
for (int i = 0; i < X.n; i++) X.c[i] = X.a[i] * X.b[i];]]
region = acc [[data copyin(Y[0:size])::{ include(n, a[0:n], b[0:n]) exclude(c) }
  create(X)::{ default(exclude) include(a[0:n]) }]]
acc "parallel loop present(Y[0:size])" [[for (int k = 0; k < size; k++) Y[k].a[0] += Y[k].b[Y[k].n - 1];]]
acc "update self(Y[0:size])::{ include(a[0:n]) exclude(n, b, c) }"
region:close()
region = acc "data copyin(X.a[0:X.n], X.b[0:X.n]) copyout(X.c[0:X.n])"
acc "parallel loop present(X.a[0:X.n], X.b[0:X.n], X.c[0:X.n])" [[
for (int i = 0; i < n; i++) X.c[i] = X.b[i] - X.a[i];]]
region:close()
