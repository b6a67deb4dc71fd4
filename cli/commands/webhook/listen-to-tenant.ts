import { hkdfSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_TENANT } from '../../../services/api/demo/seed-demo';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { AppError } from '../../../services/platform/errors';
import {
  findRecentEvents,
  type RecentEvent,
} from '../../../services/webhook-queue/deliveries/recent-events.repository';
import { listEndpoints } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { signPayload, webhookHeaders, webhookId } from '../../../services/webhook-queue/signing/sign-payload';
import type { Context, OpeningTerminal } from '../../engine/context';
import { endAtInterruption } from '../../terminal/io';
import { describeBody, describeForwarding, forward, type Forwarded } from './listen';

/** Signals that the events of a tenant contain data of real customers. */
class RealTenantError extends AppError {
  readonly code = 'real_tenant';

  constructor(slug: string) {
    super(
      `${slug} is neither a sandbox nor the demo: its events name real customers. ` +
        'Add an endpoint (tourctl webhook add), or listen to a sandbox tenant (tourctl tenant create --sandbox)',
    );
  }
}

const EVERY_MS = 1000;

/**
 * Prints the events of a sandbox or the demo tenant as they happen, until Ctrl-C or until the reader has closed the pipe. Changes no data:
 * events that wait for an endpoint go to the next endpoint as before. So nothing is lost if this process is killed.
 * @throws TenantNotFoundError, RealTenantError
 */
export async function listenToTenant(
  terminal: OpeningTerminal<Context>,
  slug: string,
  forwardTo: string | undefined,
): Promise<void> {
  await endAtInterruption(() =>
    terminal.withDatabase({}, (context) => follow(context, slug, forwardTo), [slug]),
  );
}

async function follow(context: Context, slug: string, forwardTo: string | undefined): Promise<void> {
  const { db, output } = context;
  const tenant = await findTenant(db, slug);
  if (!tenant.sandbox && slug !== DEMO_TENANT) throw new RealTenantError(slug);
  const secret = forwardTo === undefined ? undefined : await secretOf(context, tenant.id);
  if (secret) {
    const text = `whsec_${secret.toString('base64')}`;
    await output.answer(
      { tenant: slug, forward_to: forwardTo, secret: text },
      () => `Signing secret: ${text}\n`,
    );
  }
  const endpoints = await listEndpoints(db, { tenantId: tenant.id, limit: 1 });
  let { events, from } = await findRecentEvents(db, tenant.id);
  const onward = forwardTo === undefined ? '' : `, and sending them to ${forwardTo},`;
  output.note(`Showing the events of ${slug}${onward} until Ctrl-C`);
  if (endpoints.length === 0)
    output.note(
      `${slug} has no endpoint: only booking.created is written without one, and it goes on waiting for an endpoint`,
    );
  while (!output.readerGone.aborted) {
    const seen = new Set(events.map(({ id }) => id));
    await sleep(EVERY_MS);
    ({ events, from } = await findRecentEvents(db, tenant.id, from));
    for (const event of events.filter(({ id }) => !seen.has(id)))
      await show(context, event, forwardTo, secret);
  }
}

/**
 * Derives the secret that signs the forwarded requests of a tenant. The secret is the same each time, so that the receiver is configured
 * once.
 */
async function secretOf({ secrets }: Context, tenantId: string): Promise<Buffer> {
  const { secretsKey } = await secrets('secretsKey');
  return Buffer.from(hkdfSync('sha256', secretsKey, tenantId, 'webhook listen', 32));
}

async function show(
  { output }: Context,
  event: RecentEvent,
  forwardTo: string | undefined,
  secret: Buffer | undefined,
): Promise<void> {
  const { id, type, body, createdAt } = event;
  const webhook = webhookId(id);
  let forwarded: Forwarded | undefined;
  if (forwardTo !== undefined && secret) {
    const headers = webhookHeaders(signPayload({ id: webhook, sentAt: new Date(), body }, [secret]));
    forwarded = { to: forwardTo, ...(await forward(forwardTo, headers, body)) };
  }
  const document = { created_at: createdAt.toISOString(), event_type: type, webhook_id: webhook, body };
  await output.answer({ ...document, ...(forwarded && { forwarded }) }, (screen) => {
    const lines = [`${document.created_at}  ${type}  ${webhook}`, describeBody(body, screen)];
    return `${[...lines, ...(forwarded ? describeForwarding(forwarded, screen) : [])].join('\n')}\n`;
  });
}
