-- Data directives: the clauses that they need, if, finalize, if_present, nesting of regions.
scenario { title = "OpenACC 2.6: data environments", rules = "tr14", devices = 2 }

declare [[
  float v[10];
  float *p;
  int yes = 1, no = 0;
]]
for k = 0, 9 do host.v[k] = k end

case("accepts: directives have a data clause, or data has a default clause [ACC33-2.6-1]", function()
  expect.accepts "data default(none)"
  expect.accepts "data default(present)"
  acc "enter data copyin(v)"
  expect.accepts "exit data delete(v)"
  acc [[#pragma acc data copyin(v) \
          if(yes)]] (function() expect.present "v" end)
  acc "acc data copyin(v), if(yes)" (function() expect.present "v" end)
end)

case("rejects: directives have no data clause, or a clause twice [ACC33-2.6-1]", function()
  for _, text in ipairs { "data", "enter data", "exit data", "update", "data if(1)",
    "enter data async" } do
    expect.malformed("acc " .. text)
  end
  expect.invalid("acc data copyin(v) if(1) if(1)", "duplicate-clause")
  expect.invalid("acc exit data delete(v) finalize finalize", "duplicate-clause")
  expect.invalid("acc update self(v) if_present if_present", "duplicate-clause")
end)

case("accepts: the condition of if decides whether the directive does anything [ACC33-2.6-1]", function()
  acc "data copyin(v) if(yes)" (function() expect.present "v" end)
  expect.accepts("data copyin(v) if(no)", function() expect.absent "v" end)
  expect.events(function() acc "enter data copyin(v) if(no)" end, {})
  acc "enter data copyin(v) if(yes && !no)"
  expect.events(function() acc "exit data delete(v) if(0)" end, {})
  expect.events(function() acc "update self(v) if(no)" end, {})
  expect.present "v"
  acc "parallel present(v) if(no)" "v[0] = 77;" -- runs on the host
  expect.host("v[0]", 77)
  expect.device("v[0]", 0)
end)

case("rejects: if has no condition, or a condition with an unknown name [ACC33-2.6-1]", function()
  expect.malformed "acc data copyin(v) if"
  expect.malformed "acc data copyin(v) if()"
  expect.fails("unknown-name", function() acc "data copyin(v) if(unheard)" end)
  expect.fails("not-present", function() acc "exit data delete(v) if(yes)" end)
end)

case("accepts: finalize ends all dynamic references [ACC33-2.6.7-3]", function()
  acc "enter data copyin(v)"
  acc "enter data create(v[2:3])"
  expect.count("v", { structured = 0, dynamic = 2 })
  acc "exit data delete(v) finalize"
  expect.absent "v"
end)

case("accepts: absent data are no error with if_present [ACC33-2.6-1]", function()
  expect.events(function() acc "update self(v) if_present" end, {})
  acc "enter data copyin(v)"
  expect.events(function() acc "update device(v) if_present" end, { "h2d v" })
end)

case("rejects: finalize and if_present are on directives that do not allow them [ACC33-2.6-1 ACC33-2.7-8]",
  function()
    expect.invalid("acc enter data copyin(v) finalize", "clause-not-allowed")
    expect.invalid("acc data copyin(v) finalize", "clause-not-allowed")
    expect.invalid("acc exit data delete(v) if_present", "clause-not-allowed")
    expect.invalid("acc data copyin(v) if_present", "clause-not-allowed")
  end)

case("accepts: directives have clauses that they allow [ACC33-2.7-8]", function()
  acc "data copy(v) async wait" (function() expect.present "v" end)
  acc "enter data copyin(v) attach(p) if(no)"
  expect.absent "v"
  acc "enter data copyin(v) if(yes)"
  expect.count("v", { dynamic = 1 })
  acc "exit data delete(v)"
  acc "parallel loop copy(v) gang vector num_gangs(4)" "for (int i = 0; i < 10; i++) v[i] = i + 1;"
  expect.host("v[9]", 10)
  acc "serial copy(v)" "v[0] = 42;"
  expect.host("v[0]", 42)
  acc "kernels loop independent copy(v)" "for (int i = 0; i < 10; i++) v[i] = 2 * i;"
  expect.host("v[9]", 18)
end)

case("rejects: directives have clauses that they do not allow, or unknown clauses [ACC33-2.7-8]", function()
  for text, code in pairs {
    ["enter data copy(v)"] = "clause-not-allowed", ["enter data copyout(v)"] = "clause-not-allowed",
    ["enter data present(v)"] = "clause-not-allowed",
    ["enter data delete(v)"] = "clause-not-allowed",
    ["exit data copyin(v)"] = "clause-not-allowed", ["exit data create(v)"] = "clause-not-allowed",
    ["data delete(v)"] = "clause-not-allowed", ["data detach(p)"] = "clause-not-allowed",
    ["data self(v)"] = "clause-not-allowed", ["update copyin(v)"] = "clause-not-allowed",
    ["data num_gangs(3)"] = "clause-not-allowed",
    ["update self(v) finalize"] = "clause-not-allowed",
    ["data copin(v)"] = "unknown-clause", ["update selfie(v)"] = "unknown-clause",
    ["data map(v)"] = "unknown-clause", ["set copyin(v)"] = "clause-not-allowed",
    ["data include(v)"] = "clause-not-allowed", ["wait self(v)"] = "clause-not-allowed",
  } do
    expect.invalid("acc " .. text, code)
  end
end)

case("rejects: a text is not a directive [ACC33-2.7-8 HOUSE-syntax]", function()
  for _, text in ipairs { "acc", "acc dat copyin(v)", "acc data copyin v", "acc data copyin(v",
    "acc data copyin(v))", "acc data copyin(,v)", "acc data copyin(v;)", "acc data copyin(v) \"",
    "acc data copyin(v[0:)", "acc data copyin(v[0:2)", "acc data copyin(v[:::])", "#pragma acc",
    "#pragma omp tarjet", "acc enter copyin(v)", "acc exit", "acc end", "acc data()", "acc (v)" } do
    expect.malformed(text)
  end
end)

case("accepts: an object is present while one of its counters is above zero [ACC33-2.6.7-1]", function()
  acc "data copyin(v)" (function()
    acc "enter data copyin(v)"
    expect.count("v", { structured = 1, dynamic = 1 })
  end)
  expect.count("v", { structured = 0, dynamic = 1 })
  expect.present "v"
end)

case("rejects: present names an object whose counters are both zero [ACC33-2.6.7-1 TR14-4.2-09]", function()
  acc "enter data copyin(v)"
  acc "exit data delete(v)"
  expect.count("v", { structured = 0, dynamic = 0 })
  expect.absent "v"
  expect.fails("not-present", function() acc "data present(v)" end)
end)

case("accepts: a region increments the structured counter by explicit and implicit clauses"
  .. " [ACC33-2.6.7-2]", function()
  acc "data copyin(v)" (function()
    acc "data create(v[0:5])" (function()
      expect.count("v", { structured = 2 })
      acc("parallel present(v[1:1])") (function(d)
        expect.count("v", { structured = 3 })
        d.v[1] = 7
      end)
      expect.device("v[1]", 7)
    end)
    expect.count("v", { structured = 1 })
  end)
  acc("parallel", "v") (function(d)
    expect.count("v", { structured = 1 })
    d.v[1] = 8
  end)
  expect.host("v[1]", 8)
  expect.absent "v"
end)

case("differs: regions do not change the dynamic counter [ACC33-2.6.7-2 ACC33-2.6.7-3]", function()
  acc "data copyin(v)" (function()
    expect.count("v", { dynamic = 0 })
    acc "exit data delete(v)" -- has no effect: the counter is zero already
    expect.count("v", { structured = 1, dynamic = 0 })
  end)
end)

case("accepts: each clause of enter data and exit data changes the dynamic counter by one [ACC33-2.6.7-3]", function()
  acc "enter data copyin(v)"
  acc "enter data create(v)"
  acc "exit data delete(v)"
  expect.count("v", { dynamic = 1 })
  host.v[0] = 50
  acc "exit data copyout(v)"
  expect.host("v[0]", 0)
end)

case("accepts: counters change at once, also with async [ACC33-2.6.7-4]", function()
  acc "enter data copyin(v) async(3)"
  expect.count("v", { dynamic = 1 })
  acc "exit data delete(v) async(3)"
  expect.absent "v"
end)

case("differs: a lifetime does not end while a reference is left [ACC33-2.6.7-4]", function()
  acc "data copyin(v)" (function()
    acc "enter data copyin(v)"
    expect.count("v", { structured = 1, dynamic = 1 })
    acc "exit data copyout(v) finalize"
    expect.count("v", { structured = 1, dynamic = 0 })
  end)
  expect.absent "v"
end)

case("accepts: memory that acc_map_data mapped stays present until acc_unmap_data [ACC33-2.6.7-5]", function()
  local d = acc_malloc(40)
  acc_map_data(addr "v[0]", d, 40)
  acc "exit data delete(v) finalize"
  expect.present "v"
  acc_unmap_data(addr "v[0]")
  expect.absent "v"
  acc_free(d)
end)

case("differs: a counter does not fall below zero [ACC33-2.6.7-5]", function()
  acc "data copyin(v)" (function()
    acc "enter data create(v)"
    expect.count("v", { structured = 1, dynamic = 1 })
    for _ = 1, 3 do acc "exit data delete(v)" end
    expect.count("v", { structured = 1, dynamic = 0 })
  end)
end)
