import { findTenant, findTenantForChange } from '../../../services/api/tenants/find-tenant';
import { addOrigins, listedOrigin, removeOrigins, setOrigins } from '../../../services/api/tenants/origins';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { checkOrigins, printSpelling } from '../../engine/credential-flags';

interface OriginOptions {
  dev?: boolean;
}

export async function listOriginsCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const { origins } = await findTenant(db, slug);
  output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  if (origins.length === 0) output.note(`${slug} allows no site: tourctl origins add ${slug} https://…`);
}

export async function addOriginsCommand(
  context: Context,
  { dev }: OriginOptions,
  slug: string,
  origins: string[],
) {
  printSpelling(origins, dev, context.output);
  await change(context, 'add', slug, (trx, tenant) => addOrigins(trx, tenant, origins, dev));
}

export async function setOriginsCommand(
  context: Context,
  { dev }: OriginOptions,
  slug: string,
  origins: string[],
) {
  printSpelling(origins, dev, context.output);
  await change(context, 'set', slug, (trx, tenant) => setOrigins(trx, tenant, origins, dev));
}

export async function removeOriginsCommand(context: Context, _: object, slug: string, origins: string[]) {
  const { output } = context;
  const { origins: known } = await findTenant(context.db, slug);
  const others = origins.filter((origin) => !known.includes(origin));
  checkOrigins(others, true, '<origin>');
  await context.confirm(`Remove ${origins.join(', ')} from the sites that may show the widget of ${slug}?`);
  const listed = await change(context, 'remove', slug, (trx, tenant) => removeOrigins(trx, tenant, origins));
  for (const origin of origins)
    if (!listed.includes(listedOrigin(listed, origin)))
      output.warn(`${origin} was not listed, so it was not removed: tourctl origins list ${slug}`);
}

/** Changes the list and answers with it. Returns the list before. */
async function change(
  { audited, output }: Context,
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
  output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  return before;
}
