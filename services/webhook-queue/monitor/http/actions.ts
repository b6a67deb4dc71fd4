import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../../platform/audit-log';
import { inTransaction, type Trx } from '../../../platform/database/database';
import { AppError, LOCK_NOT_AVAILABLE, sqlState } from '../../../platform/errors';
import { showDelivery } from '../../deliveries/find-deliveries';
import { countHeldBack, replayDeliveries, type ReplayFilter } from '../../deliveries/replay-deliveries';
import { changeEndpoint, type EndpointVerb } from '../../endpoints/change-endpoint-state';
import { rotateSecret } from '../../endpoints/endpoint-secrets';
import { findEndpoint } from '../../endpoints/endpoint.repository';
import { findNextDelivery, pingEndpoint, retryDelivery } from '../../endpoints/requested-deliveries';
import { deliveryPage } from '../pages/delivery-page';
import { secretPage } from '../pages/endpoint-page';
import { formatPlural } from '../pages/formats';
import type { Notice } from '../pages/layout';
import { replayPage, toReplayFilter } from '../pages/replay-page';
import { parseReplayQuery, type ReplayQuery } from '../queries/read-query';
import { keepNotice } from './cookies';
import { notFound } from './errors';
import { cameFrom, pathParameter, type Route, seeOther, type SignedInCall } from './serve';

/** An operator's action, as the audit log names it. */
interface AuditedAction {
  /** Noun and verb of the tourctl command: `webhook.pause`. */
  action: string;
  tenantId: string | null;
  subject: string | null;
  before?: unknown;
  after?: unknown;
  /** The notice for the operator. Holds no secret and no personal data. */
  text: string;
}

export const ACTION_ROUTES: Route[] = [
  stateChange('pause', 'Paused. Deliveries wait until the endpoint is resumed.'),
  stateChange('resume', 'Resumed. Each waiting delivery keeps the time of its next attempt.'),
  stateChange('disable', 'Disabled. Deliveries wait until the endpoint is enabled.'),
  stateChange(
    'enable',
    'Enabled. Each waiting delivery keeps the time of its next attempt; deliveries that were given up need a replay.',
  ),
  action('endpoints', 'ping', ping),
  action('endpoints', 'retry', retryNext),
  action('deliveries', 'retry', retry),
  { method: 'post', path: '/endpoints/:id/rotate-secret', access: 'session', answer: rotate },
  { method: 'post', path: '/deliveries/:id/reveal', access: 'session', answer: reveal },
  { method: 'post', path: '/replay', access: 'session', answer: replay },
];

function action(
  noun: 'endpoints' | 'deliveries',
  verb: string,
  work: (trx: Trx, id: string) => Promise<AuditedAction>,
): Route {
  return {
    method: 'post',
    path: `/${noun}/:id/${verb}`,
    access: 'session',
    answer(call) {
      const id = pathParameter(call, 'id');
      return performAction(call, (trx) => work(trx, id), `/${noun}/${id}`);
    },
  };
}

function stateChange(verb: EndpointVerb, text: string): Route {
  return action('endpoints', verb, async (trx, id) => {
    const change = await changeEndpoint(trx, verb, id);
    const { before, after } = change;
    const isUnchanged = isDeepStrictEqual(before, after);
    return {
      ...change,
      action: `webhook.${verb}`,
      subject: before.id,
      text: isUnchanged ? `The endpoint was ${before.status} already, so nothing changed.` : text,
    };
  });
}

async function ping(trx: Trx, id: string): Promise<AuditedAction> {
  const { tenantId } = await findEndpoint(trx, id);
  const { delivery } = await pingEndpoint(trx, id);
  const text = `A signed ping is queued: delivery ${delivery}.`;
  return { action: 'webhook.ping', tenantId, subject: id, text };
}

async function retry(trx: Trx, id: string): Promise<AuditedAction> {
  const { tenantId } = await showDelivery(trx, id);
  await retryDelivery(trx, id);
  return { action: 'delivery.retry', tenantId, subject: id, text: 'The delivery is due now.' };
}

/** Retries the next delivery of an endpoint. If the receiver accepts the delivery, the breaker of the endpoint closes. */
async function retryNext(trx: Trx, id: string): Promise<AuditedAction> {
  const retried = await retry(trx, await findNextDelivery(trx, id));
  return { ...retried, text: 'The next delivery is due now. If the receiver accepts it, sending continues.' };
}

/** Rotates a secret. Responds to the POST with a page instead of a redirect, so that no redirect and no cookie contains the secret. */
async function rotate(call: SignedInCall): Promise<void> {
  const { monitor, response, viewer } = call;
  const id = pathParameter(call, 'id');
  const rotated = await audited(call, async (trx) => {
    const { tenantId } = await findEndpoint(trx, id);
    const issued = await rotateSecret(trx, monitor.secretsKey, id, readOverlap(call));
    return { action: 'webhook.rotate-secret', tenantId, subject: id, text: '', ...issued };
  }).catch((error: unknown) => refusalMessage(error) ?? Promise.reject(error as Error));
  if (typeof rotated === 'string')
    return redirectWithNotice(call, { kind: 'refused', text: rotated }, `/endpoints/${id}`);
  const { secret, overlapUntil } = rotated;
  response.type('html').send(secretPage({ endpointId: id, secret, overlapUntil }, viewer));
}

const HOUR_SECONDS = 3600;

/** Converts the given hours to seconds. Undefined: no hours were given. NaN: the text is not a whole number; rotateSecret refuses NaN. */
function readOverlap({ params }: SignedInCall): number | undefined {
  const given = params.grace_hours;
  if (!given) return undefined;
  return /^\d{1,4}$/.test(given) ? Number(given) * HOUR_SECONDS : NaN;
}

/** Shows a delivery with its personal data. Writes the audit row first, so that the row exists even if the page fails later. */
async function reveal(call: SignedInCall): Promise<void> {
  const id = pathParameter(call, 'id');
  await audited(call, async (trx) => {
    const { tenantId } = await showDelivery(trx, id);
    return { action: 'delivery.reveal', tenantId, subject: id, text: '' };
  });
  const document = await deliveryPage(call.monitor.db, id, { revealed: true }, call.viewer);
  if (document === undefined) throw notFound();
  call.response.type('html').send(document);
}

/**
 * Replays the deliveries that match the filter. Refuses a filter with an invalid field: a replay that ignored the field would send
 * too many deliveries.
 */
async function replay(call: SignedInCall): Promise<void> {
  const { monitor, params, response, viewer } = call;
  const query = parseReplayQuery(params);
  const filter = await toReplayFilter(monitor.db, query);
  const issue = issueOf(query, filter);
  if (issue === undefined) return performAction(call, (trx) => replayAll(trx, filter!), '/replay');
  const notice = { kind: 'refused', text: issue } as const;
  response
    .status(400)
    .type('html')
    .send(await replayPage(monitor.db, query, viewer, notice));
}

function issueOf(query: ReplayQuery, filter: ReplayFilter | undefined): string | undefined {
  if (Object.keys(query.issues).length > 0) return 'Nothing was sent: a field is invalid.';
  if (!filter) return 'Nothing was sent: no tenant has this slug.';
  if (filter.tenantId ?? filter.endpointId ?? filter.since) return undefined;
  return 'Nothing was sent: name a tenant, an endpoint or a time. Without one, all deliveries would be sent again.';
}

async function replayAll(trx: Trx, filter: ReplayFilter): Promise<AuditedAction> {
  const { paused, disabled } = await countHeldBack(trx, filter);
  const { replayed, left } = await replayDeliveries(trx, filter);
  const heldBack = paused + disabled;
  return {
    action: 'delivery.replay',
    tenantId: filter.tenantId ?? null,
    subject: filter.endpointId ?? null,
    after: { ...filter, replayed },
    text:
      `${formatPlural(replayed, 'delivery', 'deliveries')} ${replayed === 1 ? 'is' : 'are'} queued again.` +
      (left > 0 ? ` ${left} more ${left === 1 ? 'remains' : 'remain'} for another replay.` : '') +
      (heldBack > 0
        ? ` ${heldBack} more ${heldBack === 1 ? 'is' : 'are'} held back by paused or disabled endpoints.`
        : ''),
  };
}

/** Runs an action and writes its audit row in one transaction. Writes no row if `before` and `after` are equal. */
async function audited<A extends AuditedAction>(
  { monitor, session }: SignedInCall,
  work: (trx: Trx) => Promise<A>,
): Promise<A> {
  return inTransaction(monitor.db, async (trx) => {
    const done = await work(trx);
    const { action, tenantId, subject, before, after } = done;
    const { operator: actor, host, person } = session;
    if (before === undefined || !isDeepStrictEqual(before, after))
      await recordChange(trx, { actor, host, person, action, tenantId, subject, before, after });
    return done;
  });
}

/** Runs an action, then redirects with a notice to the page that sent the form. */
async function performAction(
  call: SignedInCall,
  work: (trx: Trx) => Promise<AuditedAction>,
  fallback: string,
): Promise<void> {
  redirectWithNotice(call, await attempt(call, work), fallback);
}

function redirectWithNotice(call: SignedInCall, notice: Notice, fallback: string): void {
  keepNotice(call.response, call.session.token, notice);
  seeOther(call.response, cameFrom(call.request) ?? fallback);
}

async function attempt(call: SignedInCall, work: (trx: Trx) => Promise<AuditedAction>): Promise<Notice> {
  try {
    const { text } = await audited(call, work);
    return { kind: 'done', text };
  } catch (error) {
    const text = refusalMessage(error);
    if (text === undefined) throw error;
    return { kind: 'refused', text };
  }
}

/** Returns the text of an expected refusal. Returns undefined for missing records and unexpected errors, which error pages answer. */
function refusalMessage(error: unknown): string | undefined {
  if (error instanceof AppError) return error.code.endsWith('_not_found') ? undefined : error.message;
  return sqlState(error) === LOCK_NOT_AVAILABLE
    ? 'Another operator is changing this at the moment. Try again.'
    : undefined;
}
