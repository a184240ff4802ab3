-- library.lua - the part of Lua's own library that a scenario has (sandbox.lua).
return {
  title = "Lua's library",
  text = [[
These names are Lua's own; what is not listed is not there, unless `accdeep run --trust` gives all of it. They differ
from Lua's manual where a script could reach outside of its scenario or beyond its limits:

- `print` writes to the scenario's output, which `--format json` and the like keep in order, and shows what structures,
  lists and pointers hold: `print(host.v)`, `print(host "v.data[0:4]")`;
- `load` takes text only, and what it loads sees the scenario's names;
- `next`, `pairs`, `rawget`, `rawset`, `rawlen` and `setmetatable` take tables of the script's own, `getmetatable` gives
  their metatables only, and there are no finalizers (`__gc`);
- `xpcall` calls its handler when the error has been caught, so that no traceback is to be had;
- a limit that is reached (`limit`) ends the run, whatever catches errors.]],
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
