import { findTenant } from '../../../services/api/tenants/manage-tenants';
import type { Db, Trx } from '../../../services/platform/database/database';
import { EVENT_TYPES, type EventType } from '../../../services/webhook-queue/deliveries/delivery';
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
import { setEndpoint } from '../../../services/webhook-queue/endpoints/set-endpoint';
import { type EndpointDetail, showEndpoint } from '../../../services/webhook-queue/endpoints/show-endpoint';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext, Context, OpeningTerminal } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { afterFlag, findTenantId, LIST_FLAGS, listOf } from '../../engine/list';
import { OUT_FLAG, withSecretFile } from '../../engine/secrets';
import { duration, slug, uuid, uuidStart, webUrl, wholeNumber } from '../../engine/values';
import type { Output } from '../../terminal/output';
import { properties } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';
import { endsAtOnce, GRACE_FLAG } from '../key/credentials';
import { type ListenOptions, listenToPort } from './listen';
import { pingWebhookCommand, triggerWebhookCommand } from './test-event';

const ID = { id: uuidStart };
const SAMPLE = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
/** The longest time for which the webhook queue lets an old secret sign. */
const GRACE_MAX = '7d';

const FORMAT_FLAG = flag(
  '--format <format>',
  "the body: the event's fields alone, the same as a Standard Webhooks message, or such a message with only the address to fetch",
  { choices: ['spec', 'standard', 'thin'] satisfies Format[] },
);

export const webhookVerbs: Verb[] = [
  {
    usage: 'add <slug> <url>',
    about: 'Add an endpoint; its signing secret is printed only once',
    flags: [
      flag('--event <event>', 'which events it receives', {
        choices: EVENT_TYPES,
        repeats: true,
        otherwise: 'booking.created',
      }),
      { ...FORMAT_FLAG, otherwise: 'spec' },
      OUT_FLAG,
    ],
    args: { slug, url: webUrl },
    examples: [
      'webhook add acme https://acme.example/webhooks --event booking.created --event booking.cancelled',
      'webhook add acme https://acme.example/webhooks --event departure.cancelled --event departure.updated',
      'webhook add acme https://acme.example/webhooks --format standard',
    ],
    audits: true,
    run: addWebhookCommand,
  },
  {
    usage: 'list [slug]',
    args: { slug },
    about: 'List the endpoints of one tenant, or of all tenants',
    examples: ['webhook list acme', 'webhook list --status disabled --json'],
    flags: [
      flag('--status <status>', 'only in this status', { choices: ['active', 'paused', 'disabled'] }),
      ...LIST_FLAGS,
      afterFlag('id', uuid),
    ],
    run: listOf({
      find: async (db: Db, filter: WebhookListOptions, slug?: string) => {
        const tenantId = await findTenantId(db, slug);
        return (await listEndpoints(db, { ...filter, tenantId })).map(toEndpointDocument);
      },
      columns: [
        'id',
        { heading: 'tenant', least: 6 },
        { heading: 'status', tones: { active: 'good', paused: 'waiting', disabled: 'bad' } },
        { heading: 'url', least: 12 },
        { heading: 'format', aside: true },
        { heading: 'events', least: 12, aside: true, cell: ({ events }) => events.join(' ') },
        { heading: 'key', aside: true, cell: (endpoint) => endpoint.api_key },
        { heading: 'reason', least: 10, aside: true, cell: (endpoint) => endpoint.status_reason },
      ],
      empty: 'No webhook endpoints',
      after: ({ id }) => id,
    }),
  },
  {
    usage: 'show <id>',
    args: ID,
    about: 'Show an endpoint with its events, the expiry of its secrets and its last deliveries',
    run: showWebhookCommand,
  },
  {
    usage: 'set <id>',
    args: ID,
    about: 'Change the address, the events or the format of an endpoint; its signing secret stays',
    flags: [
      flag('--url <url>', 'the new address; deliveries that wait go there', { parse: webUrl }),
      flag('--event <event>', 'which events it receives, instead of those of now', {
        choices: EVENT_TYPES,
        repeats: true,
      }),
      FORMAT_FLAG,
    ],
    check: ({ url, event, format }: WebhookSettings) => {
      if ((url ?? event ?? format) === undefined)
        throw new UsageError('one of --url, --event and --format must be given');
    },
    examples: [
      `webhook set ${SAMPLE} --url https://acme.example/new-webhooks`,
      `webhook set ${SAMPLE} --event booking.created --event booking.cancelled`,
    ],
    audits: true,
    run: setWebhookCommand,
  },
  {
    usage: 'rotate-secret <id>',
    args: ID,
    asks: endsAtOnce,
    about: 'Issue a new signing secret; until the grace ends, requests carry both signatures',
    flags: [
      {
        ...GRACE_FLAG,
        about: `how long the old secret signs as well, ${GRACE_MAX} at most; 0 ends it at once`,
        parse: duration({ zero: true, most: GRACE_MAX }),
      },
      OUT_FLAG,
    ],
    examples: [`webhook rotate-secret ${SAMPLE} --grace 48h`],
    audits: true,
    run: rotateSecretCommand,
  },
  changing('pause', 'Send nothing to an endpoint until it is resumed; its deliveries wait'),
  changing('resume', 'Send again after a pause'),
  changing(
    'disable',
    'Send nothing to an endpoint until it is enabled, and send endpoint.disabled to endpoints that subscribe to it',
  ),
  changing('enable', 'Send again to an endpoint that failures or webhook disable have disabled'),
  {
    usage: 'remove <id>',
    args: ID,
    asks: () => true,
    about: 'Remove an endpoint permanently, and cancel the deliveries that wait for it',
    audits: true,
    run: removeWebhookCommand,
  },
  {
    usage: 'ping <id>',
    args: ID,
    about:
      'Send a signed test event to an endpoint, wait up to 20 s for its answer, and say it; ends with 1 if the receiver did not accept it',
    audits: true,
    run: pingWebhookCommand,
  },
  {
    usage: 'trigger <id>',
    args: ID,
    about:
      'Send a signed test event of a type to an endpoint: its booking_ref is TEST-0, its external_ref is "test", and its ids are ' +
      'zero; the source of a booking event is tenant_api, as in each real one; waits for the answer like ping',
    flags: [flag('--event <event>', 'the type of the event', { choices: EVENT_TYPES, must: true })],
    examples: [`webhook trigger ${SAMPLE} --event booking.created`],
    audits: true,
    run: triggerWebhookCommand,
  },
  {
    usage: 'listen [slug]',
    about:
      'Print and verify requests to a local port, until Ctrl-C; the signing secret is read from standard input or ' +
      'asked for. With the slug of a sandbox or the demo tenant, print its events instead: no endpoint is needed, and ' +
      'what waits for one goes on waiting (--json: one line for each request or event)',
    flags: [
      flag('--port <port>', 'the port on 127.0.0.1', { parse: wholeNumber(1, 65_535), otherwise: '4000' }),
      flag('--forward-to <url>', 'send verified requests, or the events, signed, on to this address', {
        parse: webUrl,
      }),
    ],
    args: { slug },
    check: ({ port }: ListenOptions, tenant?: string) => {
      if (tenant !== undefined && port !== undefined)
        throw new UsageError('--port must not be given with a <slug>: events of a tenant use no port');
    },
    examples: [
      'webhook listen --port 4000 < secret.txt',
      'webhook listen --forward-to http://127.0.0.1:8000/webhooks < secret.txt',
      'webhook listen demo --forward-to http://127.0.0.1:8000/webhooks',
    ],
    needs: 'database-on-demand',
    run: listenCommand,
  },
];

/** Declares a verb that changes the state of an endpoint and asks nothing. */
function changing(verb: EndpointVerb, about: string): Verb {
  return {
    usage: `${verb} <id>`,
    args: ID,
    about,
    audits: true,
    run: (context: AuditedContext, _: object, id: string) => change(context, verb, id),
  };
}

function listenCommand(
  terminal: OpeningTerminal<Context>,
  options: ListenOptions,
  slug?: string,
): Promise<void> {
  if (slug === undefined) return listenToPort(terminal, options);
  // Loads the demo, and with it the catalog, only for this form.
  const { listenToTenant } = require('./listen-to-tenant') as typeof import('./listen-to-tenant');
  return listenToTenant(terminal, slug, options.forwardTo);
}

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

/** Converts an endpoint for `webhook add` and `webhook rotate-secret`. `secret` is null if the secret was written to a file (--out). */
export function toSecretDocument(
  {
    id,
    tenant,
    url,
    format,
    events,
    status,
  }: Pick<Endpoint, 'id' | 'tenant' | 'url' | 'format' | 'events' | 'status'>,
  secret: string | null,
) {
  return { id, tenant, url, secret, format, events, status };
}

interface WebhookListOptions {
  status?: 'active' | 'paused' | 'disabled';
  limit: number;
  after?: string;
}

async function showWebhookCommand({ db, output }: Context, _: object, id: string): Promise<void> {
  const document = toWebhookDetail(await showEndpoint(db, id));
  await output.answer(document, (screen) => {
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

async function addWebhookCommand(
  { audited, config, output, secrets }: AuditedContext,
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
  await output.answer(document, () => document.secret ?? '');
  output.note(`Endpoint ${added.id} of ${slug}: ${added.events.join(', ')} to ${added.url}`);
  output.note(describeSecret(out));
  warnOfTwins(output, slug, added.twins);
  if (added.waiting > 0) output.note(`${countIs(added.waiting, 'waiting delivery')} due now`);
}

function describeSecret(out: string | undefined): string {
  return out === undefined ? 'The signing secret is shown only once.' : `The signing secret is in ${out}`;
}

/** @param twins ids of other endpoints of the tenant with the same address */
function warnOfTwins(output: Output, slug: string, twins: string[]): void {
  if (twins.length === 0) return;
  output.warn(
    `${slug} has this address already (${twins.join(', ')}): events that both receive arrive twice`,
  );
}

async function removeWebhookCommand(context: AuditedContext, _: object, id: string): Promise<void> {
  const { url, tenant } = await findEndpoint(context.db, id);
  await context.confirm(`Remove ${url} of ${tenant} (${id}) permanently, and cancel its waiting deliveries?`);
  await change(context, 'remove', id);
}

async function change({ audited, output }: AuditedContext, verb: EndpointVerb, id: string): Promise<void> {
  const document = await audited({ action: `webhook.${verb}`, subject: id }, async (trx, note) => {
    const { before, after, tenantId } = await changeEndpoint(trx, verb, id);
    note(before, after, { tenantId });
    return after;
  });
  await output.answer(document, () => `${document.url} of ${document.tenant} is ${document.status}`);
}

async function rotateSecretCommand(
  { audited, confirm, db, output, secrets }: AuditedContext,
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
  await output.answer(document, () => document.secret ?? '');
  output.note(describeSecret(out));
}

/** Returns the start and end of the signing period of each live secret, for the audit row. Does not return the secrets themselves. */
async function signing(trx: Trx, id: string) {
  const { secrets } = toWebhookDetail(await showEndpoint(trx, id));
  return { secrets };
}

interface WebhookSettings {
  url?: string;
  event?: EventType[];
  format?: Format;
}

async function setWebhookCommand(
  { audited, config, output }: AuditedContext,
  { url, event: events, format }: WebhookSettings,
  id: string,
): Promise<void> {
  const { allowPrivateTargets } = config.webhooks;
  const { after, waiting, twins } = await audited(
    { action: 'webhook.set', subject: id },
    async (trx, note) => {
      const changed = await setEndpoint(trx, id, { url, events, format }, allowPrivateTargets);
      const { before, after } = changed;
      note(toEndpointDocument(before), toEndpointDocument(after), { tenantId: after.tenantId });
      return changed;
    },
  );
  const document = toEndpointDocument(after);
  await output.answer(document, () => {
    const { tenant, url: address, events: types, format: form } = document;
    return `Endpoint ${id} of ${tenant}: ${types.join(', ')} to ${address} (${form})`;
  });
  output.note('The signing secret is the same.');
  warnOfTwins(output, document.tenant, twins);
  if (waiting > 0) output.note(`${countIs(waiting, 'waiting delivery')} due now`);
}
