import { cleanText, escapeJson, oneLine } from '../../cli/terminal/text';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runOnce } from './run-once';
import { type TestTerminal, useTestTerminal } from './terminal';

const EVIL = 'a\u001b]0;title\u0007b\u009b31mc\u202ed\u2066e\u200bf\u2028g\u007fh\ufeffi\u{e0041}j';
const CLEANED = 'a\ufffd]0;title\ufffdb\ufffd31mc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh\ufffdi\ufffdj';
/** All characters that a terminal executes or hides, except line breaks, tabs, joiners and variation selectors. */
const UNSAFE = /(?![\n\t\u200d\p{VS}])[\p{Cc}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]/u;

describe('text for a terminal', () => {
  it('cleanText replaces control, direction, zero-width and tag characters, not line breaks', () => {
    expect(cleanText(`${EVIL}\n\tk\r`)).toBe(`${CLEANED}\n\tk\ufffd`);
    expect(oneLine(' a\r\n b\tc')).toBe(' a b\ufffdc');
  });

  it.each([
    ['emoji of several code points', '👩\u200d👩\u200d👧\ufe0f 🏳\ufe0f\u200d🌈 👩🏽\u200d🚀'],
    ['letters of every script', 'Hà Nội 関東ツアー می\u0647 ١٢ 葛\u{e0100} é e\u0301'],
  ])('cleanText keeps what people write: %s', (_, text) => expect(cleanText(text)).toBe(text));

  it('cleanText removes joiners and soft hyphens inside words', () => {
    expect(cleanText('می\u200cخواهم ac\u200dme soft\u00adly')).toBe('میخواهم acme softly');
  });

  it('escapeJson keeps the value of every character and writes no unsafe character', () => {
    for (let plane = 0; plane <= 0x10; plane++) {
      const points = Array.from({ length: 0x1_0000 }, (_, i) => plane * 0x1_0000 + i);
      const text = points.map((point) => String.fromCodePoint(point)).join('');
      const json = escapeJson(JSON.stringify({ text }));
      expect(JSON.parse(json).text === text).toBe(true);
      expect([UNSAFE.test(json), json.includes('\u200d')]).toEqual([false, false]);
    }
  });
});

describe('text from outside', () => {
  const terminal = useTestTerminal();
  const folder = useTemporaryFolder();
  beforeAll(async () => {
    await givenTour(terminal.db, { slug: 'evil', name: EVIL });
  });
  const onScreen = (line: string) =>
    runOnce(line, { env: terminal.env, screen: { columns: 200, colors: true } });

  it("a table shows clean text and keeps the terminal's own colours", async () => {
    const { stdout } = await onScreen('catalog list');
    expect(stdout).toContain(CLEANED);
    expect(stdout).toContain('\u001b[32mpublished\u001b[0m');
    expect(stdout.replace(/\u001b\[\d+m/g, '')).not.toMatch(UNSAFE);
  });

  it('an error message disables the colour codes of an argument', async () => {
    const { stderr } = await onScreen('tenant show \u001b[31mred\u001b[0m');
    expect(stderr).not.toMatch(UNSAFE);
    expect(stderr).toContain('[31mred');
  });

  it('a JSON document contains the exact text in escaped form', async () => {
    const { stdout } = await onScreen('catalog list --json');
    expect(stdout).not.toMatch(UNSAFE);
    expect(JSON.parse(stdout).items[0].name).toBe(EVIL);
    const exported = await onScreen('catalog export');
    expect(exported.stdout).not.toMatch(UNSAFE);
    expect(JSON.parse(exported.stdout)[0].name).toBe(EVIL);
  });

  it('an exported file contains the exact text', async () => {
    const file = path.join(folder, 'catalog.json');
    await terminal.tourctl(['catalog', 'export', '--out', file]);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)[0].name).toBe(EVIL);
    expect(text).toContain('c\u202ed');
  });

  it.each([
    ['an argument', ['tenant', 'show', `x${EVIL}`]],
    ['a flag', ['tenant', 'list', `--x${EVIL}`]],
    ['the value of a flag', ['pricing', 'add', 'acme', '--percent', EVIL]],
    ['a command', [EVIL]],
    ['a file', ['catalog', 'import', `/nowhere/${EVIL}.json`]],
    ['a line break that begins a message of ours', ['catalog', 'import', '/nowhere/x\nerror: y.json']],
  ])('an error message quotes clean text: %s', async (_, line) => {
    const { code, stderr } = await terminal.tourctl(line);
    expect(code).toBeGreaterThan(0);
    expect(stderr).not.toMatch(UNSAFE);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    const inJson = await terminal.tourctl([...line, '--json']);
    expect(inJson.stderr).not.toMatch(UNSAFE);
    expect(inJson.error.code).toEqual(expect.any(String));
  });

  it("tourctl delivery show prints a receiver's response as clean text", async () => {
    await terminal.tourctl('tenant create --slug acme --name Acme');
    await terminal.tourctl('webhook add acme https://a.example/hooks');
    const [{ id }] = (await terminal.json('webhook list acme')).items;
    const { delivery } = await terminal.json(`webhook ping ${id}`);
    await givenAnswer(terminal, delivery, EVIL);
    const { stdout } = await onScreen(`delivery show ${delivery} --reveal`);
    expect(stdout).toContain(CLEANED);
    expect(stdout).not.toMatch(UNSAFE);
    const json = await terminal.json(`delivery show ${delivery} --reveal`);
    expect(json.tries[0].response_body).toBe(EVIL);
  });

  it("tourctl delivery show indents every line of a receiver's response, also the lines that the terminal breaks", async () => {
    const [{ id }] = (await terminal.json('webhook list acme')).items;
    const { delivery } = await terminal.json(`webhook ping ${id}`);
    await givenAnswer(terminal, delivery, `ok\nstatus  delivered\n${'\u00a0'.repeat(196)}error: wide`);
    const { stdout } = await onScreen(`delivery show ${delivery} --reveal`);
    expect(stdout).toContain('\n    status  delivered\n');
    expect(stdout).toContain('\n    error: wide');
    expect(stdout).not.toMatch(/^(status {2}delivered|error: wide)/m);
  });
});

/** Inserts a try of the delivery with this response. */
async function givenAnswer({ db }: TestTerminal, delivery: string, body: string): Promise<void> {
  await db('webhook_attempts').insert({
    delivery_id: delivery,
    number: 1,
    started_at: new Date(),
    duration_ms: 5,
    worker: 'w',
    outcome: 'http_error',
    status_code: 500,
    reason: 'answered 500',
    response_headers: JSON.stringify({ 'x-evil': body }),
    response_body: body,
  });
}
