-- languages.lua - what a language of host programs is: C and Fortran each fill all of these, and no pass asks
-- which of them a session speaks. `session.language` is the table of one.

local language_c = require "accdeep.run.language_c"
local check_interface = require "accdeep.base.check_interface"
local lazy = require "accdeep.base.lazy"

local slots = {
  name = "what scenarios and options call it",
  -- names and texts
  keywords = "words that are no names, as keys",
  normalize_name = "(name) -> the name as the language compares names",
  pointers = "the document that says what OpenACC's rules of pointers are in it",
  some_section = "format of a section of a pointer", least_section = "the same of no element",
  text_of = "(tree of a designator) -> its text",
  member_sign = "between an object and its member", subscripts = "(array's type, index from 0) -> those of an element",
  range_text = "(array's type, first, behind the last, both from 0) -> subscripts of consecutive elements",
  pointee_name = "(name of an object, whether it is a variable, path) -> a part of it",
  numbers_places = "whether places in "
    .. "memory are shown as elements from 0",
  parse = "(session, start, text) -> tree; start: directive, omp_directive, references",
  is_directive = "(text) -> whether it is one directive; otherwise it is declarations",
  declare = "(session, text): carries out declarations",
  type = "(session, text) -> the type that a text names", type_of = "(session, tree of a type) -> type",
  variable = "(session, name, text, file, line) -> a variable that the text declares; nil: the text names a type",
  debug = "how types are built from debug information (types/debug_types.lua)",
  has_paragraphs = "whether a body that a person types ends with an empty line",
  -- values
  value = "(session, env, text) -> value", extent = "(session, text) -> address, bytes, type",
  extent_of = "(session, tree) -> the same", pointer_cell = "(session, text) -> address and type of a pointer",
  condition = "(session, tree) -> function that computes it", integer = "(session, tree) -> number",
  number = "(value, pos) -> tree", first = "the first index of an array",
  includes_last = "whether a range has its last",
  -- list items
  element_type = "(session, node) -> type of the elements that a list item stands for",
  object_of = "(session, node) -> the object that a member is a part of, and whether a pointer points there",
  access_path = "(session, node) -> the outermost object of a member, its type, the steps from there, subscripts",
  is_designator = "(session, node) -> whether the language itself has a member of a section",
  is_absent = "(session, node) -> whether it is an argument that was not given",
  object = "(plan, request, node) -> item", section = "(plan, request, base, subscripts) -> item",
  pointer = "(plan, request, node) -> item of an attach or detach",
  update_pieces = "(plan, nodes) -> nodes, each in one piece of memory",
  with_roots = "(plan, requests) -> requests, with those that they imply",
  map_items = "(plan, requests, used): makes the items of OpenMP's maps",
  category = "(variable, type) -> its category for defaultmap, and whether it is mapped unless a clause says otherwise",
  categories = "all categories, as keys", check_dependence = "(session, clause): raises what is wrong with a depend",
  -- plans
  computes_bounds = "whether plans hold addresses and bounds",
    check_completed = "(plan): adds what the other items ask for",
  check_and_plan = "(session, fn, ...) -> the plan that fn makes", holds = "(session, plan) -> whether it serves again",
  takes_self = "whether compute constructs take self", has_blocks = "whether declare target may have an end",
  -- bodies
  read_body = "(session, body, place, construct) -> tree, references", run_body = "(session, kernel, body, tree)",
  is_compiled = "whether bodies of text may be a GPU's kernels, which have no directives of the session inside",
  counters = "(session, depth, tree) -> the variables that count the loops of a loop construct: {variable}",
}

local function check(fortran) check_interface(slots, "fortran", fortran) end

return { c = check_interface(slots, "c", language_c), fortran = lazy.require("accdeep.run.language_fortran", check) }
