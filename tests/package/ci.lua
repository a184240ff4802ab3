-- tests/package/ci.lua ROOT BUILD WORK - runs the steps of the jobs in examples/ci.md on the project examples/ci, each
-- job in a folder of its own below WORK, which is emptied first.
--
-- The step that installs accdeep installs the finished build BUILD; packages of the system are taken as they are. Both
-- jobs must fail, because one of the two tests has a defect, and leave a report with the finding of that test alone.

local root, build, work = arg[1], arg[2], arg[3]
local prefix = work .. "/prefix"
local problems, checks = 0, 0

-- Counts a check, and prints what is wrong if it does not hold.
local function check(holds, ...)
  checks = checks + 1
  if holds then return end
  problems = problems + 1
  print("FAIL", ...)
end

local function read(path)
  local file = io.open(path)
  local text = file and file:read "a" or ""
  if file then file:close() end
  return text
end

-- Runs a script in a folder as CI services do: its shell ends at the first command that fails. Appends what it prints
-- to the folder's log. Returns true if all commands succeed.
local function run(folder, script)
  local file = assert(io.open(folder .. "/../step.sh", "w"))
  file:write("set -e\nexport PATH='", prefix, "/bin':$PATH\n", script, "\n"):close()
  return os.execute(("cd '%s' && sh ../step.sh >>../log 2>&1 </dev/null"):format(folder)) or false
end

local INSTALLS = "git clone https://HOST/accdeep /opt/accdeep && make -C /opt/accdeep install"

-- Returns what is run in place of a step: the installation of this build, nothing for packages, or the step itself.
local function replacement(script)
  if script == INSTALLS then return ("cmake --install '%s' --prefix '%s'"):format(build, prefix) end
  return script:find "^apt%-get update && apt%-get install %-y " and "true" or script
end

-- Runs a job of GitHub Actions: each step in a shell of its own, and after a failure only those with `if: always()`.
-- Returns true if all succeed.
local function run_github(folder, yaml)
  local steps = {}
  for line in yaml:gmatch "[^\n]+" do
    local script = line:match "^      %- run: (.+)"
    if script or line:find "^      %- uses: " then steps[#steps + 1] = { script = script } end
    if line:find "^        if: always%(%)$" then steps[#steps].is_always = true end
  end
  local succeeds = true
  for _, step in ipairs(steps) do
    if step.script and (succeeds or step.is_always) then
      succeeds = run(folder, replacement(step.script)) and succeeds
    end
  end
  return succeeds
end

-- Runs a job of GitLab: `before_script` and `script` in one shell, and always `after_script`. Returns true if the first
-- two succeed.
local function run_gitlab(folder, yaml)
  local scripts, section = { script = {}, after_script = {} }, nil
  for line in yaml:gmatch "[^\n]+" do
    section = line:match "^  ([%w_]+):" or section
    local list = scripts[section == "before_script" and "script" or section]
    local script = line:match "^    %- (.+)"
    if list and script then list[#list + 1] = replacement(script) end
  end
  local succeeds = run(folder, table.concat(scripts.script, "\n"))
  run(folder, table.concat(scripts.after_script, "\n"))
  return succeeds
end

assert(os.execute(("rm -rf '%s'"):format(work)))
local page = read(root .. "/examples/ci.md")
for heading, run_job in pairs { ["GitHub Actions"] = run_github, ["GitLab CI"] = run_gitlab } do
  local job = work .. "/" .. heading:gsub(" ", "-")
  local folder = job .. "/project"
  assert(os.execute(("mkdir -p '%s' && cp '%s'/examples/ci/* '%s' && cp '%s/examples/stale.c' '%s'")
    :format(folder, root, folder, root, job)))
  local yaml = page:match("\n## " .. heading .. "\n.-\n```yaml\n(.-\n)```")
  check(yaml and yaml:find(INSTALLS, 1, true), heading, "has a step that installs accdeep")
  local before = problems
  check(run_job(folder, yaml or "") == false, heading, "fails, as one of the tests has a defect")
  local log = read(job .. "/log")
  check(log:find "1 tests failed out of 2", heading, "runs two tests, of which one fails")
  check(log:find("error: ", 1, true) == nil, heading, "compiles")
  local count = select(2, read(folder .. "/accdeep.sarif"):gsub('"ruleId":"stale%-data"', ""))
  check(count == 1, heading, "leaves one finding of stale data in accdeep.sarif, and has", count)
  local reports = io.popen(("ls '%s' | grep -c '^accdeep[.][0-9]*[.]sarif$'"):format(folder)):read "n"
  check(reports == 2, heading, "leaves a report of each test, and has", reports)
  if problems > before then print(log) end
end
print(("%d of %d checks hold"):format(checks - problems, checks))
os.exit(problems == 0 and checks > 0)
