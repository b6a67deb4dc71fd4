import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { type Answer, type Clients, request, type Write } from './client';
import { microseconds, type Row } from './journal';
import { type DepartureChange, fail, type Model, nameOf, type Step } from './model';
import { ADJUSTMENT_REASON } from './operator';
import type { World } from './world';

/** The steps that an acknowledged write of each kind may have made. Two writes may both cause one step, such as a release. */
const STEPS: Record<string, Step[]> = {
  hold: ['created'],
  book: ['created'],
  'extend hold': ['extended'],
  'change hold': ['changed'],
  'release hold': ['released'],
  'change booking': ['changed'],
  confirm: ['confirmed'],
  'confirm by OCTO': ['created', 'confirmed'],
  cancel: ['cancelled', 'released'],
};
const stepsOf = ({ kind, octo }: Write) => STEPS[octo && kind === 'confirm' ? 'confirm by OCTO' : kind]!;

/** The steps that a sale makes once.  */
const ONCE: Step[] = ['created', 'released', 'confirmed', 'cancelled'];

/** Returns true for a refusal by load shedding, which comes before the request has done anything. A busy machine causes such refusals. */
export const isOverloaded = ({ status, body }: Answer) => status === 503 && body.code === 'overloaded';
const isGranted = ({ status }: Answer) => status < 300;

/**
 * Checks the answers of all writes. No write fails. No Idempotency-Key makes two writes. No write succeeds after a revocation or
 * suspension that forbids it.
 */
export function checkAnswers({ writes, bans }: Clients): void {
  for (const { path, kind, octo, answers, tenantId, keyId, begun } of writes) {
    const named = `${kind} ${path}`;
    for (const answer of answers)
      if (answer.status >= 500 && !isOverloaded(answer) && !(answer.status === 503 && octo))
        fail(`${named}: ${answer.status} ${answer.text}`);
    const granted = answers.filter(isGranted);
    if (new Set(granted.map(({ text }) => text)).size > 1) fail(`${named}: two answers for one key`);
    if (granted.filter(({ replayed }) => !replayed).length > 1) fail(`${named}: done twice for one key`);
    const banned = bans.find(({ id, at }) => (id === tenantId || id === keyId) && at < begun);
    if (banned && granted.length > 0) fail(`${named}: granted after ${banned.id} was revoked or suspended`);
  }
}

/** Checks that each acknowledged write has its step in the journal, and that each step in the journal has its write. */
export async function checkWrites(
  db: Db,
  { writes, adjusted }: Clients,
  { transitions }: Model,
): Promise<void> {
  const made = countOf(transitions.map(({ step, id }) => `${step} ${id}`));
  const adjustments = adjusted.map((ref) => `adjusted ${ref}`);
  const acknowledged = [...adjustments];
  for (const write of writes) {
    const answer = write.answers.find(isGranted);
    if (!answer) continue;
    const subjects = await subjectsOf(db, write, answer.body);
    acknowledged.push(...subjects.flatMap((id) => stepsOf(write).map((step) => `${step} ${id}`)));
    if (!isMade(write, subjects, made)) fail(`${write.kind} ${write.path}: acknowledged, but not made`);
  }
  for (const [key, times] of countOf(adjustments))
    if (made.get(key) !== times) fail(`${key}: ${made.get(key) ?? 0} times instead of ${times}`);
  const allowed = countOf(acknowledged);
  for (const [key, times] of made) {
    const isOwn = !/^(expired|converted) /.test(key);
    const most = ONCE.includes(key.split(' ')[0] as Step) ? 1 : Infinity;
    if (isOwn && times > Math.min(most, allowed.get(key) ?? 0))
      fail(`${key}: ${times} times, not acknowledged`);
  }
}

function countOf(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns whether the journal has the step of a write. Always returns true for a change, because a change to equal values adds no step. */
function isMade(write: Write, subjects: string[], made: Map<string, number>): boolean {
  const steps = stepsOf(write);
  if (!steps.some((step) => ONCE.includes(step))) return true;
  const ends: Step[] = steps.includes('released') ? ['expired'] : [];
  return [...steps, ...ends].some((step) => subjects.some((id) => made.has(`${step} ${id}`)));
}

/** Returns the hold and the booking that a write names or made. */
async function subjectsOf(db: Db, { path, kind }: Write, body: Answer['body']): Promise<string[]> {
  const named = /(?:holds|bookings)[/]([^/]+)/.exec(path)?.[1];
  const uuid = body.uuid as string | undefined;
  const holds = uuid ? ((await db('octo_bookings').where({ uuid }).pluck('hold_id')) as string[]) : [];
  const ref = (body.booking_ref ?? body.supplierReference) as string | null | undefined;
  if (uuid) return [...holds, ...(ref ? [ref] : [])];
  if (kind === 'hold') return [body.hold_id as string];
  return [ref ?? named!];
}

const EVENTS: Partial<Record<Step, string>> = {
  created: 'booking.created',
  confirmed: 'booking.confirmed',
  changed: 'booking.updated',
  adjusted: 'booking.updated',
  cancelled: 'booking.cancelled',
};

/** An event of the queue's tables. */
export interface SentEvent {
  tenantId: string;
  type: string;
  bookingRef: string | null;
  /** JSON. */
  body: string;
  deliveries: number;
  queued: number;
}

export async function readEvents(db: Db, { sellers }: World): Promise<SentEvent[]> {
  const { rows } = await db.raw<{ rows: SentEvent[] }>(
    `select e.tenant_id as "tenantId", e.type, e.booking_ref as "bookingRef", e.body,
       count(d.id)::int as deliveries, count(q.delivery_id)::int as queued
     from webhook_events e left join webhook_deliveries d on d.event_id = e.id left join webhook_queue q on q.delivery_id = d.id
     where e.tenant_id = any (?) group by e.id, e.tenant_id, e.type, e.booking_ref, e.body`,
    [sellers.map(({ tenant }) => tenant.id)],
  );
  return rows;
}

/** Checks that each step has exactly one event of its kind. Checks that each event has one delivery, which waits in the queue. */
export function checkEvents(events: SentEvent[], { transitions }: Model): void {
  const expected = transitions.flatMap(({ step, id, after }) => {
    if (step === 'expired') return `${after.booking_ref ? 'booking' : 'hold'}.expired ${id}`;
    return after.booking_ref && EVENTS[step] ? `${EVENTS[step]} ${id}` : [];
  });
  const lost = events.find(({ deliveries, queued }) => deliveries !== 1 || queued !== 1);
  if (lost) fail(`${lost.type}: ${lost.deliveries} deliveries, ${lost.queued} in the queue`);
  const sales = events.filter(({ type }) => !type.startsWith('departure.'));
  const nameOfSale = ({ type, bookingRef, body }: SentEvent) =>
    `${type} ${bookingRef ?? bodyOf(body).hold_id}`;
  expect(sales.map(nameOfSale).sort()).toEqual(expected.sort());
}

function bodyOf(body: string): { hold_id?: string; departure_date: string; departure_time: string | null } {
  return JSON.parse(body) as ReturnType<typeof bodyOf>;
}

/**
 * Checks the events of departure changes. A tenant with sales on a departure has one event for each change of the departure. No
 * tenant has more events than changes.
 */
export function checkDepartureEvents(events: SentEvent[], world: World, model: Model): void {
  const { sellers, departures } = world;
  const nameOfChange = ({ type, departureId }: DepartureChange) => `${type} ${departureId}`;
  const departureOf = (body: string) => {
    const { departure_date, departure_time } = bodyOf(body);
    return departures.find(({ date, time }) => date === departure_date && time === departure_time)?.id;
  };
  const changes = countOf(model.departureChanges.map(nameOfChange));
  for (const { tenant } of sellers) {
    const own = events.filter(
      ({ tenantId, type }) => tenantId === tenant.id && type.startsWith('departure.'),
    );
    const sent = countOf(own.map(({ type, body }) => `${type} ${departureOf(body)}`));
    const concerning = model.departureChanges.filter(({ tenants }) => tenants.has(tenant.id));
    const least = countOf(concerning.map(nameOfChange));
    for (const key of new Set([...changes.keys(), ...sent.keys()])) {
      const times = sent.get(key) ?? 0;
      if (times < (least.get(key) ?? 0) || times > (changes.get(key) ?? 0)) fail(`${key}: ${times} events`);
    }
  }
}

/** Returns the total and the adjustment of a booking, as REST answers them. A hold has neither here. */
function moneyOf(row: Row) {
  if (!row.booking_ref) return {};
  const { total_minor: total, adjustment_minor: adjustment, currency_digits: digits } = row;
  const major = (minor: number) => minor / 10 ** digits;
  return {
    total_price: major(total),
    adjustment: adjustment === null ? null : { amount: major(adjustment), reason: ADJUSTMENT_REASON },
  };
}

/** Checks that the service gives the same answers as the model for each hold, each booking, and the free real and sandbox seats. */
export async function checkAgreement(db: Db, world: World, model: Model, baseUrls: string[]): Promise<void> {
  const at = await clockOf(db);
  await checkBeside(world, model, at, baseUrls[0]!);
  for (const [n, { tenant, reader }] of world.sellers.entries()) {
    const read = (path: string) => readAs(baseUrls[n % 2]!, reader.token, path);
    const listed = await read(`/api/tenant/tours/${world.tour.slug}/departures`);
    // A suspended tenant reads nothing.
    if (listed.status === 401) continue;
    const free = model.freeSeats(tenant.sandbox, at);
    for (const item of listed.body.items as { id: string; seats_available: number }[])
      if (model.isOnSale(item.id)) expect(item.seats_available).toBe(Math.max(0, free.get(item.id)!));
    for (const row of model.sales.values()) {
      if (row.tenant_id !== tenant.id) continue;
      const path = row.booking_ref ? '/api/tenant/bookings' : '/api/gateway/holds';
      const { body } = await read(`${path}/${nameOf(row)}`);
      const departure = world.departures.find(({ id }) => id === row.departure_id);
      const named = { departure_date: departure?.date ?? null, departure_time: departure?.time ?? null };
      expect(body).toMatchObject({ status: model.statusOf(row, at), ...named, currency: row.currency });
      expect(body.party).toEqual(row.party);
      expect(body).toMatchObject(moneyOf(row));
    }
  }
}

/** Returns the present instant of the database, in microseconds. */
export async function clockOf(db: Db): Promise<number> {
  const { rows } = await db.raw<{ rows: { at: string }[] }>('select to_jsonb(clock_timestamp()) as at');
  return microseconds(rows[0]!.at);
}

/** Reads a path, again while the service is overloaded. */
async function readAs(baseUrl: string, token: string, path: string): Promise<Answer> {
  const answer = await request(baseUrl, token, { method: 'GET', path });
  if (!isOverloaded(answer)) return answer;
  await sleep(1000);
  return readAs(baseUrl, token, path);
}

/** Checks the free seats of the tour that shares the boat. */
async function checkBeside({ beside }: World, model: Model, at: number, baseUrl: string): Promise<void> {
  if (!beside) return;
  const { body } = await readAs(baseUrl, beside.token, `/api/tenant/tours/${beside.slug}/departures`);
  const [{ seats_available: free }] = body.items as [{ seats_available: number }];
  expect(free).toBe(Math.max(0, model.freeBeside(beside, at)));
}
