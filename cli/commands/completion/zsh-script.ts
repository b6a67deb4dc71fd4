import type { CompletedCommand } from './completed-command';

/** To be sourced, or to lie as _tourctl in a directory of $fpath. */
export function zshScript(commands: CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => `'${path.join(' ')}'`);
  const next = commands.map(({ path, words, flags, takesFiles }) => {
    const named = words.map(describe).join(' ');
    const flagged = flags.map(describe).join(' ');
    return `    '${path.join(' ')}') named=(${named}) flagged=(${flagged})${takesFiles ? ' files=1' : ''} ;;`;
  });
  return `#compdef tourctl
# tourctl for zsh: source <(tourctl completion zsh)
_tourctl() {
  local route='' word files='' before="\${words[CURRENT - 1]}"
  local -a named flagged
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${route:+$route }\${words[i]}"
    case "$word" in
      (${paths.join('|')}) route="$word" ;;
    esac
  done
  # --flag=value
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    before="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  case "\${route:+$route }$before" in
${commands.flatMap(valuesOf).join('\n')}
  esac
  case "$route" in
${next.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'flag' flagged
  elif [[ -n "$files" ]]; then
    _files
  else
    _describe 'command' named
  fi
}
if [[ "\${funcstack[1]}" == _tourctl ]]; then
  _tourctl "$@"
else
  compdef _tourctl tourctl
fi
`;
}

/** A case for each flag that takes a value. */
function valuesOf({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ word, value }) => {
    if (value === 'none') return [];
    const then =
      typeof value === 'object' ? `compadd -- ${value.join(' ')}` : value === 'file' ? '_files' : ':';
    return [`    '${[...path, word].join(' ')}') ${then}; return ;;`];
  });
}

function describe({ word, about }: { word: string; about: string }): string {
  return `'${word.replaceAll(':', '\\:')}:${about}'`;
}
