import { findTenant } from '../../../services/api/tenants/find-tenant';
import { addEndpoint, type Format } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { withSecretFile } from '../../secret-file';
import { toSecretDocument } from './webhook-document';

export async function addWebhookCommand(
  { audited, config, output, secrets }: Context,
  { event, format, out }: { event?: string[]; format?: Format; out?: string },
  slug: string,
  url: string,
): Promise<void> {
  const { allowPrivateTargets } = config.webhooks;
  const added = await withSecretFile(out, (keep) =>
    audited({ action: 'webhook.add' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const given = { tenantId: tenant.id, url, events: event, format, allowPrivateTargets };
      const { secret, waiting, twins, ...endpoint } = await addEndpoint(trx, secrets.secretsKey, given);
      note(null, { ...endpoint, tenant: slug }, { tenantId: tenant.id, subject: endpoint.id });
      keep(secret);
      return { ...endpoint, secret, waiting, twins };
    }),
  );
  const document = toSecretDocument({ ...added, tenant: slug }, out === undefined ? added.secret : null);
  output.answer(document, () => document.secret ?? '');
  output.note(`Endpoint ${added.id} of ${slug}: ${added.events.join(', ')} to ${added.url}`);
  output.note(
    out === undefined ? 'The signing secret is shown this once.' : `The signing secret is in ${out}`,
  );
  if (added.twins.length > 0)
    output.warn(
      `${slug} has this address already (${added.twins.join(', ')}): what both ask for arrives twice`,
    );
  if (added.waiting > 0) output.note(`${added.waiting} deliveries that waited are on their way`);
}
