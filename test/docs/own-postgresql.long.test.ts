import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { NODE_FLAGS } from '../../cli/commands/up/service';
import { readEnvFile } from '../../services/platform/config/config';
import { serverPrograms } from '../chaos/failover/server-programs';
import { describeWith, isInstalled } from '../support/describe-with';
import { eventually } from '../webhook-queue/queue-fixture';
import { createDebianServer, cronCommand, type DebianServer, UNITS } from './debian-server';
import { pageSnippets } from './guide';
import { readUnit } from './systemd-units';

const SERVICES = ['tour-platform-api', 'tour-platform-webhook-queue'];
const [SET_UP, START, LOOK, ...MORE] = pageSnippets('install.md', 'On one server with an own PostgreSQL');

describe('the systemd units of docs/', () => {
  it.each([
    ['tour-platform-api', 'api'],
    ['tour-platform-webhook-queue', 'webhook-queue'],
  ] as const)('%s starts the service as npm start does', (name, service) => {
    const { commands, settings } = readUnit(UNITS, name, (text) => text);
    expect(commands).toEqual([
      ['/usr/bin/env', 'node', ...NODE_FLAGS[service], `dist/services/${service}/main.js`],
    ]);
    expect(settings.get('Restart')).toBe('always');
    expect(settings.get('NoNewPrivileges')).toBe('yes');
  });

  describeWith('systemd', 'systemd-analyze', analyzed, isInstalled('systemd-analyze'));
});

function analyzed(): void {
  const files = readdirSync(UNITS).filter((name) => /[.](service|timer)$/.test(name));
  const analyze = (...args: string[]) =>
    execFileSync('sh', ['-c', 'systemd-analyze "$@" 2>&1', 'sh', ...args], {
      cwd: UNITS,
      // The empty last entry adds the directories of the system.
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${UNITS}:` },
      encoding: 'utf8',
    });

  it('systemd finds no error in any unit', () => {
    expect(files).toHaveLength(6);
    expect(analyze('verify', '--man=no', ...files)).toBe('');
  });

  it.each(files.filter((name) => name.endsWith('.service')))(
    'systemd says that %s has little more than it needs',
    (name) => {
      expect(analyze('security', '--offline=yes', '--threshold=20', name)).toContain('OK');
    },
  );
}

describeWith('postgresql', 'an own PostgreSQL', suite, serverPrograms() !== undefined && isInstalled('psql'));

function suite(): void {
  let server: DebianServer;
  let secrets: Record<string, string | undefined>;
  let ref: string;
  beforeAll(async () => void (server = await createDebianServer()), 60_000);
  afterAll(() => server?.remove());

  /** Returns undefined while the API does not listen. */
  const readiness = () =>
    fetch(`${server.api}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  const findBooking = async () =>
    JSON.parse(await server.run(`sudo -u tours tourctl booking show ${ref} --json`));

  it('the commands of the page create the database and three secrets, and start both services', async () => {
    expect(MORE).toEqual([]);
    await server.run(SET_UP!);
    secrets = readEnvFile(path.join(server.folder, 'opt/.env'));
    const values = [secrets.SECRETS_KEY, secrets.CURSOR_KEY, secrets.KEY_PEPPER];
    for (const value of values) expect(value).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(values).size).toBe(3);
    await server.run(START!);
    expect([...server.enabled]).toEqual(SERVICES);
    const looked = await server.run(LOOK!);
    expect(looked).toMatch(/^ok +database /m);
    expect(looked).toMatch(/^ok +workers +1 of the webhook queue/m);
    expect(looked).not.toMatch(/^broken/m);
  }, 120_000);

  it('a first tenant sells over the installation', async () => {
    await server.run(`
      sudo -u tours tourctl tenant create --slug sunny --name Sunny --status active --currency EUR --country DE
      sudo -u tours tourctl catalog import docs/examples/tours.json
      sudo -u tours tourctl key issue sunny --scope catalog:read,booking:create --out /var/lib/tour-platform/sunny.key`);
    const key = await server.run('cat /var/lib/tour-platform/sunny.key');
    const answer = await fetch(`${server.api}/api/tenant/bookings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        tour_id: 'lofoten-by-sail',
        departure_date: '2030-06-15',
        name: 'Ana Lima',
        phone: '+49 30 901820',
        email: 'ana@example.com',
      }),
    });
    expect(answer.status).toBe(201);
    ref = ((await answer.json()) as { booking_ref: string }).booking_ref;
  });

  it('both services start again after a reboot, also before PostgreSQL', async () => {
    await server.stopUnits(SERVICES);
    await server.postgres.stop();
    await server.startUnits(server.enabled);
    await eventually('the API without a database', async () => (await readiness()) === 503 || undefined);
    expect(await server.runUnit('tour-platform-doctor')).toMatchObject({ code: 1 });
    await server.postgres.start();
    await eventually('the API with its database', async () => (await readiness()) === 200 || undefined);
    expect(await findBooking()).toMatchObject({ booking_ref: ref });
  }, 60_000);

  it('the timer and the cron line back up every night', async () => {
    const [timer, ...none] = pageSnippets('back-up-and-restore.md', 'Every night');
    expect(none).toEqual([]);
    const backups = () => readdirSync(path.join(server.folder, 'backups'));
    await server.run(timer!);
    expect(server.enabled).toContain('tour-platform-backup.timer');
    expect(backups()).toEqual([expect.stringMatching(/^tours-\d{4}-\d\d-\d\dT\d{4}[.]backup$/)]);
    // Would be refused: the unit has written this minute's file.
    await server.run('rm /var/backups/tour-platform/*');
    const [crontab] = pageSnippets('back-up-and-restore.md', 'Every night', 'crontab');
    const { user, command } = cronCommand(crontab!);
    expect(user).toBe('tours');
    expect(await server.runCron(command)).toMatchObject({ code: 0 });
    expect(backups()).toHaveLength(1);
  });

  it('the backup is restored into another database with the secrets of the source, and is served', async () => {
    const [file] = readdirSync(path.join(server.folder, 'backups'));
    const block = pageSnippets('back-up-and-restore.md', 'Restore').find((one) => one.includes('tours_2'))!;
    const restored = await server.run(block.replaceAll(/tours-2026-11-22T0230[.]backup/g, file!));
    expect(restored).toContain('Recounted: every table has the rows and the checksum of the backup');
    const { DATABASE_URL, ...rest } = readEnvFile(path.join(server.folder, 'opt/.env'));
    expect(DATABASE_URL).toMatch(/[/]tours_2$/);
    expect(rest).toEqual({ ...secrets, DATABASE_URL: undefined });
    expect(await findBooking()).toMatchObject({ booking_ref: ref });
    expect(await readiness()).toBe(200);
  }, 60_000);

  it('the check of every five minutes fails and says why, if and only if something is broken', async () => {
    const [timer, ...none] = pageSnippets('watching.md', 'Without Prometheus');
    expect(none).toEqual([]);
    await server.run(timer!);
    expect(server.enabled).toContain('tour-platform-doctor.timer');
    const [crontab] = pageSnippets('watching.md', 'Without Prometheus', 'crontab');
    const { command } = cronCommand(crontab!);
    const check = async () => {
      const { code } = await server.runUnit('tour-platform-doctor');
      const { stdout } = await server.runCron(command);
      return { code, mail: stdout };
    };
    expect(await check()).toEqual({ code: 0, mail: '' });
    for (const stopped of SERVICES) {
      await server.stopUnits([stopped]);
      expect(await check()).toEqual({ code: 7, mail: expect.stringContaining('Failed to connect') });
      await server.startUnits([stopped]);
      await eventually(stopped, async () => (await check()).code === 0 || undefined);
    }
    await server.postgres.stop();
    expect(await check()).toEqual({ code: 1, mail: expect.stringMatching(/^broken +database/m) });
    await server.postgres.start();
  }, 60_000);

  it('the command after a recovery by another tool moves the numbers on', async () => {
    await server.stopUnits(SERVICES);
    const [command, ...none] = pageSnippets('back-up-and-restore.md', 'Lose seconds, not hours');
    expect(none).toEqual([]);
    expect(await server.run(command!)).toContain('moved on by 100,000');
  });
}
