-- Members that come one by one, where another program has mapped them together: what libgomp keeps, and no state shows.
scenario { title = "members of a structure, one by one", rules = "libgomp-12" }
declare "struct S { int x, y, z; } s = {1, 2, 3};"
vocabulary { acc "enter data {copyin(s.x),copyin(s.z),copyin(s.x, s.z)}", host "s.x = 7" }
