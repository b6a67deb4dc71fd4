import { type AttemptOutcome, DELIVERY_STATUSES, EVENT_TYPES } from '../../deliveries/delivery';
import { isCalendarDate } from '../../../platform/forms/days';
import { CONTROL_CHARACTER, isSlug, isUuid } from '../../../platform/forms/text-forms';
import type { FinishedStatus } from '../../deliveries/replay-deliveries';
import type { EndpointStatus } from '../../endpoints/endpoint';

export const RANGES = ['1h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];

/** `breaker`: active endpoints whose circuit breaker is open or half-open. */
export const ENDPOINT_FILTERS = ['active', 'breaker', 'paused', 'disabled', 'removed'] as const;
export type EndpointStateFilter = EndpointStatus | 'breaker';

/** Names the outcomes of an attempt for people. */
export const OUTCOME_WORDS: Readonly<Record<AttemptOutcome, string>> = {
  delivered: 'delivered',
  http_error: 'error answer',
  redirect: 'redirect',
  gone: 'gone (410)',
  timeout: 'timeout',
  dns: 'name not found',
  connection: 'no connection',
  tls: 'no safe TLS',
  blocked: 'address refused',
  unsealable: 'secret not readable',
  interrupted: 'interrupted',
  hung_up: 'connection had closed',
  cancelled: 'cancelled',
  worker_lost: 'worker lost',
};

export const SENT_TYPES = [...EVENT_TYPES, 'ping'] as const;
export const OUTCOMES = Object.keys(OUTCOME_WORDS) as AttemptOutcome[];
/** A value of `endpoint` that is not an id. It selects the deliveries that wait without an endpoint. */
export const NO_ENDPOINT = 'none';
/** Statuses that can be replayed. A cancelled delivery cannot: its endpoint is removed, or a later notification replaces it. */
export const REPLAYABLE = ['dead', 'delivered'] as const satisfies readonly FinishedStatus[];

/** The fields as given, and an issue for each invalid field. Invalid fields are ignored. */
export interface FilterInput {
  given: Readonly<Record<string, string>>;
  issues: Readonly<Record<string, string>>;
}

export interface OverviewQuery {
  range: Range;
}

export type EndpointsQuery = ReturnType<typeof parseEndpointsQuery>;
export type DeliveriesQuery = ReturnType<typeof parseDeliveriesQuery>;
/** The filter of a replay. A filter with an invalid field is refused: without that field, the filter would match more deliveries. */
export type ReplayQuery = ReturnType<typeof parseReplayQuery>;

export type Params = Readonly<Record<string, string | undefined>>;

const DEFAULT_RANGE: Range = '24h';
const LENGTH_MAX = 200;

export function parseOverviewQuery(params: Params): OverviewQuery {
  return { range: RANGES.find((range) => range === params.range) ?? DEFAULT_RANGE };
}

export function parseEndpointsQuery(params: Params) {
  const { read, given, issues } = readerOf(params);
  return {
    tenant: read('tenant', slug),
    status: read('status', oneOf(ENDPOINT_FILTERS)),
    /** Id of the last endpoint on the previous page. */
    after: read('after', id),
    given,
    issues,
  };
}

export function parseDeliveriesQuery(params: Params) {
  const { read, given, issues } = readerOf(params);
  return {
    tenant: read('tenant', slug),
    /** Id, or `none` for deliveries without an endpoint. */
    endpoint: read('endpoint', (text) => (text === NO_ENDPOINT ? { value: text } : id(text))),
    status: read('status', oneOf(DELIVERY_STATUSES)),
    type: read('type', oneOf(SENT_TYPES)),
    /** Outcome of the last attempt. */
    outcome: read('outcome', oneOf(OUTCOMES)),
    /** Range of the last status code, inclusive: `5xx` is 500 to 599. */
    code: read('code', codes),
    since: read('since', instant),
    until: read('until', instant),
    bookingRef: read('booking_ref', line),
    /** Id of the last delivery on the previous page. */
    before: read('before', id),
    given,
    issues,
  };
}

export function parseReplayQuery(params: Params) {
  const { read, given, issues } = readerOf(params);
  return {
    tenant: read('tenant', slug),
    endpoint: read('endpoint', id),
    since: read('since', instant),
    status: read('status', oneOf(REPLAYABLE)) ?? ('dead' as const),
    given,
    issues,
  };
}

/** Parses a field, or returns the issue. */
type ParseParameter<T> = (text: string) => { value: T } | { issue: string };

/** Returns a function that reads one field. It records the given text of the field, and an issue if the field is invalid. */
function readerOf(params: Params) {
  const given: Record<string, string> = {};
  const issues: Record<string, string> = {};
  const read = <T>(field: string, parse: ParseParameter<T>): T | undefined => {
    const text = params[field]?.trim().slice(0, LENGTH_MAX);
    if (!text) return undefined;
    given[field] = text;
    const result = parse(text);
    if ('value' in result) return result.value;
    issues[field] = result.issue;
    return undefined;
  };
  return { read, given, issues };
}

const slug = matching(isSlug, 'Use the slug of a tenant, such as acme.');
const id = matching(isUuid, 'Use a complete id, such as 0199f3c4-….');
const line = matching((text) => !CONTROL_CHARACTER.test(text), 'Remove the control character.');

function matching(isValid: (text: string) => boolean, issue: string): ParseParameter<string> {
  return (text) => (isValid(text) ? { value: text } : { issue });
}

function oneOf<T extends string>(values: readonly T[]): ParseParameter<T> {
  return (text) => {
    const value = values.find((known) => known === text);
    return value === undefined ? { issue: `Use one of: ${values.join(', ')}.` } : { value };
  };
}

const codes: ParseParameter<readonly [number, number]> = (text) => {
  const match = /^([1-5])(?:xx|(\d\d))$/i.exec(text);
  if (!match) return { issue: 'Use a status code from 100 to 599, or a class such as 5xx.' };
  const [, hundred, rest] = match;
  return {
    value: rest ? [Number(text), Number(text)] : [Number(hundred) * 100, Number(hundred) * 100 + 99],
  };
};

/** Parses a day, or a day with a time, in UTC. */
const instant: ParseParameter<Date> = (text) => {
  const [day = '', time = '00:00', ...more] = text.replace(/Z$/, '').split(/[T ]/);
  const isValid = isCalendarDate(day) && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.]\d{1,3})?)?$/.test(time);
  return isValid && more.length === 0
    ? { value: new Date(`${day}T${time}Z`) }
    : { issue: 'Write a time as 2026-11-20 or 2026-11-20T14:30, in UTC.' };
};
