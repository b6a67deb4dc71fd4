import type { CompletedCommand } from './completed-command';

/** For bash 3.2 and later, without the package bash-completion. */
export function bashScript(commands: CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => `'${path.join(' ')}'`);
  const next = commands.map(({ path, words, flags, takesFiles }) => {
    const named = words.map(({ word }) => word).join(' ');
    const flagged = flags.map(({ word }) => word).join(' ');
    return `    '${path.join(' ')}') words='${named}' flags='${flagged}'${takesFiles ? ' files=1' : ''} ;;`;
  });
  return `# tourctl for bash: source <(tourctl completion bash)
_tourctl() {
  local -a typed
  local line="\${COMP_LINE:0:COMP_POINT}" current='' before='' path='' words='' flags='' files='' word i
  # Not COMP_WORDS: those are broken at every = and colon too.
  read -r -a typed <<<"$line"
  case "$line" in
    *' ') typed+=('') ;;
  esac
  current="\${typed[\${#typed[@]} - 1]}"
  before="\${typed[\${#typed[@]} - 2]}"
  case "$current" in
    --*=*)
      before="\${current%%=*}"
      current="\${current#*=}"
      ;;
  esac
  for ((i = 1; i < \${#typed[@]} - 1; i++)); do
    word="\${path:+$path }\${typed[i]}"
    case "$word" in
    ${paths.join(' | ')}) path="$word" ;;
    esac
  done
  case "\${path:+$path }$before" in
${commands.flatMap(valuesOf).join('\n')}
    *)
      case "$path" in
${next.map((line) => `  ${line}`).join('\n')}
      esac
      case "$current" in
        -*) words="$flags" files='' ;;
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # What stands before the last colon is not replaced.
  case "$COMP_WORDBREAKS" in
    *:*) COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}") ;;
  esac
  if [ -n "$files" ]; then
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _tourctl tourctl
`;
}

/** A case for each flag that takes a value. */
function valuesOf({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ word, value }) => {
    if (value === 'none') return [];
    const then =
      typeof value === 'object' ? `words='${value.join(' ')}'` : value === 'file' ? 'files=1' : ':';
    return [`    '${[...path, word].join(' ')}') ${then} ;;`];
  });
}
