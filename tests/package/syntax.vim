" Writes how the words of a scenario are shown: vim -S syntax.vim, with $SYNTAX the folder installed for Vim
" and $FOUND the file to write.
let &runtimepath = $SYNTAX . ',' . &runtimepath . ',' . $SYNTAX . '/after'
syntax on
enew
call setline(1, ['acc "data copy(X)" (function()', '  declare [[ int q; ]]', '  print "plain(x)"', 'end)'])
set filetype=lua
let found = []
for [line, word] in [[1, 'data'], [1, 'copy'], [1, 'X'], [2, 'int'], [3, 'plain'], [4, 'end']]
  call add(found, word . ' ' . synIDattr(synID(line, match(getline(line), word) + 1, 1), 'name'))
endfor
call writefile(found, $FOUND)
qall!
