import type { Trx } from '../../../platform/database';
import { countHeldBack, replayDeliveries, type ReplayFilter } from '../../deliveries/replay-deliveries';
import { retryDelivery } from '../../endpoints/requested-deliveries';
import { showDelivery } from '../../deliveries/find-deliveries';
import { deliveryPage } from '../pages/delivery-page';
import { parseReplayQuery, type ReplayQuery } from '../queries/read-query';
import { replayPage, toReplayFilter } from '../pages/replay-page';
import { formatPlural } from '../html/formats';
import { pathParameter, type Route, type SignedInCall } from './call';
import { audited, type AuditedAction, performAction } from './perform';
import { notFound } from './errors';

export const DELIVERY_ACTIONS: Route[] = [
  { method: 'post', path: '/deliveries/:id/reveal', access: 'session', answer: reveal },
  {
    method: 'post',
    path: '/deliveries/:id/retry',
    access: 'session',
    answer: (call) =>
      performAction(
        call,
        (trx) => retry(trx, pathParameter(call, 'id')),
        `/deliveries/${pathParameter(call, 'id')}`,
      ),
  },
  { method: 'post', path: '/replay', access: 'session', answer: replay },
];

/** Writes the audit row first, so that a page that fails later is recorded too. */
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

async function retry(trx: Trx, id: string): Promise<AuditedAction> {
  const { tenantId } = await showDelivery(trx, id);
  await retryDelivery(trx, id);
  return { action: 'delivery.retry', tenantId, subject: id, text: 'The delivery is due now.' };
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
