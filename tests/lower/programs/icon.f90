! Chapter 2's example ICON (figures 2.6 and 2.7): few of the many components are needed on the device. The list may lead
! back to itself, as it is not mapped. vn_alias points into vt, which is there when its turn comes.
module mo_nonhydro_types
  implicit none
  type t_var_list
    integer :: n = 0
    type(t_var_list), pointer :: next => null()
  end type t_var_list

  type t_nh_prog
    real, pointer :: w(:,:,:) => null(), vn(:,:,:) => null(), rho(:,:,:) => null()
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
end module mo_nonhydro_types

module mo_nonhydro_state
  use mo_nonhydro_types
  implicit none
  type(t_nh_state), allocatable, target :: p_nh_state(:)
contains
  subroutine construct(domains)
    integer, intent(in) :: domains
    integer :: i, k
    type(t_var_list), pointer :: node
    allocate(p_nh_state(domains))
    do i = 1, domains
      associate (state => p_nh_state(i))
        allocate(state%prog(2), state%prog_list(2))
        do k = 1, 2
          allocate(state%prog(k)%vn(2,3,2), state%prog(k)%w(2,3,2))
          state%prog(k)%vn = 10 * i + k
        end do
        allocate(state%diag%vn_ie(2,2,2), state%diag%vt(2,2,2), state%diag%dvn_ie_ubc(2,2))
        allocate(state%diag%e_kinh(2,2,2), state%diag%w_concorr_c(2,2,2), state%diag%unused(9,9,9))
        state%diag%vn_ie = 0; state%diag%dvn_ie_ubc = 0; state%diag%e_kinh = 0; state%diag%w_concorr_c = 0
        state%diag%vn_alias => state%diag%vt(:,:,2)
        state%diag%vt = i
        allocate(state%metrics%rayleigh_w(5), state%metrics%rayleigh_vn(5), state%metrics%unused(100))
        state%metrics%rayleigh_w = 1
        state%metrics%rayleigh_vn = 1
        allocate(node)
        node%next => node
        state%diag_list%next => node
      end associate
    end do
  end subroutine construct
end module mo_nonhydro_state

program icon
  use mo_nonhydro_state, only: construct, states => p_nh_state
  implicit none
  integer :: i
  call construct(2)
  !$acc enter data copyin(states)
  !$acc parallel loop present(states)
  do i = 1, 2
    states(i)%diag%vt(1,1,1) = states(i)%prog(2)%vn(2,3,2)
    states(i)%diag%vn_alias(1,2) = 7 * i
  end do
  !$acc update self(states(1)%diag%vt, states(2)%diag%vt)
  print *, int(states(1)%diag%vt), int(states(2)%diag%vt)
  !$acc exit data delete(states)
end program icon
