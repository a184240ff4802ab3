-- files.lua - returns a function of a root folder; its result reads files below that folder: text_of(path).

return function(root)
  return function(path)
    local file = assert(io.open(root .. "/" .. path, "rb"))
    local text = file:read "a"
    file:close()
    return text
  end
end
