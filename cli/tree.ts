/*
 * The tree of commands, as data. To add a noun:
 *   1. cli/commands/<noun>/<noun>.ts exports `const <noun>: Noun` (cli/command.ts): names, flags, parsers from
 *      cli/values.ts. It is loaded on every start, so it imports nothing heavy.
 *   2. cli/commands/<noun>/<verb>.ts exports one function (context, options, ...args); the noun loads it by
 *      `run: () => (require('./<verb>') as typeof import('./<verb>')).<function>` (require, not import(): our output is
 *      CommonJS, and import() of our own files works neither there nor in the tests).
 *   3. Its place in TREE below; a command that is a verb alone (migrate) stands there as it is.
 */
import type { Branch, Noun, Verb } from './command';
import { audit } from './commands/audit/audit';
import { booking } from './commands/booking/booking';
import { catalog } from './commands/catalog/catalog';
import { completionOf } from './commands/completion/completion';
import { config } from './commands/config/config';
import { delivery } from './commands/delivery/delivery';
import { departure } from './commands/departure/departure';
import { doctor } from './commands/doctor/doctor';
import { hold } from './commands/hold/hold';
import { key } from './commands/key/key';
import { migrate } from './commands/migrate/migrate';
import { monitor } from './commands/monitor/monitor';
import { origins } from './commands/origins/origins';
import { pricing } from './commands/pricing/pricing';
import { seed } from './commands/seed/seed';
import { tenant } from './commands/tenant/tenant';
import { up } from './commands/up/up';
import { visibility } from './commands/visibility/visibility';
import { webhook } from './commands/webhook/webhook';
import { widget } from './commands/widget/widget';

/** As the help shows it. */
export const TREE: Branch[] = [
  { title: 'Tenants and their websites', commands: [tenant, key, widget, origins, visibility, pricing] },
  { title: 'Catalog and sales', commands: [catalog, departure, hold, booking] },
  { title: 'Webhooks', commands: [webhook, delivery, monitor] },
  {
    title: 'This installation',
    commands: [up, doctor, audit, config, migrate, seed, completionOf(() => TREE)],
  },
];

const COMMANDS: (Noun | Verb)[] = TREE.flatMap(({ commands }) => commands);
export const NOUNS: Noun[] = COMMANDS.filter((command) => 'verbs' in command);
export const VERBS: Verb[] = COMMANDS.filter((command) => 'usage' in command);
