-- ICON's structure (TR14 2.2, figures 2.6 and 2.7): few of its many members are needed on the device.
scenario { title = "TR14 2.2: ICON", language = "fortran", rules = "tr14" }

fortran [[
  type t_var_list
    integer :: n = 0
    type(t_var_list), pointer :: next
  end type t_var_list

  type t_nh_prog
    real, pointer :: w(:,:,:), vn(:,:,:), rho(:,:,:)
    !$acc shape(only_vn) default(exclude) include(vn)
  end type t_nh_prog

  type t_nh_diag
    real, pointer :: vn_ie(:,:,:), vt(:,:,:), dvn_ie_ubc(:,:), e_kinh(:,:,:), w_concorr_c(:,:,:), unused(:,:,:)
    real, pointer :: vn_alias(:,:)
    !$acc shape(dycore) exclude(unused)
  end type t_nh_diag

  type t_nh_metrics
    real, allocatable :: rayleigh_w(:), rayleigh_vn(:), unused(:)
    !$acc shape(dycore) exclude(unused)
  end type t_nh_metrics

  type t_nh_state
    type(t_nh_prog), allocatable :: prog(:)
    type(t_var_list), allocatable :: prog_list(:)
    type(t_nh_diag) :: diag
    type(t_var_list) :: diag_list
    type(t_nh_metrics) :: metrics
    !$acc shape default(exclude) include<only_vn>(prog) include<dycore>(diag, metrics)
  end type t_nh_state

  type(t_nh_state), allocatable, target :: p_nh_state(:)
  integer :: i, k
  allocate(p_nh_state(2))
  do i = 1, 2
    allocate(p_nh_state(i)%prog(2), p_nh_state(i)%prog_list(2))
    do k = 1, 2
      allocate(p_nh_state(i)%prog(k)%vn(2,3,2), p_nh_state(i)%prog(k)%w(2,3,2))
      p_nh_state(i)%prog(k)%vn = 10 * i + k
    end do
    allocate(p_nh_state(i)%diag%vn_ie(2,2,2), p_nh_state(i)%diag%vt(2,2,2), p_nh_state(i)%diag%dvn_ie_ubc(2,2))
    allocate(p_nh_state(i)%diag%e_kinh(2,2,2), p_nh_state(i)%diag%w_concorr_c(2,2,2), p_nh_state(i)%diag%unused(9,9,9))
    p_nh_state(i)%diag%vn_alias => p_nh_state(i)%diag%vt(:,:,2)
    p_nh_state(i)%diag%vt = i
    allocate(p_nh_state(i)%metrics%rayleigh_w(5), p_nh_state(i)%metrics%rayleigh_vn(5))
    allocate(p_nh_state(i)%metrics%unused(100))
  end do
]]

case("accepts: only the members of the dynamical core are mapped [TR14-2.2-01 TR14-2.2-02]", function()
  acc "enter data copyin(p_nh_state)"
  expect.equal(#state().present, 1 + 2 * (5 + 2 + 1 + 2))
  for i = 1, 2 do
    for _, name in ipairs { "metrics%rayleigh_w", "metrics%rayleigh_vn", "diag%vn_ie", "diag%vt", "diag%dvn_ie_ubc",
      "diag%e_kinh", "diag%w_concorr_c", "prog", "prog(1)%vn", "prog(2)%vn" } do
      expect.present(("p_nh_state(%d)%%%s"):format(i, name))
      expect.attached(("p_nh_state(%d)%%%s"):format(i, name), 1)
    end
  end
  fortran [[
    !$acc parallel present(p_nh_state)
    do i = 1, 2
      p_nh_state(i)%diag%vt(1,1,1) = p_nh_state(i)%prog(2)%vn(2,3,2)
    end do
    !$acc end parallel
    !$acc update self(p_nh_state(2)%diag%vt)
    print *, p_nh_state(2)%diag%vt(1,1,:)
  ]]
  expect.equal(output(), { "22.0 2.0" })
  acc "exit data delete(p_nh_state)"
  expect.equal(#state().present, 0)
end)

case("differs: the other members are not mapped [TR14-2.2-01 TR14-2.2-02]", function()
  acc "enter data copyin(p_nh_state)"
  for _, name in ipairs { "diag%unused", "metrics%unused", "prog(1)%w" } do
    expect.absent(("p_nh_state(1)%%%s"):format(name))
  end
  expect.fails("excluded-member", function()
    acc "serial present(p_nh_state)" [[ p_nh_state(1)%prog(1)%w(1,1,1) = 0 ]]
  end)
end)

case("accepts: a convenience pointer is attached inside the member that it aliases [TR14-2.2-03]", function()
  expect.moves(function() acc "enter data copyin(p_nh_state)" end, { h2d = { count = 23, bytes = 3488 }, d2h = 0 })
  fortran [[
    !$acc serial present(p_nh_state)
    p_nh_state(1)%diag%vn_alias(1,2) = 7
    print *, p_nh_state(1)%diag%vt(1,2,2)
    !$acc end serial
  ]]
  expect.equal(output(), { "7.0" })
end)

case("differs: an alias that points outside of present data maps its target [TR14-2.2-03]", function()
  fortran [[
    real, pointer :: other(:,:)
    allocate(other(2,2))
    p_nh_state(1)%diag%vn_alias => other
  ]]
  acc "enter data copyin(p_nh_state)"
  expect.present "other"
end)

case("accepts: a list that is not mapped may point to itself [TR14-2.2-04]", function()
  expect.moves(function()
    fortran [[
      type(t_var_list), target :: node
      p_nh_state(1)%diag_list%next => node
      node%next => node
      !$acc enter data copyin(p_nh_state)
    ]]
  end, { h2d = { count = 23, bytes = 3488 }, d2h = 0 })
  expect.absent "node"
end)

case("rejects: a recursive list would be followed [TR14-2.2-04 TR14-4.3-18]", function()
  fortran "type(t_var_list) :: list"
  expect.invalid("enter data copyin(list)", "recursive-type")
end)
