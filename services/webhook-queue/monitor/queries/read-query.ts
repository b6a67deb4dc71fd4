import { CONTROL_CHARACTER, isCalendarDate, isSlug, isUuid } from '../../../platform/text-forms';
import { DELIVERY_STATUSES, type DeliveryStatus, type Outcome } from '../../deliveries/delivery';
import type { FinishedStatus } from '../../deliveries/replay.repository';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { EVENT_TYPES } from '../../deliveries/webhook-event';
import { OUTCOME_WORDS } from './outcome-words';

export const RANGES = ['1h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];

/** `breaker`: of active ones those that are left alone for a while, or tried again after that. */
export const ENDPOINT_FILTERS = ['active', 'breaker', 'paused', 'disabled', 'removed'] as const;
export type EndpointFilter = EndpointStatus | 'breaker';

export const SENT_TYPES = [...EVENT_TYPES, 'ping'] as const;
export const OUTCOMES = Object.keys(OUTCOME_WORDS) as Outcome[];
/** In place of an endpoint's id: deliveries that wait without one. */
export const NO_ENDPOINT = 'none';
/** What can be sent again: a cancelled delivery has lost its endpoint for ever. */
export const REPLAYABLE = ['dead', 'delivered'] as const satisfies readonly FinishedStatus[];

/** What was asked for as it was written, and what of it was not understood and so left out of the filter, by field. */
export interface Asked {
  given: Readonly<Record<string, string>>;
  complaints: Readonly<Record<string, string>>;
}

export interface OverviewQuery {
  range: Range;
}

export interface EndpointsQuery extends Asked {
  /** Slug. */
  tenant?: string;
  status?: EndpointFilter;
  /** Id of the last endpoint of the page before. */
  after?: string;
}

export interface DeliveriesQuery extends Asked {
  /** Slug. */
  tenant?: string;
  /** Id, or `none`: those that wait without one. */
  endpoint?: string;
  status?: DeliveryStatus;
  type?: string;
  /** Of the last attempt. */
  outcome?: Outcome;
  /** Last status code from … to, both included: `5xx` is 500 to 599. */
  code?: readonly [from: number, to: number];
  since?: Date;
  until?: Date;
  bookingRef?: string;
  /** Id of the last delivery of the page before. */
  before?: string;
}

/** An action refuses a query with complaints: what was left out would have narrowed it. */
export interface ReplayQuery extends Asked {
  /** Slug. */
  tenant?: string;
  endpoint?: string;
  since?: Date;
  status: FinishedStatus;
}

export type Params = Readonly<Record<string, string | undefined>>;

const RANGE_AT_FIRST: Range = '24h';
const LENGTH_MAX = 200;

export function parseOverviewQuery(params: Params): OverviewQuery {
  return { range: RANGES.find((range) => range === params.range) ?? RANGE_AT_FIRST };
}

export function parseEndpointsQuery(params: Params): EndpointsQuery {
  const read = reader(params);
  return {
    tenant: read('tenant', slug),
    status: read('status', oneOf(ENDPOINT_FILTERS)),
    after: read('after', id),
    ...read.asked,
  };
}

export function parseDeliveriesQuery(params: Params): DeliveriesQuery {
  const read = reader(params);
  return {
    tenant: read('tenant', slug),
    endpoint: read('endpoint', (text) => (text === NO_ENDPOINT ? { value: text } : id(text))),
    status: read('status', oneOf(DELIVERY_STATUSES)),
    type: read('type', oneOf(SENT_TYPES)),
    outcome: read('outcome', oneOf(OUTCOMES)),
    code: read('code', codes),
    since: read('since', instant),
    until: read('until', instant),
    bookingRef: read('booking_ref', line),
    before: read('before', id),
    ...read.asked,
  };
}

export function parseReplayQuery(params: Params): ReplayQuery {
  const read = reader(params);
  return {
    tenant: read('tenant', slug),
    endpoint: read('endpoint', id),
    since: read('since', instant),
    status: read('status', oneOf(REPLAYABLE)) ?? 'dead',
    ...read.asked,
  };
}

/** What a field says, or what it must be. */
type Form<T> = (text: string) => { value: T } | { complaint: string };

function reader(params: Params) {
  const asked = { given: {} as Record<string, string>, complaints: {} as Record<string, string> };
  const read = <T>(field: string, form: Form<T>): T | undefined => {
    const text = params[field]?.trim().slice(0, LENGTH_MAX);
    if (!text) return undefined;
    asked.given[field] = text;
    const result = form(text);
    if ('value' in result) return result.value;
    asked.complaints[field] = result.complaint;
    return undefined;
  };
  return Object.assign(read, { asked });
}

const slug = matching(isSlug, 'A tenant is named by its slug, such as acme.');
const id = matching(isUuid, 'An id looks like 0199f3c4-…: copy it whole.');
const line = matching((text) => !CONTROL_CHARACTER.test(text), 'It holds a control character.');

function matching(fits: (text: string) => boolean, complaint: string): Form<string> {
  return (text) => (fits(text) ? { value: text } : { complaint });
}

function oneOf<T extends string>(values: readonly T[]): Form<T> {
  return (text) => {
    const value = values.find((known) => known === text);
    return value === undefined ? { complaint: `One of: ${values.join(', ')}.` } : { value };
  };
}

const codes: Form<readonly [number, number]> = (text) => {
  const match = /^([1-5])(?:xx|(\d\d))$/i.exec(text);
  if (!match) return { complaint: 'A status code is 100 to 599, or a hundred of them such as 5xx.' };
  const [, hundred, rest] = match;
  return {
    value: rest ? [Number(text), Number(text)] : [Number(hundred) * 100, Number(hundred) * 100 + 99],
  };
};

/** A day, or a day and a time to the minute or second, in UTC. */
const instant: Form<Date> = (text) => {
  const [day = '', time = '00:00', ...more] = text.replace(/Z$/, '').split(/[T ]/);
  const real = isCalendarDate(day) && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.]\d{1,3})?)?$/.test(time);
  return real && more.length === 0
    ? { value: new Date(`${day}T${time}Z`) }
    : { complaint: 'A time looks like 2026-11-20 or 2026-11-20T14:30, in UTC.' };
};
