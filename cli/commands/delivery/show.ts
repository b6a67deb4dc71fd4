import { PHASES, showDelivery, type AttemptItem } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { recordReveal, type RevealOptions } from '../../reveal';
import { properties, table } from '../../table';

const COLUMNS = ['try', 'started', 'ms', 'of it', 'to', 'outcome', 'answer', 'reason'];
const PHASE_NAMES = { dns: 'dns', connect: 'connect', tls: 'tls', first_byte: 'wait', body: 'read' } as const;

/** The bodies hold personal data, so showing them is asked for by name, and recorded. */
export async function showDeliveryCommand(
  context: Context,
  { reveal = false }: RevealOptions,
  id: string,
): Promise<void> {
  const { tenant_id: tenantId, ...delivery } = await showDelivery(context.db, id);
  if (reveal) {
    await recordReveal(context, { action: 'delivery.reveal', subject: id, tenantId }, { deliveries: 1 });
  }
  // What a receiver answers may repeat what it was sent.
  const hidden = { response_headers: null, response_body: null };
  const tries = delivery.tries.map((t) => (reveal ? t : { ...t, ...hidden }));
  const document = { ...delivery, body: reveal ? delivery.body : null, tries };
  context.output.answer(document, () => {
    const { tries: _, ...facts } = document;
    const answers = tries.filter((t) => t.response_body !== null).map(describeAnswer);
    return [properties(facts), table(COLUMNS, tries.map(toRow), 'No tries yet'), ...answers].join('\n\n');
  });
}

function toRow(t: AttemptItem): (string | number | null)[] {
  const { number, started_at: started, duration_ms: ms, phases, peer, outcome, status_code, reason } = t;
  return [number, started.toISOString(), ms, describePhases(phases), peer, outcome, status_code, reason];
}

function describeAnswer({ number, response_headers: headers, response_body: body }: AttemptItem): string {
  return `Answer to try ${number}\n${properties({ ...headers })}\n${body}`;
}

/** Milliseconds of each phase in the order in which they came; the database has another. */
function describePhases(phases: AttemptItem['phases']): string | null {
  if (!phases) return null;
  return PHASES.flatMap((phase) => (phase in phases ? `${PHASE_NAMES[phase]} ${phases[phase]}` : [])).join(
    ', ',
  );
}
