declare "int x;"
acc "enter data create(x)"
show()
acc "exit data delete(x)"
