import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Trx } from '../../../services/platform/database';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import {
  changeEndpoint,
  type EndpointVerb,
} from '../../../services/webhook-queue/endpoints/change-endpoint-state';
import type { Format } from '../../../services/webhook-queue/endpoints/endpoint';
import { rotateSecret } from '../../../services/webhook-queue/endpoints/endpoint-secrets';
import {
  findEndpoint,
  lockKnownEndpoint,
} from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint } from '../../../services/webhook-queue/requested-deliveries';
import { showEndpoint } from '../../../services/webhook-queue/endpoints/show-endpoint';
import type { Context } from '../../engine/context';
import { withSecretFile } from '../../engine/secret-file';
import { toSecretDocument, toWebhookDetail } from './read';

export async function addWebhookCommand(
  { audited, config, output, secrets }: Context,
  { event, format, out }: { event?: string[]; format?: Format; out?: string },
  slug: string,
  url: string,
): Promise<void> {
  const { allowPrivateTargets } = config.webhooks;
  const { secretsKey } = await secrets('secretsKey');
  const added = await withSecretFile(out, (keep) =>
    audited({ action: 'webhook.add' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const given = { tenantId: tenant.id, url, events: event, format, allowPrivateTargets };
      const { secret, waiting, twins, ...endpoint } = await addEndpoint(trx, secretsKey, given);
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

export async function pauseWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'pause', id);
}

export async function resumeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'resume', id);
}

export async function disableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'disable', id);
}

export async function enableWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  await change(context, 'enable', id);
}

export async function removeWebhookCommand(context: Context, _: object, id: string): Promise<void> {
  const { url, tenant } = await findEndpoint(context.db, id);
  await context.confirm(`Remove ${url} of ${tenant} (${id}) for good, and cancel what waits for it?`);
  await change(context, 'remove', id);
}

async function change({ audited, output }: Context, verb: EndpointVerb, id: string): Promise<void> {
  const document = await audited({ action: `webhook.${verb}`, subject: id }, async (trx, note) => {
    const { before, after, tenantId } = await changeEndpoint(trx, verb, id);
    note(before, after, { tenantId });
    return after;
  });
  output.answer(document, () => `${document.url} of ${document.tenant} is ${document.status}`);
}

export async function rotateSecretCommand(
  { audited, confirm, db, output, secrets }: Context,
  { grace, out }: { grace?: number; out?: string },
  id: string,
): Promise<void> {
  const endpoint = await findEndpoint(db, id);
  if (grace === 0)
    await confirm(
      `Sign with the new secret alone from now on, so that ${endpoint.url} must know it at once?`,
    );
  const { secretsKey } = await secrets('secretsKey');
  const { secret } = await withSecretFile(out, (keep) =>
    audited(
      { action: 'webhook.rotate-secret', tenantId: endpoint.tenantId, subject: id },
      async (trx, note) => {
        // Locks before reading: another rotation may be about to commit.
        await lockKnownEndpoint(trx, id);
        const before = await signing(trx, id);
        const rotated = await rotateSecret(trx, secretsKey, id, grace);
        note(before, await signing(trx, id));
        keep(rotated.secret);
        return rotated;
      },
    ),
  );
  const document = toSecretDocument(endpoint, out === undefined ? secret : null);
  output.answer(document, () => document.secret ?? '');
  output.note(
    out === undefined ? 'The signing secret is shown this once.' : `The signing secret is in ${out}`,
  );
}

/** Since when and until when which secrets sign, never the secrets themselves. */
async function signing(trx: Trx, id: string) {
  const { secrets } = toWebhookDetail(await showEndpoint(trx, id));
  return { secrets };
}

export async function pingWebhookCommand(
  { audited, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId, url } = await findEndpoint(db, id);
  const { delivery } = await audited({ action: 'webhook.ping', tenantId, subject: id }, (trx) =>
    pingEndpoint(trx, id),
  );
  output.answer({ id, delivery }, () => delivery);
  output.note(`On its way to ${url}: tourctl delivery show ${delivery}`);
}
