import type { CompletedCommand, CompletedFlag } from './completed-command';

export function fishScript(commands: CompletedCommand[]): string {
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
complete -c tourctl -e
complete -c tourctl -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, words, flags, takesFiles }: CompletedCommand): string[] {
  // Nouns and verbs follow where nothing else has followed yet.
  const exactly = `'__tourctl_at ${['=', ...path].join(' ')}'`;
  const anywhere = path.length > 0 && words.length === 0 ? `'__tourctl_at ${path.join(' ')}'` : exactly;
  return [
    ...words.map(({ word, about }) => `complete -c tourctl -n ${exactly} -a ${word} -d '${about}'`),
    ...flags.map((flag) => `complete -c tourctl -n ${anywhere} ${ofFlag(flag)}`),
    ...(takesFiles ? [`complete -c tourctl -n ${anywhere} -F`] : []),
  ];
}

function ofFlag({ word, about, value }: CompletedFlag): string {
  const option = `-l ${word.slice(2)} -d '${about}'`;
  if (value === 'none') return option;
  if (value === 'file') return `${option} -r -F`;
  return `${option} -x${typeof value === 'object' ? ` -a '${value.join(' ')}'` : ''}`;
}
