import type { Noun } from '../../command';
import { checkOrigins, DEV_FLAG } from '../../origin-arguments';

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
      run: () => (require('./list') as typeof import('./list')).listOriginsCommand,
    },
    {
      usage: 'add <slug> <origin...>',
      about: 'Add some',
      flags: [DEV_FLAG],
      check,
      examples: ['origins add acme https://acme.example https://www.acme.example'],
      run: () => (require('./change') as typeof import('./change')).addOriginsCommand,
    },
    {
      usage: 'remove <slug> <origin...>',
      asks: () => true,
      about: 'Remove some',
      check: (_: object, slug: string, given: string[]) => check({ dev: true }, slug, given),
      examples: ['origins remove acme https://old.acme.example'],
      run: () => (require('./change') as typeof import('./change')).removeOriginsCommand,
    },
    {
      usage: 'set <slug> <origin...>',
      about: 'Replace the whole list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins set acme https://acme.example', 'origins set acme http://localhost:3000 --dev'],
      run: () => (require('./change') as typeof import('./change')).setOriginsCommand,
    },
  ],
};
