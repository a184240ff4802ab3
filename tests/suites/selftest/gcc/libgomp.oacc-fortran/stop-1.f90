! { dg-do run }
program stop_1
  stop 35
end program
! { dg-output "STOP 35(\n|\r\n|\r)+" }
! { dg-shouldfail "" }
