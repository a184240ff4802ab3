-- tasks that wait for a wait; each copies an array, so that the memory ends there and not in Lua
scenario { async = "delayed" }
declare "int a[4096];"
acc "enter data copyin(a)"
while true do acc "update device(a) async(1)" end
