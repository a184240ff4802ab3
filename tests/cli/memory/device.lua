-- luacheck: ignore
declare "char v[16];" while acc_malloc(1 << 20) ~= NULL do end acc "enter data create(v)"
