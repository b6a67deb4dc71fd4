import type { Db } from '../../../services/platform/database';
import { AppError } from '../../../services/platform/errors';
import { type DeliveryStatus, PHASES } from '../../../services/webhook-queue/deliveries/delivery';
import {
  type AttemptDocument,
  toAttemptDocument,
  toDeliveryDocument,
} from '../../../services/webhook-queue/deliveries/delivery-document';
import { findDeliveries, showDelivery } from '../../../services/webhook-queue/deliveries/find-deliveries';
import {
  countHeldBack,
  countReplayable,
  type HeldBack,
  replayDeliveries,
  type ReplayFilter,
} from '../../../services/webhook-queue/deliveries/replay-deliveries';
import { findEndpoint } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { retryDelivery } from '../../../services/webhook-queue/endpoints/requested-deliveries';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { recordReveal, HIDDEN_HINT, type RevealOptions } from '../../engine/personal-data';
import type { Output } from '../../terminal/output';
import type { Tone } from '../../terminal/screen';
import { type Column, properties, shortTime, table, tableOf } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';
import { warnIfNothingSends } from '../webhook/actions';

interface DeliveryOptions {
  tenant?: string;
  endpoint?: string;
  since?: Date;
}

class UnknownEndpointError extends AppError {
  readonly code = 'endpoint_not_found';

  constructor(id: string) {
    super(`There is no webhook endpoint ${id}, and no delivery was ever sent to this id`);
  }
}

/**
 * Returns the filter of list and replay.
 * @throws TenantNotFoundError, UnknownEndpointError
 */
async function toDeliveryFilter(db: Db, { tenant, endpoint, since }: DeliveryOptions) {
  if (endpoint !== undefined) await refuseUnknown(db, endpoint);
  return { tenantId: await findTenantId(db, tenant), endpointId: endpoint, since };
}

/** Accepts a removed endpoint too if it has deliveries. */
async function refuseUnknown(db: Db, endpointId: string): Promise<void> {
  try {
    await findEndpoint(db, endpointId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const history = await findDeliveries(db, { endpointId }, 1);
    if (history.length === 0) throw new UnknownEndpointError(endpointId);
  }
}

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
  { heading: 'booking', aside: true },
  { heading: 'event', least: 12, aside: true },
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
  const found = (await findDeliveries(db, filter, oneMoreThan(limit))).map(toDeliveryDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, describeDeliveries);
}

const describeDeliveries = tableOf<ReturnType<typeof toDeliveryDocument>>(
  COLUMNS,
  (d) => [
    d.id,
    d.tenant,
    d.booking_ref,
    d.event_type,
    d.status,
    d.attempts,
    shortTime(d.next_attempt_at),
    d.last_status_code,
    d.last_error,
  ],
  'No deliveries',
);

const TRY_COLUMNS: Column[] = [
  { heading: 'try', right: true },
  'started (utc)',
  'outcome',
  { heading: 'answer', right: true },
  { heading: 'reason', least: 12 },
  { heading: 'ms', right: true, aside: true },
  { heading: 'phases (ms)', aside: true },
  { heading: 'to', aside: true },
];
const PHASE_NAMES = { dns: 'dns', connect: 'connect', tls: 'tls', first_byte: 'wait', body: 'read' } as const;

interface ShownAttempt extends AttemptDocument {
  response_headers: Record<string, string> | null;
  response_body: string | null;
}

/** Shows bodies only with --reveal and records it, because they contain personal data. */
export async function showDeliveryCommand(
  context: Context,
  { reveal = false }: RevealOptions,
  id: string,
): Promise<void> {
  const { tenantId, body, webhookId, tries: attempts, ...delivery } = await showDelivery(context.db, id);
  if (reveal) {
    await recordReveal(context, { action: 'delivery.reveal', subject: id, tenantId }, { deliveries: 1 });
  }
  // A receiver's answer may repeat the request body.
  const tries = attempts.map((attempt) => ({
    ...toAttemptDocument(attempt),
    response_headers: reveal ? attempt.responseHeaders : null,
    response_body: reveal ? attempt.responseBody : null,
  }));
  const document = {
    ...toDeliveryDocument(delivery),
    body: reveal ? body : null,
    webhook_id: webhookId,
    tries,
  };
  context.output.answer(document, (screen) => {
    const { tries: _, ...facts } = document;
    const shown = reveal ? facts : { ...facts, body: HIDDEN_HINT };
    const answers = tries.filter((t) => t.response_body !== null).map(describeAnswer);
    const history = table(TRY_COLUMNS, tries.map(toRow), 'No tries yet', screen);
    return [properties(shown, screen), history, ...answers].join('\n\n');
  });
}

function toRow(t: AttemptDocument): (string | number | null)[] {
  const { number, started_at: started, duration_ms: ms, phases, peer, outcome, status_code, reason } = t;
  return [number, shortTime(started), outcome, status_code, reason, ms, describePhases(phases), peer];
}

function describeAnswer(tried: ShownAttempt): string {
  return `Answer to try ${tried.number}\n${properties({ ...tried.response_headers })}\n${tried.response_body}`;
}

/** Lists the milliseconds of each phase in their order of time; the database stores another order. */
function describePhases(phases: AttemptDocument['phases']): string | null {
  if (!phases) return null;
  const named = PHASES.flatMap((phase) => (phase in phases ? `${PHASE_NAMES[phase]} ${phases[phase]}` : []));
  return named.join(', ');
}

export async function retryDeliveryCommand(
  { audited, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showDelivery(db, id);
  const delivery = await audited({ action: 'delivery.retry', tenantId, subject: id }, (trx) =>
    retryDelivery(trx, id),
  );
  output.answer(toDeliveryDocument(delivery), () => `${id} is ${delivery.status}, and due now`);
  await warnIfNothingSends(db, output);
}

export async function replayDeliveriesCommand(
  { audited, db, output }: Context,
  options: DeliveryOptions & {
    status?: ReplayFilter['status'];
    event?: ReplayFilter['type'];
    dryRun?: boolean;
  },
): Promise<void> {
  const filter = {
    ...(await toDeliveryFilter(db, options)),
    status: options.status ?? ('dead' as const),
    type: options.event,
  };
  const heldBack = await countHeldBack(db, filter);
  if (options.dryRun) {
    const matching = await countReplayable(db, filter);
    output.answer(
      { matching, held_back: heldBack },
      () => `${countOf(matching, 'delivery')} would be sent again`,
    );
    return warnOfHeldBack(heldBack, output);
  }
  const { tenantId } = filter;
  let replayed = 0;
  // Replays in parts, each with its audit row, so that no transaction is long.
  for (let finishedBefore: Date | undefined, left = 1; left > 0;) {
    const part = await audited({ action: 'delivery.replay', tenantId }, async (trx, note) => {
      const done = await replayDeliveries(trx, { ...filter, finishedBefore });
      if (done.replayed > 0)
        note(null, { ...filter, replayed: done.replayed }, { subject: options.endpoint });
      return done;
    });
    replayed += part.replayed;
    ({ finishedBefore, left } = part);
  }
  output.answer({ replayed }, () => `${countIs(replayed, 'delivery')} queued again`);
  warnOfHeldBack(heldBack, output);
  if (replayed > 0) await warnIfNothingSends(db, output);
}

function warnOfHeldBack({ paused, disabled }: HeldBack, output: Output): void {
  const left = 'are not among them';
  if (paused > 0) output.warn(`${paused} more of paused endpoints ${left}: resume those, then replay`);
  if (disabled > 0) output.warn(`${disabled} more of disabled endpoints ${left}: enable those, then replay`);
}
