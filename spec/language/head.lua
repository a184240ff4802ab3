-- What the head of a scenario takes. The head is the first statement; the refused heads come before it.

local function refuses(code, message, head)
  return expect.fails(code, function() scenario(head) end, { message = message })
end

local problems = {
  refuses("type-mismatch", "scenario takes a table", 5),
  refuses("type-mismatch", "title is a text", { title = 5 }),
  refuses("type-mismatch", "strict is true or false", { strict = "maybe" }),
  refuses("type-mismatch", "cites is a list of rules", { cites = "HOUSE-names" }),
  refuses("type-mismatch", "devices is a number", { devices = "2" }),
  refuses("no-device", "devices is a number from 1 to 64", { devices = 65 }),
  refuses("unknown-name", "no rule 'HOUSE-nmaes'", { cites = { "HOUSE-nmaes" } }),
  refuses("unknown-name", "no field 'rule'", { rule = "tr14" }),
  refuses("unknown-name", "no language 'ada'", { language = "ada" }),
  refuses("unknown-name", "no layout of descriptors 'ifort'", { descriptors = "ifort" }),
  refuses("unknown-name", "no mode 'later' of queues", { async = "later" }),
}

scenario { title = "The head of a scenario", devices = 2 }

problems[#problems + 1] = refuses("scenario-error", "a file has one head", {})

case("accepts: a correct head may follow heads that were refused [HOUSE-scenario]", function()
  expect.equal(omp_get_num_devices(), 2)
end)

case("rejects: a head is not the first statement [HOUSE-scenario]", function()
  refuses("scenario-error", "is the first statement", {})
end)

case("differs: the help of a refused head says what a head may contain [HOUSE-names HOUSE-language]", function()
  for _, problem in ipairs(problems) do expect(problem.help and problem.rule, problem.message) end
end)
