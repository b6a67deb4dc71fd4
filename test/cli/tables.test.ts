import { readScreen, type Screen } from '../../cli/terminal/screen';
import { type Column, properties, table } from '../../cli/terminal/table';
import { textWidth } from '../../cli/terminal/text';
import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTour } from '../support/given';
import { runOnce } from './run-once';
import { expectPages, useTestTerminal } from './terminal';

const screen = (columns: number): Screen => ({ columns, colors: false });
const widest = (text: string) => Math.max(...text.split('\n').map(textWidth));

describe('the width of a text', () => {
  it.each([
    ['Acme', 4],
    ['東京ツアー', 10],
    ['서울', 4],
    ['กำลังดี', 5],
    ['हिन्दी', 5],
    ['Café', 4],
    ['Cafe\u0301', 4],
    ['👨‍👩‍👧', 2],
    ['🧑‍🚀', 2],
    ['🇩🇪', 2],
    ['©', 1],
    ['\u200bx', 1],
  ])('textWidth counts the terminal cells of %s', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('a table', () => {
  const COLUMNS: Column[] = [
    'id',
    { heading: 'name', least: 6 },
    { heading: 'url', least: 10 },
    { heading: 'seats', right: true },
  ];
  const ROWS = [
    ['a1', 'Über den Wolken', 'https://a-long-address.example/webhooks', 7],
    ['b22', '東京ツアー会社', 'https://b.example', 120],
    ['c', null, 'https://c.example', 0],
  ];

  it('a table aligns names with wide letters, and aligns numbers on the right', () => {
    const [heading, first, second, third] = table(COLUMNS, ROWS, '').split('\n');
    expect(heading).toBe('ID   NAME             URL                                      SEATS');
    expect(first).toBe('a1   Über den Wolken  https://a-long-address.example/webhooks      7');
    expect(second).toBe('b22  東京ツアー会社   https://b.example                          120');
    expect(third).toBe('c    -                https://c.example                            0');
  });

  it('a table cuts no column in a pipe', () => {
    expect(table(COLUMNS, ROWS, '', { colors: false })).toContain('https://a-long-address.example/webhooks');
  });

  it('a table cuts the widest column that may be cut, and marks the cut with an ellipsis', () => {
    const text = table(COLUMNS, ROWS, '', screen(50));
    expect(widest(text)).toBe(50);
    expect(text).toContain('a1   Über den Wolken  https://a-long-addre…      7');
    expect(widest(table(COLUMNS, ROWS, '', screen(34)))).toBe(34);
  });

  it('a table cuts no wide letter in two', () => {
    const text = table(COLUMNS, ROWS, '', screen(35));
    expect(text).toMatch(/^b22 {2}東京ツア… {3}https/m);
    expect(widest(text)).toBe(35);
  });

  it('a table never cuts a column that has no minimum width', () => {
    for (const columns of [30, 34, 50]) {
      const text = table(
        ['id', { heading: 'name', least: 4 }],
        [['0198-long-identifier', 'A long name']],
        '',
        screen(columns),
      );
      expect(text).toContain('0198-long-identifier');
    }
  });

  it('a table shows each row as a block of lines on a screen that is too narrow for the columns', () => {
    expect(table(COLUMNS, ROWS.slice(0, 2), '', screen(28))).toBe(
      [
        'id     a1',
        'name   Über den Wolken',
        'url    https://a-long-address.example/webhooks',
        'seats  7',
        '',
        'id     b22',
        'name   東京ツアー会社',
        'url    https://b.example',
        'seats  120',
      ].join('\n'),
    );
  });

  it('a table drops empty columns first, then secondary ones, and shows blocks only on a narrower screen', () => {
    const columns: Column[] = [
      'id',
      { heading: 'kind', aside: true },
      'note',
      { heading: 'tries', aside: true },
    ];
    const rows = [['0198-long-identifier', 'booking', null, 3]];
    const headings = (cells: number) => table(columns, rows, '', screen(cells)).split('\n')[0]!.split(/ +/);
    expect(headings(44)).toEqual(['ID', 'KIND', 'NOTE', 'TRIES']);
    expect(headings(37)).toEqual(['ID', 'KIND', 'TRIES']);
    expect(headings(30)).toEqual(['ID', 'KIND']);
    expect(headings(20)).toEqual(['ID']);
    expect(table(columns, rows, '', screen(19))).toBe(
      'id     0198-long-identifier\nkind   booking\ntries  3',
    );
  });

  it('a table drops the last columns, instead of showing blocks, on a screen of 60 cells or more', () => {
    const columns: Column[] = ['id', { heading: 'kind', aside: true }, 'status', 'a-long-fact', 'another'];
    const rows = [['0198-long-identifier-0198', 'booking', 'active', 'x'.repeat(20), 'y'.repeat(20)]];
    const shown = (cells: number) => table(columns, rows, '', screen(cells)).split('\n');
    expect(shown(100)[0]!.split(/ +/)).toEqual(['ID', 'KIND', 'STATUS', 'A-LONG-FACT', 'ANOTHER']);
    expect(shown(80)[0]!.split(/ +/)).toEqual(['ID', 'STATUS', 'A-LONG-FACT', 'ANOTHER']);
    expect(shown(60)[0]!.split(/ +/)).toEqual(['ID', 'STATUS', 'A-LONG-FACT']);
    expect(table([{ heading: 'id' }], [['z'.repeat(70)]], '', screen(60))).toBe(`ID\n${'z'.repeat(59)}…`);
  });

  it('a table colours a status without moving a column', () => {
    const columns: Column[] = [{ heading: 'status', tones: { dead: 'bad' } }, 'error'];
    const rows = [
      ['dead', 'gone'],
      ['delivered', '-'],
    ];
    const colored = table(columns, rows, '', { columns: 80, colors: true });
    expect(colored).toContain('\u001b[31mdead\u001b[0m       gone');
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(table(columns, rows, '', screen(80)));
  });

  it('a table removes escape sequences from values, and keeps a row on one line', () => {
    const text = table(['error'], [['\u001b[2Jgone\r\nfor good']], '');
    expect(text).toBe('ERROR\n\ufffd[2Jgone for good');
  });
});

describe('properties', () => {
  it('properties() wraps long values', () => {
    const text = properties({ id: 'a1', detail: 'one two three four five six seven' }, screen(30));
    expect(text).toBe('id      a1\ndetail  one two three four\n        five six seven');
  });
});

describe('a screen', () => {
  it.each([
    [{ isTTY: true, columns: 100 }, {}, { columns: 100, colors: true }],
    [{ isTTY: true, columns: 100 }, { NO_COLOR: '1' }, { columns: 100, colors: false }],
    [{ isTTY: true, columns: 100 }, { NO_COLOR: '' }, { columns: 100, colors: true }],
    [{ isTTY: true, columns: 100 }, { TERM: 'dumb' }, { columns: 100, colors: false }],
    [{ isTTY: true, columns: 0 }, {}, { columns: undefined, colors: true }],
    [{ isTTY: false }, {}, { colors: false }],
  ])('readScreen reads width and colours from stdout %j and environment %j', (stdout, env, expected) => {
    expect(readScreen(stdout, env)).toEqual(expected);
  });
});

describe('lists', () => {
  const terminal = useTestTerminal();
  beforeAll(async () => {
    await terminal.tourctl(['tenant', 'create', '--slug', 'tokyo', '--name', '東京ツアー会社']);
    for (const site of ['one', 'two', 'three'])
      await terminal.tourctl(`webhook add tokyo https://a-rather-long-address-of-${site}.example/webhooks`);
    const { id } = (await terminal.json('webhook list')).items[0];
    for (let i = 0; i < 3; i++) await terminal.tourctl(`webhook ping ${id}`);
    await terminal.tourctl('key issue tokyo --scope catalog:read');
    await terminal.tourctl('widget issue tokyo --origin https://tokyo.example');
    const { db } = terminal;
    const tour = await givenTour(db, { slug: 'alps', name: 'A long name of a tour through the Alps' });
    const departure = await departureOf(db, tour.slug, await givenDeparture(db, tour));
    const tenantId = (await db('tenants').where({ slug: 'tokyo' }).first()).id;
    await insertHold(db, tenantId, departure.id, 2, { external_ref: 'a-long-reference-of-a-cart' });
    await insertLead(db, tenantId, departure, 'TOKYO-1042', { external_ref: 'a-long-reference-of-an-order' });
    await db('sale_refusals').insert({
      at: new Date(),
      tenant_id: tenantId,
      operation: 'booking.create',
      code: 'insufficient_seats',
      request_id: 'req-1',
      tour_id: tour.id,
      departure_date: '2031-06-01',
      quantity: 3,
      external_ref: 'a-long-reference-of-a-cart',
    });
  });

  const onScreen = (line: string, shown: Screen) => runOnce(line, { env: terminal.env, screen: shown });

  it.each(['audit list', 'delivery list', 'webhook list', 'config list'])(
    'a list fits the screen: %s',
    async (line) => {
      for (const columns of [60, 80, 120, 200]) {
        const { code, stdout } = await onScreen(line, screen(columns));
        expect(code).toBe(0);
        // A word that is longer than its line is not broken, so that it can be copied.
        const whole = stdout.split('\n').filter((text) => !/\S{33,}/.test(text));
        expect(widest(whole.join('\n'))).toBeLessThanOrEqual(columns);
      }
    },
  );

  it.each([
    'audit list',
    'booking list',
    'booking refusals',
    'catalog list',
    'config list',
    'delivery list',
    'departure list alps',
    'hold list',
    'key list tokyo',
    'tenant list',
    'webhook list',
    'widget list tokyo',
  ])('a list is a table with one line for each item from 60 columns on: %s', async (line) => {
    const { items } = await terminal.json(line);
    expect(items.length).toBeGreaterThan(0);
    for (const columns of [60, 80, 100, 160]) {
      const { stdout } = await onScreen(line, screen(columns));
      expect(stdout.trimEnd().split('\n')).toHaveLength(items.length + 1);
      expect(widest(stdout)).toBeLessThanOrEqual(columns);
    }
  });

  it('a list with --wide cuts no column', async () => {
    const narrow = await onScreen('webhook list --wide', screen(60));
    expect(narrow.stdout).toBe((await terminal.tourctl('webhook list')).stdout);
    expect(narrow.stdout).toContain('https://a-rather-long-address-of-three.example/webhooks');
  });

  it('a list never cuts an id', async () => {
    const { items } = await terminal.json('delivery list');
    for (const columns of [40, 60, 80]) {
      const { stdout } = await onScreen('delivery list', screen(columns));
      for (const { id } of items) expect(stdout).toContain(id);
    }
  });

  it('a list has colours only on a screen that shows colours', async () => {
    expect((await onScreen('webhook list', { columns: 200, colors: true })).stdout).toContain(
      '\u001b[32mactive',
    );
    expect((await onScreen('webhook list', screen(200))).stdout).not.toContain('\u001b');
    expect((await terminal.tourctl('webhook list')).stdout).not.toContain('\u001b');
  });

  it.each(['audit list', 'delivery list', 'webhook list'])(
    'a list says when it does not show all items, and --after lists the next ones: %s',
    (line) => expectPages(terminal, line),
  );

  it('tourctl delivery list filters by status', async () => {
    expect(await terminal.json('delivery list --status dead')).toEqual({ items: [] });
    expect((await terminal.tourctl('delivery list --status sent')).stderr).toContain(
      '--status must be one of pending, delivering',
    );
  });

  it('an unknown endpoint is an error that names its id', async () => {
    const id = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
    for (const line of [`delivery list --endpoint ${id}`, `delivery replay --endpoint ${id} --dry-run`]) {
      const { code, stdout, stderr } = await terminal.tourctl(line);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`There is no webhook endpoint ${id}`);
    }
  });

  it('tourctl delivery list shows the deliveries of a removed endpoint', async () => {
    const { id } = (await terminal.json('webhook list')).items[0];
    await terminal.tourctl(`webhook remove ${id} --yes`);
    const { code, json } = await terminal.tourctl(`delivery list --endpoint ${id} --json`);
    expect([code, json.items.length]).toEqual([0, 3]);
  });
});
