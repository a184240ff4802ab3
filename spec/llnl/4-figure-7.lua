-- Figure 7: a group for a long list of variables, and a group for all parallel constructs of a function.
scenario { title = "LLNL Figure 7: groups in a file and in a function", rules = "indirect" }

declare "int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, use_threads = 1, other;"
omp "declare group name(privs) firstprivate(a, b, c, d, e, f)"

-- The function of the figure; body is its body.
local function foo(body)
  block(function()
    omp "declare group bind_all(parallel) name(par) default(none) if(use_threads)"
    body()
  end)
end

case("accepts: a construct names the group of the file, and the group of the function applies to all"
  .. " [LLNL-4-13]", function()
  foo(function()
    expect.accepts("parallel bind_group(privs)", "a = b + c + d; e = f;")
    expect.host("a", 1)
    expect.host("e", 5)
    expect.accepts("parallel", "int own = 1; own++;") -- uses no variable of the host
    expect.accepts("parallel bind_group(privs)", function(d) d.a = d.b end)
    expect.host("a", 1)
    omp "parallel bind_group(exclude: par)" "a = b + c;"
    expect.host("a", 5)
  end)
end)

case("rejects: a construct violates default(none) of a group that is not excluded"
  .. " [LLNL-4-13 HOUSE-threads]", function()
  foo(function()
    local problem = expect.fails("default-none", function() omp "parallel" "a = 2;" end)
    expect(problem.notes[1]:find "default%(none%) is at .*:10:", "the note tells where the group says so")
    expect.fails("default-none", function() omp "parallel bind_group(privs)" "other = a;" end)
    omp "parallel bind_group(exclude: par)" "other = a;"
    expect.host("other", 1)
  end)
end)

case("accepts: a group applies to constructs after it, in its scope and in inner scopes [LLNL-4-03]", function()
  omp "parallel" "other = 1;"
  foo(function()
    expect.fails("default-none", function() omp "parallel" "other = 2;" end)
    block(function() expect.fails("default-none", function() omp "parallel" "other = 2;" end) end)
    expect.accepts("target data map(a)", function()
      expect.fails("default-none", function() omp "parallel" "other = 2;" end)
    end)
    expect.accepts("parallel shared(other)", function()
      expect.fails("default-none", function() omp "parallel" "other = 2;" end)
    end)
  end)
  expect.host("other", 1)
end)

case("rejects: a group does not apply to constructs before it, outside its scope, or of another name"
  .. " [LLNL-4-03 HOUSE-threads]", function()
  omp "parallel" "other = 1;"
  foo(function()
    omp "parallel for" "for (int i = 0; i < 2; i++) other = other + 1;"
    omp "single" "other = other + 1;"
    expect.fails("default-none", function() omp "parallel" "other = 9;" end)
  end)
  omp "parallel" "other = other + 1;"
  expect.host("other", 5)
  -- a region and a construct of the host are scopes, too
  for _, around in ipairs { "target data map(a)", "task" } do
    omp(around) (function()
      omp "declare group bind_all(parallel) default(none)"
      expect.fails("default-none", function() omp "parallel" "other = 1;" end)
    end)
    expect.accepts("parallel", "other = 6;")
  end
  -- a region that the program closes ends its groups
  local region = omp "target data map(a)"
  omp "declare group bind_all(parallel) default(none)"
  expect.fails("default-none", function() omp "parallel" "other = 9;" end)
  region:close()
  omp "parallel" "other = 7;"
  expect.host("other", 7)
end)

case("accepts: exclude keeps a group from a construct, however it is bound [LLNL-4-08]",
  function()
    omp "declare group name(copies) bind_all(parallel) bind_type(int) firstprivate(other)"
    expect.accepts("parallel", "other = 1;")
    expect.host("other", 0)
    omp "parallel bind_group(exclude: copies)" "other = 2;"
    expect.host("other", 2)
    omp "parallel bind_types(int) bind_group(exclude: copies)" "other = 3;"
    expect.host("other", 3)
    omp "parallel bind_group(copies) bind_group(exclude: copies)" "other = 4;"
    expect.host("other", 4)
  end)

case("rejects: exclude names an unknown group, is in a group, or leaves another group bound [LLNL-4-08]", function()
  expect.fails("unknown-group", function() omp "parallel bind_group(exclude: nobody)" end)
  expect.fails("clause-not-allowed", function() omp "declare group name(g) bind_group(exclude: privs)" end)
  foo(function()
    omp "declare group name(third) firstprivate(other)"
    expect.fails("default-none", function() omp "parallel bind_group(exclude: third)" "other = 1;" end)
  end)
end)
