import type { Db } from '../../services/platform/database/database';
import { AppError } from '../../services/platform/errors';
import { type DeliveryStatus, EVENT_TYPES, PHASES } from '../../services/webhook-queue/deliveries/delivery';
import {
  type AttemptDocument,
  toAttemptDocument,
  toDeliveryDocument,
  findDeliveries,
  showDelivery,
} from '../../services/webhook-queue/deliveries/find-deliveries';
import {
  countHeldBack,
  countReplayable,
  type HeldBack,
  replayDeliveries,
  type ReplayFilter,
} from '../../services/webhook-queue/deliveries/replay-deliveries';
import { findEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { retryDelivery } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { type Flag, flag, type Verb } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { UsageError } from '../engine/failure';
import { afterFlag, findTenantId, LIST_FLAGS, listOf, sinceFlag, TENANT_FLAG } from '../engine/list';
import { HIDDEN_HINT, recordReveal, type RevealOptions } from '../engine/personal-data';
import { uuid, uuidStart } from '../engine/values';
import { WATCH_FLAG } from '../engine/watch';
import type { Output } from '../terminal/output';
import type { Screen, Tone } from '../terminal/screen';
import { properties, shortTime, tableOf } from '../terminal/table';
import { countIs, countOf, foreignText } from '../terminal/text';
import { warnIfNothingSends } from './webhook/test-event';

const FILTERS: Flag[] = [
  TENANT_FLAG,
  flag('--endpoint <id>', 'only to this endpoint', { parse: uuidStart }),
  sinceFlag('created'),
];

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'waiting',
  delivering: 'good',
  delivered: 'good',
  retrying: 'waiting',
  dead: 'bad',
  cancelled: 'quiet',
};

const ID = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';

export const deliveryVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List deliveries, newest first',
    flags: [
      ...FILTERS,
      flag('--status <status>', 'only in this status', { choices: Object.keys(TONES) }),
      ...LIST_FLAGS,
      afterFlag('id', uuid),
      WATCH_FLAG,
    ],
    examples: [
      'delivery list --tenant acme --status dead --since 7d',
      `delivery list --endpoint ${ID} --limit 20`,
      'delivery list --tenant acme --watch',
    ],
    run: listOf({
      find: async (
        db: Db,
        {
          status,
          limit,
          after,
          ...options
        }: DeliveryOptions & { status?: DeliveryStatus; limit: number; after?: string },
      ) => {
        const filter = { ...(await toDeliveryFilter(db, options)), status, before: after };
        return (await findDeliveries(db, filter, limit)).map(toDeliveryDocument);
      },
      columns: [
        'id',
        { heading: 'tenant', least: 6 },
        { heading: 'booking', aside: true, cell: (delivery) => delivery.booking_ref },
        { heading: 'event', least: 12, aside: true, cell: (delivery) => delivery.event_type },
        { heading: 'status', tones: TONES },
        { heading: 'tries', right: true, aside: true, cell: ({ attempts }) => attempts },
        { heading: 'next try (utc)', aside: true, cell: (delivery) => shortTime(delivery.next_attempt_at) },
        { heading: 'answer', right: true, aside: true, cell: (delivery) => delivery.last_status_code },
        { heading: 'error', least: 12, cell: (delivery) => delivery.last_error },
      ],
      empty: 'No deliveries',
      after: ({ id }) => id,
    }),
  },
  {
    usage: 'show <id>',
    args: { id: uuidStart },
    about: 'Show a delivery with all its attempts',
    flags: [flag('--reveal', 'show the bodies, which contain personal data; leaves an audit row')],
    examples: [`delivery show ${ID}`, `delivery show ${ID} --reveal`],
    audits: true,
    run: showDeliveryCommand,
  },
  {
    usage: 'retry <id>',
    args: { id: uuidStart },
    about: 'Send a delivery now',
    examples: [`delivery retry ${ID}`],
    audits: true,
    run: retryDeliveryCommand,
  },
  {
    usage: 'replay',
    about: 'Send finished deliveries again, except those of paused or disabled endpoints',
    flags: [
      ...FILTERS,
      flag('--status <status>', 'only in this status', {
        choices: ['delivered', 'dead', 'cancelled'],
        otherwise: 'dead',
      }),
      flag('--event <event>', 'only of this event', { choices: EVENT_TYPES }),
      flag('--dry-run', 'only count them, and those of paused or disabled endpoints'),
    ],
    check: ({ tenant, endpoint, since }: { tenant?: string; endpoint?: string; since?: Date }) => {
      if (tenant ?? endpoint ?? since) return;
      throw new UsageError(
        'delivery replay needs --tenant, --endpoint or --since: without them it would send all deliveries again',
      );
    },
    examples: [
      'delivery replay --tenant acme --since 24h --dry-run',
      'delivery replay --tenant acme --event booking.created --since 24h',
      `delivery replay --endpoint ${ID} --status delivered --since 2027-06-01T08:00:00Z`,
    ],
    audits: true,
    run: replayDeliveriesCommand,
  },
];

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

/** Refuses the id of an unknown endpoint. Accepts a removed endpoint that has deliveries. */
async function refuseUnknown(db: Db, endpointId: string): Promise<void> {
  try {
    await findEndpoint(db, endpointId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const history = await findDeliveries(db, { endpointId }, 1);
    if (history.length === 0) throw new UnknownEndpointError(endpointId);
  }
}

const PHASE_NAMES = { dns: 'dns', connect: 'connect', tls: 'tls', first_byte: 'wait', body: 'read' } as const;

interface ShownAttempt extends AttemptDocument {
  response_headers: Record<string, string> | null;
  response_body: string | null;
}

/** Shows a delivery. Shows its bodies only with --reveal, which writes an audit row, because they contain personal data. */
async function showDeliveryCommand(
  context: AuditedContext,
  { reveal = false }: RevealOptions,
  id: string,
): Promise<void> {
  const { tenantId, body, webhookId, tries: attempts, ...delivery } = await showDelivery(context.db, id);
  if (reveal) {
    await recordReveal(context, { action: 'delivery.reveal', subject: id, tenantId }, { deliveries: 1 });
  }
  // Hides the responses too, because a receiver may repeat the request body.
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
  await context.output.answer(document, (screen) => {
    const { tries: _, ...facts } = document;
    const shown = reveal ? facts : { ...facts, body: HIDDEN_HINT };
    const answers = tries
      .filter((t) => t.response_body !== null)
      .map((tried) => describeAnswer(tried, screen));
    const history = describeTries(tries, screen);
    return [properties(shown, screen), history, ...answers].join('\n\n');
  });
}

const describeTries = tableOf<AttemptDocument>(
  [
    { heading: 'try', right: true, cell: ({ number }) => number },
    { heading: 'started (utc)', cell: (attempt) => shortTime(attempt.started_at) },
    'outcome',
    { heading: 'answer', right: true, cell: (attempt) => attempt.status_code },
    { heading: 'reason', least: 12 },
    { heading: 'ms', right: true, aside: true, cell: (attempt) => attempt.duration_ms },
    { heading: 'phases (ms)', aside: true, cell: ({ phases }) => describePhases(phases) },
    { heading: 'to', aside: true, cell: ({ peer }) => peer },
  ],
  'No tries yet',
);

/** Indents the headers and the body, because the receiver wrote them. */
function describeAnswer(tried: ShownAttempt, { columns }: Screen): string {
  const answer = `${properties({ ...tried.response_headers })}\n${tried.response_body}`;
  return `Answer to try ${tried.number}\n${foreignText(answer, columns)}`;
}

/** Lists the milliseconds of the phases in the order of time. The database stores the phases in another order. */
function describePhases(phases: AttemptDocument['phases']): string | null {
  if (!phases) return null;
  const named = PHASES.flatMap((phase) => (phase in phases ? `${PHASE_NAMES[phase]} ${phases[phase]}` : []));
  return named.join(', ');
}

async function retryDeliveryCommand(
  { audited, db, output }: AuditedContext,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showDelivery(db, id);
  const delivery = await audited({ action: 'delivery.retry', tenantId, subject: id }, (trx) =>
    retryDelivery(trx, id),
  );
  await output.answer(toDeliveryDocument(delivery), () => `${id} is ${delivery.status}, and due now`);
  await warnIfNothingSends(db, output);
}

async function replayDeliveriesCommand(
  { audited, db, output }: AuditedContext,
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
    await output.answer(
      { matching, held_back: heldBack },
      () => `${countOf(matching, 'delivery')} would be sent again`,
    );
    return warnOfHeldBack(heldBack, output);
  }
  const { tenantId } = filter;
  let replayed = 0;
  // Replays in several transactions, so that none is long. Each transaction writes its own audit row.
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
  await output.answer({ replayed }, () => `${countIs(replayed, 'delivery')} queued again`);
  warnOfHeldBack(heldBack, output);
  if (replayed > 0) await warnIfNothingSends(db, output);
}

function warnOfHeldBack({ paused, disabled }: HeldBack, output: Output): void {
  const left = 'are not among them';
  if (paused > 0) output.warn(`${paused} more of paused endpoints ${left}: resume those, then replay`);
  if (disabled > 0) output.warn(`${disabled} more of disabled endpoints ${left}: enable those, then replay`);
}
