-- What figure_a1.c does, step by step.
scenario { title = "TR14 figure A.1: the events of its program", rules = { base = "tr14", present = "shallow" } }

declare [[
struct deep_type {
    int n;
    float *a, *b, *c;
    #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
    #pragma acc shape(part_a) exclude(b, c)
    #pragma acc shape(only_b) default(exclude) include(b)
};
struct deep_type X, *Y;
int size = 2;
]]

local function make(object, n, first)
  object.n = n
  for i, name in ipairs { "a", "b", "c" } do
    object[name] = alloc("float", n)
    for k = 0, n - 1 do object[name][k] = first + 3 * (i - 1) + k end
  end
end

make(host.X, 3, 1)
host.Y = alloc("struct deep_type", 2)
make(host.Y[0], 1, 1)
make(host.Y[1], 2, 1)

local region = acc "data copy(X)"
acc "parallel loop present(X)" [[for (int i = 0; i < X.n; i++) X.c[i] = X.a[i] + X.b[i];]]
region:close()
acc "enter data create(X)"
acc "parallel loop present(X)" [[for (int i = 0; i < X.n; i++) X.a[i] = X.b[i] = X.c[i] = 20 + i;]]
acc "exit data copyout(X)"
region = acc "data copyout<part_a>(X)"
acc "parallel loop present<part_a>(X)" [[for (int i = 0; i < X.n; i++) X.a[i] = 10 + i;]]
region:close()
region = acc "data copyin(X)"
acc "parallel loop present(X)" [[for (int i = 0; i < X.n; i++) X.a[i] = X.b[i] = X.c[i] = i;]]
acc "update self(X)"
acc "serial present(X)" [[X.b[0] = 50;]]
acc "update self<only_b>(X)"
acc "update device(X.b[0:X.n])"
acc "serial present(X)" [[X.b[2] = X.b[1] + 1;]]
acc "update self(X.b[0:X.n])"
region:close()
region = acc "data copy(Y[0:size])"
acc "parallel loop present(Y[0:size])" [[for (int k = 0; k < size; ++k) Y[k].a[Y[k].n - 1] = 100 + k;]]
region:close()
acc "enter data copyin(Y[0:size])"
acc "update device<only_b>(Y[0:size])"
acc "parallel loop present(Y[0:size])" [[for (int k = 0; k < size; ++k) Y[k].b[0] *= 2;]]
for i = 0, 1 do acc(("update self(Y[%d].b[0:Y[%d].n])"):format(i, i)) end
acc "exit data delete(Y[0:size])"
