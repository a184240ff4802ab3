-- ast_kinds.lua - table of all kinds of AST nodes with their fields. Walking (base/ast.lua), printing
-- (inspect/explain.lua) and the check of the parsers (tests/lua/ast_spec.lua) read it. A new kind is a new row here.
--
-- Every node has `tag`, its kind, and most have `pos`, an index in the text. A row lists the other fields of a kind,
-- separated by commas. Children are listed in the order in which they are visited, which is that of the text:
--   FIELD         a value, such as a name or an operator, in which no nodes are searched
--   TYPE FIELD    a child node. TYPE is a kind, or says what the child is: expression, statement, type, node (anything)
--   TYPE* FIELD   a list of child nodes
-- FIELD? may be absent: nil or false. `|` separates the forms of a kind, such as those of C and of Fortran. The fields
-- after `;` are stored by phases after the parsers.

return {
  -- Expressions of C and Fortran, and list items of clauses.
  num = "value, type | value, class, kind",                     -- class, kind: of Fortran
  str = "value",
  truth = "value",                                              -- .true., .false.
  complex = "expression re, expression im",                     -- (1.0, 2.0)
  id = "name, global?; mapped?",                                -- global: written ::name
  row = "",                                                     -- # (TR14 5): the number of a row
  member = "expression base, arrow, name, name_pos",            -- base.name, base->name
  component = "expression base, name, name_pos",                -- base%name
  index = "expression base?, expression index",                 -- base[index]; members of shapes have no base
  section = "expression base?, expression start?, expression length?, expression stride? | node* ranges"
    .. "; node* written?",
  alias = "expression base?, expression to?, round?",           -- [@], [@to] (TR14 3.5); round: (@to) of Fortran
  call = "expression base, expression* args | expression target",
  reference = "expression base, node* args",                    -- base(args): element, section or call of Fortran
  unary = "op, expression e",
  postfix = "expression base, op",
  binary = "expression a, op, expression b",
  cond = "expression c, expression a, expression b",            -- c ? a : b
  cast = "type_name type, expression e",
  sizeof = "type_name type | expression e",
  assign = "expression to, op, expression e | expression to, sign, expression e; masked?",
  comma = "expression* list",
  array = "expression size? | spec spec?, expression* list",    -- C: [size] of a declarator; Fortran: [list]
  implied = "expression* list, name, expression first, expression last, expression step?",
  range = "expression first?, expression last?, expression step?",
  keyword = "name, expression e?",                              -- name = e, an argument
  star = "",

  -- Types and declarations of C and C++.
  type_name = "type spec, declarator declarator; resolved?",
  builtin = "words, const?",
  named = "name?, type?, const?",                               -- type: a type of debug information
  instance = "name, type* arguments, const?",                   -- name<arguments>
  path = "global?, step* steps, const?",                        -- a::b<c>
  step = "name, type* arguments?",
  enum = "scoped, name?, type base?, enumerator* list?, const?",
  enumerator = "name, expression value?",
  record = "kind, node align?, name?, path path?, base* bases?, node* members?, const?",
  base = "virtual, type spec",
  access = "word",                                              -- public:
  members = "words, node align?, type spec, member_item* list",
  member_item = "declarator declarator?, bits bits?, value_at?",
  bits = "expression width",
  declarator = "pointers, const?, reference?, name?, declarator inner?, node* suffixes",
  parameters = "",                                              -- () of a declarator
  ["function"] = "words, role, name, parameters_at, body_at?, body?, body_kind?", -- a member function
  declaration = "words, node align?, type spec, init* list | spec spec, attribute* attrs, entity* list",
  init = "declarator declarator, node value?",
  braces = "item* list",                                        -- an initializer
  item = "node* path?, node value",
  field = "name",
  element = "expression index",
  type_alias = "name, type_name type",                          -- using name = type;
  template = "template_parameter* params, record record",
  template_function = "template_parameter* params, function declaration",
  template_friend = "template_parameter* params, friend declaration",
  template_parameter = "type spec?, name, node default?",
  friend = "",
  using = "type path",
  assertion = "",
  namespace = "names",
  linkage = "is_block?",
  closing = "",

  -- Statements of C. Those of both languages have two forms.
  block = "statement* list, inner?; carries?, directive?, has_parallel?, lock?", -- inner: directives before a statement
  decl = "declaration declaration",
  expr = "expression e; directive?, lock?",
  ["if"] = "expression c, statement yes, statement no? | branch* list; lock?",
  ["while"] = "expression c, statement body | expression c?, statement* body",
  ["do"] = "statement body, expression c | name, expression first, expression last, expression step?, statement* body"
    .. "; parallel?, iteration?",
  ["for"] = "node init?, expression c?, expression step?, statement body; construct?, parallel?, iteration?",
  switch = "expression c, statement body",
  case = "expression e?",
  ["break"] = "",
  continue = "",
  ["return"] = "expression e?",
  pragma = "start, text",

  -- Nodes that semantic analysis makes of directives in the body of a construct (sema/body).
  private = "expression* values, node* names, reduced_part* parts, statement body, copies, implicit?, team?, is_named;"
    .. " construct?, directive?, iteration?, level?, lock?",
  reduced_part = "expression item, op, rule",
  carried = "language, text, kind, clauses, statement body?",
  typed = "e",                                                  -- e: a typed AST (sema/c/typed_ast.lua)

  -- Specifications of Fortran.
  spec = "class, double?, polymorphic?, name?, name_pos?, expression kind?, expression len?",
  any_length = "",
  deferred_length = "",
  attribute = "name, dims dims?, direction?, parent?, parent_pos?",
  attributes = "name, entity* list",                            -- an attribute statement
  entity = "name, dims dims?, expression value?, expression target?",
  dims = "dimension* list",
  dimension = "expression lower?, expression upper?, open?, star?, any_rank?",
  derived = "attribute* attrs, name, node* list",
  type_bound = "",
  nothing = "",                                                 -- a statement without an effect
  procedure = "spec spec?, kind, name, params, result?, statement* list, procedure* inner",

  -- Statements of Fortran.
  associate = "expression to, sign, expression e",              -- pointer => e
  branch = "expression c?, statement* body",
  select = "expression e, select_branch* list",
  select_branch = "node* cases?, statement* body",
  select_type = "name?, expression e, type_branch* list",
  type_branch = "guard?, spec spec?, statement* body",
  select_rank = "name?, expression e, rank_branch* list",
  rank_branch = "expression rank, statement* body | rank, statement* body", -- rank: "*" or "default"
  where = "where_branch* list; masked?",
  where_branch = "expression mask?, statement* body",
  allocate = "spec spec?, node* list",
  deallocate = "node* list",
  nullify = "expression* list",
  print = "expression* list",
  stop = "failed, expression code?",
  exit = "",
  cycle = "",
  directive_line = "sentinel, text; omp?, tree?",
  -- a directive with its statements (syntax/fortran_blocks.lua)
  construct = "directive_line directive, statement* list, finish?, directive_line end_directive?; acc?, iteration?"
    .. ", lock?",

  -- Directives of OpenACC and OpenMP.
  directive = "name, name argument?, waiting waiting?, name modifier?, mapper mapper?, expression* vars?"
    .. ", clause* clauses"
    .. "; written?, applied?, binds?, collapse_pos?, collapses?, forced?, sequential?",
  waiting = "expression devnum?, expression* queues",
  -- A form for each `kind` of a clause, which is the form of its argument in the table of clauses (definitions/).
  clause = "name, kind, shape shape?, modifier* modifiers?, name direction?, expression* vars, nest nest?"
    .. " | name, kind, shape shape?, expression* vars?, expression e?, nest nest?"            -- self
    .. " | name, kind, shape shape?, name direction?, member_shape* members, nest nest?"
    .. " | name, kind, word, word_pos"                                                        -- default
    .. " | name, kind, type_name type"                                                        -- type
    .. " | name, kind, op, expression* vars"                                                  -- reductions
    .. " | name, kind, name modifier?, expression lower?, expression e?"
    .. " | name, kind, expression* values?"
    .. " | name, kind, expression devnum?, expression* queues"                                -- wait
    .. " | name, kind, text?, text_pos?"                                                      -- anything, none
    .. " | name, kind, parameter* parameters"                                                 -- parameters of a shape
    .. " | name, kind, modifier* modifiers?, expression* vars, expression step?"              -- map, motion, linear
    .. " | name, kind, name* words"
    .. " | name, kind, modifier modifier?, name type, expression* items?"                     -- depend
    .. " | name, kind, name action?, name* names"                                             -- groups
    .. " | name, kind, type_name* types",
  shape = "name?, expression* args?",                           -- <name(args)> after a clause's name
  modifier = "name, mapper?, mapper_pos?, iterator* iterators?, when?, when_pos?, no_comma?",
  iterator = "name, expression first, expression last, expression step?",
  mapper = "name?, type type, variable",
  name = "name",
  parameter = "kind?, name, expression default?",
  nest = "single?, clause* clauses",
  member_shape = "name, part* path?, expression* subscripts",
  part = "name, name_pos",
}
