-- Two activity queues, and a missing wait. In program order the result is still right:
--   accdeep run examples/missing_wait.lua
-- With delayed queues the result is wrong:
--   accdeep run --async delayed examples/missing_wait.lua
scenario { title = "A wait is missing" }

declare "float a[4] = { 1, 2, 3, 4 }, b[4];"

acc "data copyin(a) copyout(b)" (function()
    acc "parallel present(a) async(1)" "for (int i = 0; i < 4; i++) a[i] *= 10;"
    acc "parallel present(a, b) async(2)" -- wait(1) should stand here
        "for (int i = 0; i < 4; i++) b[i] = a[i] + 1;"
    acc "wait"
end)
expect.host("b[0:4]", { 11, 21, 31, 41 })
