-- files.lua - files(root) -> text_of(path): the text of a file below a folder.

return function(root)
  return function(path)
    local file = assert(io.open(root .. "/" .. path, "rb"))
    local text = file:read "a"
    file:close()
    return text
  end
end
