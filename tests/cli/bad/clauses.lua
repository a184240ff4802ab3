-- Names and clauses of data directives that do not exist or do not fit.
declare [[
  struct pair { int x, y; };
  struct deep { int count; float *data; struct pair at; struct deep *next;
      #pragma acc shape include(data[0:count])
      #pragma acc shape(flat) exclude(data)
  };
  struct deep D;
  struct pair P[4];
  float *values;
  int total;
]]

case("unknown-name", function() acc "data copy(Dx)" end)
case("unknown-name, near one", function() acc "data copy(valuse[0:4])" end)
case("unknown-name in a bound", function() acc "data copy(values[0:totl])" end)
case("unknown-name, a function", function() acc "data copy(values[0:size(3)])" end)
case("unknown-member", function() acc "data copy(D.dat[0:4])" end)
case("unknown-member behind a pointer", function() acc "data copy(D.next->cuont)" end)
case("unknown-shape", function() acc "data copy<flatt>(D)" end)
case("unknown-clause", function() acc "data copyn(D)" end)
case("clause-not-allowed", function() acc "enter data copyout(D)" end)
case("clause-not-allowed, finalize", function() acc "enter data copyin(D) finalize" end)
case("duplicate-clause", function() acc "update self(D) if(1) if(0)" end)
case("conflicting-clauses", function() acc "data copy(P[0:2]) create(P[0:2])" end)
case("not-a-pointer", function() acc "data copy(total[0:4])" end)
case("not-a-pointer, member", function() acc "data copy(D.count[0:4])" end)
case("not-a-struct", function() acc "data copy<flat>(total)" end)
case("not-a-struct, member of a number", function() acc "data copy(total.x)" end)
case("two clauses of a base", function() acc "data copy(D) create(D) copyin(D.data[0:2])" end)
case("arrow on a struct", function() acc "data copy(D->count)" end)
case("dot on a pointer", function() acc "data copy(D.next.count)" end)
