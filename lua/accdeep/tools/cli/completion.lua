-- completion.lua - `accdeep completion`: what a shell needs to complete our command lines.

local common = require "accdeep.tools.cli.common"

local function options(command)
  command:argument("shell", "The shell: bash, zsh, fish."):choices { "bash", "zsh", "fish" }
end

local function run(chosen, parser)
  for _, command in ipairs(parser._commands) do
    for _, option in ipairs(command._options) do
      if option._name == "--trace" then option._minargs, option._maxargs = 0, 0 end -- no word follows it
    end
  end
  common.out(parser["get_" .. chosen.shell .. "_complete"](parser))
  return 0
end

return { about = "Print the completion of accdeep's command lines for a shell.", options = options, run = run }
