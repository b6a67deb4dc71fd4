import type { Branch, Noun } from '../../command';

/** @param tree all commands, this one too: it stands in there, so it cannot import it */
export function completionOf(tree: () => Branch[]): Noun {
  const shell = (name: 'bash' | 'zsh' | 'fish', install: string) => ({
    usage: name,
    about: `Print it for ${name}; to have it in every shell: ${install}`,
    examples: [`completion ${name}`],
    runBare: () => {
      const { completionCommand } = require('./print') as typeof import('./print');
      return completionCommand(name, tree());
    },
  });
  return {
    name: 'completion',
    about: 'The script that lets your shell complete commands, flags and their values',
    verbs: [
      shell('bash', 'source <(tourctl completion bash) in ~/.bashrc'),
      shell('zsh', 'source <(tourctl completion zsh) in ~/.zshrc, after compinit'),
      shell('fish', 'tourctl completion fish > ~/.config/fish/completions/tourctl.fish'),
    ],
  };
}
