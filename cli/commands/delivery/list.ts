import { listDeliveries, type DeliveryStatus } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import type { Tone } from '../../screen';
import { shortTime, table, type Column } from '../../table';
import { toDeliveryFilter, type DeliveryOptions } from './delivery-filter';

interface DeliveryListOptions extends DeliveryOptions {
  status?: DeliveryStatus;
  limit?: number;
  after?: string;
}

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'waiting',
  delivering: 'good',
  delivered: 'good',
  retrying: 'waiting',
  dead: 'bad',
  cancelled: 'quiet',
};

const COLUMNS: Column[] = [
  'id',
  { heading: 'tenant', least: 6 },
  { heading: 'event', least: 12, aside: true },
  'booking',
  { heading: 'status', tones: TONES },
  { heading: 'tries', right: true, aside: true },
  { heading: 'next try (utc)', aside: true },
  { heading: 'answer', right: true, aside: true },
  { heading: 'error', least: 12 },
];

export async function listDeliveriesCommand(
  { db, output }: Context,
  { status, limit = DEFAULT_LIMIT, after, ...options }: DeliveryListOptions,
): Promise<void> {
  const filter = { ...(await toDeliveryFilter(db, options)), status, before: after };
  const found = await listDeliveries(db, { ...filter, limit: oneMoreThan(limit) });
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((d) => {
      const tries = [d.attempts, shortTime(d.next_attempt_at), d.last_status_code, d.last_error];
      return [d.id, d.tenant, d.event_type, d.booking_ref, d.status, ...tries];
    });
    return table(COLUMNS, rows, 'No deliveries', screen);
  });
}
