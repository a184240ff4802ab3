-- languages.lua - the interface of a language of host programs. A slot is a field of this interface. C and Fortran each
-- fill all slots; other modules use session.language and do not test which language it is.

local language_c = require "accdeep.run.language_c"
local check_interface = require "accdeep.base.check_interface"
local lazy = require "accdeep.base.lazy"

local slots = { -- slot -> its value, or the arguments and results of its function
  name = "name in scenarios and options",
  -- Names and texts.
  keywords = "reserved words, as keys",
  normalize_name = "(name) -> normalized name, for comparison",
  pointers = "document with the rules of pointers",
  some_section = "format of a section of a pointer", least_section = "format of an empty section of a pointer",
  text_of = "(tree of a designator) -> its text",
  member_sign = "separator of object and member",
  subscripts = "(array's type, index from 0) -> subscripts of an element",
  range_text = "(array's type, first, end, both from 0) -> subscripts of the elements before end",
  pointee_name = "(object's name, true for a variable, path) -> name of a part",
  numbers_places = "true if messages number elements of memory from 0",
  parse = "(session, start, text) -> tree; start: directive, omp_directive, references",
  is_directive = "(text) -> true for a single directive; otherwise it has declarations",
  declare = "(session, text): executes declarations",
  type = "(session, text) -> the type that a text names", type_of = "(session, tree of a type) -> type",
  variable = "(session, name, text, file, line) -> a variable that the text declares; nil: the text names a type",
  debug = "builder of types from debug information (types/debug_types.lua)",
  has_paragraphs = "true if an empty line ends a body that is typed in",
  -- Values.
  value = "(session, env, text) -> value", extent = "(session, text) -> address, bytes, type",
  extent_of = "(session, tree) -> address, bytes, type",
  pointer_cell = "(session, text) -> address and type of a pointer",
  condition = "(session, tree) -> function that returns its value", integer = "(session, tree) -> number",
  number = "(value, pos) -> tree", first = "the first index of an array",
  includes_last = "true if a range includes its last element",
  -- List items.
  element_type = "(session, node) -> element type of a list item",
  object_of = "(session, node) -> enclosing object of a member, true if a pointer points to it",
  access_path = "(session, node) -> the outermost object of a member, its type, the steps from there, subscripts",
  is_designator = "(session, node) -> true if a member of a section is valid in the language",
  is_absent = "(session, node) -> true for an absent optional argument; false: the language has none",
  is_part = "(session, node) -> true if clauses with this part of a variable do not name the variable; false: no part",
  attaches_variables = "true if attach gives its variable a data attribute",
  analyse_item = "(session, node, request) -> typed list item; nil: the language has none",
  items = "module with object and pointer: (plan, request) -> item of the list item (construct_ir.lua)",
  update_pieces = "(plan, nodes) -> nodes, each contiguous",
  with_roots = "(plan, requests) -> requests, preceded by implicit ones",
  analyse_maps = "(directive, requests): analyses the list items of OpenMP's maps; false: map_items does",
  map_items = "(plan, requests, used): makes the items of OpenMP's maps",
  category = "(variable, type) -> category for defaultmap, true if mapped by default",
  categories = "all categories, as keys", check_dependence = "(session, clause): raises if a depend clause is wrong",
  -- Plans.
  computes_bounds = "true if plans hold addresses and bounds",
  check_completed = "(plan): adds items that other items require; false: no item requires others",
  check_and_plan = "(session, fn, ...) -> the plan that fn makes",
  holds = "(session, plan) -> true if it can be reused",
  takes_self = "true if compute constructs take self", has_blocks = "true if declare target may have an end",
  -- Bodies.
  read_body = "(session, body, location, construct) -> tree, references", run_body = "(session, kernel, body, tree)",
  is_compiled = "true if bodies of text may be compiled for a GPU",
  counters = "(session, depth, tree) -> counters of a loop construct's loops: {variable}",
}

-- Raises if the table of Fortran does not fill all slots; called when it is loaded.
local function check(fortran) check_interface(slots, "fortran", fortran) end

return { c = check_interface(slots, "c", language_c), fortran = lazy.require("accdeep.run.language_fortran", check) }
