import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { unique } from '../support/given';
import { givenSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (content: string, ending = 'csv') => {
  const name = path.join(folder, `${unique('rows')}.${ending}`);
  writeFileSync(name, content);
  return name;
};
const HEAD = 'external_ref,tour,departure_date,name,adults';
const line = (name: string) => `booking import ${name} --tenant ${site.tenant.slug} --dry-run`;

const refused = async (name: string) => {
  const { code, json, error } = await terminal.tourctl(`${line(name)} --json`);
  expect([code, error.code]).toEqual([1, 'import_refused']);
  return json.errors;
};

describe('the form of a file of bookings', () => {
  it('a complete last line without a line break is imported with a warning, which names the line', async () => {
    const { tour, date } = await givenSeats(api.db);
    const row = [unique('end'), tour.slug, date, 'Ana Lima', 2].join();
    const name = file(`${HEAD}\n${row}`);
    const warnings = [{ file: name, line: 2, field: '', message: expect.stringContaining('line break') }];
    expect(await terminal.json(line(name))).toMatchObject({ created: 1, errors: [], warnings });
    expect((await terminal.tourctl(line(name))).stderr).toContain(
      `${name}, line 2: does not end with a line break`,
    );
    expect(await terminal.json(line(file(`${HEAD}\n${row}\n`)))).not.toHaveProperty('warnings');
  });

  it('a last line of JSON without a line break is imported with a warning', async () => {
    const { tour, date } = await givenSeats(api.db);
    const booking = {
      external_ref: unique('end'),
      tour: tour.slug,
      departure_date: date,
      name: 'Ana Lima',
      adults: 2,
    };
    const name = file(JSON.stringify(booking), 'jsonl');
    expect(await terminal.json(line(name))).toMatchObject({
      created: 1,
      warnings: [{ file: name, line: 1 }],
    });
  });

  it('a last line that ends before its last cell is cut off, so the other rows are not imported without it either', async () => {
    const { tour, date } = await givenSeats(api.db);
    const row = [unique('cut'), tour.slug, date, 'Ana Lima', 2].join();
    const name = file(`${HEAD}\n${row}\n${unique('cut')},${tour.slug}`);
    const message = 'ends after 2 of 5 cells without a line break: the file is cut off';
    expect(await refused(name)).toEqual([{ file: name, line: 3, field: '', message }]);
    const skipped = await terminal.tourctl(`${line(name)} --skip-faulty --rejects ${name}.rejects --json`);
    expect([skipped.code, skipped.error.code]).toEqual([1, 'import_refused']);
  });

  it('a first line such as "sep=;" names the delimiter, and the lines below keep their numbers', async () => {
    const { tour, date } = await givenSeats(api.db);
    const rowsOf = (separator: string, tourName: string) =>
      [HEAD, [unique('sep'), tourName, date, 'Ana Lima', 2].join()].join('\n').replaceAll(',', separator);
    for (const [line1, separator] of [
      ['sep=;', ';'],
      ['"sep=;"', ';'],
      ['SEP=|', '|'],
    ] as const) {
      const text = `${line1}\r\n${rowsOf(separator, tour.slug)}\n`;
      expect(await terminal.json(line(file(text)))).toMatchObject({ rows: 1, created: 1, errors: [] });
    }
    const unknown = file(`sep=;\n${rowsOf(';', 'no-such-tour')}\n`);
    expect((await refused(unknown)).map(({ line }: { line: number }) => line)).toEqual([3]);
    const misnamed = file(`sep=;\n${rowsOf(';', tour.slug).replace('adults', 'grown-ups')}\n`);
    expect((await refused(misnamed)).map(({ line }: { line: number }) => line)).toContain(2);
  });
});

describe('a line break in a cell of a file of bookings', () => {
  const load = (name: string, tours: Record<string, string> = {}) => {
    const map = file(JSON.stringify({ tours }), 'json');
    return terminal.json(`booking import ${name} --map ${map} --tenant ${site.tenant.slug} --yes`);
  };
  const leadOf = (ref: string) => api.db('booking_leads').where({ import_ref: ref }).first();

  it('is a space where one line is read, and stays in the notes', async () => {
    const { tour, date } = await givenSeats(api.db);
    const ref = unique('old');
    const row = `"${ref}\r\nB","Sunset\ncruise",${date},"Ana\n Lima",2,"Late\nWindow seat"`;
    const name = file(`${HEAD},notes\n${row}\n`);
    expect(await load(name, { 'Sunset cruise': tour.slug })).toMatchObject({ created: 1, errors: [] });
    expect(await leadOf(`${ref} B`)).toMatchObject({ customerName: 'Ana Lima', notes: 'Late\nWindow seat' });
    expect(await load(name, { 'Sunset\ncruise': tour.slug })).toMatchObject({ equal: 1 });
  });

  it('is a space in JSON lines too, also in the names of travellers', async () => {
    const { tour, date } = await givenSeats(api.db);
    const ref = unique('old');
    const booking = {
      external_ref: ref,
      tour: tour.slug,
      departure_date: date,
      name: 'Ana\u2028Lima',
      adults: 1,
      notes: 'Late\rWindow seat',
      travellers: [{ category: 'adult', first_name: 'Ana\nMaria', last_name: 'Lima', note: 'a\nb' }],
    };
    await load(file(`${JSON.stringify(booking)}\n`, 'jsonl'));
    expect(await leadOf(ref)).toMatchObject({
      customerName: 'Ana Lima',
      notes: 'Late\nWindow seat',
      travellers: [{ first_name: 'Ana Maria', last_name: 'Lima', note: 'a\nb' }],
    });
  });

  it('makes no other reference: the second row of it is faulty', async () => {
    const { tour, date } = await givenSeats(api.db);
    const ref = unique('old');
    const rest = [tour.slug, date, 'Ana Lima', 2].join();
    const name = file(`${HEAD}\n"${ref}\nB",${rest}\n${ref} B,${rest}\n`);
    expect(await refused(name)).toMatchObject([{ line: 4, field: 'external_ref' }]);
  });
});

describe('a named pipe of bookings', () => {
  const temporary = mkdtempSync(path.join(folder, 'temporary-'));
  const { TMPDIR } = process.env;
  beforeAll(() => void (process.env.TMPDIR = temporary));
  afterAll(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  it('is imported, its faulty rows are written to --rejects, its issues name the pipe, and no copy of it is left', async () => {
    const { tour, date } = await givenSeats(api.db);
    const rows = ['2', 'two'].map((adults) => [unique('old'), tour.slug, date, 'Ana Lima', adults].join());
    const [pipe, rejects] = [
      path.join(folder, `${unique('pipe')}.csv`),
      path.join(folder, unique('rejects')),
    ];
    execFileSync('mkfifo', [pipe]);
    const flags = `--tenant ${site.tenant.slug} --yes --skip-faulty --rejects ${rejects} --json`;
    const [{ code, json }] = await Promise.all([
      terminal.tourctl(`booking import ${pipe} ${flags}`),
      writeFile(pipe, `${[HEAD, ...rows].join('\n')}\n`),
    ]);
    expect([code, json.created, json.faulty]).toEqual([0, 1, 1]);
    expect(json.errors).toMatchObject([{ file: pipe, line: 3, field: 'adults' }]);
    expect(readFileSync(rejects, 'utf8')).toContain(rows[1]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

it('a directory and a name without a file are refused as what they are', async () => {
  const directory = path.join(folder, 'directory.csv');
  mkdirSync(directory);
  const messageOf = async (name: string) => (await terminal.tourctl(`${line(name)} --json`)).error.message;
  expect(await messageOf(directory)).toBe(`<file> must be a file, and ${directory} is a directory`);
  const none = path.join(folder, 'none.csv');
  expect(await messageOf(none)).toBe(`<file> must be a file that exists, and ${none} does not`);
});

it.each(['--dry-run', '--tenant acme', '--no-policy', '--send-events'])(
  '--undo with %s is refused, and undoes nothing',
  async (flag) => {
    const undo = `booking import --undo ${randomUUID()} --yes`;
    expect(await terminal.refusal(`${undo} ${flag}`)).toBe('2 usage_error');
    expect(await terminal.refusal(undo)).toBe('1 import_not_found');
  },
);
