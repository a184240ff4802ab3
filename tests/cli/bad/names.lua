-- Names, types and clauses that do not exist or do not fit: static errors.
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
case("unknown-type", function() acc "shape(s) type(dep) include(data)" end)
case("missing-type", function() acc "shape(s) include(data)" end)
case("a shape of a number", function() acc "shape(s) type(int) include(data)" end)
case("unknown-member of a shape", function() acc "shape(s) type(struct deep) include(dtaa)" end)
case("duplicate-member", function() acc "shape(s) type(struct deep) include(data) exclude(data)" end)
case("duplicate-default-shape", function() acc "shape type(struct deep) include(data)" end)
case("duplicate-name of a shape", function() acc "shape(flat) type(struct deep) include(data)" end)
case("default-none", function() acc "shape(s) type(struct deep) default(none) include(data)" end)
case("a shape with a direction", function() acc "shape(s) type(struct deep) copy(data)" end)
case("a shape's unknown clause", function() acc "shape(s) type(struct deep) inclde(data)" end)
case("a default that is none", function() acc "shape(s) type(struct deep) default(present)" end)
case("two defaults", function() acc "shape(s) type(struct deep) default(exclude) default(include)" end)
case("pointers as numbers", function() acc "data copy(values[0:values])" end)
case("a struct as a bound", function() acc "data copy(values[0:D])" end)
case("a bound that is not an integer", function() acc "data copy(values[0:1.5])" end)
case("conditions need numbers", function() acc "data copy(total) if(D)" end)
case("refs that do not exist", function() acc("parallel", "totals")(function() end) end)
case("refs with sections", function() acc("parallel", "values[0:")(function() end) end)
