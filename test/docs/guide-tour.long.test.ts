import path from 'node:path';
import { useTestTerminal } from '../cli/terminal';
import { callTourctl, exampleOf, folderWith, pageSnippets, runProgram } from './guide';

const terminal = useTestTerminal();
const PAGE = 'enter-a-tour.md';
const BLOCKS = [...pageSnippets(PAGE, 'One file'), ...pageSnippets(PAGE, 'When departures close')];

const WALK = exampleOf('harbour-walk.json');
const MUSEUM = exampleOf('harbour-museum.json');

let cwd: string;
beforeAll(async () => {
  cwd = await folderWith({ 'harbour-walk.json': WALK, 'harbour-museum.json': MUSEUM });
});

const run = (script: string) =>
  runProgram('bash', ['--norc', '-euc', callTourctl(script)], { cwd, env: terminal.env });

describe('the page about entering a tour', () => {
  it('the commands of the page run from top to bottom, and put a tour with closing times and a policy on sale', async () => {
    for (const block of BLOCKS) {
      // A person answers yes to the dates of a schedule.
      const { code, stderr } = await run(block.replace(/(departure schedule [^]*)$/, '$1 --yes'));
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
    }
    const { json: tour } = await terminal.tourctl('catalog show harbour-walk --json');
    expect(tour).toMatchObject({
      status: 'published',
      booking_cutoff: '2h',
      cancellation: {
        tiers: [
          { until: '3d', refund_percent: 100 },
          { until: '24h', refund_percent: 50 },
        ],
      },
    });
    const { json: list } = await terminal.tourctl('departure list harbour-walk --from 2030-05-10 --json');
    const [morning, , evening] = list.items;
    expect(morning).toMatchObject({ closes_before: null, closes_at: '2030-05-10T06:00:00.000Z' });
    expect(evening).toMatchObject({ closes_before: '30m', closes_at: '2030-05-10T16:30:00.000Z' });
    expect(list.items.at(-1)).toMatchObject({ departure_date: '2030-10-26', start_time: '15:00' });
  });

  it('the commands about price categories put a museum on sale, with prices by category', async () => {
    for (const block of pageSnippets(PAGE, 'Price categories')) {
      const { code, stderr } = await run(block);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
    }
    const { json: tour } = await terminal.tourctl('catalog show harbour-museum --json');
    expect(tour.categories).toMatchObject([
      { code: 'adult', seats: 1, people: 1 },
      { code: 'senior', age_from: 65 },
      { code: 'child', with: ['adult', 'senior'] },
      { code: 'infant', seats: 0, people: 1 },
      { code: 'family', name: 'Family ticket', seats: 4, people: 4 },
    ]);
    const { json: list } = await terminal.tourctl('departure list harbour-museum --from 2030-05-04 --json');
    const prices = { adult: 18, senior: 14, child: 8, infant: 0, family: 42 };
    expect(list.items).toMatchObject([{ prices }, { departure_date: '2030-05-11', prices }]);
  });

  it('an import accepts the private boat of the page', async () => {
    const [boat, ...none] = pageSnippets(PAGE, 'Price categories', 'json');
    expect(none).toEqual([]);
    const [{ departures, translations, ...fields }] = JSON.parse(MUSEUM);
    const tour = { ...fields, slug: 'boat', categories: JSON.parse(boat!) };
    const folder = await folderWith({ 'tours.json': JSON.stringify([tour]) });
    const { code, json } = await terminal.tourctl(`catalog check ${path.join(folder, 'tours.json')} --json`);
    expect([code, json.errors]).toEqual([0, []]);
  });

  it('the page needs at most nine commands from the name to a tour with a season', () => {
    const commands = BLOCKS.join('\n').match(/^tourctl /gm);
    expect(commands!.length).toBeLessThanOrEqual(9);
  });

  it('catalog check names the place and the field of a wrong cut-off and of tiers that do not fall, and what is right', async () => {
    const wrong = WALK.replace('"2h"', '"2 hours"').replace('"until": "24h"', '"until": "4d"');
    const folder = await folderWith({ 'wrong.json': wrong });
    const { code, stdout, stderr } = await runProgram(
      'bash',
      ['--norc', '-c', callTourctl('tourctl catalog check wrong.json')],
      { cwd: folder, env: terminal.env },
    );
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/wrong\.json\[0\].*booking_cutoff.*must be minutes, hours or days/);
    expect(stdout + stderr).toMatch(
      /wrong\.json\[0\].*cancellation\.tiers\[1\]\.until.*must be shorter than 3d/,
    );
  });
});
