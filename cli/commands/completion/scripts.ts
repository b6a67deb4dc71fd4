import type { Action, Branch } from '../../engine/command';
import type { Basics } from '../../engine/context';
import type { PersonOfSession } from '../../../services/platform/people/people.repository';
import { findPersonAtTerminal, mayUse, mayUseSome } from '../../engine/people-rights';
import { type CompletedCommand, completedCommands, type CompletedFlag } from './completed-words';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * Generates the script from the tree of commands, so that the script itself contains all nouns, verbs and flags. Only to complete a slug, a
 * reference or an id, the script starts `tourctl completion names`, which reads the names from the database.
 */
export function printScript(shell: keyof typeof SCRIPTS, tree: Branch[]): Action<Basics> {
  return async ({ io, output }) => {
    const person = await findPersonAtTerminal(io);
    const commands = completedCommands(tree);
    const script = SCRIPTS[shell](person ? offeredTo(person, commands) : commands).trimEnd();
    await output.answer({ shell, script }, () => script);
  };
}

/** Leaves out the nouns and verbs that the person may not use. */
function offeredTo({ roles }: PersonOfSession, commands: CompletedCommand[]): CompletedCommand[] {
  const isOffered = (path: string[], word: string) => {
    if (word === 'help') return true;
    return path.length === 0 || path[0] === 'help'
      ? mayUseSome(roles, word)
      : mayUse(roles, [...path, word].join(' '));
  };
  return commands.map((command) => ({
    ...command,
    words: command.words.filter(({ word }) => isOffered(command.path, word)),
  }));
}

/** Returns a script for bash 3.2 and later that does not need the package bash-completion. */
function bashScript(commands: CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => `'${path.join(' ')}'`);
  const next = commands.map(({ path, words, flags, takesFiles, takesNames }) => {
    const named = words.map(({ word }) => word).join(' ');
    const flagged = flags.map(({ word }) => word).join(' ');
    return `    '${path.join(' ')}') words='${named}' flags='${flagged}'${takesFiles ? ' files=1' : ''}${takesNames ? ' names=1' : ''} ;;`;
  });
  return `# tourctl for bash: source <(tourctl completion bash)
_tourctl() {
  local -a typed
  local line="\${COMP_LINE:0:COMP_POINT}" current='' before='' path='' words='' flags='' files='' names='' word i
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
${commands.flatMap(bashValues).join('\n')}
    *)
      case "$path" in
${next.map((line) => `  ${line}`).join('\n')}
      esac
      case "$current" in
        -*) words="$flags" files='' names='' ;;
      esac
      ;;
  esac
  if [ -n "$names" ]; then
    words="$words $(tourctl completion names -- "\${typed[@]:1}" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # The shell does not replace the text before the last colon.
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

/** Returns a case for each flag that takes a value. */
function bashValues({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ word, value }) => {
    if (value === 'none') return [];
    const then = typeof value === 'object' ? `words='${value.join(' ')}'` : BASH_VALUES[value];
    return [`    '${[...path, word].join(' ')}') ${then} ;;`];
  });
}

const BASH_VALUES = { file: 'files=1', name: 'names=1', text: ':' };

/** Returns a script to source, or to store as _tourctl in a directory of $fpath. */
function zshScript(commands: CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => `'${path.join(' ')}'`);
  const next = commands.map(({ path, words, flags, takesFiles, takesNames }) => {
    const named = words.map(zshDescription).join(' ');
    const flagged = flags.map(zshDescription).join(' ');
    return `    '${path.join(' ')}') named=(${named}) flagged=(${flagged})${takesFiles ? ' files=1' : ''}${takesNames ? ' names=1' : ''} ;;`;
  });
  return `#compdef tourctl
# tourctl for zsh: source <(tourctl completion zsh)
_tourctl_names() {
  compadd -- \${(f)"$(tourctl completion names -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
_tourctl() {
  local route='' word files='' names='' before="\${words[CURRENT - 1]}"
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
${commands.flatMap(zshValues).join('\n')}
  esac
  case "$route" in
${next.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'flag' flagged
  elif [[ -n "$files" ]]; then
    _files
  elif [[ -n "$names" ]]; then
    _tourctl_names
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

/** Returns a case for each flag that takes a value. */
function zshValues({ path, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ word, value }) => {
    if (value === 'none') return [];
    const then = typeof value === 'object' ? `compadd -- ${value.join(' ')}` : ZSH_VALUES[value];
    return [`    '${[...path, word].join(' ')}') ${then}; return ;;`];
  });
}

const ZSH_VALUES = { file: '_files', name: '_tourctl_names', text: ':' };

function zshDescription({ word, about }: { word: string; about: string }): string {
  return `'${word.replaceAll(':', '\\:')}:${about}'`;
}

function fishScript(commands: CompletedCommand[]): string {
  return `# tourctl for fish: tourctl completion fish > ~/.config/fish/completions/tourctl.fish
function __tourctl_at
    set -l given (commandline -opc | string match -v -- '-*')[2..-1]
    set -l depth (count $argv)
    switch $argv[1]
        case =
            set depth (math $depth - 1)
            test (count $given) -eq $depth; or return 1
            set -e argv[1]
    end
    test $depth -eq 0; and return
    test (count $given) -ge $depth; and test "$given[1..$depth]" = "$argv"
end
function __tourctl_names
    set -l token (commandline -ct)
    test (count $token) -eq 0; and set token ''
    tourctl completion names -- (commandline -opc)[2..-1] $token 2>/dev/null
end
complete -c tourctl -e
complete -c tourctl -f
${commands.flatMap(fishLines).join('\n')}
`;
}

function fishLines({ path, words, flags, takesFiles, takesNames }: CompletedCommand): string[] {
  // Offers nouns and verbs only directly after `path`; flags and names also after further words.
  const exactly = `'__tourctl_at ${['=', ...path].join(' ')}'`;
  const anywhere = path.length > 0 && words.length === 0 ? `'__tourctl_at ${path.join(' ')}'` : exactly;
  return [
    ...words.map(({ word, about }) => `complete -c tourctl -n ${exactly} -a ${word} -d '${about}'`),
    ...flags.map((flag) => `complete -c tourctl -n ${anywhere} ${fishFlag(flag)}`),
    ...(takesFiles ? [`complete -c tourctl -n ${anywhere} -F`] : []),
    ...(takesNames ? [`complete -c tourctl -n ${anywhere} -a '(__tourctl_names)'`] : []),
  ];
}

function fishFlag({ word, about, value }: CompletedFlag): string {
  const option = `-l ${word.slice(2)} -d '${about}'`;
  if (value === 'none') return option;
  if (value === 'file') return `${option} -r -F`;
  if (value === 'name') return `${option} -x -a '(__tourctl_names)'`;
  return `${option} -x${typeof value === 'object' ? ` -a '${value.join(' ')}'` : ''}`;
}
