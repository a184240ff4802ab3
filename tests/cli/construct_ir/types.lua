scenario { rules = "tr14x" }
declare [[
  struct node { double x; struct node *next;
    #pragma acc shape include(next[0:next != 0])
  };
  struct run { int n; float *data; };
  struct node *list;
  float **rows;
  int n = 2;
  struct run R;
]]
func("first", function(i) return i - 2 end)
host.list = { { x = 1 } }
host.rows = { { 1, 2 }, { 3, 4 } }
host.R = { n = 2, data = { 1, 2 } }
