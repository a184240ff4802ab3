-- Many small objects: aggregated in a large one, and their entries in the tables.
scenario { title = "TR14 4.3: aggregation and tables", rules = "tr14" }

declare [[
  struct deep { int n; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
  };
  struct deep X;
  struct row { int n; float *p;
      #pragma acc shape include(p[0:n])
  };
  struct row rows[50];
  float arena[100];
  float v[4] = { 1, 2, 3, 4 };
]]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 } }
for k = 0, 49 do host.rows[k] = { n = 2, p = { k, k } } end

case("accepts: small objects in one large object move together [TR14-4.3-20]", function()
  local function counts(text)
    local found = { alloc = 0, h2d = 0, attach = 0 }
    for _, e in ipairs(events(function() acc(text)(function() end) end)) do
      if found[e.op] then found[e.op] = found[e.op] + 1 end
    end
    return found
  end
  for k = 0, 49 do host.rows[k].p = addr(("arena[%d]"):format(2 * k)) end
  expect.equal(counts "data copyin(rows, arena)", { alloc = 2, h2d = 2, attach = 50 })
  expect.equal(counts "data copyin(rows)", { alloc = 51, h2d = 51, attach = 50 })
  host.arena[98] = 9
  acc "data copyin(rows, arena)" (function()
    expect.device("rows[49].p[0]", 9)
    expect.equal(#state().present, 2)
  end)
end)

case("rejects: the large object does not contain all small objects [TR14-4.3-20 TR14-4.2-05]", function()
  for k = 0, 49 do host.rows[k].p = addr(("arena[%d]"):format(2 * k)) end
  acc "data copyin(rows, arena[0:98])" (function() expect.equal(#state().present, 3) end)
  expect.fails("partial-overlap", function() acc "data copyin(rows, arena[0:99])" end)
  expect.equal(#state().present, 0)
end)

case("accepts: clauses on one object share its entry [TR14-4.3-21]", function()
  acc("data copyin(X)" .. (" copyin(v[1:2])"):rep(200) .. " create(v)")(function()
    expect.equal(#state().present, 4)
    expect.count("v", { structured = 201 })
    expect.equal(#state().attached, 2)
  end)
end)

case("differs: separate objects have separate entries [TR14-4.3-21]", function()
  acc "data copyin(rows)" (function()
    expect.equal(#state().present, 51)
    expect.equal(#state().attached, 50)
  end)
end)
