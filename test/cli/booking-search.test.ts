import { foldName } from '../../services/platform/forms/fold-name';
import { departureOf, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { runOnce } from './run-once';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  const { db } = terminal;
  const acme = (await givenTenant(db, { slug: 'acme' })).id;
  const other = (await givenTenant(db, { slug: 'other' })).id;
  const tour = await givenTour(db, { slug: 'tram' });
  await givenDeparture(db, tour, { date: '2031-06-01', seats: 50 });
  await givenDeparture(db, tour, { date: '2031-06-08', seats: 50 });
  const hike = await givenTour(db, { slug: 'hike' });
  await givenDeparture(db, hike, { date: '2031-06-03', seats: 50 });
  const lead = async (slug: string, date: string, ref: string, customer: string[], fields = {}) =>
    insertLead(db, ref.startsWith('ACME') ? acme : other, await departureOf(db, slug, date), ref, {
      customer_name: customer[0],
      customer_phone: customer[1],
      customer_email: customer[2],
      ...fields,
    });
  await lead('tram', '2031-06-08', 'ACME-1001', ['Zoë Müller-Øst', '+4930901820', 'zoe.m@gmx.de'], {
    external_ref: 'cart_2031/17',
  });
  await lead('tram', '2031-06-01', 'ACME-1002', ['Ana Lima', '+351912345678', 'ana-lima@example.com'], {
    status: 'confirmed',
  });
  await lead('hike', '2031-06-03', 'OTHER-1003', ['Иван Лима', '030778899', 'ivan@example.com'], {
    external_ref: '50%_off',
  });
  await lead('hike', '2031-06-03', 'OTHER-1004', ['Anabel O’Brien', '+4312345678901', 'mueller@web.de']);
});

/** Returns the references of the bookings that the line lists. */
async function found(...words: string[]): Promise<string[]> {
  const { json } = await terminal.tourctl(['booking', 'list', ...words, '--json']);
  return json.items.map((item: { booking_ref: string }) => item.booking_ref);
}

describe('tourctl booking list --search', () => {
  it.each<[search: string, refs: string[]]>([
    ['ana lima', ['ACME-1002']],
    ['LIMA, Ana', ['ACME-1002']],
    ['ana', ['OTHER-1004', 'ACME-1002']],
    ['zoe', ['ACME-1001']],
    ['ZOË', ['ACME-1001']],
    ['ost', ['ACME-1001']],
    ['Müller', ['OTHER-1004', 'ACME-1001']],
    ['mueller', ['OTHER-1004', 'ACME-1001']],
    ['muller-øst', ['ACME-1001']],
    ['ИВАН', ['OTHER-1003']],
    ["o'brien", ['OTHER-1004']],
    ['+49 30 901820', ['ACME-1001']],
    ['0049 (0)30 / 901820', ['ACME-1001']],
    ['030901820', ['ACME-1001']],
    ['4930901820', ['ACME-1001']],
    ['901820', ['ACME-1001']],
    ['٠٣٠٩٠١٨٢٠', ['ACME-1001']],
    ['+49 30 778899', ['OTHER-1003']],
    ['+49 30 901821', []],
    ['zoe.m@gmx.de', ['ACME-1001']],
    ['zoe@gmx.de', []],
    ['Ana-Lima@Example.com', ['ACME-1002']],
    ['cart_2031/17', ['ACME-1001']],
    ['50%_off', ['OTHER-1003']],
    ['50%', ['OTHER-1003']],
    ['ACME-1002', ['ACME-1002']],
    ['acme-1002', ['ACME-1002']],
    ['1003', ['OTHER-1003']],
    ['acme', ['ACME-1002', 'ACME-1001']],
    ['nobody', []],
  ])('tourctl booking list --search finds for "%s" the bookings %j', async (search, refs) => {
    expect(await found('--search', search)).toEqual(refs);
  });

  it('tourctl booking list --search refuses a text without a letter or a digit', async () => {
    expect(await terminal.refusal('booking list --search %')).toBe('2 usage_error');
  });

  it('tourctl booking list --search obeys the filters, and sorts by date of departure if one is given', async () => {
    expect(await found('--search', 'ana', '--tenant', 'acme')).toEqual(['ACME-1002']);
    expect(await found('--tour', 'tram')).toEqual(['ACME-1002', 'ACME-1001']);
    expect(await found('--tour', 'tram', '--departure-from', '2031-06-01')).toEqual([
      'ACME-1002',
      'ACME-1001',
    ]);
    expect(await found('--departure-from', '2031-06-02', '--departure-to', '2031-06-07')).toEqual([
      'OTHER-1003',
      'OTHER-1004',
    ]);
    expect(await found('--departure-to', '2031-06-30', '--status', 'confirmed')).toEqual(['ACME-1002']);
    expect(await terminal.refusal('booking list --departure-from 2031-06-02 --departure-to 2031-06-01')).toBe(
      '2 usage_error',
    );
  });

  it.each(['list', 'export'])(
    'tourctl booking %s refuses a period that ends before it begins',
    async (verb) => {
      const refusal = (flags: string) => terminal.tourctl(`booking ${verb} ${flags}`);
      const departures = await refusal('--departure-from 2031-06-08 --departure-to 2031-06-01');
      expect(departures).toMatchObject({ code: 2, stdout: '' });
      expect(departures.stderr).toContain('--departure-to must not be before --departure-from');
      const creation = await refusal('--since 1h --until 24h');
      expect(creation).toMatchObject({ code: 2, stdout: '' });
      expect(creation.stderr).toContain('--until must be after --since');
    },
  );

  it('tourctl booking list --search says when more bookings match, and --before lists them in both orders', async () => {
    for (const order of ['', '--departure-from 2031-01-01']) {
      const { items } = await terminal.json(`booking list ${order}`);
      const refs = items.map((item: { booking_ref: string }) => item.booking_ref);
      const { stderr } = await terminal.tourctl(`booking list ${order} --limit 2`);
      expect(stderr).toContain(`--before ${refs[1]} continues`);
      const next = await terminal.json(`booking list ${order} --before ${refs[1]}`);
      expect(next.items).toEqual(items.slice(2));
    }
  });

  it('tourctl booking export --search exports only the bookings that it finds', async () => {
    const { stdout } = await terminal.tourctl('booking export --search lima --tour tram');
    expect(stdout.split('\r\n').slice(1)).toEqual([expect.stringMatching(/^ACME-1002,.*,A… L…,/), '']);
  });

  it('tourctl booking list --search masks the customers, and neither audit row nor error has the searched text', async () => {
    const masked = await terminal.tourctl(['booking', 'list', '--search', 'ana lima']);
    expect(masked.stdout).toContain('A… L…');
    expect(masked.stdout + masked.stderr).not.toMatch(/lima/i);
    const revealed = await terminal.tourctl(['booking', 'list', '--search', 'ana lima', '--reveal']);
    expect(revealed.stdout).toContain('Ana Lima');
    const rows = await terminal.db('audit_log').where({ action: 'booking.reveal' });
    expect(rows).toMatchObject([{ after: { searched: true, bookings: 1 } }]);
    expect(JSON.stringify(rows)).not.toMatch(/lima/i);
  });

  it('tourctl booking list --reveal keeps the customer on a screen of 60 columns', async () => {
    const screen = { columns: 60, colors: false };
    const { stdout } = await runOnce('booking list --tour tram --reveal', { env: terminal.env, screen });
    expect(stdout).toMatch(/^BOOKING +STATUS +CUSTOMER/);
    expect(stdout).toContain('Ana Lima');
  });

  it('tourctl booking list --search finds an anonymised booking by its references only', async () => {
    await terminal.tourctl('booking anonymize ACME-1001 --yes --force');
    for (const search of ['zoe', '901820', 'gmx', 'muller ost'])
      expect(await found('--search', search)).not.toContain('ACME-1001');
    expect(await found('--search', 'ACME-1001')).toEqual(['ACME-1001']);
    expect(await found('--search', 'cart_2031/17')).toEqual(['ACME-1001']);
  });
});

describe('fold_words', () => {
  it('fold_words folds letters as fold-name.ts does, and replaces punctuation by spaces', async () => {
    const names = [
      'Zoë Müller',
      'ŁÓDŹ Đorđević',
      'Straße İstanbul',
      'ÆRØ Œuvre Þór',
      'ΑΛΈΞΑΝΔΡΟΣ',
      'Иван Йод',
      'ﬁ Ⅷ １２',
    ];
    for (const name of names) {
      const { rows } = await terminal.db.raw('select fold_words(?) as folded', [name]);
      expect(rows[0].folded.normalize('NFC')).toBe(foldName(name));
    }
    const { rows } = await terminal.db.raw('select fold_words(?) as folded', [
      ' a-b_c%d\\e  f@g.h „i“ (j)/k’l',
    ]);
    expect(rows[0].folded).toBe(' a b c d e f g h i j k l');
  });
});
