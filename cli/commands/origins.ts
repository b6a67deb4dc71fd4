import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database';
import type { Noun } from '../engine/command';
import type { Context } from '../engine/context';
import { checkOrigins, DEV_FLAG, printSpelling } from '../engine/credential-flags';

interface OriginOptions {
  dev?: boolean;
}

const check = ({ dev }: OriginOptions, _slug: string, origins: string[]) =>
  checkOrigins(origins, dev, '<origin>');

export const origins: Noun = {
  name: 'origins',
  about: "Sites that may show a tenant's widget",
  verbs: [
    {
      usage: 'list <slug>',
      about: 'List the sites of a tenant',
      run: () => listOriginsCommand,
    },
    {
      usage: 'add <slug> <origin...>',
      about: 'Add sites to the list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins add acme https://acme.example https://www.acme.example'],
      run: () => addOriginsCommand,
    },
    {
      usage: 'remove <slug> <origin...>',
      asks: () => true,
      about: 'Remove sites from the list',
      check: (_: object, slug: string, given: string[]) => check({ dev: true }, slug, given),
      examples: ['origins remove acme https://old.acme.example'],
      run: () => removeOriginsCommand,
    },
    {
      usage: 'set <slug> <origin...>',
      about: 'Replace the whole list',
      flags: [DEV_FLAG],
      check,
      examples: ['origins set acme https://acme.example', 'origins set acme http://localhost:3000 --dev'],
      run: () => setOriginsCommand,
    },
  ],
};

const findTenants = () =>
  require('../../services/api/tenants/find-tenant') as typeof import('../../services/api/tenants/find-tenant');
const changeOrigins = () => {
  const { addOrigins, removeOrigins, setOrigins } =
    require('../../services/api/tenants/origins') as typeof import('../../services/api/tenants/origins');
  return { addOrigins, removeOrigins, setOrigins };
};

async function listOriginsCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const { origins } = await findTenants().findTenant(db, slug);
  output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  if (origins.length === 0) output.note(`${slug} allows no site: tourctl origins add ${slug} https://…`);
}

async function addOriginsCommand(context: Context, { dev }: OriginOptions, slug: string, origins: string[]) {
  printSpelling(origins, dev, context.output);
  await change(context, 'add', slug, (trx, tenant) => changeOrigins().addOrigins(trx, tenant, origins, dev));
}

async function setOriginsCommand(context: Context, { dev }: OriginOptions, slug: string, origins: string[]) {
  printSpelling(origins, dev, context.output);
  await change(context, 'set', slug, (trx, tenant) => changeOrigins().setOrigins(trx, tenant, origins, dev));
}

async function removeOriginsCommand(context: Context, _: object, slug: string, origins: string[]) {
  await findTenants().findTenant(context.db, slug);
  await context.confirm(`Remove ${origins.join(', ')} from the sites that may show the widget of ${slug}?`);
  await change(context, 'remove', slug, (trx, tenant) => changeOrigins().removeOrigins(trx, tenant, origins));
}

async function change(
  { audited, output }: Context,
  verb: string,
  slug: string,
  work: (trx: Trx, tenant: Tenant) => Promise<Tenant>,
): Promise<void> {
  const origins = await audited({ action: `origins.${verb}`, subject: slug }, async (trx, note) => {
    const tenant = await findTenants().findTenantForChange(trx, slug);
    const changed = await work(trx, tenant);
    note({ origins: tenant.origins }, { origins: changed.origins }, { tenantId: tenant.id });
    if (verb === 'remove' && changed.origins.length === tenant.origins.length)
      output.warn('nothing was removed: none of these was listed');
    return changed.origins;
  });
  output.answer({ tenant: slug, origins }, () => origins.join('\n'));
}
