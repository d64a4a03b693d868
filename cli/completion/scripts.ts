/** The completion scripts. Each calls `svc completion words`, and completes file names if that prints nothing. */
export const SCRIPTS = {
  // compgen -W would execute a command substitution in a word. Bash splits --format=yaml into three words.
  bash: `_svc() {
  local word begun="\${COMP_WORDS[COMP_CWORD]}" flag=
  if [[ "$begun" == = ]]; then begun= flag='*='; elif [[ "\${COMP_WORDS[COMP_CWORD-1]}" == = ]]; then flag='*='; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    word="\${word#$flag}"
    [[ "$word" == "$begun"* ]] || continue
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(svc completion words "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F _svc svc
`,
  zsh: `_svc() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    found+=("$word:$about")
  done < <(svc completion words "\${words[1,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe svc found; else _files; fi
}
compdef _svc svc
`,
  fish: `function __svc_words
  svc completion words (commandline -cp | string collect) 2>/dev/null
end
complete -c svc -n 'test -n "$(__svc_words)"' -f -a '(__svc_words)'
`,
} as const;
