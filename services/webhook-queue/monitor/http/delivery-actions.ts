import type { Trx } from '../../../platform/database';
import {
  countHeldBackReplay,
  replayDeliveries,
  retryDelivery,
  showDelivery,
  type ReplayFilter,
} from '../../operations';
import { deliveryPage } from '../pages/delivery-page';
import { parseReplayQuery, type ReplayQuery } from '../queries/read-query';
import { toReplayFilter } from '../pages/replay-filter';
import { replayPage } from '../pages/replay-page';
import { part, type Route, type SignedInCall } from './call';
import { audited, perform, type Deed } from './perform';
import { notFound } from './refusal';

export const DELIVERY_ACTIONS: Route[] = [
  { method: 'post', path: '/deliveries/:id/reveal', access: 'session', answer: reveal },
  {
    method: 'post',
    path: '/deliveries/:id/retry',
    access: 'session',
    answer: (call) => perform(call, (trx) => retry(trx, part(call, 'id')), `/deliveries/${part(call, 'id')}`),
  },
  { method: 'post', path: '/replay', access: 'session', answer: replay },
];

/** Written down before it is shown: a page that fails after that was still asked for. */
async function reveal(call: SignedInCall): Promise<void> {
  const id = part(call, 'id');
  await audited(call, async (trx) => {
    const { tenant_id: tenantId } = await showDelivery(trx, id);
    return { action: 'delivery.reveal', tenantId, subject: id, text: '' };
  });
  const document = await deliveryPage(call.monitor.db, id, { revealed: true }, call.viewer);
  if (document === undefined) throw notFound();
  call.response.type('html').send(document);
}

async function retry(trx: Trx, id: string): Promise<Deed> {
  const { tenant_id: tenantId } = await showDelivery(trx, id);
  await retryDelivery(trx, id);
  return { action: 'delivery.retry', tenantId, subject: id, text: 'It is due now.' };
}

/** A filter that was not understood is never left out here: it would send more than was asked for. */
async function replay(call: SignedInCall): Promise<void> {
  const { monitor, params, response, viewer } = call;
  const query = parseReplayQuery(params);
  const filter = await toReplayFilter(monitor.db, query);
  const complaint = complaintOf(query, filter);
  if (complaint === undefined) return perform(call, (trx) => replayAll(trx, filter!), '/replay');
  const notice = { kind: 'refused', text: complaint } as const;
  response
    .status(400)
    .type('html')
    .send(await replayPage(monitor.db, query, viewer, notice));
}

function complaintOf(query: ReplayQuery, filter: ReplayFilter | undefined): string | undefined {
  if (Object.keys(query.complaints).length > 0) return 'Nothing was sent: a field is not understood.';
  if (!filter) return 'Nothing was sent: no tenant has this slug.';
  if (filter.tenantId ?? filter.endpointId ?? filter.since) return undefined;
  return 'Nothing was sent: name a tenant, an endpoint or a time, or everything would go out again.';
}

async function replayAll(trx: Trx, filter: ReplayFilter): Promise<Deed> {
  const { paused, disabled } = await countHeldBackReplay(trx, filter);
  const { replayed, left } = await replayDeliveries(trx, filter);
  const heldBack = paused + disabled;
  return {
    action: 'delivery.replay',
    tenantId: filter.tenantId ?? null,
    subject: filter.endpointId ?? null,
    after: { ...filter, replayed },
    text:
      `${replayed} deliveries are on their way again.` +
      (left > 0 ? ` ${left} more are left for another replay.` : '') +
      (heldBack > 0 ? ` ${heldBack} more are held back, as their endpoints are paused or disabled.` : ''),
  };
}
