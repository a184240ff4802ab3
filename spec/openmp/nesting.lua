-- Which constructs may contain which, in bodies in C.
scenario { title = "OpenMP: constructs in constructs", rules = "openmp-5.1" }

declare "int a[10], s, t;"

local function refused(text, rule, construct)
  local err = expect.fails("region-nesting", function() omp(construct or "target map(a, s)")(text) end)
  expect.equal(err.rule, rule or "OMP60-nest-1")
  expect.host("s", 0)
end

local FOR = "\n for (int i = 0; i < 2; i++) "

case("accepts: constructs are nested as the rules allow [OMP60-nest-1]", function()
  omp "target map(s, t)" ("#pragma omp parallel\n { #pragma omp for" .. FOR .. [[ {
    #pragma omp parallel
    {
      #pragma omp for
      for (int j = 0; j < 2; j++) {
        #pragma omp atomic
        s++;
      }
      #pragma omp barrier
    }
    #pragma omp critical(one)
    {
      #pragma omp critical(two)
      t++;
    }
    #pragma omp simd
    for (int j = 0; j < 2; j++) {
      #pragma omp atomic
      s++;
    }
  } }]])
  expect.host("s", 8)
  expect.host("t", 2)
end)

case("rejects: worksharing and barrier regions are closely nested in each other [OMP60-nest-1]", function()
  for _, outer in ipairs { "for" .. FOR, "single\n", "task\n", "critical\n", "masked\n", "taskloop" .. FOR,
    "master\n", "scope\n" } do
    refused("#pragma omp " .. outer .. "{\n#pragma omp for" .. FOR .. "s++; }")
    refused("#pragma omp " .. outer .. "{\n#pragma omp single\n s++; }")
    refused("#pragma omp " .. outer .. "{\n#pragma omp sections\n { s++; } }")
    refused("#pragma omp " .. outer .. "{\n#pragma omp barrier\n }")
  end
  refused("#pragma omp sections\n {\n#pragma omp section\n {\n#pragma omp barrier\n } }")
  refused("#pragma omp parallel for" .. FOR .. "{\n#pragma omp masked\n s++; }")
  refused("{\n#pragma omp for" .. FOR .. "s++; }", nil, "parallel for")
end)

case("rejects: teams, distribute, sections, ordered and critical are nested wrongly [OMP60-nest-1]", function()
  refused("#pragma omp distribute" .. FOR .. "s++;")
  refused("#pragma omp parallel\n {\n#pragma omp teams\n s++; }")
  refused("s = 1;\n#pragma omp teams\n t = 1;")
  refused("#pragma omp teams\n {\n#pragma omp single\n s++; }")
  refused("#pragma omp teams\n {\n#pragma omp barrier\n }")
  refused("#pragma omp section\n s++;")
  refused("#pragma omp for" .. FOR .. "{\n#pragma omp ordered\n s++; }")
  refused("#pragma omp critical(x)\n {\n#pragma omp critical(x)\n s++; }")
  refused("#pragma omp critical\n {\n#pragma omp parallel\n {\n#pragma omp critical\n s++; } }")
  refused("#pragma omp simd" .. FOR .. "{\n#pragma omp critical\n s++; }")
  refused("#pragma omp loop" .. FOR .. "{\n#pragma omp task\n s++; }")
end)

case("rejects: a statement leaves a structured block [OMP60-nest-1]", function()
  refused "#pragma omp parallel\n { s++; return; }"
  refused("for (int i = 0; i < 2; i++) {\n#pragma omp critical\n { s++; break; } }")
  refused("while (s < 2) {\n#pragma omp single\n { s++; continue; } }")
  omp "target map(a)" "#pragma omp parallel\n { for (int i = 0; i < 9; i++) { if (i == 3) break; a[i] = 1; } }"
  expect.host("a[0:4]", { 1, 1, 1, 0 })
end)

case("accepts: a target region contains constructs of threads, and is itself in host constructs [OMP60-nest-2]",
  function()
    omp "target map(a)" ([[
      #pragma omp teams distribute
      for (int k = 0; k < 2; k++) {
        #pragma omp parallel
        {
          #pragma omp for
          for (int i = 0; i < 4; i++) {
            #pragma omp atomic
            a[i] += 1;
          }
          #pragma omp single
          {
            #pragma omp atomic
            a[4] += 1;
          }
        }
      }
    ]])
    expect.host("a[0:5]", { 2, 2, 2, 2, 2 })
    omp "parallel" [[
      #pragma omp target data map(a)
      {
        #pragma omp target
        a[5] = 6;
        #pragma omp target update from(a)
      }
    ]]
    expect.host("a[5]", 6)
  end)

case("accepts: directives that accdeep does not support are reported as such [HOUSE-version]", function()
  local err = expect.fails("unsupported", function()
    omp "target map(a)" "a[0] = 1;\n#pragma omp target device(ancestor: 1) map(a)\n a[0] = 2;"
  end)
  expect.equal(err.rule, "HOUSE-version")
  for _, name in ipairs { "tile sizes(2)", "unroll", "scan inclusive(s)", "cancel for", "metadirective", "error",
    "interop", "depobj(s) destroy", "assume" } do
    expect.fails("unsupported", function() omp "target map(a)" ("#pragma omp " .. name .. "\n a[0] = 1;") end)
    expect.fails("unsupported", function() omp(name) end)
  end
  expect.host("a[0]", 0)
end)

case("rejects: a target region contains target or data constructs, or directives of OpenACC"
  .. " [OMP60-nest-2]", function()
  refused("#pragma omp target\n s++;", "OMP60-nest-2")
  refused("#pragma omp target map(s)\n s++;", "OMP60-nest-2")
  refused("#pragma omp target parallel for" .. FOR .. "s++;", "OMP60-nest-2")
  refused("#pragma omp target data map(a)\n s++;", "OMP60-nest-2")
  refused("#pragma omp target update from(a)\n s++;", "OMP60-nest-2")
  refused("#pragma omp target enter data map(to: a)\n s++;", "OMP60-nest-2")
  refused("#pragma omp target exit data map(from: a)\n s++;", "OMP60-nest-2")
  refused("#pragma acc parallel\n s++;", "OMP60-nest-2")
  refused("#pragma acc loop" .. FOR .. "s++;", "OMP60-nest-2")
  refused("{\n#pragma omp target\n {\n#pragma omp target update from(a)\n } }", "OMP60-nest-2", "parallel")
end)
