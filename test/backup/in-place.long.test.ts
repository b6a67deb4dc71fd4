import { findSequences } from '../../services/api/backup/snapshot.repository';
import { readAsOf } from '../../services/api/catalog/as-of';
import type { TestTerminal } from '../cli/terminal';
import { runOnce } from '../cli/run-once';
import { givenDeparture, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useInstallations } from './installation';

const installations = useInstallations();
const folder = useTemporaryFolder();
let terminal: TestTerminal;

const statuses = () => terminal.db('webhook_endpoints').orderBy('id').pluck<string[]>('status');

beforeEach(async () => {
  terminal = await installations.migrated();
  await terminal.json('tenant create --slug acme --name Acme --status active');
  for (const name of ['a', 'b']) await terminal.json(`webhook add acme https://hooks.example.com/${name}`);
  const [first] = await terminal.db('webhook_endpoints').orderBy('id').pluck<string[]>('id');
  await terminal.json(`webhook pause ${first}`);
});

describe('tourctl restore --in-place', () => {
  it('tourctl restore --in-place advances every sequence by 100,000, pauses active endpoints and leaves an audit row', async () => {
    const before = await findSequences(terminal.db);
    expect(before).not.toHaveProperty('booking_leads_id_seq');
    const { json, stderr } = await terminal.tourctl('restore --in-place --json');
    expect(stderr).toBe('');
    const { rows: audits } = await terminal.db.raw(
      "select actor, after, id from audit_log where action = 'restore.in_place'",
    );
    expect(audits).toEqual([{ actor: 'olga', after: json, id: before.audit_log_id_seq! + 100_001 }]);
    expect(json.endpoints_paused).toBe(1);
    expect(json.sequences).toMatchObject({ booking_leads_id_seq: 101_000 });
    for (const [name, last] of Object.entries(before)) expect(json.sequences[name]).toBe(last + 100_000);
    expect(Object.keys(json.sequences).filter((name) => name.startsWith('knex'))).toEqual([]);
    expect(await statuses()).toEqual(['paused', 'paused']);
    const { rows } = await terminal.db.raw("select nextval('booking_leads_id_seq')::int as next");
    expect(rows).toEqual([{ next: 101_001 }]);
  });

  it('tourctl restore --in-place --resume-webhooks keeps active endpoints active and paused endpoints paused', async () => {
    const { json } = await terminal.tourctl('restore --in-place --resume-webhooks --json');
    expect(json.endpoints_paused).toBe(0);
    expect(await statuses()).toEqual(['paused', 'active']);
  });

  it('tourctl restore --in-place advances the sequences again when it runs a second time', async () => {
    const first = await terminal.json('restore --in-place');
    const { code, stdout, stderr } = await terminal.tourctl('restore --in-place');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ sequences moved on by 100,000\n$/)]);
    expect(stderr).not.toContain('paused');
    expect((await findSequences(terminal.db)).booking_leads_id_seq).toBe(
      first.sequences.booking_leads_id_seq + 100_000,
    );
  });

  it('a catalog copy starts again only if its as_of lies in the lost period', async () => {
    const tour = await givenTour(terminal.db);
    const recovered = await readAsOf(terminal.db);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const lost = new Date().toISOString();
    await terminal.json('restore --in-place');
    await givenDeparture(terminal.db, tour);
    expect(await readAsOf(terminal.db, lost)).toBe(recovered);
    const now = await readAsOf(terminal.db);
    expect(now > lost).toBe(true);
    expect(await readAsOf(terminal.db, recovered)).toBe(now);
    expect(await readAsOf(terminal.db, now)).toBe(now);
  });

  it('tourctl restore --in-place refuses a file argument, and creates no database where none exists', async () => {
    expect(await terminal.refusal('restore tours.backup --in-place')).toBe('2 usage_error');
    const { error } = await runOnce('restore --in-place --json', { env: { DATA_DIR: folder } });
    expect(error.code).toBe('no_installation');
  });
});
