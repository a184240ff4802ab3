-- Types, members and clauses of shapes that do not exist or do not fit.
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
