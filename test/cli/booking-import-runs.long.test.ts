import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claimBookingImport } from '../../services/api/booking-import/imports.repository';
import { remindOfPayments } from '../../services/api/bookings/remind-payment';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, unique } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';
import { add, eventually, startFastWorker } from '../webhook-queue/queue-fixture';
import { startReceiver } from '../webhook-queue/receiver';
import { TOURCTL, useTerminalOf, withEnv } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-runs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file with rows of two adults on the departure. Returns its name. */
function rowsOn({ tour, date }: Seats, references: string[]): string {
  const name = path.join(folder, `${unique('rows')}.csv`);
  const rows = references.map((ref) => [ref, tour.slug, date, 2, 'Ana Lima', 1000].join());
  writeFileSync(name, ['external_ref,tour,departure_date,adults,name,total', ...rows, ''].join('\n'));
  return name;
}

const line = (name: string, more = '') => `booking import ${name} --tenant ${site.tenant.slug} --yes ${more}`;
const load = (name: string, more = '') => terminal.json(line(name, more));
const leadOf = (ref: string) => api.db('booking_leads').where({ import_ref: ref }).first();
const three = () => [unique('a'), unique('b'), unique('c')];

describe('a run of tourctl booking import', () => {
  it.each([
    ['its departures are locked', 'select from departures for update'],
    ['all its rows are written', 'lock table audit_log in exclusive mode'],
  ])('that is killed when %s has written nothing, and the next run writes all', async (_, lock) => {
    const seats = await givenSeats(api.db);
    const references = three();
    const name = rowsOn(seats, references);
    await api.db.transaction(async (trx) => {
      await trx.raw(lock);
      const child = spawn(process.execPath, [TOURCTL, ...line(name, '--json').split(' ').filter(Boolean)], {
        env: { ...process.env, ...terminal.env },
        stdio: 'ignore',
      });
      await untilTransactionWaits(api.db);
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    expect(await api.db('booking_leads').whereIn('import_ref', references)).toEqual([]);
    expect(await seatsTaken(api.db, seats)).toBe(0);
    expect(await load(name)).toMatchObject({ created: 3, equal: 0 });
    expect(await seatsTaken(api.db, seats)).toBe(6);
  });

  it('is refused with import_running while another one writes, and has then written nothing', async () => {
    const seats = await givenSeats(api.db);
    const name = rowsOn(seats, three());
    await api.db.transaction(async (trx) => {
      await claimBookingImport(trx);
      expect(await terminal.refusal(line(name))).toBe('1 import_running');
    });
    expect(await seatsTaken(api.db, seats)).toBe(0);
    expect(await load(name)).toMatchObject({ created: 3 });
  });

  it('is refused with another CURSOR_KEY, because erased customers would come back', async () => {
    const seats = await givenSeats(api.db);
    const name = rowsOn(seats, three());
    const { import_id: id } = await load(name);
    await withEnv(terminal, { CURSOR_KEY: 'another key of the tests that is long' }, async () => {
      expect(await terminal.refusal(line(name))).toBe('1 import_key_changed');
    });
    expect(await load(name)).toMatchObject({ equal: 3 });
    await terminal.json(`booking import --undo ${id} --yes`);
  });

  it('waits two seconds for a departure that a sale has locked, and then ends with departure_busy', async () => {
    const seats = await givenSeats(api.db);
    const name = rowsOn(seats, three());
    await api.db.transaction(async (trx) => {
      await trx.raw('select from departures where id = ? for update', [seats.departureId]);
      expect(await terminal.refusal(line(name))).toBe('1 departure_busy');
    });
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });
});

describe('the events of an import', () => {
  it('--send-events delivers booking.created of each booking once; a silent import sends none, also to an endpoint that is added later', async () => {
    const receiver = await startReceiver();
    const seats = await givenSeats(api.db);
    const [silent, loud] = [three(), three()];
    await load(rowsOn(seats, silent));
    await add(api.db, site.tenant.id, receiver.url, ['booking.created', 'booking.cancelled']);
    const worker = startFastWorker(api.db);
    const received = (count: number) =>
      Promise.resolve(receiver.received.length >= count ? receiver.received : undefined);
    try {
      await load(rowsOn({ ...seats, ...(await otherDate(seats)) }, loud), '--send-events');
      await eventually('the events of the import', () => received(3));
      const { bookingRef } = await leadOf(silent[0]!);
      await terminal.json(`booking cancel ${bookingRef} --yes`);
      await eventually('the cancellation', () => received(4));
    } finally {
      await worker.stop(100);
      await receiver.close();
    }
    const sent = receiver.received.map(({ body }) => JSON.parse(body));
    const refs = (type: string) =>
      sent.filter(({ event_type: one }) => one === type).map(({ external_ref: ref }) => ref);
    expect(refs('booking.created').sort()).toEqual(loud.sort());
    expect(refs('booking.cancelled')).toEqual([silent[0]]);
  });
});

describe('the reminders of an import', () => {
  it('a silent import gets no reminder of payment, and one with --send-events does', async () => {
    await add(api.db, site.tenant.id, 'https://moving.example/', ['booking.payment_due']);
    const seats = await givenSeats(api.db);
    const due = new Date(Date.now() + 3_600_000).toISOString();
    const unpaid = (ref: string) => {
      const name = path.join(folder, `${unique('unpaid')}.csv`);
      const head = 'external_ref,tour,departure_date,adults,name,status,payment_due_at,created_at';
      const row = [
        ref,
        seats.tour.slug,
        seats.date,
        1,
        'Ana Lima',
        'pending_payment',
        due,
        '2026-01-01T00:00:00Z',
      ];
      writeFileSync(name, `${head}\n${row.join()}\n`);
      return name;
    };
    const [silent, loud] = [unique('silent'), unique('loud')];
    await load(unpaid(silent));
    await load(unpaid(loud), '--send-events');
    await remindOfPayments(api.db);
    const { bookingRef } = await leadOf(loud);
    const reminders = await api
      .db('webhook_events')
      .where({ tenant_id: site.tenant.id, type: 'booking.payment_due' })
      .pluck('booking_ref');
    expect(reminders).toEqual([bookingRef]);
    expect(await leadOf(silent)).toMatchObject({ paymentDueAt: new Date(due) });
  });
});

const otherDate = async ({ tour }: Seats) => ({
  date: await givenDeparture(api.db, tour, { date: '2031-09-01' }),
});

describe('the terms of an import', () => {
  it('a booking locks the policy of today, and none with --no-policy', async () => {
    const cancellation = { tiers: [{ until: '30d', refund_percent: 100 }] };
    const tour = await givenTour(api.db, { cancellation });
    const date = await givenDeparture(api.db, tour, { date: daysFromToday(60) });
    const [one, other] = [unique('policy'), unique('none')];
    await load(rowsOn({ tour, date }, [one]));
    await load(rowsOn({ tour, date }, [other]), '--no-policy');
    const policyOf = async (ref: string) =>
      (await terminal.json(`booking show ${(await leadOf(ref)).bookingRef}`)).cancellation;
    expect(await policyOf(one)).toMatchObject({ refund_percent: 100 });
    expect(await policyOf(other)).toBeNull();
  });

  it('report sales counts imported bookings only with --imported', async () => {
    const seats = await givenSeats(api.db);
    await load(rowsOn(seats, three()));
    const days = `--from ${daysFromToday(-1)} --to ${daysFromToday(1)}`;
    const sales = async (more = '') =>
      (await terminal.json(`report sales ${days} --by tour ${more}`)).rows.filter(
        ({ tour }: { tour: string }) => tour === seats.tour.slug,
      );
    expect(await sales()).toEqual([]);
    expect(await sales('--imported')).toMatchObject([{ bookings: 3, tenant_total: 3000 }]);
  });
});
