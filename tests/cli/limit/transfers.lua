-- few steps, each of which moves much
declare "char a[1 << 22];"
acc "enter data copyin(a)"
while true do acc "update device(a)" end
