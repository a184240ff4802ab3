-- cc.lua - `accdeep cc`: a compiler whose programs `accdeep exec` checks access by access.

local lazy = require "accdeep.base.lazy"
local cc = lazy.require "accdeep.tools.cc"

local function options(command)
  command:argument("compiler", "gcc, g++, gfortran, clang or clang++."):args "?":argname "<compiler>"
  command:argument("arguments", "Its command line."):args "*":argname "<arg>"
  command:flag("--libdir", "Print the folder of the library that such programs need, for other builds.")
end

-- What stands behind the compiler is the compiler's.
local function spell(args)
  if args[2] and args[2]:sub(1, 1) ~= "-" then
    return table.move(args, 2, #args, 3, { args[1], "--" })
  end
  return args
end

return { about = "Compile a program so that `accdeep exec` checks each access to mapped data.",
  options = options, spell = spell, run = cc }
