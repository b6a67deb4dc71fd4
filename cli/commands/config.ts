import type { Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { didYouMean, nearest } from '../engine/nearest';
import type { VariableName } from '../../services/platform/config/variables';

function variable(text: string, name: string): VariableName {
  const { VARIABLES } =
    require('../../services/platform/config/variables') as typeof import('../../services/platform/config/variables');
  const wanted = text.toUpperCase().replaceAll('-', '_');
  const names = Object.keys(VARIABLES) as VariableName[];
  const found = names.find((each) => each === wanted);
  if (found) return found;
  throw new UsageError(
    `${name} must be one of the variables in tourctl config list${didYouMean(nearest(wanted, names))}`,
  );
}

export const config: Noun = {
  name: 'config',
  about: 'The settings of this installation, and where each comes from',
  verbs: [
    {
      usage: 'list',
      about: 'List every variable, its value, and where that comes from; secrets stay hidden',
      flags: [{ flags: '--set', about: 'only those that the environment or .env sets' }],
      examples: ['config list', 'config list --set'],
      runBare: () => (require('./config/read') as typeof import('./config/read')).listConfigCommand,
    },
    {
      usage: 'show <variable>',
      about: 'Show a variable with its valid values',
      args: { variable },
      examples: ['config show DATABASE_URL'],
      runBare: () => (require('./config/read') as typeof import('./config/read')).showConfigCommand,
    },
    {
      usage: 'get <variable>',
      about: 'Print the effective value, for a script; a secret is never printed',
      args: { variable },
      examples: ['config get PUBLIC_BASE_URL', 'config get API_PORT --json'],
      runBare: () => (require('./config/read') as typeof import('./config/read')).getConfigCommand,
    },
    {
      usage: 'check',
      about:
        'Check all variables at once, also for misspelt names, and show where each comes from; exit 1 if the services would not start',
      examples: ['config check'],
      runBare: () => (require('./config/read') as typeof import('./config/read')).checkConfigCommand,
    },
  ],
};
