-- Attach and detach under OpenACC's own rules: attach counters, new targets, cases without an effect.
scenario { title = "OpenACC 2.7.2: attach and detach", rules = "openacc-3.3" }

declare [[
  struct s { int n; float *a; };
  struct s S;
  float v[4] = { 1, 2, 3, 4 };
  float w[4] = { 10, 20, 30, 40 };
  float *p = v;
]]
host.S = { n = 2, a = { 1, 2 } }

case("accepts: each pointer in device memory has an attach counter [ACC33-att-1]", function()
  acc "enter data copyin(v) copyin(p)"
  acc "enter data attach(p)"
  expect.attached("p", 2)
  acc "exit data detach(p)"
  expect.attached("p", 1)
  acc "exit data detach(p)"
  expect.detached "p"
end)

case("differs: a pointer in new device memory is not attached [ACC33-att-1]", function()
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
  expect.detached "p"
  expect.equal(#state().attached, 0)
end)

case("accepts: attach does nothing if the pointer or the target is absent [ACC33-att-2]", function()
  acc "enter data attach(p)"
  expect.detached "p"
  expect.moves(function() acc "enter data copyin(v)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  acc "enter data attach(p)"
  expect.detached "p"
end)

case("differs: a kernel cannot use a pointer that was not attached [ACC33-att-2]", function()
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
  acc "enter data attach(p)"
  expect.fails("host-pointer-on-device", function() expect.device("p[0]", 1) end)
end)

case("accepts: a second attach to the same target increments the counter [ACC33-att-3]", function()
  acc "enter data copyin(v) copyin(p)"
  acc "enter data attach(p)"
  expect.attached("p", 2)
end)

case("accepts: an attach to a new target sets the counter to one [ACC33-att-3]", function()
  acc "enter data copyin(v, w) copyin(p)"
  acc "enter data attach(p)"
  expect.attached("p", 2)
  host.p = addr "w[0]"
  acc "enter data attach(p)"
  expect.attached("p", 1)
  expect.device("p[1]", 20)
end)

case("rejects: an attach to a new target is an error in a strict profile [ACC33-att-3 TR14-4.1-08]", function()
  rules "tr14"
  declare "float x[2], y[2]; float *r;"
  host.r = addr "x[0]"
  acc "enter data create(x, y) copyin(r)"
  host.r = addr "y[0]"
  expect.fails("pointer-changed", function() acc "enter data attach(r)" end)
end)

case("accepts: an attach of a null pointer counts nothing [ACC33-att-4]", function()
  host.p = NULL
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
  acc "enter data attach(p)"
  expect.detached "p"
  host.p = addr "v[0]"
  acc "enter data copyin(v) attach(p)"
  expect.attached("p", 1)
end)

case("differs: the device cannot dereference a null pointer [ACC33-att-4]", function()
  host.p = NULL
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
  expect.fails("null-pointer", function() expect.device("p[0]", 1) end)
end)

case("accepts: clauses attach the pointer of a section, and pointer variables [ACC33-att-5]", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  expect.attached("S.a", 1)
  acc "enter data copyin(v)"
  acc "enter data copyin(p)"
  expect.attached("p", 1)
end)

case("accepts: a clause attaches a pointer to rows by a part of one row [ACC33-att-5]", function()
  declare "int rr[4][3]; struct matrix { int k; int (*rows)[3]; } m;"
  host.m.rows = addr "rr[0]"
  acc "enter data copyin(m, m.rows[0][0:3])"
  expect.attached("m.rows", 1)
  acc "exit data delete(m.rows[0][0:3])"
  expect.detached "m.rows"
end)

case("rejects: attach names no pointer, or a section of one [ACC33-att-5]", function()
  expect.invalid("acc enter data attach(v)", "not-a-pointer")
  expect.invalid("acc enter data attach(S.n)", "not-a-pointer")
  expect.invalid("acc enter data attach(p[0:2])", "not-a-pointer")
  expect.invalid("acc exit data detach(S)", "not-a-pointer")
end)

case("rejects: an attach whose pointer is absent names this pointer, not the one that points to it [ACC33-att-2]",
  function()
    rules "tr14"
    declare "float *table[2]; float **q = table; int i = 1;"
    expect.fails("not-present", function() acc "enter data attach(q[i])" end, { message = "pointer q[1] itself" })
    expect.fails("not-present", function() acc "enter data attach(*q)" end, { message = "pointer (*q) itself" })
  end)

case("accepts: a clause on a member after its structure attaches the member [ACC33-att-6]", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  expect.device("S.a[1]", 2)
end)

case("differs: a clause on a structure after its member does not attach the member [ACC33-att-6]", function()
  expect.moves(function() acc "enter data copyin(S.a[0:2])" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
  expect.absent "S"
  acc "enter data copyin(S)"
  expect.present "S"
  expect.detached "S.a"
end)

case("accepts: copyout and delete first detach the pointers in the object [ACC33-att-7]", function()
  local before = host "S.a"
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  expect.attached("S.a", 1)
  acc "exit data copyout(S)"
  expect.equal(host "S.a", before)
  expect.detached "S.a"
  expect.present "S.a[0:2]"
end)

case("rejects: an attached pointer must be detached before the exit in a strict profile [ACC33-att-7 TR14-4.3-12]",
  function()
    rules "tr14"
    declare "struct t { int n; float *a; }; struct t T;"
    host.T = { n = 1, a = { 1 } }
    acc "enter data copyin(T)"
    acc "enter data copyin(T.a[0:1])"
    acc "exit data delete(T)" -- T.a held a reference of its own
    expect.fails("still-attached", function() acc "exit data delete(T)" end)
  end)

case("accepts: detach decrements the counter and at zero restores the host's value [ACC33-det-1]", function()
  expect.moves(function() acc "enter data copyin(v, w) copyin(p)" end, { h2d = { count = 3, bytes = 40 }, d2h = 0 })
  acc "enter data attach(p)"
  expect.attached("p", 2)
  acc "exit data detach(p) finalize"
  expect.detached "p"
  acc "exit data detach(p)" -- has no effect any more
  acc "enter data attach(p)"
  host.p = addr "w[0]"
  expect.accepts "exit data detach(p)"
  expect.accepts "exit data copyout(p)"
  expect.equal(host "p", addr "w[0]")
end)

case("rejects: a detach at counter zero is an error in a strict profile [ACC33-det-1 TR14-4.3-13]", function()
  rules "tr14"
  declare "float x[2]; float *r;"
  host.r = addr "x[0]"
  acc "enter data create(x) copyin(r)"
  acc "exit data detach(r)"
  expect.fails("not-attached", function() acc "exit data detach(r)" end)
  expect.fails("not-attached", function() acc_detach "r" end)
end)

-- S.a is attached by a region, by enter data and by attach; the steps leave some of that.
local function attached_thrice(profile, steps)
  rules(profile)
  declare "struct t { int n; float *a; }; struct t T;"
  host.T = { n = 2, a = { 1, 2 } }
  acc "enter data copyin(T)"
  acc "data copyin(T.a[0:2])" (function()
    acc "enter data copyin(T.a[0:2]) attach(T.a)"
    expect.attached("T.a", 3)
    steps()
  end)
end

for _, profile in ipairs { "openacc-3.3", "openacc-3.4" } do
  for _, clause in ipairs { "delete", "copyout" } do
    case(("accepts: %s with finalize detaches the pointer of its section once under %s [ACC33-det-2]")
      :format(clause, profile), function()
        attached_thrice(profile, function()
          acc(("exit data %s(T.a[0:2]) finalize"):format(clause))
          expect.count("T.a[0:2]", { structured = 1, dynamic = 0 })
          expect.attached("T.a", 2)
          acc(("exit data %s(T.a[0:2]) finalize"):format(clause)) -- the dynamic counter is 0: no effect
          expect.attached("T.a", 2)
        end)
        expect.detached "T.a" -- its target is unmapped
      end)
  end

  for _, way in ipairs { "directive", "routine" } do
    case(("accepts: the %s detach with finalize sets the attach counter to zero under %s [ACC33-det-2]")
      :format(way, profile), function()
        attached_thrice(profile, function()
          if way == "directive" then acc "exit data detach(T.a) finalize" else acc_detach_finalize "T.a" end
          expect.detached "T.a"
          expect.count("T.a[0:2]", { structured = 1, dynamic = 1 })
        end)
      end)
  end

  case(("accepts: the finalize routines of a section change no attach counter under %s [ACC33-det-2 ACC33-3.2.18-1]")
    :format(profile), function()
      attached_thrice(profile, function()
        acc_delete_finalize "T.a[0:2]"
        expect.count("T.a[0:2]", { structured = 1, dynamic = 0 })
        expect.attached("T.a", 3)
      end)
    end)

  case(("accepts: the end of a region detaches a pointer that was attached in the region under %s [ACC33-det-3]")
    :format(profile), function()
      rules(profile)
      for _, clause in ipairs { "copy", "copyin", "copyout", "create", "no_create", "present" } do
        local there = clause == "no_create" or clause == "present"
        if there then acc "enter data copyin(S.a[0:2])" end
        acc(("data %s(S.a[0:2])"):format(clause)) (function()
          acc "enter data copyin(S)"
          acc "enter data copyin(S.a[0:2])"
          expect.attached("S.a", 1)
        end)
        expect.present "S.a[0:2]"
        expect.detached "S.a"
        expect.device("S.a", host "S.a")
        acc "exit data delete(S, S.a[0:2]) finalize"
        expect.absent "S.a[0:2]"
      end
    end)

  case(("accepts: the end of a region detaches what its attach clause names under %s [ACC33-det-3]"):format(profile),
    function()
      rules(profile)
      acc "data attach(p)" (function()
        acc "enter data copyin(v)"
        acc "enter data copyin(p)"
        acc "enter data attach(p)"
        expect.attached("p", 2)
      end)
      expect.attached("p", 1)
    end)
end

case("differs: a no_create clause without data does not detach at the end of its region [ACC33-det-3]", function()
  acc "data no_create(S.a[0:2])" (function() -- unnoticed: nothing is present
    acc "enter data copyin(S)"
    acc "enter data copyin(S.a[0:2])"
  end)
  expect.attached("S.a", 1)
end)

for _, profile in ipairs { "tr14", "libgomp-12" } do
  case(("differs: with finalize, delete of a section sets the attach counter to zero under %s [ACC33-det-2]")
    :format(profile), function()
      rules(profile)
      declare "struct t { int n; float *a; }; struct t T;"
      host.T = { n = 2, a = { 1, 2 } }
      acc "data copyin(T)" (function()
        acc "enter data copyin(T.a[0:2])"
        acc "enter data attach(T.a)"
        expect.attached("T.a", 2)
        acc "exit data delete(T.a[0:2]) finalize"
        expect.present "T"
        expect.detached "T.a"
      end)
    end)

  case(("differs: the end of a region keeps an attach from inside the region under %s [ACC33-det-3]")
    :format(profile), function()
      rules(profile)
      declare "float x[2]; float *r;"
      host.r = addr "x[0]"
      local counter = profile == "tr14" and 2 or 1 -- there copyin(r) attaches, too
      acc "data copyin(r[0:2])" (function()
        acc "enter data copyin(r)"
        acc "enter data attach(r)"
        expect.attached("r", counter)
        acc "enter data copyin(x)"
      end)
      expect.attached("r", counter)
    end)
end

for _, clause in ipairs { "copyin", "create", "attach" } do
  case(("accepts: %s of a null pointer makes the device's pointer null, whatever its target was"
    .. " [ACC33-att-4 ACC33-gloss-2]")
    :format(clause), function()
      host.S = { n = 2, a = { 1, 2 } }
      acc "enter data copyin(S)"
      acc "enter data copyin(S.a[0:S.n])"
      acc "enter data attach(S.a)"
      expect.attached("S.a", 2)
      host.S.a = NULL
      acc(("enter data %s(%s)"):format(clause, clause == "attach" and "S.a" or "S.a[0:S.n]"))
      expect.detached "S.a"
      expect.device("S.a", NULL)
    end)
end

case("accepts: an exit clause on a null pointer detaches the pointer [ACC33-gloss-2]", function()
  host.S = { n = 2, a = { 1, 2 } }
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:S.n])"
  host.S.a = NULL
  acc "exit data delete(S.a[0:S.n])"
  expect.detached "S.a"
  expect.device("S.a", NULL)
end)

case("accepts: a deep copy through a null pointer to structures maps nothing [ACC33-gloss-2]", function()
  declare [[
    struct inner { int k; float *v;
      #pragma acc shape include(v[0:k])
    };
    struct outer { struct inner *in; };
    struct outer O;
  ]]
  acc "enter data copyin(O)"
  acc "enter data copyin(O.in[0:3])"
  expect.device("O.in", NULL)
  acc "exit data delete(O.in[0:3])"
end)

case("rejects: a null pointer is an error where null pointers are not present [ACC33-gloss-2 ACC33-2.7-2]", function()
  rules "openacc-2.0"
  declare "struct t { int n; float *a; }; struct t T;"
  host.T = { n = 2, a = { 1, 2 } }
  acc "enter data copyin(T)"
  acc "enter data copyin(T.a[0:T.n])"
  host.T.a = NULL
  expect.fails("null-pointer", function() acc "enter data pcopyin(T.a[0:T.n])" end)
  expect.attached("T.a", 1)
end)
