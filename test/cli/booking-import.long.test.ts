import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTenant, givenTour, unique } from '../support/given';
import { endPaymentWindow, givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FIXTURES = path.resolve(__dirname, '../fixtures/move-in');

/** Writes a file. Returns its name. */
const file = (content: string | object, ending = 'csv') => {
  const name = path.join(folder, `${unique('rows')}.${ending}`);
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
};

const HEAD = 'external_ref,tour,departure_date,adults,name,phone,total';

/** Returns the row of two adults on the departure. */
const row = ({ tour, date }: Seats, ref: string, total = '1000', more = '') =>
  [ref, tour.slug, date, 2, 'Ana Lima', '+49 30 901820', total].join() + more;

const csv = (...rows: string[]) => file(`${[HEAD, ...rows].join('\n')}\n`);

const line = (name: string, more = '') => `booking import ${name} --tenant ${site.tenant.slug} --yes ${more}`;
const load = (name: string, more = '') => terminal.json(line(name, more));

/** Returns the report of a file that is refused. */
const refused = async (name: string, more = '') => {
  const { code, json, error } = await terminal.tourctl(`${line(name, more)} --json`);
  expect([code, error.code]).toEqual([1, 'import_refused']);
  return json;
};

const leadOf = (ref: string) => api.db('booking_leads').where({ import_ref: ref }).first();
const faultsOf = async (name: string, more = '') =>
  (await refused(name, more)).errors.map((fault: { line: number; field: string }) => [
    fault.line,
    fault.field,
  ]);

describe('tourctl booking import', () => {
  it('makes a booking of a row: its total, its seats, its source, and no event', async () => {
    const seats = await givenSeats(api.db);
    const ref = unique('old');
    const report = await load(csv(row(seats, ref, '900.01')));
    expect(report).toMatchObject({
      import_id: expect.any(String),
      rows: 1,
      created: 1,
      equal: 0,
      changed: 0,
      left_out: 0,
      faulty: 0,
      totals: [{ currency: 'EUR', amount: 900.01 }],
      departures: [
        {
          tour: seats.tour.slug,
          departure_date: seats.date,
          seats_before: 0,
          imported: 1,
          seats_after: 2,
          seats_total: 10,
        },
      ],
    });
    const lead = await leadOf(ref);
    expect(lead).toMatchObject({
      source: 'import',
      status: 'confirmed',
      totalMinor: 90_001,
      adjustmentMinor: 1,
    });
    expect(lead).toMatchObject({ externalRef: ref, pricesMinor: { adult: 45_000 }, paymentDueAt: null });
    expect(await seatsTaken(api.db, seats)).toBe(2);
    expect(await api.db('webhook_events').where({ booking_ref: lead.bookingRef })).toEqual([]);
  });

  it('a dry run reports the same and writes nothing', async () => {
    const seats = await givenSeats(api.db);
    const report = await load(csv(row(seats, unique('dry'))), '--dry-run');
    expect(report).toMatchObject({ import_id: null, created: 1, departures: [{ imported: 1 }] });
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });

  it('the same row again is equal, whatever happened to the booking since, and another row of the reference is left alone', async () => {
    const seats = await givenSeats(api.db);
    const ref = unique('again');
    await load(csv(row(seats, ref)));
    const { bookingRef } = await leadOf(ref);
    await terminal.json(`booking cancel ${bookingRef} --yes`);
    expect(await load(csv(row(seats, ref)))).toMatchObject({ created: 0, equal: 1, import_id: null });
    const changed = await load(csv(row(seats, ref, '999')));
    expect(changed).toMatchObject({ created: 0, changed: 1, changed_rows: [{ external_ref: ref, line: 2 }] });
    await terminal.json(`booking anonymize ${bookingRef} --yes`);
    expect(await leadOf(ref)).toBeUndefined();
    expect(await load(csv(row(seats, ref)))).toMatchObject({ created: 0, equal: 1 });
  });

  it('a row with its columns in another order is equal, also after PATCH has changed the external_ref', async () => {
    const { tour, date } = await givenSeats(api.db, { prices: { adult: 50_000, child: 20_000 } });
    const ref = unique('order');
    const head = 'external_ref,tour,departure_date,name';
    const start = [ref, tour.slug, date, 'Ana Lima'].join();
    await load(file(`${head},adults,children\n${start},2,1\n`));
    const { bookingRef } = await leadOf(ref);
    const { body } = await site.patch(`/api/tenant/bookings/${bookingRef}`, { external_ref: 'of-the-site' });
    expect(body.external_ref).toBe('of-the-site');
    expect(await load(file(`${head},children,adults\n${start},1,2\n`))).toMatchObject({
      equal: 1,
      created: 0,
    });
  });

  it('a row that is cancelled since its import is a changed row, and the booking stays', async () => {
    const seats = await givenSeats(api.db);
    const ref = unique('cancelled');
    await load(csv(row(seats, ref)));
    const again = await load(file(`${HEAD},status\n${row(seats, ref, '1000', ',cancelled')}\n`));
    expect(again).toMatchObject({ changed: 1, left_out: 0, changed_rows: [{ external_ref: ref, line: 2 }] });
    expect(await leadOf(ref)).toMatchObject({ status: 'confirmed' });
  });

  it('a total that differs tenfold from that of today is listed, also by a dry run', async () => {
    const seats = await givenSeats(api.db);
    const name = csv(row(seats, unique('tenfold'), '1'));
    const { stdout } = await terminal.tourctl(line(name, '--dry-run'));
    expect(stdout).toContain(`${name}, line 2: 1.00 EUR, and 1,000.00 EUR at the prices of today`);
  });

  it('names each fault by line and column, writes nothing, and repeats no value of the file', async () => {
    const seats = await givenSeats(api.db);
    const { slug } = seats.tour;
    const name = csv(
      row(seats, unique('good')),
      `${unique('x')},${slug},07/06/2031,2,Secret Person,1,1000`,
      `,${slug},${seats.date},0,Secret Person,,1000`,
      `${unique('x')},no-such-tour,${seats.date},2,Secret Person,,1000`,
      `${unique('x')},${slug},${daysFromToday(31)},2,Secret Person,,1000`,
      `${unique('x')},${slug},${seats.date},2,Secret Person,,-5`,
      `${unique('x')},${slug},${seats.date},2,Secret Person,,10.999`,
      `${unique('x')},${slug},${seats.date},two,Secret Person,,10`,
      'short,row',
    );
    const { stdout, stderr } = await terminal.tourctl(`${line(name)} --json`);
    expect(`${stdout}${stderr}`).not.toContain('Secret');
    expect(await faultsOf(name)).toEqual([
      [3, 'departure_date'],
      [3, 'phone'],
      [4, 'external_ref'],
      [4, 'party'],
      [5, 'tour'],
      [6, 'departure_date'],
      [7, 'total'],
      [8, 'total'],
      [9, 'adults'],
      [10, ''],
    ]);
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });

  it('a reference twice in the files is a fault of the second row', async () => {
    const seats = await givenSeats(api.db);
    const ref = unique('twice');
    expect(await faultsOf(csv(row(seats, ref), row(seats, ref)))).toEqual([[3, 'external_ref']]);
  });

  it.each([
    ['a space at its end', 'Old-1', 'Old-1 '],
    ['decomposed letters', 'Caf\u00e9', 'Cafe\u0301'],
  ])('a reference twice in JSON lines is a fault also with %s', async (_what, ref, other) => {
    const { tour, date } = await givenSeats(api.db);
    const base = { tour: tour.slug, departure_date: date, adults: 2, name: 'Ana Lima' };
    const lines = [ref, other].map((one) => JSON.stringify({ external_ref: one, ...base }));
    expect(await faultsOf(file(`${lines.join('\n')}\n`, 'jsonl'))).toEqual([[2, 'external_ref']]);
  });

  it('refuses another currency than that of the sale', async () => {
    const { tour, date } = await givenSeats(api.db);
    const name = file(`${HEAD},currency\n${row({ tour, date }, unique('usd'))},USD\n`);
    expect(await faultsOf(name)).toEqual([[2, 'currency']]);
  });

  it('a departure that lacks seats is a fault with the number, and --add-seats raises it', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const name = csv(row(seats, unique('a')), row(seats, unique('b')));
    expect((await refused(name)).errors).toMatchObject([
      { line: 3, message: expect.stringContaining('lacks 1 of 2 seats') },
    ]);
    expect(await load(name, '--add-seats')).toMatchObject({
      created: 2,
      departures: [{ seats_after: 4, seats_total: 4 }],
    });
    expect(await seatsTaken(api.db, seats)).toBe(4);
  });

  it('leaves out cancelled rows and past departures, and takes a closed departure', async () => {
    const past = await givenSeats(api.db, { date: daysFromToday(-2) });
    const closed = await givenSeats(api.db, { closesAt: '2020-01-01T00:00:00Z' });
    const rows = [
      row(past, unique('p'), '1000', ',confirmed'),
      row(closed, unique('c'), '1000', ',confirmed'),
      row(closed, unique('d'), '1000', ',cancelled'),
    ];
    const report = await load(file(`${HEAD},status\n${rows.join('\n')}\n`));
    expect(report).toMatchObject({ rows: 3, created: 1, left_out: 2, faulty: 0 });
  });

  it('a cancelled departure and a tour that the tenant does not see are faults', async () => {
    const cancelled = await givenSeats(api.db, { status: 'cancelled' });
    expect(await faultsOf(csv(row(cancelled, unique('x'))))).toEqual([[2, 'departure_date']]);
    const hidden = await givenSeats(api.db);
    await terminal.json(`visibility deny ${site.tenant.slug} --tour ${hidden.tour.slug}`);
    expect(await faultsOf(csv(row(hidden, unique('x'))))).toEqual([[2, 'tour']]);
  });

  it('--skip-faulty imports the other rows, and writes the faulty ones into a file that can be imported after the correction', async () => {
    const seats = await givenSeats(api.db);
    const [good, bad] = [unique('good'), unique('bad')];
    const out = path.join(folder, `${unique('rejects')}.csv`);
    const name = csv(row(seats, good), row(seats, bad, 'free'));
    expect(await load(name, `--skip-faulty --rejects ${out}`)).toMatchObject({ created: 1, faulty: 1 });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const rejected = readFileSync(out, 'utf8');
    expect(rejected).toContain(`import_error,${HEAD}`);
    expect(rejected).toContain('total must be an amount');
    expect(rejected).not.toContain(good);
    const mended = file(rejected.replace('free', '1000'));
    expect(await load(mended)).toMatchObject({ created: 1, faulty: 0 });
    expect(await leadOf(bad)).toBeDefined();
  });

  it.each([
    ['an unknown column', `${HEAD},Guide`, ',Ben'],
    ['two columns of one name', `${HEAD},name`, ',Ben'],
    ['a quote without an end', HEAD, '\n"open'],
  ])('--skip-faulty does not import a file with %s', async (_, head, more) => {
    const seats = await givenSeats(api.db);
    const name = file(`${head}\n${row(seats, unique('x'), '1000', more)}\n`);
    await refused(name, `--skip-faulty --rejects ${path.join(folder, unique('rejects'))}`);
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });

  it('an empty file is a fault of line 1', async () => {
    expect(await faultsOf(file(''))).toEqual([[1, '']]);
  });

  it('--send-events stores one booking.created of each booking', async () => {
    const seats = await givenSeats(api.db);
    await terminal.json(`webhook add ${site.tenant.slug} https://acme.example/hook --event booking.created`);
    const ref = unique('loud');
    const { import_id: id } = await load(csv(row(seats, ref)), '--send-events');
    const { bookingRef } = await leadOf(ref);
    const events = () =>
      api.db('webhook_events').where({ booking_ref: bookingRef }).orderBy('id').pluck('type');
    expect((await events()).filter((type: string) => type === 'booking.created')).toHaveLength(1);
    await terminal.json(`booking import --undo ${id} --yes`);
    const bodies = await api.db('webhook_events').where({ booking_ref: bookingRef }).pluck('body');
    expect(bodies.join()).not.toContain('Ana Lima');
  });

  it('the audit row has the numbers and no person', async () => {
    const seats = await givenSeats(api.db);
    await load(csv(row(seats, unique('audit'))));
    const audit = await api.db('audit_log').where({ action: 'booking.import' }).orderBy('id', 'desc').first();
    expect(audit.after).toMatchObject({ created: 1, silent: true });
    expect(JSON.stringify(audit)).not.toMatch(/Lima|901820/);
  });

  it('a sandbox tenant and a missing tenant are answered by their codes', async () => {
    const { slug } = await givenTenant(api.db, { status: 'suspended' } as never);
    const seats = await givenSeats(api.db);
    const other = `booking import ${csv(row(seats, unique('x')))} --yes --tenant`;
    expect(await terminal.refusal(`${other} ${unique('none')}`)).toBe('1 tenant_not_found');
    await terminal.tourctl(`tenant suspend ${slug} --yes`);
    expect(await terminal.refusal(`${other} ${slug}`)).toBe('1 tenant_inactive');
  });
});

describe('tourctl booking import --undo', () => {
  it('cancels what nothing has changed since, erases its customers, frees the references, and lists the rest', async () => {
    const seats = await givenSeats(api.db);
    const [one, other] = [unique('one'), unique('other')];
    const name = csv(row(seats, one), row(seats, other));
    const { import_id: id } = await load(name);
    const [undone, kept] = [await leadOf(one), await leadOf(other)];
    await terminal.json(`booking change ${kept.bookingRef} --notes Window-seat`);
    expect(await terminal.json(`booking import --undo ${id} --yes`)).toEqual({
      import_id: id,
      cancelled: 1,
      left: [{ booking_ref: kept.bookingRef, why: 'changed since the import' }],
    });
    expect(await api.db('booking_leads').where({ id: undone.id }).first()).toMatchObject({
      status: 'cancelled',
      customerName: null,
      customerPhone: null,
      importRef: null,
      externalRef: null,
    });
    expect(await seatsTaken(api.db, seats)).toBe(2);
    expect(await load(name)).toMatchObject({ created: 1, equal: 1 });
  });

  it('an expiry counts as a change', async () => {
    const seats = await givenSeats(api.db);
    const [one, other] = [unique('due'), unique('other')];
    const due = new Date(Date.now() + 3_600_000).toISOString();
    const rows = [one, other].map((ref) => row(seats, ref, '1000', `,pending_payment,${due}`));
    const { import_id: id } = await load(file(`${HEAD},status,payment_due_at\n${rows.join('\n')}\n`));
    const { bookingRef } = await leadOf(one);
    await endPaymentWindow(api.db, bookingRef);
    expect(await terminal.json(`booking import --undo ${id} --yes`)).toEqual({
      import_id: id,
      cancelled: 1,
      left: [{ booking_ref: bookingRef, why: 'is expired' }],
    });
  });

  it('an import that does not exist is named', async () => {
    const line = 'booking import --undo 01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f --yes';
    expect(await terminal.refusal(line)).toBe('1 import_not_found');
  });
});

describe('the map of an import', () => {
  it('an unknown column is a fault of line 1', async () => {
    const seats = await givenSeats(api.db);
    const name = file(`${HEAD},Guide\n${row(seats, unique('x'))},Ben\n`);
    expect(await faultsOf(name)).toEqual([[1, 'Guide']]);
  });

  it.each([
    ['{"columns": {"A": "nonsense"}}'],
    ['{"columns": {"A": "total", "B": "total"}}'],
    ['{"colums": {}}'],
    ['{"formats": {"date": "DD/MM/YY"}}'],
    ['{"formats": {"time": "h:mm"}}'],
    ['{"formats": {"party": "all of them"}}'],
    ['{"grouped": true, "grouped": false}'],
    ['not JSON'],
  ])('refuses %s', async (map) => {
    const seats = await givenSeats(api.db);
    const name = csv(row(seats, unique('x')));
    const { code, error } = await terminal.tourctl(`${line(name, `--map ${file(map, 'json')}`)} --json`);
    expect([code, error.code]).toEqual([1, 'map_invalid']);
  });

  it('JSON lines in our own words need no map', async () => {
    const { tour, date } = await givenSeats(api.db);
    const ref = unique('jsonl');
    const party = { adult: 1 };
    const content = { external_ref: ref, tour: tour.slug, departure_date: date, party, name: 'Ana Lima' };
    const rows = `${JSON.stringify(content)}\n{"name": "Secret Person", broken\n`;
    const report = await refused(file(rows, 'jsonl'));
    expect(report.errors).toMatchObject([{ line: 2, message: expect.not.stringContaining('Secret') }]);
    expect(await load(file(`${JSON.stringify(content)}\n`, 'jsonl'))).toMatchObject({ created: 1 });
  });

  it.each([
    ['counts', { rows: 3, created: 2, left_out: 1, totals: [{ currency: 'EUR', amount: 157.5 }] }],
    ['date-and-time', { rows: 2, created: 2, totals: [{ currency: 'EUR', amount: 1145 }] }],
    ['travellers', { rows: 3, created: 2 }],
    ['party-text', { rows: 3, created: 2, left_out: 1 }],
  ])('reads the dialect of %s by its map', async (name, figures) => {
    const tour = await sunsetCruise();
    const report = await load(`${FIXTURES}/${name}.csv`, `--map ${FIXTURES}/${name}.map.json`);
    expect(report).toMatchObject({ ...figures, faulty: 0, departures: [{ tour, departure_time: '18:30' }] });
    const again = await load(`${FIXTURES}/${name}.csv`, `--map ${FIXTURES}/${name}.map.json`);
    expect(again).toMatchObject({ created: 0, equal: figures.created });
  });
});

/** Creates the tour of the fixtures, once. */
async function sunsetCruise(): Promise<string> {
  const slug = 'sunset-cruise';
  if (await api.db('tours').where({ slug }).first('id')) return slug;
  const tour = await givenTour(api.db, { slug });
  const prices = { adult: 4500, child: 2250 };
  await givenDeparture(api.db, tour, { date: '2031-06-07', startTime: '18:30', seats: 40, prices });
  return slug;
}
