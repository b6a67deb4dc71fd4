import type { Action, Branch } from '../../command';
import type { Basics } from '../../context';
import { bashScript } from './bash-script';
import { completedCommands } from './completed-command';
import { fishScript } from './fish-script';
import { zshScript } from './zsh-script';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Made of the tree of commands, so that it knows what this version knows and starts no process to complete a word. */
export function completionCommand(shell: keyof typeof SCRIPTS, tree: Branch[]): Action<Basics> {
  return async ({ output }) => {
    const script = SCRIPTS[shell](completedCommands(tree)).trimEnd();
    output.answer({ shell, script }, () => script);
  };
}
