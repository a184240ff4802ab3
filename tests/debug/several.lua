-- A name in PROGRAM, which is made of layouts.cc, that several types have.

scenario { title = "types of one name", cites = { "HOUSE-debug" } }

case("rejects: a name leaves out template arguments in which types differ", function()
  local problem = expect.fails("unknown-type", function()
    declare_from(os.getenv "PROGRAM", "app::block<unsigned long>")
  end, { rule = "HOUSE-debug", message = "may be app::block<unsigned long,", help = "write all of the name" })
  expect(problem.message:find "3" and problem.message:find "4", problem.message)
end)
