import { findTenant, findTenantForChange } from '../../services/api/tenants/manage-tenants';
import {
  addOrigins,
  canonicalOrigin,
  listedOrigin,
  removeOrigins,
  setOrigins,
} from '../../services/api/tenants/origins';
import type { Tenant } from '../../services/api/tenants/tenant';
import { OriginRefusedError } from '../../services/api/tenants/tenant.errors';
import type { Trx } from '../../services/platform/database/database';
import { flag, type Verb } from '../engine/command';
import type { AuditedContext, Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import type { Output } from '../terminal/output';

export const DEV_FLAG = flag('--dev', 'allow http://localhost:PORT, for a tenant on trial');

const check = ({ dev }: { dev?: boolean }, _slug: string, words: string[]) =>
  checkOrigins(splitOrigins(words), dev, '<origin>');

/** Splits words at commas, like the flag --origin: no origin has one. @throws UsageError for an empty value */
function splitOrigins(words: string[]): string[] {
  return words.flatMap((word) => {
    const origins = word.split(',').map((origin) => origin.trim());
    if (origins.length > 1 && origins.includes(''))
      throw new UsageError('<origin> has an empty value between commas');
    return origins;
  });
}

export const originsVerbs: Verb[] = [
  {
    usage: 'list <slug>',
    about: 'List the sites of a tenant',
    run: listOriginsCommand,
  },
  {
    usage: 'add <slug> <origin...>',
    about: 'Add sites to the list',
    flags: [DEV_FLAG],
    check,
    examples: ['origins add acme https://acme.example https://www.acme.example'],
    audits: true,
    run: listingCommand('add', addOrigins),
  },
  {
    usage: 'remove <slug> <origin...>',
    asks: () => true,
    about: 'Remove sites from the list',
    examples: ['origins remove acme https://old.acme.example'],
    audits: true,
    run: removeOriginsCommand,
  },
  {
    usage: 'set <slug> <origin...>',
    about: 'Replace the whole list',
    flags: [DEV_FLAG],
    check,
    examples: ['origins set acme https://acme.example', 'origins set acme http://localhost:3000 --dev'],
    audits: true,
    run: listingCommand('set', setOrigins),
  },
];

interface OriginOptions {
  dev?: boolean;
}

async function listOriginsCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const { origins } = await findTenant(db, slug);
  await output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  if (origins.length === 0) output.note(`${slug} allows no site: tourctl origins add ${slug} https://…`);
}

/** Returns the action of a verb that puts the named origins into the list by `write`. */
function listingCommand(verb: 'add' | 'set', write: typeof addOrigins) {
  return async (context: AuditedContext, { dev }: OriginOptions, slug: string, words: string[]) => {
    const origins = splitOrigins(words);
    printSpelling(origins, dev, context.output);
    await change(context, verb, slug, (trx, tenant) => write(trx, tenant, origins, dev));
  };
}

async function removeOriginsCommand(
  context: AuditedContext,
  _: object,
  slug: string,
  words: string[],
): Promise<void> {
  const { output } = context;
  const origins = splitOrigins(words);
  const { origins: known } = await findTenant(context.db, slug);
  const others = origins.filter((origin) => !known.includes(origin));
  checkOrigins(others, true, '<origin>');
  await context.confirm(`Remove ${origins.join(', ')} from the sites that may show the widget of ${slug}?`);
  const listed = await change(context, 'remove', slug, (trx, tenant) => removeOrigins(trx, tenant, origins));
  for (const origin of origins)
    if (!listed.includes(listedOrigin(listed, origin)))
      output.warn(`${origin} was not listed, so it was not removed: tourctl origins list ${slug}`);
}

/** Changes the list and answers with the new one. @returns the list before the change */
async function change(
  { audited, output }: AuditedContext,
  verb: string,
  slug: string,
  work: (trx: Trx, tenant: Tenant) => Promise<Tenant>,
): Promise<string[]> {
  const { before, origins } = await audited(
    { action: `origins.${verb}`, subject: slug },
    async (trx, note) => {
      const tenant = await findTenantForChange(trx, slug);
      const changed = await work(trx, tenant);
      note({ origins: tenant.origins }, { origins: changed.origins }, { tenantId: tenant.id });
      return { before: tenant.origins, origins: changed.origins };
    },
  );
  await output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  return before;
}

/** Refuses invalid origins before a database is opened. @throws UsageError */
export function checkOrigins(origins: string[], dev: boolean | undefined, name: string): void {
  for (const origin of origins) canonical(origin, dev, name);
}

/** Notes each origin whose stored spelling differs from the given one. */
export function printSpelling(origins: string[], dev: boolean | undefined, output: Output): void {
  for (const origin of origins) {
    const kept = canonical(origin, dev, 'origin');
    if (kept !== origin) output.note(`${origin} is stored as ${kept}`);
  }
}

function canonical(origin: string, dev: boolean | undefined, name: string): string {
  try {
    return canonicalOrigin(origin, { dev });
  } catch (error) {
    if (!(error instanceof OriginRefusedError)) throw error;
    throw new UsageError(
      `${name} ${JSON.stringify(origin)} must be an origin such as https://shop.example: ${error.reason}`,
    );
  }
}
