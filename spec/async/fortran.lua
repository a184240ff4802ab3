-- Queues in Fortran: clauses and directives among statements, names of kernels that run late.
scenario { title = "OpenACC 2.16: asynchronous behaviour in Fortran", language = "fortran", async = "delayed" }

fortran [[
  integer, allocatable :: x(:)
  integer :: n = 4, q = 2, i
  allocate(x(n))
  x = 7
]]

case("accepts: clauses take expressions, and a queue may wait [ACC33-async-1 ACC33-async-3]", function()
  acc "enter data copyin(x) async(q)"
  acc "parallel loop present(x) async(1) wait(q)" [[
    do i = 1, n
      x(i) = x(i) + i
    end do
  ]]
  acc "update self(x) async(q + 1) wait(1, q)"
  expect.host("x(1)", 7)
  acc "wait(q + 1) async(5)"
  acc "wait(devnum: 0: queues: 5)"
  expect.host("x(1:4)", { 8, 9, 10, 11 })
  expect.accepts "exit data delete(x)"
end)

case("accepts: statements and asynchronous directives may be mixed [ACC33-async-2]", function()
  fortran [[
    !$acc enter data copyin(x) async(1)
    !$acc parallel loop present(x) async(1)
    do i = 1, n
      x(i) = 2 * x(i)
    end do
    !$acc exit data copyout(x) async(1)
    print *, x(1)
    !$acc wait(1)
    print *, x(1)
  ]]
  expect.equal(output(), { "7", "14" })
end)

case("accepts: a loop of a kernel that runs late has private variables and reductions [ACC33-async-2]", function()
  fortran [[
    integer :: s = 3, t = 9
    x = 0
    !$acc parallel copy(x, t) async(1)
    !$acc loop private(t) reduction(+:s)
    do i = 1, n
      t = i
      x(i) = t
      s = s + t
    end do
    !$acc end parallel
    !$acc wait(1)
  ]]
  expect.host("x(1:4)", { 1, 2, 3, 4 })
  expect.host("s", 13)
  expect.host("t", 9)
end)

case("rejects: an array is deallocated before the wait, or a value names no queue"
  .. " [ACC33-async-1 ACC33-async-2]", function()
  fortran "!$acc enter data copyin(x) async(1)"
  fortran "deallocate(x)"
  expect.fails("missing-wait", function() acc "wait" end)
  expect.fails("invalid-async", function() acc "wait(-q - 1)" end)
end)
