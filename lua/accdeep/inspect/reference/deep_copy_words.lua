-- deep_copy_words.lua - reference chapter: words of deep copy in directives (TR-14-1, chapters 3 and 5). These words
-- are not names that a scenario sees (words = true). reference/init.lua describes the entries.

return {
  title = "Deep copy in directives",
  words = true,
  text = [[
Shapes and policies describe types; clauses use them. They are written inside a type with `#pragma acc` or `!$acc`, or
outside with `type(T)`. A scenario may also say `acc "shape ..."`. `accdeep explain --in FILE 'DIRECTIVE'` shows what a
clause means as a nest.]],
  prelude = [[
declare [=[
  struct vector { int n; float *a, *b;
    #pragma acc shape init_needed(n) include(a[0:n]) exclude(b)
  };
  struct pair { struct vector one, *many; int k; };
  struct vector X;
  struct pair P;
]=]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 } }
host.P = { one = { n = 1, a = { 5 } }, many = { { n = 1, a = { 6 } } }, k = 1 }
]],

  { name = "shape", syntax = "shape[(name)] [type(T)] include(...) exclude(...) init_needed(...) default(...)",
    text = "Says which members of a type take part in a clause, and how many elements each pointer points to. A shape"
      .. " without a name is the default shape of the type: every clause uses it. A named shape extends the default"
      .. " shape, and `clause<name>(X)` uses it. `clause<>(X)` is a shallow copy: its shape names nothing.",
    rules = "TR14-3.1.1-01 TR14-3.1.1-09 TR14-3.1.2-01 TR14-3.1.2-04 TR14-3.3-11",
    errors = {
      { "duplicate-default-shape", "the type has a default shape", [[acc "shape type(struct vector) include(n)"]] },
      { "unknown-shape", "a shape that the type does not have", [[acc "data copy<full>(X)" (function() end)]] },
      { "missing-type", "outside of a type without type(T)", [[acc "shape(full) include(b[0:n])"]] },
    },
    example = [[
acc "shape(full) type(struct vector) include(b[0:n])"
acc "data copyin(X)" (function() expect.present "X.a[0:2]" expect.absent "X.b[0:2]" end)
acc "data copyin<full>(X)" (function() expect.present "X.b[0:2]" end)
acc "data copyin<>(X)" (function() expect.absent "X.a[0:2]" end)
]] },

  { name = "include", syntax = "include[<shape>](member[section], ...)",
    text = "In a shape or its nest: members that take part under the clause that uses the shape. A pointer with a"
      .. " section is followed; a pointer without one is copied as it is. Bounds see the members of the type first,"
      .. " then names declared before or in the same text; they are checked at the end of the text. `func` and"
      .. " `method` give bodies to functions that are only declared. `<shape>` is for the objects that the member"
      .. " holds or points to.",
    rules = "TR14-3.1.1-13 TR14-3.1.1-16 TR14-3.1.1-21 TR14-3.1.2-07",
    errors = { { "unknown-member", "not a member", [[acc "shape(s) type(struct vector) include(c)"]] },
      { "not-a-pointer", "a section of a scalar", [[acc "shape(s) type(struct vector) include(n[0:1])"]] },
      { "unknown-name", "a bound with a name that nothing declares",
        [[acc "shape(s) type(struct vector) include(a[0:m])"]] } },
    example = [[
acc "shape(half) type(struct vector) include(a[0:n / 2])"
acc "shape type(struct pair) include(many[0:k])"
acc "data copyin(P) copyin<half>(X)" (function()
  expect.present "P.many[0].a[0:1]"
  expect.present "X.a[0:1]"
  expect.absent "X.a[1:1]"
end)
]] },

  { name = "exclude", syntax = "exclude(member, ...)",
    text = "In a shape, a policy or a nest: members that are not available on the device. An excluded pointer may be"
      .. " read, but not followed.",
    rules = "TR14-3.1.1-14 TR14-3.2.1-11",
    errors = { { "excluded-member", "a kernel uses such a member",
      [[acc "shape(bare) type(struct vector) exclude(a)" acc "data copyin<bare>(X)" (function()
      acc "parallel present<bare>(X)" "X.a[0] = 1;" end)]] } },
    example = [[
acc "shape(bare) type(struct vector) exclude(a)"
acc "data copyin<bare>(X)" (function() expect.absent "X.a[0:2]" end)
]] },

  { name = "init_needed", syntax = "init_needed(member[section], ...)",
    text = "As `include`, for members without which the object makes no sense, such as lengths. `create` copies them"
      .. " to the device; `copyout` copies them in both directions. Clauses of policies and `create(X.n)` do the"
      .. " same.",
    rules = "TR14-3.1.1-17 TR14-3.2.1-04",
    example = [[
acc "data create(X)" (function()
  expect.device("X.n", 2)
  expect.uninitialized "X.a[0:2]"
end)
]] },

  { name = "policy",
    syntax = "policy(name) [type(T)] [use(...)] [shape(name)] [default(...)] exclude(...) copyin(...) update(...) ...",
    text = "Gives each member of a type a data clause of its own. `invoke` uses it. Its clauses are data clauses with"
      .. " members, for data directives, or `update`, for `update` directives. A policy takes its sections from the"
      .. " type's default shape, or from the one in `shape(name)`.",
    rules = "TR14-3.2.1-01 TR14-3.2.1-04 TR14-3.2.1-07",
    errors = {
      { "clause-not-allowed", "data clauses and update in one policy",
        [[acc "policy(p) type(struct vector) default(exclude) copyin(a) update(n)"]] },
      { "default-none", "a member without a direction", [[acc "policy(p) type(struct vector) copyin(a)"]] },
    },
    example = [[
acc "policy(results) type(struct vector) default(exclude) copyin(n) copyout(a)"
acc "data invoke<results>(X)" (function()
  expect.uninitialized "X.a[0:2]"
  acc "parallel present(X)" "X.a[0] = X.a[1] = 7;"
end)
expect.host("X.a[0:2]", { 7, 7 })
]] },

  { name = "invoke", syntax = "invoke<policy>(X) | invoke<policy>(self: X) | invoke<>(X)::{ ... }",
    text = "Uses a policy. Data directives name variables, `update` names them after `self:` or `device:`, policies"
      .. " name members. With a nest it extends the policy, or is a policy without a name. A policy decides"
      .. " directions itself, so `invoke` is not nested in other data clauses.",
    rules = "TR14-3.2.2-01 TR14-3.2.3-01 TR14-3.2.4-01 TR14-3.3-14",
    errors = { { "unknown-policy", "no policy and no nest", [[acc "data invoke<>(X)" (function() end)]] } },
    example = [[
acc "policy(fetch) type(struct vector) default(exclude) update(a)"
acc "data copyin(X)" (function()
  acc "update invoke<fetch>(self: X)"
  acc "update invoke<>(device: X)::{ default(exclude) update(n) }"
end)
]] },

  { name = "nest", syntax = "clause[<shape>](X)::{ shape clauses } | invoke<[policy]>(X)::{ policy clauses }",
    text = "A shape or a policy for the variables of one clause. It extends the default shape; with `<name>` the"
      .. " named shape; with `<>` nothing. After `invoke<name>` it extends that policy. Members of structure types"
      .. " may have nests, too. Bounds see the members of the nearest nest's type, then the names at the directive."
      .. " `::n` is the name at the directive where both exist.",
    rules = "TR14-3.3-01 TR14-3.3-07 TR14-3.3-08 TR14-3.3-12 TR14-3.3-15",
    errors = { { "not-a-struct", "a nest for a scalar", [[acc "data copy(P)::{ include(k)::{ include(n) } }" ]] } },
    example = [[
acc "data copyin(P)::{ include(many[0:k])::{ exclude(a) } }" (function()
  expect.present "P.many[0:1]"
  expect.absent "P.many[0].a[0:1]"
end)
acc "data invoke<>(P)::{ default(exclude) invoke<>(one)::{ default(exclude) copyin(a[0:n]) } }" (function()
  expect.device("P.one.a[0]", 5)
end)
]] },

  { name = "@", syntax = "present(p[@]) | present(p[@base]) | include(p[@base]) | copyin(ptrs[0:n][@]) | present(p(@))",
    text = "Replaces a section: the pointer's target is present, by this directive or before. The pointer is"
      .. " translated, and nothing is copied. With a base, the pointer keeps its distance from the base, and may"
      .. " point past the end. In shapes and nests any clause may have it. A null pointer stays null.",
    rules = "TR14-3.5-01 TR14-3.5-02 TR14-3.5-05 TR14-3.5-07 TR14-3.5-10",
    errors = { { "clause-not-allowed", "alone in a clause other than present",
      [[declare "float *p;" acc "data copyin(p[@])" (function() end)]] } },
    example = [=[
declare [[
  struct range { float *start, *end;
    #pragma acc shape include(start[0:end - start], end[@start])
  };
  struct range R;
]]
local data = alloc("float", 4)
host.R.start, host.R["end"] = data, data + 4
acc "data copy(R)" (function()
  acc "parallel present(R)" "for (float *p = R.start; p != R.end; p++) *p = 1;"
end)
expect.host("R.start[0:4]", { 1, 1, 1, 1 })
]=] },

  { name = "default", syntax = "default(include | exclude | none) | default(copyin | ... | update | exclude | none)",
    text = "What holds for members that no clause names. In shapes: `include` (the default), `exclude`, or `none`;"
      .. " with `none` every member must be named. In policies: the name of a data clause, `update`, `exclude`, or"
      .. " `none` (the default). What the shape excludes stays excluded.",
    rules = "TR14-3.1.1-18 TR14-3.1.1-19 TR14-3.2.1-13 TR14-3.2.1-15",
    errors = { { "default-none", "a member is not named",
      [[acc "shape(s) type(struct vector) default(none) include(n, a)"]] } },
    example = [[
acc "shape(only_n) type(struct vector) default(exclude) include(n)"
acc "data copyin<only_n>(X)" (function()
  expect.device("X.n", 2)
  expect.absent "X.a[0:2]"
end)
]] },

  { name = "use", syntax = "use(policy, ...)",
    text = "In a policy or its nest: other policies of the type, for members that this one does not name. If this"
      .. " policy has a shape clause, its shape says what takes part, and the used policies give the directions.",
    rules = "TR14-3.2.1-09",
    errors = { { "unknown-policy", "there is no such policy",
      [[acc "policy(p) type(struct vector) use(q) default(exclude)"]] } },
    example = [[
acc "policy(sent) type(struct vector) default(copyin)"
acc "data invoke<>(X)::{ use(sent) create(a) }" (function()
  expect.device("X.n", 2)
  expect.uninitialized "X.a[0:2]"
end)
]] },

  { name = "type", syntax = "type(T)",
    text = "The type that a shape or policy describes, if the directive is outside of it. Inside, it may name the"
      .. " type itself, or one declared in it.",
    rules = "TR14-3.1.1-05 TR14-3.1.1-06 TR14-3.1.1-07 TR14-3.1.1-08",
    errors = { { "unknown-type", "there is no such type", [[acc "shape type(struct vektor) include(a)"]] } },
    example = [[
acc "shape(both) type(struct vector) include(a[0:n], b[0:n])"
acc "data copyin<both>(X)" (function() expect.device("X.b[1]", 4) end)
]] },

  { name = "members in clauses",
    syntax = "clause(X.member[section], ...) | in a member function: clause(member[section], ...)",
    text = "Short for `invoke<>(X)::{ default(exclude) clause(member[section]) }`. If a clause also names X, that"
      .. " clause is the nest's default. Bounds mean what they mean at the directive. Directives in a function of"
      .. " `method` know `this` and its members.",
    rules = "TR14-3.4-05 TR14-3.4-07 TR14-3.4-08 TR14-3.4-10",
    errors = { { "duplicate-clause", "a member in two different clauses",
      [[acc "data copyin(X.n) copyout(X.n)" (function() end)]] } },
    example = [[
acc "data create(X) copyin(X.a[0:X.n])" (function() expect.device("X.a[1]", 2) end)
method("struct vector", "send", function()
  acc "enter data copyin(a[0:n])"
end)
host.X:send()
expect.device("X.a[0:2]", { 1, 2 })
]] },

  { name = "with", syntax = "shape(name) with(k, m = 1, shape s, policy p) ... and clause<name(2, n)>(X)",
    text = "`tr14x`: parameters of shapes and policies, which are values or names of shapes and policies. A parameter"
      .. " without a default needs a value. Values are evaluated where they are given. `include<s(k)>(m)` passes"
      .. " members on. `copy(a[0:n])` of a structure gives start and length to its shape's parameters.",
    rules = "TR14-5-01 TR14-5-02 TR14-5-03", whole = true,
    example = [=[
scenario { rules = "tr14x" }
declare [[
  struct vector { float *a;
    #pragma acc shape with(first = 0, count = 1) include(a[first:count])
  };
  struct vector X;
]]
host.X = { a = { 1, 2, 3 } }
acc "data copyin(X[1:2])" (function() expect.device("X.a[2]", 3) end)
acc "data copyin<(0, 3)>(X)" (function() expect.device("X.a[0]", 1) end)
]=] },

  { name = "for", syntax = "policy[(name)] for(copyin, ...) ...",
    text = "`tr14x`: these clauses use the policy for objects of the type, unless they name another shape or policy.",
    rules = "TR14-5-09", whole = true,
    example = [=[
scenario { rules = "tr14x" }
declare [[
  struct vector { int n; float *a, *b;
    #pragma acc policy for(copyout) default(exclude) copyin(n) copyout(b[0:n])
  };
  struct vector X;
]]
host.X = { n = 1, a = { 1 }, b = { 2 } }
acc "data copyout(X)" (function()
  expect.absent "X.a[0:1]"
  acc "parallel present(X)" "X.b[0] = 3;"
end)
expect.host("X.b[0]", 3)
]=] },

  { name = "in", also = { "out", "none" },
    syntax = "include(in: m, ...) | include(out: m, ...) | include(none: m, ...)",
    text = "`tr14x`, in a shape: members that are copied in one direction of a clause only, or in none.",
    rules = "TR14-5-07 TR14-5-08", whole = true,
    example = [=[
scenario { rules = "tr14x" }
declare [[
  struct vector { int n; float *a, *b;
    #pragma acc shape include(in: n, a[0:n]) include(out: b[0:n])
  };
  struct vector X;
]]
host.X = { n = 1, a = { 1 }, b = { 2 } }
expect.moves(function() acc "data copy(X)" (function()
  acc "parallel present(X)" "X.b[0] = 7;"
end) end, { d2h = { count = 1, bytes = 4 } })
]=] },

  { name = "#", syntax = "rows[0:n][0:len[#]]",
    text = "`tr14x`, in a bound: the index of the pointer to which the bound belongs. It describes ragged arrays.",
    rules = "TR14-5-06", whole = true,
    example = [=[
scenario { rules = "tr14x" }
declare [==[
  struct ragged { int n, *len; float **rows;
    #pragma acc shape include(len[0:n], rows[0:n][0:len[#]])
  };
  struct ragged R;
]==]
host.R = { n = 2, len = { 1, 2 }, rows = { { 1 }, { 2, 3 } } }
acc "data copyin(R)" (function() expect.device("R.rows[1][1]", 3) end)
]=] },

  { name = "recursive shapes", syntax = "shape include(next[0:next != 0])",
    text = "`tr14x`: a shape that reaches its own type, for lists, trees and graphs. Each object is mapped once."
      .. " Shapes and policies may have nests, too, and bounds see members of the surrounding nests.",
    rules = "TR14-5-04 TR14-5-05 TR14-5-10", whole = true,
    example = [=[
scenario { rules = "tr14x" }
declare [[
  struct node { int value; struct node *next;
    #pragma acc shape include(next[0:next != 0])
  };
  struct node L;
]]
host.L = { value = 1, next = { { value = 2, next = NULL } } }
acc "data copyin(L)" (function() expect.device("L.next->value", 2) end)
]=] },
}
