import { html, type Markup } from '../../../platform/html-template';
import type { DeliveryStatus } from '../../deliveries/delivery';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { formatMilliseconds, formatPlural, formatRelative, fullTimeElement, timeElement } from './formats';

/** The facts that decide when a delivery is sent next. */
export interface DeliverySituation {
  /** All times are by the database's clock. */
  now: Date;
  status: DeliveryStatus;
  /** Slug of the tenant. */
  tenant: string;
  attempts: number;
  createdAt: Date;
  finishedAt: Date | null;
  nextAttemptAt: Date | null;
  lastError: string | null;
  /** Null for a delivery without an endpoint. */
  endpoint: { status: EndpointStatus; statusReason: string | null; blockedUntil: Date | null } | null;
  /** The lease of a request in flight, or of a lost worker. */
  lease: { worker: string; since: Date; until: Date } | null;
}

interface NextStepText {
  /** Fits into a table cell. */
  short: Markup | string;
  /** Explains the state and the next step. */
  sentence: Markup;
}

export function nextStep(situation: DeliverySituation): NextStepText {
  return finished(situation) ?? inFlight(situation) ?? heldBack(situation) ?? scheduled(situation);
}

function finished({
  status,
  attempts,
  createdAt,
  finishedAt,
  lastError,
}: DeliverySituation): NextStepText | undefined {
  if (status === 'delivered') {
    const took =
      finishedAt && html`, ${formatMilliseconds(finishedAt.getTime() - createdAt.getTime())} after its event`;
    const which = attempts === 1 ? 'with the first attempt' : `with attempt ${attempts}`;
    return { short: '', sentence: html`Delivered ${which}${took}. Nothing more happens.` };
  }
  if (status === 'dead') {
    const count = formatPlural(attempts, 'attempt');
    const sentence = html`Given up after ${count}. ${lastError} A retry starts the schedule again, with the
      same <code>webhook-id</code>.`;
    return { short: 'given up', sentence };
  }
  if (status === 'cancelled')
    return { short: 'cancelled', sentence: html`Cancelled. ${lastError} Nothing more happens.` };
  return undefined;
}

function inFlight({ status, lease, now, attempts }: DeliverySituation): NextStepText | undefined {
  if (!lease)
    return status === 'delivering' ? { short: 'being sent', sentence: html`Being sent.` } : undefined;
  const worker = html`<code>${lease.worker}</code>`;
  if (lease.until > now) {
    const sentence = html`Being sent since ${timeElement(lease.since)} by ${worker}, as attempt
    ${attempts + 1}. If that worker is lost, another one takes over after ${timeElement(lease.until)}.`;
    return { short: 'being sent', sentence };
  }
  const sentence = html`The worker ${worker} was lost: its attempt of ${timeElement(lease.since)} may have
  arrived. A worker records it as lost and sends the delivery again.`;
  return { short: 'due now', sentence };
}

function heldBack({ endpoint, tenant, now, nextAttemptAt }: DeliverySituation): NextStepText | undefined {
  if (!endpoint) {
    const sentence = html`Waits for an endpoint: ${tenant} has none that takes it. It is sent as soon as one
      is added: <code>tourctl webhook add ${tenant} https://…</code>`;
    return { short: 'needs an endpoint', sentence };
  }
  if (endpoint.status !== 'active') {
    const change = endpoint.status === 'paused' ? 'resumed' : 'enabled';
    // A paused or disabled endpoint does not move the time of the next attempt.
    const isLater = nextAttemptAt && nextAttemptAt > now;
    const due = isLater
      ? html`The next attempt stays at ${fullTimeElement(nextAttemptAt)}, if the endpoint is ${change} before.`
      : html`It is due when the endpoint is ${change}.`;
    const sentence = html`Waits: its endpoint is ${endpoint.status}. ${endpoint.statusReason} ${due}`;
    return { short: `endpoint ${endpoint.status}`, sentence };
  }
  const { blockedUntil } = endpoint;
  if (!blockedUntil || blockedUntil <= now || (nextAttemptAt && nextAttemptAt > blockedUntil))
    return undefined;
  const sentence = html`The endpoint failed too often. We pause sending until ${fullTimeElement(blockedUntil)}
  (${formatRelative(blockedUntil, now)}). Then one request at a time tests the endpoint.`;
  return { short: html`sending paused, ${formatRelative(blockedUntil, now)}`, sentence };
}

function scheduled({ nextAttemptAt, now, attempts, lastError }: DeliverySituation): NextStepText {
  const which = attempts === 0 ? 'The first attempt' : `Attempt ${attempts + 1}`;
  const why = attempts > 0 && lastError && html`${lastError} `;
  if (!nextAttemptAt || nextAttemptAt <= now) {
    const sentence = html`${why}${which} is due now: it is sent as soon as a worker has a free slot for its
    endpoint.`;
    return { short: 'due now', sentence };
  }
  const sentence = html`${why}${which} is sent at ${fullTimeElement(nextAttemptAt)}
  (${formatRelative(nextAttemptAt, now)}).`;
  return { short: html`attempt ${attempts + 1} ${formatRelative(nextAttemptAt, now)}`, sentence };
}
