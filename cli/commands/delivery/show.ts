import { showDelivery } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { properties, table } from '../../table';

/** The bodies hold personal data, so showing them is asked for by name, and recorded. */
export async function showDeliveryCommand(
  { audited, db, output }: Context,
  { reveal }: { reveal?: boolean },
  id: string,
): Promise<void> {
  const { tenant_id: tenantId, ...delivery } = await showDelivery(db, id);
  if (reveal) await audited({ action: 'delivery.reveal', tenantId, subject: id }, async () => {});
  const tries = delivery.tries.map((t) => ({ ...t, response_body: reveal ? t.response_body : null }));
  const document = { ...delivery, body: reveal ? delivery.body : null, tries };
  output.answer(document, () => {
    const { tries: _, ...facts } = document;
    const rows = tries.map((t) => [
      t.number,
      t.started_at.toISOString(),
      t.duration_ms,
      t.outcome,
      t.status_code,
      t.reason,
    ]);
    return `${properties(facts)}\n\n${table(['try', 'started', 'ms', 'outcome', 'answer', 'reason'], rows, 'No tries yet')}`;
  });
}
