import {
  type Branch,
  commandName,
  type LoneVerb,
  type Noun,
  type Verb,
  type VerbBody,
  verbName,
} from './engine/command';
import { UsageError } from './engine/failure';
import { didYouMean, nearest } from './engine/nearest';
import { pluralOf } from './terminal/text';

/*
 * Lists all commands. `tourctl --help` loads no other file of cli/commands; a command line loads the file that it names. To add a noun:
 *   1. Export `<noun>Verbs: Verb[]` (cli/engine/command.ts) from cli/commands/<noun>.ts: the verbs with their flags, parsers and
 *      actions. An action is a function (context, options, ...args). A long verb has a file of its own: cli/commands/<noun>/<verb>.ts.
 *   2. Add the noun to TREE below. A verb without a noun is a file too: cli/commands/<verb>.ts exports `<verb>Verb: VerbBody`.
 * The files are loaded by require, because import() of our own files works neither in our CommonJS output nor in the tests.
 */

function noun(name: string, about: string, load: () => Verb[]): Noun {
  let verbs: Verb[] | undefined;
  return {
    name,
    about,
    get verbs() {
      return (verbs ??= load());
    },
  };
}

function lone(usage: string, about: string, load: () => VerbBody): LoneVerb {
  let verb: Verb | undefined;
  return {
    usage,
    about,
    get verb() {
      return (verb ??= { usage, about, ...load() });
    },
  };
}

/** Lists all commands in the order of the help. */
export const TREE: Branch[] = [
  {
    title: 'Tenants and their websites',
    commands: [
      noun(
        'tenant',
        'Create and change tenants: the travel websites that sell from the catalog',
        () => (require('./commands/tenant/tenant') as typeof import('./commands/tenant/tenant')).tenantVerbs,
      ),
      lone(
        'use [slug]',
        'Keep a default tenant for the commands whose <slug> alone is missing, or show it',
        () => (require('./commands/use') as typeof import('./commands/use')).useVerb,
      ),
      noun(
        'key',
        "Issue, list, rotate and revoke the API keys of a tenant's servers",
        () => (require('./commands/key/key') as typeof import('./commands/key/key')).keyVerbs,
      ),
      noun(
        'widget',
        'Issue, list, rotate and revoke widget tokens, for pages that show the tours',
        () => (require('./commands/widget') as typeof import('./commands/widget')).widgetVerbs,
      ),
      noun(
        'origins',
        "Sites that may show a tenant's widget",
        () => (require('./commands/origins') as typeof import('./commands/origins')).originsVerbs,
      ),
      noun(
        'visibility',
        'Show and change which tours a tenant sees: a tour rule overrides a continent rule, and both override its default',
        () => (require('./commands/visibility') as typeof import('./commands/visibility')).visibilityVerbs,
      ),
      noun(
        'pricing',
        "Show, change and simulate a tenant's prices: one rule decides each price, else it is the platform's",
        () =>
          (require('./commands/pricing/pricing') as typeof import('./commands/pricing/pricing')).pricingVerbs,
      ),
      noun(
        'rates',
        'Exchange rates, by which the prices of tenants with a selling currency are converted',
        () => (require('./commands/rates') as typeof import('./commands/rates')).ratesVerbs,
      ),
    ],
  },
  {
    title: 'Catalog and sales',
    commands: [
      noun(
        'catalog',
        'The central catalog of tours and their departures',
        () =>
          (require('./commands/catalog/catalog') as typeof import('./commands/catalog/catalog')).catalogVerbs,
      ),
      noun(
        'pickup',
        'The points at which guests are fetched',
        () => (require('./commands/pickup') as typeof import('./commands/pickup')).pickupVerbs,
      ),
      noun(
        'departure',
        'List, add and change the departures of a tour and their seats',
        () =>
          (require('./commands/departure/departure') as typeof import('./commands/departure/departure'))
            .departureVerbs,
      ),
      noun(
        'resource',
        'Boats, buses, guides and rooms that tours use: add, close and show them',
        () =>
          (require('./commands/resource/resource') as typeof import('./commands/resource/resource'))
            .resourceVerbs,
      ),
      noun(
        'hold',
        'Show and release the seats that tenants hold, and erase their customers',
        () => (require('./commands/hold/hold') as typeof import('./commands/hold/hold')).holdVerbs,
      ),
      noun(
        'booking',
        'Show, change, count and export the bookings of all tenants',
        () =>
          (require('./commands/booking/booking') as typeof import('./commands/booking/booking')).bookingVerbs,
      ),
      noun(
        'customer',
        'Erase a person from all bookings and holds',
        () => (require('./commands/customer') as typeof import('./commands/customer')).customerVerbs,
      ),
      noun(
        'report',
        'Report what was sold, for the invoices of tenants',
        () => (require('./commands/report') as typeof import('./commands/report')).reportVerbs,
      ),
    ],
  },
  {
    title: 'Webhooks',
    commands: [
      noun(
        'webhook',
        "Manage the endpoints that receive a tenant's events",
        () =>
          (require('./commands/webhook/webhook') as typeof import('./commands/webhook/webhook')).webhookVerbs,
      ),
      noun(
        'delivery',
        'Show, retry and replay webhook deliveries',
        () => (require('./commands/delivery') as typeof import('./commands/delivery')).deliveryVerbs,
      ),
      lone(
        'monitor',
        'Print a link to the monitoring page of the webhook queue: valid once, for five minutes',
        () => (require('./commands/monitor') as typeof import('./commands/monitor')).monitorVerb,
      ),
    ],
  },
  {
    title: 'This installation',
    commands: [
      lone(
        'up',
        'Run everything on this machine: database, API and webhook queue',
        () => (require('./commands/up/up') as typeof import('./commands/up/up')).upVerb,
      ),
      lone(
        'status',
        'Show on one screen what runs and since when, what waits, and what failed today',
        () => (require('./commands/status') as typeof import('./commands/status')).statusVerb,
      ),
      noun(
        'open',
        'Open the monitoring page, or the reference of the API, in the browser',
        () => (require('./commands/open') as typeof import('./commands/open')).openVerbs,
      ),
      lone(
        'logs',
        'Show the logs of the services that tourctl up runs; with --json, their JSON lines as they are',
        () => (require('./commands/logs/logs') as typeof import('./commands/logs/logs')).logsVerb,
      ),
      lone(
        'doctor',
        'Check that every promise holds, and say what to do; exit 1 if one does not',
        () => (require('./commands/doctor') as typeof import('./commands/doctor')).doctorVerb,
      ),
      lone(
        'backup',
        'Write the whole database to one file, while the services go on',
        () => (require('./commands/backup') as typeof import('./commands/backup')).backupVerb,
      ),
      lone(
        'restore [file]',
        'Load a backup into an empty database, with all webhook endpoints paused',
        () => (require('./commands/backup') as typeof import('./commands/backup')).restoreVerb,
      ),
      noun(
        'people',
        'Logins of the people who operate this installation, and what each may do',
        () => (require('./commands/people') as typeof import('./commands/people')).peopleVerbs,
      ),
      noun(
        'audit',
        'Show who changed what from a terminal',
        () => (require('./commands/audit') as typeof import('./commands/audit')).auditVerbs,
      ),
      noun(
        'config',
        'The settings of this installation, and where each comes from',
        () => (require('./commands/config') as typeof import('./commands/config')).configVerbs,
      ),
      lone(
        'migrate',
        'Bring the schema of the database up to date',
        () => (require('./commands/migrate') as typeof import('./commands/migrate')).migrateVerb,
      ),
      lone(
        'seed',
        'Create the demo catalog and tenant, or move their departures forward',
        () => (require('./commands/seed') as typeof import('./commands/seed')).seedVerb,
      ),
      noun(
        'completion',
        'Print the script that lets your shell complete commands, flags and their values',
        () =>
          (
            require('./commands/completion/completion') as typeof import('./commands/completion/completion')
          ).completionVerbs(TREE),
      ),
    ],
  },
];

const COMMANDS: (Noun | LoneVerb)[] = TREE.flatMap(({ commands }) => commands);
export const NOUNS: Noun[] = COMMANDS.filter((command) => 'verbs' in command);
export const VERBS: LoneVerb[] = COMMANDS.filter((command) => 'verb' in command);

/** Holds the noun and verb of a command line. */
interface Found {
  noun?: Noun;
  verb?: Verb | LoneVerb;
}

/** Finds the command by the first two words that are not flags. Leaves out a noun or verb that does not exist. */
function findCommand(argv: readonly string[]): Found {
  const [first, second] = wordsOf(argv);
  const noun = NOUNS.find(({ name }) => name === first);
  const verb = noun ? verbOf(noun.verbs, second) : verbOf(VERBS, first);
  return { noun, verb };
}

/** Returns the words of a command line that name the command, such as `tourctl key issue`. An error names its help with them. */
export function commandPath(argv: readonly string[]): string {
  const { noun, verb } = findCommand(argv);
  return ['tourctl', noun?.name, verb && verbName(verb)].filter(Boolean).join(' ');
}

/** Checks the command before its flags. @throws UsageError with suggestions */
export function refuseUnknownCommand(argv: readonly string[]): void {
  const [first, second] = wordsOf(argv);
  const { noun, verb } = findCommand(argv);
  if (first === undefined || verb || (noun && second === undefined)) return;
  const unknown = noun ? second! : first;
  throw new UsageError(
    `unknown command '${unknown}'${noun ? hintOfVerbs(noun, unknown) : hint(unknown, second)}`,
  );
}

function hint(unknown: string, second: string | undefined): string {
  // Suggests `tenant list` for `list tenants` and `tenants list`.
  const swapped = nounVerb(second, unknown) ?? nounVerb(unknown, second);
  if (swapped !== undefined) return didYouMean([swapped]);
  // Suggests commands with this verb if the verb was given without a noun.
  const verbs = NOUNS.flatMap(({ name, verbs }) => (verbOf(verbs, unknown) ? [`${name} ${unknown}`] : []));
  return didYouMean(verbs.length > 0 ? verbs : nearest(unknown, [...NOUNS, ...VERBS].map(commandName)));
}

/** Returns the command of a noun (singular or plural) and a verb. Undefined if the noun has no such verb. */
function nounVerb(word: string | undefined, verb: string | undefined): string | undefined {
  const noun = NOUNS.find(({ name }) => name === word || pluralOf(name) === word);
  return noun && verbOf(noun.verbs, verb) ? `${noun.name} ${verb}` : undefined;
}

function hintOfVerbs(noun: Noun, unknown: string): string {
  const verbs = noun.verbs.map(verbName);
  const near = nearest(unknown, verbs);
  return near.length > 0 ? didYouMean(near) : `: tourctl ${noun.name} has ${verbs.join(', ')}`;
}

function wordsOf(argv: readonly string[]): string[] {
  return argv.filter((word) => !word.startsWith('-'));
}

function verbOf<V extends Verb | LoneVerb>(verbs: readonly V[], name: string | undefined): V | undefined {
  return verbs.find((verb) => verbName(verb) === name);
}
