import type { Db } from '../../../services/platform/database/database';

interface Try {
  minutesAgo: number;
  outcome: string;
  code?: number;
  reason?: string;
  milliseconds: number;
  answer?: string;
}

/** Minutes since each event. */
const AGES: Record<string, number> = {
  'ACME-1042 booking.created': 2870,
  'ACME-1042 booking.confirmed': 1440,
  'ACME-1043 booking.created': 60,
};

/** Writes the results of the deliveries of ACME-1042 and ACME-1043, as a worker does. */
export async function tellDeliveries(db: Db): Promise<void> {
  for (const event of await db('webhook_events').orderBy('id').select('id', 'type', 'booking_ref')) {
    const age = AGES[`${event.bookingRef} ${event.type}`]!;
    const at = minutesAgo(age);
    const deliveries = await db('webhook_deliveries as d')
      .join('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
      .where({ event_id: event.id })
      .orderBy('w.id')
      .select('d.id', 'w.url', 'd.endpoint_id');
    await moveEventBack(db, event.id, at);
    const ids = await idsOf(db, at);
    for (const [index, delivery] of deliveries.entries()) {
      const id = ids[index]!;
      await moveBack(db, delivery.id, id, at);
      if (delivery.url.startsWith('https://acme'))
        await settle(db, { id, tries: [ok(age)], status: 'delivered' });
      else if (age > 60) await settle(db, { id, tries: givenUp(age), status: 'dead' });
      else {
        await settle(db, { id, tries: [busy(60), busy(55)], status: 'retrying' });
        const trouble = { failures: 8, failing_since: minutesAgo(2870) };
        await db('webhook_health').insert({ endpoint_id: delivery.endpointId, ...trouble });
      }
    }
  }
}

/** Creates ids that contain the time: an event has the same time as its deliveries. */
async function moveBack(db: Db, id: string, newId: string, at: Date): Promise<void> {
  await db('webhook_deliveries').where({ id }).update({ id: newId, created_at: at });
  await db('webhook_queue').where({ delivery_id: id }).update({ delivery_id: newId });
}

/** Creates two ids that contain the same time, in ascending order. */
async function idsOf(db: Db, at: Date): Promise<string[]> {
  const { rows } = await db.raw('select webhook_new_id(?) as id from generate_series(1, 2) order by id', [
    at,
  ]);
  return rows.map(({ id }: { id: string }) => id);
}

async function moveEventBack(db: Db, id: string, at: Date): Promise<void> {
  const { rows } = await db.raw('select webhook_new_id(?) as id', [at]);
  await db('webhook_events').where({ id }).update({ id: rows[0].id, created_at: at });
  await db('webhook_deliveries').where({ event_id: id }).update({ event_id: rows[0].id });
}

const ok = (minutesAgo: number): Try => ({ minutesAgo, outcome: 'delivered', code: 200, milliseconds: 84 });

const busy = (minutesAgo: number): Try => ({
  minutesAgo,
  outcome: 'http_error',
  code: 503,
  reason: 'The receiver answered 503 Service Unavailable',
  milliseconds: 212,
  answer: 'down for maintenance',
});

/** Writes the attempts of the complete default schedule, all with errors. */
function givenUp(age: number): Try[] {
  return [0, 5, 35, 155, 455, 1055].map((after) => busy(age - after));
}

interface Outcome {
  id: string;
  tries: Try[];
  status: string;
}

async function settle(db: Db, { id, tries, status }: Outcome): Promise<void> {
  for (const [index, { minutesAgo: since, outcome, code, reason, milliseconds, answer }] of tries.entries()) {
    await db('webhook_attempts').insert({
      delivery_id: id,
      number: index + 1,
      started_at: minutesAgo(since),
      duration_ms: milliseconds,
      outcome,
      status_code: code,
      reason,
      response_body: answer,
      worker: 'queue-1',
      peer: '203.0.113.7',
      phases: { dns: 4, connect: 18, tls: 31, first_byte: milliseconds - 55, body: 2 },
      response_headers: { 'content-type': 'text/plain' },
    });
  }
  const last = tries.at(-1)!;
  const waits = status === 'retrying';
  await db('webhook_deliveries')
    .where({ id })
    .update({
      status,
      attempts: tries.length,
      last_status_code: last.code,
      last_error: last.reason ?? null,
      next_attempt_at: waits ? minutesAgo(-30) : null,
      finished_at: waits ? null : minutesAgo(last.minutesAgo),
    });
  if (!waits) await db('webhook_queue').where({ delivery_id: id }).delete();
  else
    await db('webhook_queue')
      .where({ delivery_id: id })
      .update({ next_at: minutesAgo(-30), tries: tries.length });
}

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}
