-- completion.lua - `accdeep completion`: what a shell needs to complete our command lines.

local common = require "accdeep.cli.common"

local function options(command)
  command:argument("shell", "The shell: bash, zsh, fish."):choices { "bash", "zsh", "fish" }
end

local function run(chosen, parser)
  common.out(parser["get_" .. chosen.shell .. "_complete"](parser))
  return 0
end

return { about = "Print the completion of accdeep's command lines for a shell.", options = options, run = run }
