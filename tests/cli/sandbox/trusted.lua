print(type(io.open), type(os.getenv), type(require), type(debug.getinfo), require "accdeep".version ~= nil)
