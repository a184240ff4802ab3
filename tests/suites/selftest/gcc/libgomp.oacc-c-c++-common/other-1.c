/* { dg-do run { target openacc_radeon_accel_selected } } */
#error "this test is for another device"
