import type { Noun } from '../engine/command';
import { checkOrigins, DEV_FLAG } from '../engine/credential-flags';

const check = ({ dev }: { dev?: boolean }, _slug: string, origins: string[]) =>
  checkOrigins(origins, dev, '<origin>');

export const origins: Noun = {
  name: 'origins',
  about: "Sites that may show a tenant's widget",
  verbs: [
    {
      usage: 'list <slug>',
      about: 'List the sites of a tenant',
      run: () => (require('./origins/actions') as typeof import('./origins/actions')).listOriginsCommand,
    },
    {
      usage: 'add <slug> <origin...>',
      about: 'Add sites to the list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins add acme https://acme.example https://www.acme.example'],
      run: () => (require('./origins/actions') as typeof import('./origins/actions')).addOriginsCommand,
    },
    {
      usage: 'remove <slug> <origin...>',
      asks: () => true,
      about: 'Remove sites from the list',
      examples: ['origins remove acme https://old.acme.example'],
      run: () => (require('./origins/actions') as typeof import('./origins/actions')).removeOriginsCommand,
    },
    {
      usage: 'set <slug> <origin...>',
      about: 'Replace the whole list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins set acme https://acme.example', 'origins set acme http://localhost:3000 --dev'],
      run: () => (require('./origins/actions') as typeof import('./origins/actions')).setOriginsCommand,
    },
  ],
};
