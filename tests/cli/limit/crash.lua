-- luacheck: ignore
print "about to end"
os.exit(9)
