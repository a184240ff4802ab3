-- Two activity queues, and a wait that is missing. Where queues do their work at once nobody notices:
--   accdeep run examples/missing_wait.lua
-- Where they do it as late as they may, it shows:
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
