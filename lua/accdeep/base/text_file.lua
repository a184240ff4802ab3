-- text_file.lua - reads texts in other languages that are files beside the modules: C, CUDA, JavaScript, CSS, HTML and
-- roff. The program and the library contain them (lua/bundle.lua); elsewhere they are read from the folder of the
-- modules.

local text_file = {}

-- Returns the text of a file. `path`: its path below the folder accdeep of the modules; examples/NAME is an example.
-- Raises if there is none.
function text_file.read(path)
  local embedded, text = pcall(require, "accdeep.text." .. path)
  if embedded then return text end
  local folder = assert(package.searchpath("accdeep.base.text_file", package.path)):gsub("base/text_file%.lua$", "")
  local file = assert(io.open(folder .. (path:find "^examples/" and "../../" or "") .. path, "rb"))
  text = file:read "a"
  file:close()
  return text
end

-- Returns the text of a file of C without its first paragraph, the headers with which compilers can read it alone.
-- Raises if there is no such file.
function text_file.without_headers(path) return (text_file.read(path):gsub("^.-\n\n", "", 1)) end

return text_file
