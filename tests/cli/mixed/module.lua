-- A module among scenarios: it has no cases.
return { answer = 42 }
