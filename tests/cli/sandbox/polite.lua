-- After another scenario: the interpreter is as it was.
print(("x"):rep(3), #("abc"), ("%d"):format(4))
