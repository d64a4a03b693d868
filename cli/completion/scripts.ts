/**
 * The completion scripts. Each calls `svc completion words` with the line up to the cursor, and completes file names if
 * that prints nothing. The words contain spaces and characters that a shell would interpret, so each script quotes them.
 */
export const SCRIPTS = {
  // compgen -W would execute a command substitution in a word. Bash also splits words at =, : and @, and replaces only the
  // last part, with a @ before it: the parts before that are removed from each word.
  bash: `_svc() {
  local word line="\${COMP_LINE:0:COMP_POINT}" piece="\${COMP_WORDS[COMP_CWORD]}" before= quote= index=COMP_CWORD
  local rest="\${line%"$piece"}"
  if [[ "$piece" == [=:@] ]]; then before="$piece" piece=; fi
  while (( index > 0 )) && [[ "$rest" == *[![:space:]] ]]; do
    word="\${COMP_WORDS[--index]}"
    before="$word$before" rest="\${rest%"$word"}"
  done
  before="\${before%@}"
  if [[ "$piece" == [\\"\\']* ]]; then quote="\${piece:0:1}"; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    word="\${word#"$before"}"
    if [[ -z "$quote" ]]; then printf -v word %q "$word"
    elif [[ "$quote" == "'" ]]; then word="\${word//\\'/\\'\\\\\\'\\'}"
    else word="\${word//\\\\/\\\\\\\\}" word="\${word//\\"/\\\\\\"}" word="\${word//\\$/\\\\\\$}" word="\${word//\\\`/\\\\\\\`}"
    fi
    COMPREPLY+=("$word")
  done < <(svc completion words "$line" 2>/dev/null)
  if (( \${#COMPREPLY[@]} == 1 )) && [[ "\${COMPREPLY[0]}" == *[/=.] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _svc svc
`,
  zsh: `_svc() {
  local -a found open
  local word about
  while IFS=$'\\t' read -r word about; do
    word="\${word//:/\\\\:}"
    if [[ "$word" == *[/=.] ]]; then open+=("$word:$about"); else found+=("$word:$about"); fi
  done < <(svc completion words "\${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)
  if (( \${#found} + \${#open} == 0 )); then _files; return; fi
  (( \${#found} )) && _describe -V svc found
  (( \${#open} )) && _describe -V svc open -S ''
}
compdef _svc svc
`,
  fish: `function __svc_words
  set -l found (svc completion words (commandline -cp | string collect) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c svc -f -k -a '(__svc_words)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  $line = $commandAst.Extent.Text.PadRight($length).Substring(0, $length)
  svc completion words $line 2>$null | ForEach-Object {
    $word, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $word }
    $text = if ($word -match '^[\\w./:=*+-]+$') { $word } else { "'" + $word.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $about)
  }
}
`,
  nushell: `let svc_words = {|spans: list<string>|
  let quoted = ($spans | each {|span| if ($span =~ '\\s') and ($span !~ '^[\\x27"]') { $"'($span)'" } else { $span } })
  let found = (^svc completion words ($quoted | str join ' ') | complete | get stdout | lines)
  if ($found | is-empty) { return null }
  $found | each {|line|
    let parts = ($line | split row -n 2 (char tab))
    let word = $parts.0
    {
      value: (if ($word =~ '^[\\w./:=@*+,-]+$') { $word } else if ($word =~ '\\x27') { $word | to nuon } else { $"'($word)'" })
      description: ($parts | get -o 1 | default '')
    }
  }
}
let svc_previous = ($env.config.completions.external.completer? | default {|spans| null })
$env.config.completions.external.enable = true
$env.config.completions.external.completer = {|spans|
  if $spans.0 == 'svc' { do $svc_words $spans } else { do $svc_previous $spans }
}
`,
} as const;
