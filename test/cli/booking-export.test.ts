import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { toColumns } from '../../services/platform/database/database';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useSales } from './sales';

const sales = useSales();
const folder = useTemporaryFolder();
let refs: string[];
beforeAll(async () => {
  refs = [];
  for (const notes of [undefined, 'two\nlines, and "quotes"']) {
    refs.unshift((await sales.book(1, { notes })).bookingRef);
  }
  await sales
    .db('booking_leads')
    .where({ booking_ref: refs[1] })
    .update({ customer_name: '=HYPERLINK("http://evil.example")', external_ref: '@cmd', notes: ' -1+1' });
});

const records = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: true, record_delimiter: '\r\n' });
const file = (name: string) => path.join(folder, name);
const reveals = async () => (await sales.db('audit_log').where({ action: 'booking.reveal' })).length;

describe('tourctl booking export', () => {
  it('tourctl booking export writes every booking as a record of RFC 4180, newest first', async () => {
    const { code, stdout, stderr } = await sales.tourctl('booking export --reveal');
    expect([code, stderr]).toEqual([0, '2 bookings\n']);
    expect(stdout.split('\r\n')[0]).toMatch(/^booking_ref,tenant,status,tour,departure_date,adults,/);
    const [newest, oldest] = records(stdout);
    expect(newest).toMatchObject({
      booking_ref: refs[0],
      departure_date: sales.date,
      adults: '1',
      total_price: '500',
      currency: 'EUR',
      customer_name: 'Ana Lima',
      notes: 'two\nlines, and "quotes"',
    });
    expect(oldest).toMatchObject({ booking_ref: refs[1] });
  });

  it('tourctl booking export escapes text that a spreadsheet would read as a formula', async () => {
    const { stdout } = await sales.tourctl('booking export --reveal');
    expect(records(stdout)[1]).toMatchObject({
      customer_name: `'=HYPERLINK("http://evil.example")`,
      customer_phone: `'+4930901820`,
      external_ref: `'@cmd`,
      notes: `' -1+1`,
    });
  });

  it('tourctl booking export escapes a formula that follows a separator or an invisible character', async () => {
    const lead = sales.db('booking_leads').where({ booking_ref: refs[1] });
    const [before] = await lead.clone().select('customer_name', 'external_ref', 'notes');
    await lead.clone().update({
      customer_name: '\u200e=1+1',
      external_ref: 'a-b; =cmd|-1',
      notes: 'fine\t\u200b@x\n+1;"=1", not-a; formula',
    });
    const { stdout } = await sales.tourctl('booking export --reveal');
    await lead.clone().update(toColumns(before));
    expect(records(stdout)[1]).toMatchObject({
      customer_name: "'\u200e=1+1",
      external_ref: "a-b; '=cmd|'-1",
      notes: `fine\t\u200b'@x\n'+1;"'=1", not-a; formula`,
    });
  });

  it('tourctl booking export masks a reference that names the customer', async () => {
    const lead = sales.db('booking_leads').where({ booking_ref: refs[0] });
    const hold = await sales.hold(1);
    await sales.db('seat_holds').where({ id: hold.id }).update({ external_ref: 'Lima, Ana' });
    for (const reference of ['ana@example.com', 'lima-ana-7', '030 901820']) {
      await lead.clone().update({ external_ref: reference });
      for (const line of [
        'booking export',
        'booking list --json',
        'booking list',
        `booking show ${refs[0]}`,
      ]) {
        const flags = line.includes('show') ? '' : `--tenant ${sales.tenant.slug}`;
        expect((await sales.tourctl(`${line} ${flags}`)).stdout).not.toMatch(/lima|901820|ana@/i);
        expect((await sales.tourctl(`${line} ${flags} --reveal`)).stdout).toContain(reference);
      }
    }
    expect((await sales.tourctl('hold list')).stdout).not.toMatch(/lima/i);
    expect((await sales.tourctl(`hold show ${hold.id}`)).stdout).not.toMatch(/lima/i);
    expect((await sales.tourctl(`hold show ${hold.id} --reveal`)).stdout).toContain('Lima, Ana');
    const cancelling = `departure cancel ${sales.tour.slug} ${sales.date} --yes`;
    expect((await sales.tourctl(cancelling)).stdout).not.toContain('901820');
    expect((await sales.tourctl(`${cancelling} --json`)).stdout).not.toContain('901820');
    expect((await sales.tourctl(`${cancelling} --reveal`)).stdout).toContain('030 901820');
    await lead.clone().update({ external_ref: 'order-1' });
    await sales.tourctl(`departure reopen ${sales.tour.slug} ${sales.date} --yes`);
  });

  it('tourctl booking export masks customers and leaves no audit row without --reveal', async () => {
    const before = await reveals();
    const { stdout } = await sales.tourctl('booking export');
    expect(stdout).not.toMatch(/Lima|901820|ana@|quotes/);
    expect(records(stdout)[0]).toMatchObject({ customer_name: 'A… L…', notes: '…' });
    expect(await reveals()).toBe(before);
  });

  it('tourctl booking export writes a new file that only its owner can read, and names it in JSON', async () => {
    const before = await reveals();
    const json = await sales.json(
      `booking export --tenant ${sales.tenant.slug} --out ${file('a.csv')} --reveal`,
    );
    expect(json).toEqual({ file: file('a.csv'), bookings: 2 });
    expect(statSync(file('a.csv')).mode & 0o777).toBe(0o600);
    expect(records(readFileSync(file('a.csv'), 'utf8'))).toHaveLength(2);
    expect(await reveals()).toBe(before + 1);
    expect(await sales.refusal(`booking export --out ${file('a.csv')}`)).toBe('1 file_not_written');
  });

  it('tourctl booking export writes each of 1,203 bookings exactly once', async () => {
    await sales.db.raw(
      `insert into booking_leads (booking_ref, tenant_id, tour_id, party, seats, status, prices_minor, total_minor, deposit_minor,
         currency, currency_digits, price_breakdown, payment_method, customer_name, customer_phone, customer_email)
       select 'BULK-' || n, ?, ?, '{"adult": 1}', 1, 'cancelled', '{"adult": 1}', 1, 0, 'EUR', 2, '{}', 'bank', 'B', '1', 'b@b.example'
       from generate_series(1, 1203) n`,
      [sales.tenant.id, sales.tour.id],
    );
    const { stdout } = await sales.tourctl('booking export --status cancelled');
    const written = records(stdout).map((record) => record.booking_ref);
    expect(written).toHaveLength(1203);
    expect(new Set(written).size).toBe(1203);
  });

  it('tourctl booking export refuses --json without --out, because the CSV is on stdout', async () => {
    expect(await sales.refusal('booking export')).toBe('2 usage_error');
  });
});
