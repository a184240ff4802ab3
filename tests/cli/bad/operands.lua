-- Bounds, conditions and arguments of acc that do not fit.
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

case("pointers as numbers", function() acc "data copy(values[0:values])" end)
case("a struct as a bound", function() acc "data copy(values[0:D])" end)
case("a bound that is not an integer", function() acc "data copy(values[0:1.5])" end)
case("conditions need numbers", function() acc "data copy(total) if(D)" end)
case("refs that do not exist", function() acc("parallel", "totals")(function() end) end)
case("refs with sections", function() acc("parallel", "values[0:")(function() end) end)
