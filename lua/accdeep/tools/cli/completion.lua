-- completion.lua - `accdeep completion`: prints the completion script of a shell for accdeep's command lines.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local examples = lazy.require "accdeep.tools.cli.examples"
local explain = lazy.require "accdeep.tools.cli.explain"
local profiles = require "accdeep.definitions.profiles"
local rules = lazy.require "accdeep.definitions.rules"
local sorted_pairs = require "accdeep.base.sorted_pairs"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("shell", "The shell: bash, zsh, fish."):choices { "bash", "zsh", "fish" }
end

-- Returns two tables of lists of values that shells offer: by option name, for its value; by command, for its argument.
local function values()
  -- Returns the sorted names in a set that a shell can complete, with hyphens instead of blanks.
  local function list_words(set)
    local list = {}
    for name in sorted_pairs(set) do
      -- A blank would separate two words; `explain` finds terms with a hyphen, too.
      name = name:gsub(" ", "-")
      if name:find "^[%w_.-]+$" then list[#list + 1] = name end
    end
    return list
  end
  local names, documents, spelled = {}, {}, {}
  for _, name in ipairs(profiles.names()) do names[name] = true end
  for _, document in ipairs(rules.documents) do documents[document.prefix] = true end
  for _, name in pairs(explain.topics()) do spelled[name] = true end
  local of_option = { ["--rules"] = list_words(names), ["--compare"] = list_words(names),
    ["--also"] = list_words(names), ["--profile"] = list_words(names),
    ["--device"] = { "sim", "cuda" }, ["--link"] = { "pcie4", "pcie5", "nvlink" } }
  for _, name in ipairs { "--case", "--jobs", "--limit-memory", "--limit-seconds", "--limit-steps", "--shard", "--step",
    "--to" } do
    -- The value is a number or a word that is not listed here, so that shells must not offer files.
    of_option[name] = {}
  end
  return of_option,
    { explain = list_words(spelled), rules = list_words(rules.names()), conform = list_words(documents) }
end

-- Returns argparse's script `text` adapted for bash: '=' begins a new word, each command has only its own options, and
-- file names are not offered for numbers.
local function for_bash(text)
  return (text:gsub('prev="[^\n]+\n', [=[%0
    if [[ "$cur" = "=" ]]; then
        cur=""
    elif [[ "$prev" = "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
]=], 1):gsub('opts="$opts ', 'opts="')
    :gsub('COMPREPLY=%(%$%(compgen %-W "" %-%- "%$cur"%)%)',
      "COMPREPLY=(); compopt +o default +o bashdefault 2>/dev/null"))
end

-- Code of the bash script for the argument of `explain`, which may be quoted, have spaces, and be in lower case.
local WORD_OF_EXPLAIN = [=[
            explain) cur="${cur#[\'\"]}"; cur="${cur// /-}"
                for cur in "$cur" "${cur^^}"; do
                    [[ ${COMPREPLY[0]} ]] || COMPREPLY=($(compgen -W "%s" -- "$cur"))
                done ;;
]=]

-- Returns argparse's script `text` for bash or fish, which offers values only for options, extended by the values for
-- arguments. `by_command`: a table from command to the values of its argument.
local function with_arguments(shell, text, by_command)
  local out = {}
  for command, list in sorted_pairs(by_command) do
    local list_words = table.concat(list, " ")
    out[#out + 1] = shell == "fish"
      and ("complete -c accdeep -n '__fish_accdeep_seen_command %s' -a '%s'\n"):format(command, list_words)
      or command == "explain" and WORD_OF_EXPLAIN:format(list_words)
      or ('            %s) COMPREPLY=($(compgen -W "%s" -- "$cur")) ;;\n'):format(command, list_words)
  end
  if shell == "fish" then return text .. table.concat(out) end
  return (for_bash(text):gsub('(%-W "%$opts" %-%- "%$cur"%)%)\n)(    fi\n)', function(before, after)
    return before .. '    else\n        case "$cmd" in\n' .. table.concat(out) .. "        esac\n" .. after
  end))
end

-- Prints the completion script of the chosen shell. Returns the exit status.
local function run(chosen, parser)
  local of_option, of_command = values()
  of_command.completion, of_command.examples = { "bash", "zsh", "fish" }, examples.paths()
  for _, command in ipairs(parser._commands) do
    for _, option in ipairs(command._options) do
      -- The value is optional, therefore the next word may be something else.
      if option._name == "--trace" then option._minargs, option._maxargs = 0, 0 end
      if option._maxargs > 0 then option._choices = option._choices or of_option[option._name] end
    end
    local argument = command._arguments[1]
    if of_command[command._name] then argument._choices = of_command[command._name] end
  end
  local text = parser["get_" .. chosen.shell .. "_complete"](parser)
  common.write_output(chosen.shell == "zsh" and text or with_arguments(chosen.shell, text, of_command))
  return 0
end

return { about = "Print the completion of accdeep's command lines for a shell.", options = options, run = run }
