-- The OpenMP Examples on pointers, mappers, sections and routines. Structure mapping has files of its own.
scenario { title = "OpenMP Examples: pointers, mappers, sections", rules = "openmp-5.1" }

declare [[
  int *ptr1, *ptr2, *ptr3, x[8], y[8], *p1, *p2, N = 8, A[30], *p;
  float *p0, *v1, *v2;
]]
host.ptr1 = { 0, 0, 0, 0, 0, 0, 0, 0 }
host.ptr2 = { 0, 0, 0, 0, 0, 0, 0, 0 }

-- ---------------------------------------------------------------------------------------- pointers --

case("accepts: pointers are attached, firstprivate or private [OMP60-map-7 OMP60-map-8 OMP60-map-11]", function()
  expect.moves(function()
    omp "target map(ptr1, ptr1[:N]) map(ptr2[:N])" [[
      for (int i = 0; i < N; i++) { ptr1[i] = i; ptr2[i] = i; }
      ptr2 = ptr2 + 1;
      ptr2[0] = 9;
      for (int i = 0; i < N; i++) ptr1[i] += 5;
      ptr3 = ptr2;
    ]]
  end, { h2d = { count = 3, bytes = 72 }, d2h = { count = 2, bytes = 64 } })
  expect.host("ptr1[1]", 6)
  expect.host("ptr2[1]", 9)
  expect.equal(host.ptr3, NULL)
end)

case("rejects: a kernel changes an attached pointer [OMP60-map-8]", function()
  expect.fails("pointer-changed", function() omp "target map(ptr1, ptr1[:N])" "ptr1 = ptr1 + 1;" end)
  expect.fails("null-pointer", function() omp "target map(ptr1, ptr1[:N])" "ptr3[0] = 5;" end)
end)

case("accepts: a pointer in declare target is attached as long as its section is mapped [OMP60-map-7]", function()
  expect.accepts "declare target(p)"
  host.p = host.ptr1
  expect.moves(function()
    omp "target map(p[:N])" "for (int i = 0; i < N; i++) p[i] = 3 * i;"
  end, { h2d = { count = 1, bytes = 32 }, d2h = { count = 1, bytes = 32 } })
  expect.host("p[7]", 21)
  expect.equal(host.p, host.ptr1)
  expect.absent "p[0:8]"
end)

case("rejects: a kernel uses a pointer in declare target after its section was unmapped [OMP60-map-7]", function()
  omp "declare target(p)"
  host.p = host.ptr1
  omp "target map(p[:N])" "p[0] = 1;"
  expect.fails("out-of-bounds", function() omp "target" "p[0] = 1;" end)
end)

case("differs: pointers to data that were mapped before are not attached [OMP60-map-7]", function()
  omp "declare target(p1)"
  host.p1 = addr "x[0]"
  omp "target enter data map(to: x[:N])"
  -- on the device p1 is null, as declared
  expect.fails("null-pointer", function() omp "target map(x[:N]) map(p1[:N])" "p1[0] = 3;" end)
end)

case("accepts: pointers to new data are attached, and others are found by value"
  .. " [OMP60-map-7 OMP60-map-10]", function()
  expect.accepts "declare target(p1)"
  host.p1, host.p2 = addr "x[0]", addr "y[0]"
  expect.moves(function() omp "target enter data map(to: y[:N])" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  omp "target map(x[:N]) map(p1[:N]) map(p2[:0])" "x[0] = 1; y[1] = 2; p1[2] = 3; p2[3] = 4;"
  expect.host("x[0:3]", { 1, 0, 3 })
  omp "target update from(y)"
  expect.host("y[0:4]", { 0, 2, 0, 4 })
end)

-- ----------------------------------------------------------------------------------------- mappers --

case("accepts: a mapper maps a vector with its data [OMP60-map-15]", function()
  declare [[
    typedef struct myvec { unsigned long len; double *data; } myvec_t;
    #pragma omp declare mapper(myvec_t v) map(v, v.data[0:v.len])
    myvec_t s;
  ]]
  host.s = { len = 4, data = { 0, 0, 0, 0 } }
  expect.moves(function()
    omp "target" "for (int i = 0; i < s.len; i++) s.data[i] = i;"
  end, { h2d = { count = 2, bytes = 48 }, d2h = { count = 2, bytes = 40 } })
  expect.host("s.data[3]", 3)
end)

case("accepts: two mappers map the halves of a vector [OMP60-map-15]", function()
  declare [[
    typedef struct myvec { unsigned long len; double *data; } myvec_t;
    #pragma omp declare mapper(top_id: myvec_t v) map(v.len) map(v.data, v.data[0:v.len/2])
    #pragma omp declare mapper(bottom_id: myvec_t v) map(v.len) map(v.data, v.data[v.len/2:v.len-v.len/2])
    myvec_t s;
  ]]
  host.s = { len = 4, data = { 1, 1, 1, 1 } }
  expect.moves(function()
    omp "target map(mapper(top_id), tofrom: s)" "for (int i = 0; i < s.len/2; i++) s.data[i] *= 2;"
  end, { h2d = { count = 2, bytes = 32 }, d2h = { count = 2, bytes = 24 } })
  omp "target map(mapper(bottom_id), tofrom: s)" "for (int i = s.len/2; i < s.len; i++) s.data[i] *= 3;"
  expect.host("s.data[0:4]", { 2, 2, 3, 3 })
end)

case("differs: a mapper of one half does not map the other half [OMP60-map-15]", function()
  declare [[
    typedef struct myvec { unsigned long len; double *data; } myvec_t;
    #pragma omp declare mapper(top_id: myvec_t v) map(v.len) map(v.data, v.data[0:v.len/2])
    myvec_t s;
  ]]
  host.s = { len = 4, data = { 1, 1, 1, 1 } }
  expect.fails("out-of-bounds", function() omp "target map(mapper(top_id), tofrom: s)" "s.data[2] = 2;" end)
end)

case("accepts: mappers are nested, map scratch space, and omit members of the host [OMP60-map-15]", function()
  declare [[
    typedef struct myvec { unsigned long len; double *data; } myvec_t;
    #pragma omp declare mapper(myvec_t v) map(v, v.data[0:v.len])
    typedef struct mypoints { struct myvec scratch; struct myvec *x; double hostonly_data[5000]; } mypoints_t;
    #pragma omp declare mapper(mypoints_t v) map(v.x, v.x[0]) map(alloc: v.scratch)
    mypoints_t P;
    myvec_t x0;
  ]]
  host.x0 = { len = 3, data = { 1, 2, 3 } }
  host.P.x = addr "x0"
  host.P.scratch = { len = 3, data = { 9, 9, 9 } }
  expect.fails("uninitialized-read", function() omp "target map(P)" "P.x[0].data[0] = P.scratch.data[0];" end)
  omp "target map(P)" [[
    for (int i = 0; i < 3; i++) P.scratch.data[i] = P.x[0].data[i];
    for (int i = 0; i < 3; i++) P.x[0].data[i] = P.scratch.data[2 - i];
  ]]
  expect.host("x0.data[0:3]", { 3, 2, 1 })
  expect.host("P.scratch.data[0]", 9)
  expect.fails("not-present", function() omp "target map(P)" "P.hostonly_data[0] = 1;" end)
end)

case("rejects: a section counts bytes as elements and exceeds its array [OMP60-sec-1]", function()
  declare [[
    struct buf { int *ptr; unsigned long buf_size; } b;
    #pragma omp declare mapper(struct buf s) map(s, s.ptr[:s.buf_size])
  ]]
  host.b = { ptr = { 1, 2, 3, 4 }, buf_size = 16 }
  expect.fails("out-of-bounds", function() omp "target map(b)" "" end)
end)

case("accepts: a section counts elements [OMP60-sec-1]", function()
  declare [[
    struct buf { int *ptr; unsigned long buf_size; } b;
    #pragma omp declare mapper(struct buf s) map(s, s.ptr[:s.buf_size/sizeof(int)])
  ]]
  host.b = { ptr = { 1, 2, 3, 4 }, buf_size = 16 }
  expect.moves(function()
    omp "target map(b)" "b.ptr[3] = 5;"
  end, { h2d = { count = 2, bytes = 32 }, d2h = { count = 2, bytes = 24 } })
  expect.host("b.ptr[3]", 5)
end)

-- ---------------------------------------------------------------------------------------- sections --

case("rejects: a section overlaps a present section, by name or through a pointer [OMP60-map-13]", function()
  host.p = addr "A[0]"
  omp "target data map(A[0:4])" (function()
    expect.present "A[0:4]"
    expect.fails("partially-present", function() omp "target map(p[3:20])" "A[2] = 0; p[8] = 0;" end)
    expect.fails("partially-present", function() omp "target map(A[0:20])" "A[2] = 0;" end)
  end)
end)

case("accepts: a section is apart from a present section, or inside [OMP60-map-13 OMP60-map-12]", function()
  host.p = addr "A[0]"
  expect.moves(function()
    omp "target data map(A[0:4])" (function()
      omp "target map(p[7:20])" "A[2] = 5; p[8] = 6;"
    end)
  end, { h2d = { count = 2, bytes = 96 }, d2h = { count = 2, bytes = 96 } })
  expect.host("A[2]", 5)
  expect.host("A[8]", 6)
  expect.accepts("target data map(A[0:10])", function()
    omp "target map(p[3:7])" "A[2] = 15; p[8] = 16; A[8] = A[8] + 1;"
  end)
  expect.host("A[2]", 15)
  expect.host("A[8]", 17)
end)

case("rejects: a clause names an array of which two pieces are present [OMP60-map-13]", function()
  omp "target data map(A[0:4])" (function()
    expect.fails("partially-present", function() omp "target data map(A[7:20]) map(A)" end)
  end)
end)

-- ------------------------------------------------------------------------------------------- others --

case("accepts: a formal pointer finds the data of the caller by value [OMP60-map-10 OMP60-map-6]", function()
  declare "float *p3, *v3, *v4;"
  host.p0, host.v1, host.v2 = { 0, 0, 0, 0, 0, 0, 0, 0 }, { 1, 2, 3, 4, 5, 6, 7, 8 }, { 2, 2, 2, 2, 2, 2, 2, 2 }
  expect.moves(function()
    omp "target data map(to: v1[0:N], v2[:N]) map(from: p0[0:N])" (function()
      host.p3, host.v3, host.v4 = host.p0, host.v1, host.v2
      expect.moves(function()
        omp "target map(to: v3[0:N], v4[:N]) map(from: p3[0:N])" "for (int i = 0; i < N; i++) p3[i] = v3[i] * v4[i];"
      end, { h2d = 0, d2h = 0 })
    end)
  end, { h2d = { count = 2, bytes = 64 }, d2h = { count = 1, bytes = 32 } })
  expect.host("p0[7]", 16)
end)

case("accepts: constructor and destructor use enter data and exit data [OMP60-map-6]", function()
  declare "class matrix { public: double *A; int n; };  matrix m;"
  host.m = { n = 4, A = { 1, 2, 3, 4 } }
  method("matrix", "begin", function() omp "target enter data map(alloc: A[:n])" return 0 end)
  method("matrix", "finish", function() omp "target exit data map(delete: A[:n])" return 0 end)
  host "m.begin()"
  expect.present "m.A[0:4]"
  expect.uninitialized "m.A[0:4]"
  host "m.begin()"
  expect.count("m.A[0:4]", { dynamic = 2 })
  host "m.finish()"
  expect.absent "m.A[0:4]"
end)

case("accepts: update uses a mapper [OMP60-upd-1 OMP60-map-15]", function()
  declare [[
    typedef struct T { int r, s; int *d; } T;
    #pragma omp declare mapper(custom: T t) map(t.r, t.s, t.d) map(t.d[0:2])
    T s1;
  ]]
  host.s1 = { r = 1, s = 2, d = { 3, 4 } }
  expect.moves(function()
    omp "target enter data map(mapper(custom), to: s1)"
  end, { h2d = { count = 2, bytes = 24 }, d2h = 0 })
  omp "target map(mapper(custom), alloc: s1)" "s1.r = 11; s1.d[1] = 14;"
  omp "target update from(mapper(custom): s1)"
  expect.host("s1.r", 11)
  expect.host("s1.d[1]", 14)
  expect.host("s1.s", 2)
end)

case("differs: update without the name of the mapper copies no section and keeps the pointer"
  .. " [OMP60-upd-1]", function()
  declare [[
    typedef struct T { int r, s; int *d; } T;
    #pragma omp declare mapper(custom: T t) map(t.r, t.s, t.d) map(t.d[0:2])
    T s1;
  ]]
  host.s1 = { r = 1, s = 2, d = { 3, 4 } }
  local before = host "s1.d"
  omp "target enter data map(mapper(custom), to: s1)"
  omp "target map(mapper(custom), alloc: s1)" "s1.r = 11; s1.d[1] = 14;"
  omp "target update from(s1)"
  expect.host("s1.r", 11)
  expect.host("s1.d[1]", 4)
  expect.equal(host "s1.d", before)
end)

case("accepts: a program maps chunks of an array to its own device memory [OMP60-map-6]", function()
  local dev = omp_target_alloc(4 * sizeof "int", 0)
  for chunk = 0, 4, 4 do
    host.N = chunk
    expect.equal(omp_target_associate_ptr(addr(("x[%d]"):format(chunk)), dev, 4 * sizeof "int", 0, 0), 0)
    omp "target update to(x[N:4])"
    expect.moves(function() omp "target map(tofrom: x[N:4])" "for (int i = 0; i < 4; i++) x[N + i]++;" end,
      { h2d = 0, d2h = 0 })
    expect.host(("x[%d]"):format(chunk), 0)
    omp "target update from(x[N:4])"
    expect.host(("x[%d]"):format(chunk), 1)
    omp "target exit data map(delete: x[N:4])"
    expect.present(("x[%d:4]"):format(chunk))
    expect.equal(omp_target_disassociate_ptr(addr(("x[%d]"):format(chunk)), 0), 0)
  end
  omp_target_free(dev, 0)
end)

case("rejects: a clause names more than the associated memory [OMP60-map-6 OMP60-map-13]", function()
  local dev = omp_target_alloc(4 * sizeof "int", 0)
  omp_target_associate_ptr(addr "x[0]", dev, 4 * sizeof "int", 0, 0)
  expect.fails("partially-present", function() omp "target map(x)" "" end)
  omp_target_disassociate_ptr(addr "x[0]", 0)
  omp_target_free(dev, 0)
end)
