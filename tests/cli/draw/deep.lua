-- What has to be told in a picture: a member that is left out, bytes nobody wrote, a pointer nobody attached,
-- a name that would be markup.
scenario { title = "A structure <script>alert(1)</script> & its parts" }

declare [[
  struct part {
    int n; float *a, *b;
    #pragma acc shape include(a[0:n]) exclude(b)
  };
  struct part X;
  char name[24] = "<b>&\"quoted\"</b>";
  struct plain { float *p; } V;
  int unused = 7;
]]
host.V = { p = { 9, 8 } }
host.X = { n = 3, a = { 1, 2, 3 }, b = { 4, 5, 6 } }

case("moves", function()
  acc "data copy(X) copyin(name)" (function()
    acc "parallel present(X)" "X.a[1] = 20;"
    draw "inside.svg"
    acc "update self(X.a[0:2])"
  end)
  acc "enter data create(X)"
end)

case("a failure", function()
  rules "openacc-3.3"
  acc "enter data copyin(V.p[0:2])"
  acc "enter data copyin(V)"
  acc "parallel present(V)" "V.p[0] = 1;"
end)
