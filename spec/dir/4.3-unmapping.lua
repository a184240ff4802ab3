-- Data that are unmapped while they are fused, or while clauses that name a part of them are open.
scenario { title = "DIR 4.3: unmapping while ranges are fused", rules = "directory" }

declare "float a[2000], b[20];"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end

-- Data of a floor may be unmapped while a higher level has fused them. They are copied from where they are.

case("accepts: exit data of an ancestor copies out from the fused block [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copy(a[50:20])" (function()
    acc "parallel present(a[0:20])" "a[0] = -1; a[69] = -69;"
    expect.moves(function() acc "exit data copyout(a[0:20])" end,
      { h2d = 0, d2h = { count = 1, bytes = 80 } })
    expect.host("a[0:2]", { -1, 1 })
    expect.absent "a[0:50]"
    expect.device("a[69]", -69)
    acc "parallel" "a[50] = a[69];"
    expect.fails("out-of-bounds", function() acc "parallel" "a[0] = 1;" end)
  end)
  expect.host("a[50]", -69)
  expect.equal(#state().present, 0)
end)

case("accepts: deleted data are mapped again while the level is open [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copyin(a[50:20])" (function()
    for k = 1, 3 do
      acc "exit data delete(a[0:20])"
      host.a[0] = -k
      acc "enter data copyin(a[0:20])"
      acc "parallel" "a[1] = a[0] + a[50];"
      expect.device("a[1]", 50 - k)
    end
    expect.equal(tuples(state().levels[1].dynamic), { "copyin a[0:20]" })
  end)
  expect.device("a[1]", 47)
  acc "exit data delete(a[0:20])"
  expect.equal(#state().present, 0)
end)

case("differs: data that a clause of the level keeps are neither unmapped nor moved [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copyin(a[50:20]) present(a[0:20])" (function()
    acc "parallel" "a[0] = -1;"
    expect.moves(function() acc "exit data copyout(a[0:20])" end, { d2h = 0 })
    expect.present "a[0:20]"
    expect.device("a[0]", -1)
  end)
  expect.absent "a[0:20]"
  expect.host("a[0]", 0)
end)

-- The last reference unmaps data, and its clause decides whether they are copied. A clause that found the data
-- present copies nothing, even if its reference is the last.

case("accepts: exit data copies out data that an ended level mapped [DIR-4.3-05]", function()
  expect.accepts("data copyin(b)", function()
    acc "enter data copyin(b)"
    acc "parallel" "b[0] = -1;"
  end)
  expect.present "b"
  expect.moves(function() acc "exit data copyout(b)" end, { d2h = { count = 1, bytes = 80 } })
  expect.host("b[0]", -1)
end)

case("accepts: the clause that mapped the data copies out although others were dropped [DIR-4.3-05]", function()
  expect.moves(function()
    acc "data copy(b)" (function()
      acc "enter data pcopyin(b)"
      acc "parallel" "b[0] = -1;"
      expect.accepts "exit data delete(b)"
    end)
  end, { h2d = { count = 1, bytes = 80 }, d2h = { count = 1, bytes = 80 } })
  expect.host("b[0]", -1)
end)

case("differs: the clause with the last reference found the data present [DIR-4.3-05]", function()
  acc "enter data copyin(b)"
  acc "data copy(b)" (function()
    expect.accepts("parallel", "b[0] = -1;")
    acc "exit data delete(b)"
    expect.present "b"
  end)
  expect.absent "b"
  expect.host("b[0]", 0)
end)

-- finalize and exits of OpenMP remove references without the clauses that added them. Data are then unmapped while
-- clauses that name a part of them are open; these clauses end.

case("accepts: a clause ends when OpenMP unmaps a part of its data [DIR-6-01]", function()
  rules { base = "directory", partial_overlap = "present_and_copyin" }
  acc "data copyin(a[0:4])" (function()
    acc "enter data copyin(a[0:6])"
    omp "target enter data map(to: a[2:4])"
    expect.count("a[4:2]", { dynamic = 2 })
    acc "exit data copyout(a[0:6])"
    omp "target exit data map(release: a[4:2])"
    expect.absent "a[4:2]"
    expect.fails("partially-present", function() acc "update self(a[2:4])" end)
    acc "enter data copyin(a[4:2])"
    expect.device("a[3:2]", { 3, 4 })
  end)
end)

case("accepts: a region outlives data that OpenMP unmaps and maps again [DIR-6-01]", function()
  rules { base = "directory", counting = "constructs" }
  acc "data copyin(b)" (function()
    omp "target exit data map(delete: b)"
    expect.absent "b"
    acc "enter data copyin(b)"
    acc "enter data copyin(b[5:10])"
  end)
  expect.equal(#state().dynamic, 2)
  acc "exit data delete(b[5:10])"
  expect.absent "b"
end)
