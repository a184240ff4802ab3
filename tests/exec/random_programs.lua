-- random_programs.lua - what tests of random C programs share: directives in both standards, and runs under
-- `accdeep exec`.

local json = require "dkjson"
local shell = require "suites.shell"

local random_programs = {}

local names = {
  kernel = { openacc = "parallel", openmp = "target" },
  loop = { openacc = "parallel loop", openmp = "target parallel for" },
  data = { openacc = "data", openmp = "target data" },
  enter = { openacc = "enter data", openmp = "target enter data" },
  exit = { openacc = "exit data", openmp = "target exit data" },
  update = { openacc = "update", openmp = "target update" },
}

-- Clauses of OpenMP of the same effect. One reference is ended by `delete`, too, as `release` does.
local clauses_of_openmp = { present = "map(alloc: %s)", copy = "map(tofrom: %s)", copyin = "map(to: %s)",
  copyout = "map(from: %s)", create = "map(alloc: %s)", delete = "map(release: %s)", self = "from(%s)",
  host = "from(%s)", device = "to(%s)" }

-- Returns a directive as a line. standard: openacc or openmp. kind: a key of `names`. clauses: a list of {action,
-- sections}, the clause of OpenACC and its argument. more: further clauses, or nil.
function random_programs.directive(standard, kind, clauses, more)
  local is_openmp, parts = standard == "openmp", {}
  for i, clause in ipairs(clauses) do
    parts[i] = is_openmp and clauses_of_openmp[clause[1]]:format(clause[2]) or ("%s(%s)"):format(clause[1], clause[2])
  end
  return ("#pragma %s %s %s%s"):format(is_openmp and "omp" or "acc", names[kind][standard], table.concat(parts, " "),
    more or "")
end

-- Compiles lines of C and runs the program in the folder. options: standard; compile: further options of gcc;
-- is_strict: without `accdeep cc`, under `exec --strict`. Returns the findings, a list of decoded JSON with the field
-- `line_text`, and {out, err, status, other}: what it printed, and the first line that is no finding; nil and the
-- reason if it cannot be compiled.
function random_programs.run(accdeep, folder, lines, options)
  local place, program = shell.quote(folder), shell.quote(accdeep)
  shell.write(folder .. "/program.c", table.concat(lines, "\n") .. "\n")
  if not os.execute(("cd %s && %s gcc -g %s -w -pipe -f%s -foffload=disable program.c -o program >log 2>&1"):format(
    place, options.is_strict and "" or program .. " cc", options.compile or "", options.standard)) then
    return nil, "cannot be compiled: " .. shell.read(folder .. "/log")
  end
  local _, _, status = os.execute(
    ("cd %s && OMP_NUM_THREADS=1 timeout 120 %s exec -q %s --format json ./program >out 2>err </dev/null"):format(place,
    program, options.is_strict and "--strict" or ""))
  local findings, err, other = {}, shell.read(folder .. "/err"), nil
  for text in err:gmatch "[^\n]+" do
    local finding = json.decode(text)
    if type(finding) == "table" then
      finding.line_text, findings[#findings + 1] = text, finding
    else
      other = other or text
    end
  end
  return findings, { out = shell.read(folder .. "/out"), err = err, status = status, other = other }
end

return random_programs
