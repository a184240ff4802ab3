" Directives in the strings that scenarios of accdeep give to acc and omp, C in those given to declare.
let s:syntax = b:current_syntax
unlet b:current_syntax
syntax include @accdeepC syntax/c.vim
let b:current_syntax = s:syntax

" A string in quotes or in long brackets, behind acc or omp and perhaps a parenthesis. At the same place these
" come before Lua's own strings, because they are defined later.
syntax region accdeepDirective matchgroup=accdeepQuote keepend contains=@accdeepText
      \ start=/\%(\<\%(acc\|omp\)\s*(\=\s*\)\@50<="/ skip=/\\./ end=/"/
syntax region accdeepDirective matchgroup=accdeepQuote keepend contains=@accdeepText
      \ start=/\%(\<\%(acc\|omp\)\s*(\=\s*\)\@50<=\[\z(=*\)\[/ end=/\]\z1\]/
syntax region accdeepDeclare matchgroup=accdeepQuote keepend contains=@accdeepC
      \ start=/\%(\<declare\s*(\=\s*\)\@50<=\[\z(=*\)\[/ end=/\]\z1\]/

" Words outside parentheses are names of directives and clauses; a clause has arguments or a shape.
syntax cluster accdeepText contains=accdeepSentinel,accdeepWord,accdeepClause,accdeepArguments
syntax match accdeepWord /\<\h\w*\>/ contained
syntax match accdeepClause /\<\h\w*\>\ze\s*[(<]/ contained
syntax match accdeepSentinel /\%(#\s*pragma\s\+\%(acc\|omp\)\|!\$\%(acc\|omp\)\)\>/ contained
syntax region accdeepArguments start=/(/ end=/)/ contained contains=accdeepArguments,accdeepNumber
syntax match accdeepNumber /\<\d\+\>/ contained

highlight default link accdeepQuote String
highlight default link accdeepSentinel PreProc
highlight default link accdeepWord Statement
highlight default link accdeepClause Function
highlight default link accdeepArguments Identifier
highlight default link accdeepNumber Number
