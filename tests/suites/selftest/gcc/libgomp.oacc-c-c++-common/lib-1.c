/* { dg-do run } */
/* { dg-require-effective-target openacc_cuda } */
#error "this test is not meant for machines without CUDA"
