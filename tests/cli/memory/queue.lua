-- tasks that wait for a wait
scenario { async = "delayed" }
declare "int a;"
acc "enter data copyin(a)"
while true do acc "update device(a) async(1)" end
