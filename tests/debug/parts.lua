-- Parts of members in shapes of types from debug information. PROGRAM is made of parts.c.
scenario { title = "parts of members", cites = { "HOUSE-debug", "TR14-3.1.1-04", "TR14-3.1.1-20" } }

declare_from(os.getenv "PROGRAM", "struct vector")
declare "struct vector v;"
local DESCRIBED = "shape type(struct vector) include(holder.ends.start[0:holder.ends.finish - holder.ends.start], "
  .. "holder.ends.finish[@holder.ends.start]) exclude(holder.ends.last, other)"

local function fill()
  host.v = { id = 1, holder = { spare = 2, ends = { start = { 1, 2, 3 } } } }
  host.v.holder.ends.finish = host.v.holder.ends.start + 3
  host.v.holder.ends.last = host.v.holder.ends.start + 3
end

case("accepts: one shape of the outermost structure describes everything [HOUSE-debug]", function()
  acc(DESCRIBED)
  fill()
  acc "enter data copyin(v)"
  expect.present "v.holder.ends.start[0:3]"
  expect.attached("v.holder.ends.start", 1)
  acc "parallel present(v)" [[
    for (float *p = v.holder.ends.start; p != v.holder.ends.finish; p++) *p += v.holder.spare;
  ]]
  expect.fails("excluded-member", function() acc "parallel present(v)" [[ v.holder.ends.last[0] = 1; ]] end)
  acc "exit data copyout(v)"
  expect.host("v.holder.ends.start[0:3]", { 3, 4, 5 })
end)

case("accepts: a shape of the inner structure holds where the outer shape says nothing [HOUSE-debug]", function()
  acc "shape type(struct ends) include(start[0:2]) exclude(finish)"
  acc "shape type(struct vector) include(holder.spare) exclude(holder.ends.last, other, row)"
  fill()
  acc "enter data copyin(v)"
  expect.present "v.holder.ends.start[0:2]"
  expect.absent "v.holder.ends.start[2:1]"
  expect.fails("excluded-member", function() acc "parallel present(v)" [[ v.holder.ends.last[0] = 1; ]] end)
end)

case("rejects: a part is named of a member that has no parts [HOUSE-debug]", function()
  expect.invalid("acc shape type(struct vector) include(id.x)", "not-a-struct")
  expect.invalid("acc shape type(struct vector) include(other.x[0:1])", "not-a-struct")
  expect.invalid("acc shape type(struct vector) include(row.start[0:1])", "not-a-struct")
  expect.invalid("acc shape type(struct vector) include(holders.ends)", "unknown-member")
  expect.invalid("acc shape type(struct vector) include(holder.end)", "unknown-member")
  expect.invalid("acc shape type(struct vector) include(holder.spare[0:1])", "not-a-pointer")
  expect.malformed "acc shape type(struct vector) include(holder.)"
end)

case("rejects: a bound uses other members [HOUSE-debug]", function()
  expect.invalid("acc shape type(struct vector) include(holder.ends.start[0:id])", "unsupported")
  expect.invalid("acc shape type(struct vector) include(holder.ends.start[0:holder.spare])", "unsupported")
end)

case("rejects: a shape names a member twice [HOUSE-debug TR14-3.1.1-20]", function()
  expect.invalid("acc shape type(struct vector) include(holder.spare, holder)", "duplicate-member")
  expect.invalid("acc shape type(struct vector) include(holder, holder.spare)", "duplicate-member")
  expect.invalid("acc shape type(struct vector) include(holder.spare) exclude(holder.spare)", "duplicate-member")
end)

case("rejects: a policy names a part of a member [HOUSE-debug]", function()
  expect.malformed "acc policy(p) type(struct vector) default(copy) copyin(holder.spare)"
  expect.malformed "acc data copy(v)::{ copyin(holder.spare) }"
end)

case("rejects: a shape of a declared type names a part of a member [TR14-3.1.1-04]", function()
  declare "struct pair { int a; struct { int x; } b; };"
  expect.invalid("acc shape type(struct pair) include(b.x)", "syntax")
end)
