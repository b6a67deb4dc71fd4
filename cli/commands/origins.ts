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
      about: 'List them',
      examples: ['origins list acme'],
      run: () => (require('./origins/change') as typeof import('./origins/change')).listOriginsCommand,
    },
    {
      usage: 'add <slug> <origin...>',
      about: 'Add some',
      flags: [DEV_FLAG],
      check,
      examples: ['origins add acme https://acme.example https://www.acme.example'],
      run: () => (require('./origins/change') as typeof import('./origins/change')).addOriginsCommand,
    },
    {
      usage: 'remove <slug> <origin...>',
      asks: () => true,
      about: 'Remove some',
      check: (_: object, slug: string, given: string[]) => check({ dev: true }, slug, given),
      examples: ['origins remove acme https://old.acme.example'],
      run: () => (require('./origins/change') as typeof import('./origins/change')).removeOriginsCommand,
    },
    {
      usage: 'set <slug> <origin...>',
      about: 'Replace the whole list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins set acme https://acme.example', 'origins set acme http://localhost:3000 --dev'],
      run: () => (require('./origins/change') as typeof import('./origins/change')).setOriginsCommand,
    },
  ],
};
