import { showDelivery, type AttemptItem } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { properties, table } from '../../table';

const COLUMNS = ['try', 'started', 'ms', 'of it', 'to', 'outcome', 'answer', 'reason'];
const PHASES = { dns: 'dns', connect: 'connect', tls: 'tls', first_byte: 'wait', body: 'read' } as const;

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
    return `${properties(facts)}\n\n${table(COLUMNS, tries.map(toRow), 'No tries yet')}`;
  });
}

function toRow(t: AttemptItem): (string | number | null)[] {
  const { number, started_at: started, duration_ms: ms, phases, peer, outcome, status_code, reason } = t;
  return [number, started.toISOString(), ms, describePhases(phases), peer, outcome, status_code, reason];
}

/** Milliseconds of each phase in the order in which they came; the database has another. */
function describePhases(phases: AttemptItem['phases']): string | null {
  if (!phases) return null;
  const names = Object.keys(PHASES) as (keyof typeof PHASES)[];
  return names.flatMap((name) => (name in phases ? `${PHASES[name]} ${phases[name]}` : [])).join(', ');
}
