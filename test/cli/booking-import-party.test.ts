import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { unique } from '../support/given';
import { givenSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-party-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file. Returns its name. */
const file = (content: string, ending: string) => {
  const name = path.join(folder, `${unique('rows')}.${ending}`);
  writeFileSync(name, content);
  return name;
};

/** Imports bookings as JSON lines into a new departure for adults and children. A booking is the fields of its party. */
async function importLines(parties: object[], map: object = {}) {
  const { tour, date } = await givenSeats(api.db, { prices: { adult: 50_000, child: 20_000 } });
  const ref = unique('old');
  const rows = parties.map((party, index) => {
    const external_ref = 'grouped' in map ? ref : `${ref}-${index}`;
    return JSON.stringify({ external_ref, tour: tour.slug, departure_date: date, name: 'Ana', ...party });
  });
  const names = [file(`${rows.join('\n')}\n`, 'jsonl'), '--map', file(JSON.stringify(map), 'json')];
  const { json } = await terminal.tourctl(
    `booking import ${names.join(' ')} --tenant ${site.tenant.slug} --yes --json`,
  );
  const leads = await api.db('booking_leads').whereLike('import_ref', `${ref}%`);
  return { report: json, parties: leads.map(({ party }) => party) };
}

const twice = (field: string, other: string) => ({
  field,
  message: `must not come with ${other}, which names the category adult too`,
});

describe('the party of a row of booking import', () => {
  it.each([
    ['a number and party.<code>', { adults: 2, 'party.adult': 2 }, twice('party.adult', 'adults')],
    ['party.<code> and another number', { 'party.adult': 2, adults: 0 }, twice('adults', 'party.adult')],
    ['a number and an object', { adults: 2, party: { adult: 2 } }, twice('party', 'adults')],
    ['a number and a text', { adults: 2, party: '2 x Adult' }, twice('party', 'adults')],
  ])('that names a category by %s is faulty', async (_, party, fault) => {
    const { report, parties } = await importLines([party], { formats: { party: '2 x Adult, 1 x Child' } });
    expect(report).toMatchObject({ faulty: 1, created: 0, errors: [{ line: 1, ...fault }] });
    expect(parties).toEqual([]);
  });

  it('that names two categories in two columns has both, and an empty column names none', async () => {
    const { parties } = await importLines([
      { adults: 2, party: { child: 1 } },
      { adults: 2, 'party.adult': null },
      { adults: '', 'party.adult': 2, party: {} },
    ]);
    expect(parties).toEqual([{ adult: 2, child: 1 }, { adult: 2 }, { adult: 2 }]);
  });

  it('that has two names of one category in a text has the sum of their numbers', async () => {
    const map = {
      formats: { party: '2 x Adult, 1 x Child' },
      values: { party: { Senior: 'adult' } },
    };
    const { parties } = await importLines([{ party: '2 x Adult, 1 x Senior' }], map);
    expect(parties).toEqual([{ adult: 3 }]);
  });

  it('that is one of several rows of travellers adds up with them, and is faulty with a number of its category beside it', async () => {
    const travellers = [{ party: 'Adult' }, { party: 'Child' }, { party: 'Adult' }];
    const { parties } = await importLines(travellers, { grouped: true });
    expect(parties).toEqual([{ adult: 2, child: 1 }]);
    const counted = travellers.map((row) => ({ ...row, adults: 2 }));
    const { report } = await importLines(counted, { grouped: true });
    expect(report).toMatchObject({ faulty: 3, created: 0, errors: [twice('adults', 'party')] });
  });

  it('of JSON lines whose total has more decimals than its currency is faulty, as in a CSV file', async () => {
    const ref = unique('decimals');
    const { tour, date } = await givenSeats(api.db);
    const fields = `"external_ref":"${ref}","tour":"${tour.slug}","departure_date":"${date}","name":"Ana","adults":1`;
    const totalsOf = async (total: string) => {
      const line = `booking import ${file(`{${fields},"total":${total}}\n`, 'jsonl')} --tenant ${site.tenant.slug}`;
      return (await terminal.tourctl(`${line} --dry-run --json`)).json;
    };
    expect(await totalsOf('500.50')).toMatchObject({ created: 1, faulty: 0 });
    expect(await totalsOf('500.500')).toMatchObject({ faulty: 1, errors: [{ field: 'total' }] });
  });

  it('of JSON lines in which two keys have one field is faulty', async () => {
    const { report } = await importLines([{ Pax: 2, adults: 1 }], { columns: { Pax: 'adults' } });
    expect(report.errors).toMatchObject([{ field: 'adults', message: 'is the second column of adults' }]);
  });
});
