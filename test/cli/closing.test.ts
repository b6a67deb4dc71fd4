import { departureEntry, tourEntry, writeFiles } from '../catalog/catalog-files';
import { givenDeparture, givenTour } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const PRICE = '--seats 12 --adult 25';

const departure = (line: string) => terminal.tourctl(`departure ${line} --json`);
const audits = async () => (await terminal.json('audit list --limit 1000')).items.length;

describe('the closing time of a departure', () => {
  it('departure add --closes-before stores a duration, and answers the instant', async () => {
    const { slug } = await givenTour(terminal.db, { timeZone: 'Europe/Lisbon' });
    const { code, json } = await departure(`add ${slug} 2031-05-01T09:30 ${PRICE} --closes-before 36h`);
    expect(code).toBe(0);
    expect(json.departures[0]).toMatchObject({ closes_at: '2031-04-29T20:30:00.000Z', closes_before: '36h' });
    expect((await terminal.json('audit list --limit 1')).items[0].after).toMatchObject({
      closes_at: null,
      closes_before: '36h',
    });
  });

  it.each([
    ['--closes-before 36h --closes-at 2031-04-30', '--closes-at and --closes-before exclude each other'],
    [
      '--closes-before 1w',
      '--closes-before must be minutes, hours or days before the start, such as 90m, 36h or 3d',
    ],
    [
      '--closes-before 366d',
      '--closes-before must be minutes, hours or days before the start, such as 90m, 36h or 3d',
    ],
  ])('departure add with %s is a wrong command line', async (flags, message) => {
    const { code, error } = await departure(`add any 2031-05-01 ${PRICE} ${flags}`);
    expect([code, error.message.slice(0, message.length)]).toEqual([2, message]);
  });

  it('departure schedule --closes-before gives all departures the cut-off, and 0 wins over the cut-off of the tour', async () => {
    const { slug } = await givenTour(terminal.db, { bookingCutoff: '3d' });
    const dates = '--every daily --from 2031-05-01 --to 2031-05-02';
    const { json } = await departure(
      `schedule ${slug} ${dates} --start-time 09:30 ${PRICE} --closes-before 0 --yes`,
    );
    expect(json.departures).toMatchObject([
      { closes_at: '2031-05-01T09:30:00.000Z', closes_before: '0m' },
      { closes_at: '2031-05-02T09:30:00.000Z', closes_before: '0m' },
    ]);
  });

  it('departure list shows the instant by the cut-off of the tour, which follows a new start time', async () => {
    const tour = await givenTour(terminal.db, { bookingCutoff: '2h' });
    await givenDeparture(terminal.db, tour, { date: '2031-05-01' });
    const closing = async () => (await terminal.json(`departure list ${tour.slug}`)).items[0];
    expect(await closing()).toMatchObject({ closes_at: '2031-04-30T22:00:00.000Z', closes_before: null });
    await departure(`set-time ${tour.slug} 2031-05-01 09:30`);
    expect(await closing()).toMatchObject({ closes_at: '2031-05-01T07:30:00.000Z', closes_before: null });
  });

  it('a departure that a cut-off has closed is listed as closed, and adding one warns', async () => {
    const tour = await givenTour(terminal.db, { bookingCutoff: '365d' });
    const date = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const { stderr } = await terminal.tourctl(`departure add ${tour.slug} ${date} ${PRICE}`);
    expect(stderr).toBe('warning: The departure is closed already: it cannot be booked\n');
    await givenDeparture(terminal.db, tour, { date: '2039-05-01' });
    const { items } = await terminal.json(`departure list ${tour.slug} --status closed`);
    expect(items).toMatchObject([{ departure_date: date, status: 'closed' }]);
  });

  it('status counts a departure that closes today by a cut-off', async () => {
    const closingToday = async () => (await terminal.json('status')).waiting.departures_closing_today;
    const before = await closingToday();
    // Starts at the end of the day in 30 days, and closes 30 days before.
    const tour = await givenTour(terminal.db, { bookingCutoff: '30d' });
    const date = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    await givenDeparture(terminal.db, tour, { date, startTime: '23:59' });
    expect(await closingToday()).toBe(before + 1);
  });
});

describe('tourctl catalog show', () => {
  it('shows the cut-off and the cancellation, also of a tour that states none', async () => {
    const cancellation = {
      tiers: [
        { until: '30d', refund_percent: 100 },
        { until: '7d', refund_percent: 50 },
      ],
    };
    const stated = await givenTour(terminal.db, { bookingCutoff: '36h', cancellation });
    const shown = (await terminal.tourctl(`catalog show ${stated.slug}`)).stdout;
    expect(shown).toMatch(/booking_cutoff +36h/);
    expect(shown).toMatch(/cancellation +100% until 30d, 50% until 7d before the start/);
    expect(await terminal.json(`catalog show ${stated.slug}`)).toMatchObject({
      booking_cutoff: '36h',
      cancellation,
    });
    const silent = await givenTour(terminal.db);
    const other = (await terminal.tourctl(`catalog show ${silent.slug}`)).stdout;
    expect(other).toMatch(/booking_cutoff +0m/);
    expect(other).toMatch(/cancellation +not stated/);
  });
});

describe('tourctl catalog check', () => {
  const valid = [
    tourEntry({
      slug: 'checked',
      booking_cutoff: '3d',
      departures: [departureEntry(), departureEntry({ departure_date: '2031-06-02' })],
    }),
  ];
  const faulty = [
    tourEntry({
      slug: 'checked',
      booking_cutoff: '3 days',
      departures: [departureEntry({ seats_total: 0 })],
    }),
    tourEntry({ slug: 'twice' }),
    tourEntry({ slug: 'twice' }),
  ];

  it('counts what an import would do, writes nothing, and leaves no audit row', async () => {
    const files = writeFiles({ 'tours.json': valid });
    const before = await audits();
    const { code, json } = await terminal.tourctl(['catalog', 'check', ...files, '--json']);
    expect([code, json]).toEqual([
      0,
      {
        tours: { created: 1, updated: 0, unchanged: 0 },
        departures: { created: 2, updated: 0, unchanged: 0 },
        errors: [],
      },
    ]);
    const screen = await terminal.tourctl(['catalog', 'check', ...files]);
    expect(screen.stdout).toMatch(/tours +1 +0 +0\ndepartures +2 +0 +0/);
    expect(screen.stderr).toContain('Nothing was written');
    expect([await audits(), await terminal.db('tours').where({ slug: 'checked' })]).toEqual([before, []]);
    const imported = await terminal.tourctl(['catalog', 'import', ...files, '--json']);
    expect(imported.json).toEqual(json);
    expect((await terminal.tourctl(['catalog', 'check', ...files, '--json'])).json.tours.unchanged).toBe(1);
  });

  it('answers the same issues as an import, with exit 1', async () => {
    const files = writeFiles({ 'faulty.json': faulty });
    const checked = await terminal.tourctl(['catalog', 'check', ...files, '--json']);
    const imported = await terminal.tourctl(['catalog', 'import', ...files, '--json']);
    expect([checked.code, checked.error.code]).toEqual([1, 'catalog_refused']);
    expect(checked.json).toEqual(imported.json);
    expect(checked.json.errors).toMatchObject([
      { file: files[0], index: 0, field: 'booking_cutoff', message: expect.stringContaining('36h or 3d') },
      { file: files[0], index: 0, field: 'departures[0].seats_total' },
      { file: files[0], index: 2, field: 'slug' },
    ]);
    const screen = await terminal.tourctl(['catalog', 'check', ...files]);
    expect(screen.stdout).toMatch(/faulty.json\[0\] +booking_cutoff +must be minutes, hours or days/);
  });

  it('reads standard input, and refuses a second one and a missing file', async () => {
    const { json } = await terminal.tourctl('catalog check - --json', JSON.stringify(valid));
    expect(json.errors).toEqual([]);
    expect((await terminal.tourctl('catalog check - -')).code).toBe(2);
    expect((await terminal.tourctl('catalog check missing.json')).code).toBe(2);
  });
});
