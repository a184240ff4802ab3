-- lua_library.lua - reference chapter: the part of Lua's library that a scenario has (script/sandbox.lua).
return {
  title = "Lua's library",
  text = [[
These names are Lua's own. Others do not exist, unless `accdeep run --trust` gives the whole library. Some differ from
Lua's manual, so that a script cannot reach outside of its scenario or exceed its limits:

- `print` writes to the scenario's output, in order with other reports (`--format json`). It shows what structures,
  lists and pointers hold: `print(host.v)`, `print(host "v.data[0:4]")`.
- `load` takes text only, and the loaded text sees the scenario's names.
- `next`, `pairs`, `rawget`, `rawset`, `rawlen` and `setmetatable` take only the script's own tables. `getmetatable`
  gives only their metatables. There are no finalizers (`__gc`).
- `xpcall` calls its handler after the error was caught, so there is no traceback.
- A limit that is reached (`limit`) ends the run, even inside `pcall`.]],
  names = [[_G _VERSION assert error getmetatable ipairs load next pairs pcall print rawequal rawget rawlen rawset
    select setmetatable tonumber tostring type xpcall
    coroutine.close coroutine.create coroutine.isyieldable coroutine.resume coroutine.running coroutine.status
    coroutine.wrap coroutine.yield
    math.abs math.acos math.asin math.atan math.ceil math.cos math.deg math.exp math.floor math.fmod math.huge math.log
    math.max math.maxinteger math.min math.mininteger math.modf math.pi math.rad math.random math.randomseed math.sin
    math.sqrt math.tan math.tointeger math.type math.ult
    os.clock os.time
    string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower string.match
    string.pack string.packsize string.rep string.reverse string.sub string.unpack string.upper
    table.concat table.insert table.move table.pack table.remove table.sort table.unpack
    utf8.char utf8.charpattern utf8.codepoint utf8.codes utf8.len utf8.offset]],
}
