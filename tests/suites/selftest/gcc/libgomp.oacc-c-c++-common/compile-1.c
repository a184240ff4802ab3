/* { dg-do compile } */
int unused;
