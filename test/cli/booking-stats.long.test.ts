import { endHoldIn } from '../support/website';
import { givenTenant } from '../support/given';
import { useSales } from './sales';
import { withEnv } from './terminal';

const sales = useSales();
const few = useSales();
beforeAll(async () => {
  const { db, tenant } = sales;
  const hold = await sales.hold(1);
  await sales.book(1, { holdId: hold.id });
  await sales.book(2);
  await endHoldIn(db, (await sales.hold(1)).id, -1);
  const [yesterday] = await db.select(db.raw(`(now() at time zone 'UTC')::date - 1 as day`));
  const refused = [
    ['hold.place', 'insufficient_seats', 3],
    ['booking.create', 'insufficient_seats', 1],
    ['booking.create', 'price_changed', 2],
    ['booking.cancel', 'departure_busy', 9],
  ].map(([operation, code, count]) => ({ operation, code, count }));
  await db('sale_refusal_counts').insert(
    refused.map((row) => ({ ...row, day: yesterday.day, tenant_id: tenant.id })),
  );
  await givenTenant(db, { slug: 'other' });
});

const stats = (line: string) => sales.tourctl(`booking stats ${line}`);
const statsUnder = (env: Record<string, string>, line: string) => withEnv(sales, env, () => stats(line));

describe('tourctl booking stats', () => {
  it('tourctl booking stats counts holds, bookings, conversion and refusals by day', async () => {
    const { json } = await stats(`${sales.tenant.slug} --since 48h --json`);
    expect(json).toMatchObject({ tenant: sales.tenant.slug });
    expect(json.days).toHaveLength(3);
    expect(json.days[1]).toMatchObject({
      holds: 0,
      bookings: 0,
      conversion: null,
      sold_out: 4,
      refused: { price_changed: 2 },
    });
    expect(json.days[2]).toMatchObject({
      holds: 2,
      holds_converted: 1,
      conversion: 0.5,
      bookings: 2,
      adults: 3,
      sold_out: 0,
      refused: {},
    });
    expect(json.together).toMatchObject({
      holds: 2,
      bookings: 2,
      sold_out: 4,
      refused: { price_changed: 2 },
    });
  });

  it('tourctl booking stats shows the last fourteen days of one tenant or of all tenants', async () => {
    const all = (await stats('--json')).json;
    expect([all.tenant, all.days.length, all.together.holds]).toEqual([null, 14, 2]);
    expect((await stats('other --json')).json.together).toMatchObject({ holds: 0, conversion: null });
  });

  it('tourctl booking stats draws bars with blocks, or with ASCII if the terminal has no blocks', async () => {
    const blocks = (await statsUnder({ LANG: 'en_US.UTF-8' }, '--since 24h')).stdout;
    expect(blocks).toMatch(/2 [█-▏]+ +2 [█-▏]+ +50% [█-▏]+/);
    for (const env of [{ TERM: 'dumb' }, { LC_ALL: 'C' }] as Record<string, string>[]) {
      const plain = (await statsUnder(env, '--since 24h')).stdout;
      expect(plain).toMatch(/2 #+ +2 #+ +50% #+/);
      expect(plain).toMatch(/^[\x20-\x7e\n]*$/);
    }
  });

  it('tourctl booking stats draws holds, bookings and refusals on one scale, so that equal bars are equal numbers', async () => {
    const { stdout } = await statsUnder({ LANG: 'C.UTF-8' }, '--since 48h');
    const barOf = (row: string, column: number) => row.split(/ {2,}/)[column]!.replace(/^\S+ ?/, '').length;
    const rows = stdout.split('\n');
    const [soldOut, sold] = [rows[2]!, rows[3]!];
    expect(soldOut).toMatch(/ 4 █+$/);
    expect(barOf(sold, 1)).toBe(barOf(sold, 2));
    expect(barOf(sold, 1)).toBe(Math.ceil(barOf(soldOut, 4) / 2));
  });

  it('tourctl booking stats prints at most eighty columns in a pipe', async () => {
    for (const line of (await stats('--since 24h')).stdout.split('\n')) {
      expect([...line].length).toBeLessThanOrEqual(80);
    }
  });

  it.each([
    ['--since 401d', 2, 'usage_error'],
    ['--since 2199-01-01', 2, 'usage_error'],
    ['nobody', 1, 'tenant_not_found'],
  ])('tourctl booking stats answers "%s" with exit %d', async (line, exit, reason) => {
    expect(await sales.refusal(`booking stats ${line}`)).toBe(`${exit} ${reason}`);
  });
});

describe('tourctl booking stats of one hold and one booking', () => {
  it('tourctl booking stats uses the singular for one hold and one booking', async () => {
    await few.book(1, { holdId: (await few.hold(1)).id });
    expect((await few.tourctl('booking stats')).stdout).toContain(
      'All tenants: 1 hold (100 % became a booking), 1 booking of 1 traveller\nOf the bookings: 0 confirmed,',
    );
  });
});
