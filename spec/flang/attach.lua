-- The steps of an attach. tests/core/descriptors.c shows the rest in C: the document's runtime routine, descriptors
-- with an addendum, and which steps are atomic.
scenario { title = "FLANG: the steps of an attach", language = "fortran", rules = "openacc-3.3", devices = 2 }

fortran [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, target :: t1(2,3), t2(2,3)
  t1 = reshape((/1, 2, 3, 4, 5, 6/), (/2, 3/))
  t2 = 10 * t1
  d%p => t1
]]

local function on_device(what)
  fortran("!$acc serial present(d)\n print *, " .. what .. "\n!$acc end serial")
  return output()[1]
end

case("accepts: attach finds descriptor and data, and writes address and shape"
  .. " [FLANG-composite-1 ACC33-att-9]", function()
  acc "enter data copyin(d)"
  acc "enter data copyin(t1)"
  fortran "d%p(0:,5:) => t1(:,2:)"
  local before, bounds = device_words "d", on_device "lbound(d%p), shape(d%p)"
  expect.events(function() acc "enter data attach(d%p)" end, { "attach d%p" })
  local after = device_words "d"
  expect(after[1] ~= before[1])
  expect.equal(bounds, "1 1 2 3")
  expect.equal(on_device "lbound(d%p), shape(d%p)", "0 5 2 2")
  expect.equal(on_device "d%p(1,6)", "6.0")
end)

case("differs: new bounds do not reach the device without an attach [ACC33-att-9]", function()
  acc "enter data copyin(d, d%p)"
  fortran "d%p(0:,5:) => d%p"
  expect.accepts "update device(d)"
  expect.equal(on_device "lbound(d%p)", "1 1")
end)

case("differs: attach compares with the host's descriptor of the last attach, not with the device's"
  .. " [FLANG-composite-1]",
  function()
    acc "enter data copyin(d, d%p)"
    local before = device_words "d"
    expect(before[1] ~= 0)
    fortran "d%p => t2"
    fortran "d%p => t1" -- the same descriptor as at the attach; the device's differs only in its address
    acc "enter data attach(d%p)"
    expect.attached("d%p", 2)
    expect.equal(device_words "d", before)
  end)

for _, clause in ipairs { "copyin", "create", "copy", "copyout" } do
  case(("accepts: %s(d%%p) maps its data before it attaches [FLANG-order-1]"):format(clause), function()
    acc "enter data copyin(d)"
    local steps = {}
    for _, event in ipairs(events(function()
      local region = acc("data " .. clause .. "(d%p)")
      expect.attached("d%p", 1)
      expect.accepts("serial present(d)", "d%p = 7")
      region:close()
    end)) do
      if event.op ~= "incref" and event.op ~= "decref" then steps[#steps + 1] = tostring(event) end
    end
    local wanted = { "alloc d%p", "attach d%p", "detach d%p", "free d%p" }
    if clause == "copyin" or clause == "copy" then table.insert(wanted, 2, "h2d d%p") end
    if clause == "copyout" or clause == "copy" then table.insert(wanted, #wanted, "d2h d%p") end
    expect.equal(steps, wanted)
  end)
end

case("accepts: clauses with data precede attach clauses, whatever their order [FLANG-order-1]", function()
  acc "enter data copyin(d)"
  acc "enter data attach(d%p) copyin(t1)"
  expect.attached("d%p", 1)
end)

case("accepts: one directive maps the object before its component [FLANG-order-1]", function()
  acc "enter data copyin(d%p, d)"
  expect.attached("d%p", 1)
end)

case("rejects: a data action fails, so nothing is attached [FLANG-order-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d)"
  expect.present "d"
  expect.fails("not-present", function() acc "data present(d%p)" end)
  expect.detached "d%p"
end)

case("differs: no_create without data does not attach [FLANG-order-1]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  expect.accepts("data no_create(d%p)", function() expect.detached "d%p" end)
end)

case("accepts: the section says which bytes are copied, but the whole descriptor is written"
  .. " [FLANG-recipe-1]", function()
  fortran "d%p(4:,5:) => t1"
  acc "enter data create(d)"
  local found = events(function() acc "enter data copyin(d%p(:,6:7))" end)
  expect.equal({ found[1].op, found[1].bytes }, { "alloc", 16 })
  expect.equal(on_device "lbound(d%p), shape(d%p)", "4 5 2 3")
end)

-- The document has attach(array(2:3)) in one place. OpenACC's clause takes the pointer itself.
case("rejects: attach names a section [FLANG-recipe-1 ACC33-att-5]", function()
  expect.invalid("enter data attach(d%p(:,2:3))", "not-a-pointer")
  expect.invalid("exit data detach(d%p(1,1))", "not-a-pointer")
end)

case("accepts: attach has no effect if the data are absent [FLANG-api-2]", function()
  acc "enter data copyin(d)"
  local before = device_words "d"
  expect.events(function() acc "enter data attach(d%p)" end, {})
  fortran "call acc_attach(d%p)"
  expect.detached "d%p"
  expect.equal(device_words "d", before)
end)

case("differs: attach takes effect if the data are present [FLANG-api-2 FLANG-api-3]", function()
  acc "enter data copyin(d)"
  acc "enter data copyin(t1)"
  fortran "call acc_attach(d%p)"
  expect.attached("d%p", 1)
end)

case("accepts: attach has no effect if the descriptor is absent [FLANG-api-3]", function()
  expect.moves(function() acc "enter data copyin(t1)" end, { h2d = 1, d2h = 0 })
  expect.events(function() acc "enter data attach(d%p)" end, {})
  fortran "call acc_attach(d%p)"
  expect.detached "d%p"
end)

case("accepts: attach of an unchanged pointer changes only the counter [FLANG-api-4]", function()
  acc "enter data copyin(d, d%p)"
  local before = device_words "d"
  expect.moves(function() acc "enter data attach(d%p)" end, { h2d = { transfers = 0 } })
  expect.attached("d%p", 2)
  expect.equal(device_words "d", before)
end)

case("differs: an attach after the last detach writes the descriptor again [FLANG-api-4]", function()
  acc "enter data copyin(d, d%p)"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  acc "exit data detach(d%p) finalize"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 1)
  expect.equal(on_device "d%p(1,2)", "3.0")
end)

case("accepts: attach to another target writes the whole descriptor and sets the counter to one"
  .. " [FLANG-api-5]", function()
  acc "enter data copyin(d, t1, t2)"
  acc "enter data attach(d%p)"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  fortran "d%p(7:,8:) => t2(:,3:)"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 1)
  expect.equal(on_device "lbound(d%p), ubound(d%p), d%p(8,8)", "7 8 8 8 60.0")
end)

case("differs: attach does not write bytes outside the descriptor [FLANG-api-5]", function()
  fortran [[
    type wide
      integer :: before
      real, pointer :: p(:)
      integer :: behind
    end type wide
    type(wide) :: s
    s%p => t1(:,1)
    s%before = 1
    s%behind = 2
    !$acc enter data copyin(s, t1)
    s%before = 10
    s%behind = 20
    !$acc enter data attach(s%p)
  ]]
  expect.device("s%before", 1)
  expect.device("s%behind", 2)
  expect.device("s%p", { 1, 2 })
end)

case("accepts: indices keep their meaning with a section [FLANG-api-6]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(d%p(:,2))"
  expect.equal(on_device "lbound(d%p), ubound(d%p), d%p(1,2), d%p(2,2)", "1 1 2 3 3.0 4.0")
end)

case("accepts: indices keep their meaning with a section and the pointer's own bounds [FLANG-api-6]", function()
  fortran "d%p(-1:,10:) => t1"
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(d%p(-1:0,11:12))"
  expect.equal(on_device "d%p(-1,11), d%p(0,12)", "3.0 6.0")
end)

case("differs: elements outside the section are absent [FLANG-api-6]", function()
  acc "enter data copyin(d)"
  acc "enter data copyin(d%p(:,2))"
  expect.fails("out-of-bounds", function() on_device "d%p(1,1)" end)
  expect.fails("out-of-bounds", function() on_device "d%p(1,3)" end)
  expect.absent "t1(:,1)"
end)

case("accepts: each device has its own attach counter [FLANG-todo-1]", function()
  acc "enter data copyin(d, d%p)"
  acc "enter data attach(d%p)"
  acc "set device_num(1)"
  expect.detached "d%p"
  acc "enter data copyin(d, d%p)"
  expect.attached("d%p", 1)
  acc "exit data detach(d%p)"
  expect.detached "d%p"
  acc "set device_num(0)"
  expect.attached("d%p", 2)
end)

case("accepts: detach decrements the counter and restores the descriptor at zero [FLANG-todo-1]", function()
  acc "enter data copyin(d, d%p)"
  acc "enter data attach(d%p)"
  local before = device_words "d"
  acc "exit data detach(d%p)"
  expect.equal(device_words "d", before)
  fortran "d%p(10:,10:) => d%p"
  acc "exit data detach(d%p)"
  expect.equal(on_device "lbound(d%p)", "10 10")
end)

case("differs: detach of a pointer that is not attached does nothing [FLANG-todo-1]", function()
  acc "enter data copyin(d)"
  local before = device_words "d"
  fortran "d%p(10:,10:) => d%p"
  expect.events(function() acc "exit data detach(d%p)" end, {})
  fortran "call acc_detach(d%p)"
  expect.equal(device_words "d", before)
end)
