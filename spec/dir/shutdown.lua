-- shutdown ends all data of a device.
scenario { title = "DIR: shutdown", rules = "directory" }

declare "float a[2000], b[20]; float *c;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c = addr "a[25]"

case("accepts: shutdown forgets the data of enter data [DIR-6-01]", function()
  expect.moves(function()
    acc "enter data copyin(a[0:20], a[50:20], c[0:5], b)"
  end, { h2d = { count = 4, bytes = 260 }, d2h = 0 })
  acc "enter data copyin(b[0:5]) pcreate(a[0:2])"
  expect.count("b", { dynamic = 2 })
  acc "shutdown"
  expect.equal(#state().present, 0)
  expect.equal(tuples(state().dynamic), {})
  acc "enter data copyin(a[10:20])"
  expect.accepts "exit data delete(a[10:20])"
end)

case("accepts: shutdown unmaps data that only a dropped clause kept [DIR-6-01]", function()
  expect.accepts("data copyin(a[0:20])", function() acc "enter data pcopyin(a[0:20])" end)
  expect.present "a[0:20]"
  acc "shutdown"
  expect.absent "a[0:20]"
end)

case("rejects: shutdown happens while a level is open [DIR-6-01]", function()
  acc "enter data copyin(b)"
  expect.present "b"
  acc "data copyin(a[0:20])" (function()
    expect.fails("region-nesting", function() acc "shutdown" end)
  end)
  acc "shutdown"
  expect.fails("not-present", function() acc "exit data delete(b)" end)
end)
