import type { Branch, Noun } from '../engine/command';

/** @param tree all commands; passed in, because the tree imports this file */
export function completionOf(tree: () => Branch[]): Noun {
  const shell = (name: 'bash' | 'zsh' | 'fish', install: string) => ({
    usage: name,
    about: `Print it for ${name}; to have it in every shell: ${install}`,
    examples: [`completion ${name}`],
    runBare: () => {
      const { completionCommand } = require('./completion/scripts') as typeof import('./completion/scripts');
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
