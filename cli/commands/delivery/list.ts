import { listDeliveries, type DeliveryStatus } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';
import { toDeliveryFilter, type DeliveryOptions } from './delivery-filter';

const COLUMNS = ['id', 'tenant', 'event', 'booking', 'status', 'tries', 'next try (utc)', 'answer', 'error'];

export async function listDeliveriesCommand(
  { db, output }: Context,
  options: DeliveryOptions & { status?: DeliveryStatus; limit?: number },
): Promise<void> {
  const { status, limit = DEFAULT_LIMIT } = options;
  const items = await listDeliveries(db, { ...(await toDeliveryFilter(db, options)), status, limit });
  output.answer({ items }, () => {
    const rows = items.map((d) => {
      const next = d.next_attempt_at?.toISOString().slice(0, 19).replace('T', ' ') ?? null;
      const tries = [d.attempts, next, d.last_status_code, d.last_error];
      return [d.id, d.tenant, d.event_type, d.booking_ref, d.status, ...tries];
    });
    return table(COLUMNS, rows, 'No deliveries');
  });
}
