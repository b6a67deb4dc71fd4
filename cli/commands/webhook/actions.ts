import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Db, Trx } from '../../../services/platform/database';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import {
  changeEndpoint,
  type EndpointVerb,
} from '../../../services/webhook-queue/endpoints/change-endpoint-state';
import {
  type Endpoint,
  type Format,
  toEndpointDocument,
} from '../../../services/webhook-queue/endpoints/endpoint';
import { rotateSecret } from '../../../services/webhook-queue/endpoints/endpoint-secrets';
import {
  findEndpoint,
  listEndpoints,
  lockKnownEndpoint,
} from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint } from '../../../services/webhook-queue/endpoints/requested-deliveries';
import { type EndpointDetail, showEndpoint } from '../../../services/webhook-queue/endpoints/show-endpoint';
import { isQueueRunning } from '../../../services/webhook-queue/inspect-queue';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { withSecretFile } from '../../engine/secrets';
import type { Output } from '../../terminal/output';
import type { Tone } from '../../terminal/screen';
import { type Column, properties, tableOf } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';

/** Converts an endpoint to the answer of show, with its secrets and newest deliveries. */
function toWebhookDetail({ secrets, trouble, waiting, recent, lastFailure, ...endpoint }: EndpointDetail) {
  return {
    ...toEndpointDocument(endpoint),
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
    failures_in_a_row: trouble?.failures ?? 0,
    failing_since: trouble?.failingSince.toISOString() ?? null,
    breaker_open_until: trouble?.blockedUntil?.toISOString() ?? null,
    waiting,
    recent_deliveries: recent,
    last_failure: lastFailure && {
      delivery: lastFailure.id,
      status: lastFailure.status,
      status_code: lastFailure.lastStatusCode,
      error: lastFailure.lastError,
    },
  };
}

/** Converts an endpoint for add and rotate-secret (CONTRACT section 6); `secret` is null if a file has it. */
export function toSecretDocument(
  { id, tenant, url, format, events, status }: Omit<Endpoint, 'tenantId' | 'statusReason' | 'createdAt'>,
  secret: string | null,
) {
  return { id, tenant, url, secret, format, events, status };
}

const TONES: Record<string, Tone> = { active: 'good', paused: 'waiting', disabled: 'bad' };

const COLUMNS: Column[] = [
  'id',
  { heading: 'tenant', least: 6 },
  { heading: 'status', tones: TONES },
  { heading: 'url', least: 12 },
  { heading: 'format', aside: true },
  { heading: 'events', least: 12, aside: true },
  { heading: 'reason', least: 10, aside: true },
];

interface WebhookListOptions {
  status?: 'active' | 'paused' | 'disabled';
  limit?: number;
  after?: string;
}

export async function listWebhooksCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: WebhookListOptions,
  slug?: string,
): Promise<void> {
  const tenantId = await findTenantId(db, slug);
  const endpoints = await listEndpoints(db, { ...filter, tenantId, limit: oneMoreThan(limit) });
  const found = endpoints.map(toEndpointDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, describeEndpoints);
}

const describeEndpoints = tableOf<ReturnType<typeof toEndpointDocument>>(
  COLUMNS,
  (e) => [e.id, e.tenant, e.status, e.url, e.format, e.events.join(' '), e.status_reason],
  'No webhook endpoints',
);

export async function showWebhookCommand({ db, output }: Context, _: object, id: string): Promise<void> {
  const document = toWebhookDetail(await showEndpoint(db, id));
  output.answer(document, (screen) => {
    const { secrets, recent_deliveries: recent, last_failure: failure, ...facts } = document;
    const ends = secrets.flatMap((secret) => secret.expires_at ?? []);
    const { counted, ...counts } = recent;
    const seen = Object.entries(counts).filter(([, count]) => count > 0);
    const shown = {
      ...facts,
      secrets: [`${countOf(secrets.length, 'secret')} in use`, ...ends.map((end) => `one until ${end}`)].join(
        ', ',
      ),
      recent:
        counted === 0
          ? null
          : `of the last ${counted}: ${seen.map(([name, count]) => `${count} ${name}`).join(', ')}`,
      last_failure: failure && `${failure.delivery} (${failure.status}): ${failure.error}`,
    };
    return properties(shown, screen);
  });
}

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
    out === undefined ? 'The signing secret is shown only once.' : `The signing secret is in ${out}`,
  );
  warnOfTwins(output, slug, added.twins);
  if (added.waiting > 0) output.note(`${countIs(added.waiting, 'waiting delivery')} due now`);
}

/** @param twins ids of other endpoints of the tenant with the same address */
export function warnOfTwins(output: Output, slug: string, twins: string[]): void {
  if (twins.length === 0) return;
  output.warn(
    `${slug} has this address already (${twins.join(', ')}): events that both receive arrive twice`,
  );
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
  await context.confirm(`Remove ${url} of ${tenant} (${id}) permanently, and cancel its waiting deliveries?`);
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
    await confirm(`Sign only with the new secret from now on? ${endpoint.url} must have it at once.`);
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
    out === undefined ? 'The signing secret is shown only once.' : `The signing secret is in ${out}`,
  );
}

/** Returns from when until when each secret signs, without the secrets. */
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
  output.note(`Queued for ${url}: tourctl delivery show ${delivery}`);
  await warnIfNothingSends(db, output);
}

/** Warns if deliveries wait because no webhook queue runs. */
export async function warnIfNothingSends(db: Db, output: Output): Promise<void> {
  if (await isQueueRunning(db)) return;
  output.warn(
    'No webhook queue runs, so nobody sends it: start one with npm run webhook-queue, or npm start',
  );
}
