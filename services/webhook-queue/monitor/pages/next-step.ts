import { html, type Markup } from '../../../platform/html-template';
import type { DeliveryStatus } from '../../deliveries/delivery';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { duration, fullMoment, moment, relative } from '../html/time-forms';

/** What decides when a delivery goes out next. */
export interface Prospect {
  /** By the database's clock, as all of it. */
  now: Date;
  status: DeliveryStatus;
  /** Slug. */
  tenant: string;
  attempts: number;
  createdAt: Date;
  finishedAt: Date | null;
  nextAttemptAt: Date | null;
  lastError: string | null;
  /** Null while it waits without one. */
  endpoint: { status: EndpointStatus; statusReason: string | null; blockedUntil: Date | null } | null;
  /** Of a request that is in flight, or of a worker that never came back. */
  lease: { worker: string; since: Date; until: Date } | null;
}

export interface Outlook {
  /** For a cell of a list. */
  short: Markup | string;
  /** Why it is as it is, and what happens next. */
  sentence: Markup;
}

/** @returns what happens next by itself, or whose turn it is */
export function nextStep(of: Prospect): Outlook {
  return finished(of) ?? inFlight(of) ?? heldBack(of) ?? scheduled(of);
}

function finished({ status, attempts, createdAt, finishedAt, lastError }: Prospect): Outlook | undefined {
  if (status === 'delivered') {
    const took =
      finishedAt && html`, ${duration(finishedAt.getTime() - createdAt.getTime())} after its event`;
    const tries = attempts === 1 ? 'with the first try' : `with try ${attempts}`;
    return { short: '', sentence: html`Delivered ${tries}${took}. Nothing more happens.` };
  }
  if (status === 'dead') {
    const tries = attempts === 1 ? 'one try' : `${attempts} tries`;
    const sentence = html`Given up after ${tries}. ${lastError} Nothing more happens by itself; a retry begins
      the schedule anew, under the same <code>webhook-id</code>.`;
    return { short: 'given up', sentence };
  }
  if (status === 'cancelled')
    return { short: 'cancelled', sentence: html`Cancelled. ${lastError} Nothing more happens.` };
  return undefined;
}

function inFlight({ status, lease, now, attempts }: Prospect): Outlook | undefined {
  if (!lease)
    return status === 'delivering' ? { short: 'being sent', sentence: html`Being sent.` } : undefined;
  const worker = html`<code>${lease.worker}</code>`;
  if (lease.until > now) {
    const sentence = html`Being sent since ${moment(lease.since)} by ${worker}, as try ${attempts + 1}. If
    that worker is lost, another one takes over after ${moment(lease.until)}.`;
    return { short: 'being sent', sentence };
  }
  const sentence = html`The worker ${worker} did not come back: the try of ${moment(lease.since)} may have
  arrived. It is written down as lost and sent again as soon as a worker takes it.`;
  return { short: 'due now', sentence };
}

function heldBack({ endpoint, tenant, now, nextAttemptAt }: Prospect): Outlook | undefined {
  if (!endpoint) {
    const sentence = html`Waits for an endpoint: ${tenant} has none that takes it. It is sent as soon as one
      is added: <code>tourctl webhook add ${tenant} https://…</code>`;
    return { short: 'needs an endpoint', sentence };
  }
  if (endpoint.status === 'paused')
    return {
      short: 'endpoint paused',
      sentence: html`Waits: its endpoint is paused. It is due at once when the endpoint is resumed.`,
    };
  if (endpoint.status !== 'active') {
    const sentence = html`Waits: its endpoint is ${endpoint.status}. ${endpoint.statusReason} It is due at
    once when the endpoint is enabled.`;
    return { short: `endpoint ${endpoint.status}`, sentence };
  }
  const { blockedUntil } = endpoint;
  if (!blockedUntil || blockedUntil <= now || (nextAttemptAt && nextAttemptAt > blockedUntil))
    return undefined;
  const sentence = html`Held by the endpoint’s breaker until ${fullMoment(blockedUntil)}
  (${relative(blockedUntil, now)}): the endpoint failed too often. After that one request at a time tries
  whether it is back.`;
  return { short: html`breaker, ${relative(blockedUntil, now)}`, sentence };
}

function scheduled({ nextAttemptAt, now, attempts, lastError }: Prospect): Outlook {
  const which = attempts === 0 ? 'The first try' : `Try ${attempts + 1}`;
  const why = attempts > 0 && lastError && html`${lastError} `;
  if (!nextAttemptAt || nextAttemptAt <= now) {
    const sentence = html`${why}${which} is due now: it goes out as soon as a worker has a free lane for its
    endpoint.`;
    return { short: 'due now', sentence };
  }
  const sentence = html`${why}${which} goes out at ${fullMoment(nextAttemptAt)}
  (${relative(nextAttemptAt, now)}).`;
  return { short: html`try ${attempts + 1} ${relative(nextAttemptAt, now)}`, sentence };
}
