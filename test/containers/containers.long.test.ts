import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printTable } from '../bench/table';
import { describeUnless } from '../support/describe-with';
import { baseImages, provideBaseImages, standInOf } from './base-images';
import { type Engine, startEngine } from './engine';
import { type ContainerFacts, inspectContainer, runningContainers, sizeOf, stopContainer } from './inspect';
import { type Installation, makeInstallation, OPERATOR } from './installation';
import { installMissing, whyNoEngine } from './prerequisites';
import { askForBooking, buy, type ContainerShop, openShop } from './shop';
import { startSales } from './steady-sales';

/** The long form, `npm run lab -- containers`, fails where no engine can be started, and fails over more often. */
const FAILOVERS = Number(process.env.FAILOVERS ?? 1);
const IS_REQUIRED = process.env.CONTAINERS === 'required';
/** A limit for what hangs: a machine that is busy with other work takes several times longer than an idle one. */
const LIMIT = 480_000;
jest.setTimeout(LIMIT);
const PROXY_PORT = 8080;

/** Returns why no engine can be started here. Starts and ends one to know it. */
function whyLeftOut(): string | undefined {
  if (IS_REQUIRED) installMissing();
  const reason = whyNoEngine();
  if (reason !== undefined) return reason;
  const probe = spawnSync(process.execPath, ['--import', 'tsx', path.join(__dirname, 'prepare.ts')], {
    encoding: 'utf8',
  });
  return probe.status === 0 ? undefined : `no Docker engine starts: ${probe.stderr.trim()}`;
}

const REASON = whyLeftOut();
if (IS_REQUIRED && REASON !== undefined) {
  it('a Docker engine can be started', () => {
    expect(REASON).toBeUndefined();
  });
} else {
  describeUnless(REASON, 'the containers of docker/', suite);
}

describe('the base images of docker/', () => {
  it('each base image of the Dockerfiles and compose files has a stand-in', () => {
    const images = baseImages();
    expect(images.length).toBeGreaterThan(4);
    const files = images.map(standInOf).filter((file) => file !== undefined);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});

function suite(): void {
  let folder: string;
  let engine: Engine;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'test-containers-'));
    chmodSync(folder, 0o755);
    engine = await startEngine();
    await removeAll(engine);
    const origins = await provideBaseImages(engine);
    printTable('Base images', ['image', 'from'], [...origins]);
  }, 2 * LIMIT);
  afterAll(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('compose.yaml', () => {
    let installation: Installation;
    let url: string;
    let shop: ContainerShop;
    let booking: string;
    beforeAll(async () => {
      installation = makeInstallation(engine, path.join(folder, 'single'), ['compose.yaml']);
      url = await engine.forward(PROXY_PORT);
    });
    afterAll(() => removeAll(engine));

    it('the images are built from their Dockerfiles, and the product adds less than 70 MB to the image of Node', async () => {
      await installation.compose('build');
      const added = {
        'tour-platform': await addedBy(engine, 'tour-platform', 'node:22-alpine'),
        'tour-platform-pgbouncer': await addedBy(engine, 'tour-platform-pgbouncer', 'debian:bookworm-slim'),
      };
      const rows = Object.entries(added).map(([image, size]) => [image, size.toFixed(1)]);
      printTable('Images: MB over their base', ['image', 'MB'], rows);
      expect(added['tour-platform']).toBeLessThan(70);
    });

    it('compose.yaml starts all services from empty volumes, and all become healthy', async () => {
      await installation.compose('up', '--detach', '--wait');
      expect((await installation.tourctl(['doctor'])).code).toBe(0);
      expect(await statusOf(`${url}/readyz`)).toBe(200);
    });

    it('each container of compose.yaml is healthy, unprivileged and cannot write its root file system', async () => {
      const facts = await inspectAll(engine);
      expect(facts.map(({ service }) => service)).toEqual(
        ['api-1', 'api-2', 'pgbouncer', 'postgres', 'proxy', 'queue-1', 'queue-2', 'redis'].sort(),
      );
      expectUnprivileged(facts);
    });

    it('the proxy publishes no metrics, and the monitoring page only on the loopback of the machine', async () => {
      expect(await statusOf(`${url}/metrics`)).toBe(404);
      await expect(statusOf(`${await engine.forward(8081)}/healthz`)).rejects.toThrow('fetch failed');
    });

    it('tourctl in its container imports a catalog and issues a key with files of the account in TOURCTL_USER', async () => {
      shop = await openShop(installation);
      const { uid, mode } = statSync(path.join(installation.files, 'acme.key'));
      expect([uid, mode & 0o777]).toEqual([OPERATOR, 0o600]);
    });

    it('a tour is bought over HTTP through the proxy', async () => {
      booking = await buy(url, shop, 'first');
      expect(await askForBooking(url, shop, booking)).toBe(200);
    });

    it('instances of compose.yaml that are replaced one after the other lose no request', async () => {
      const sales = startSales(url, shop, 'replaced');
      for (const service of ['api-1', 'api-2', 'queue-1', 'queue-2']) {
        await installation.compose('up', '-d', '--no-deps', '--force-recreate', '--wait', service);
        await sleep(3000);
      }
      const { failures, bookings } = await sales.stop();
      const log = (await installation.compose('logs', '--no-log-prefix', 'proxy')).split('\n');
      // On a busy machine an instance may answer 503 `overloaded`, which loses nothing.
      const lost = failures.filter((failure) => !failure.includes('"code":"overloaded"'));
      const unanswered = log.filter((line) => line.includes('"status":500'));
      expect({ lost, unanswered }).toEqual({ lost: [], unanswered: [] });
      expect(bookings.length).toBeGreaterThan(5);
    });

    it('the proxy loses no request to an instance whose address has gone, while the list of addresses changes', async () => {
      const instance = (await runningContainers(engine)).get('api-2')!;
      const network = 'tour-platform_front';
      const statuses: Record<number, number> = {};
      for (let n = 0; n < 4; n++) {
        await engine.expectDocker(['network', 'disconnect', network, instance]);
        await askFor(4000, `${url}/healthz`, statuses);
        await engine.expectDocker(['network', 'connect', '--alias', 'api-2', network, instance]);
        await askFor(4000, `${url}/healthz`, statuses);
      }
      expect(Object.keys(statuses)).toEqual(['200']);
    });

    it('each container of compose.yaml stops within five seconds with exit code 0, and a start keeps the bookings', async () => {
      const containers = await runningContainers(engine);
      const stops = [];
      // The proxy first, the database last.
      const order = ['proxy', 'api-1', 'api-2', 'queue-1', 'queue-2', 'redis', 'pgbouncer', 'postgres'];
      for (const service of order)
        stops.push({ service, ...(await stopContainer(engine, containers.get(service)!)) });
      printTable(
        'Stop',
        ['service', 'seconds', 'exit code'],
        stops.map(({ service, seconds, exitCode }) => [service, seconds.toFixed(1), exitCode]),
      );
      const slowOrFailed = stops.filter(({ seconds, exitCode }) => seconds > 5 || exitCode !== 0);
      expect(slowOrFailed).toEqual([]);
      const begun = performance.now();
      await installation.compose('up', '-d', '--wait');
      process.stdout.write(`Healthy ${((performance.now() - begun) / 1000).toFixed(1)} s after the start\n`);
      expect(await askForBooking(url, shop, booking)).toBe(200);
    });

    it('a backup in docker/files restores into an empty installation, with its bookings and keys', async () => {
      const backup = await installation.tourctl(['backup', '--out', 'tours.backup']);
      expect(backup).toMatchObject({ code: 0 });
      // As docs/back-up-and-restore.md says: the old volume stays.
      await installation.compose('down');
      installation.rename('tour-platform-2');
      await installation.compose('up', '-d', '--wait', 'pgbouncer', 'redis');
      const restore = await installation.tourctl(['restore', 'tours.backup']);
      expect(restore).toMatchObject({ code: 0, stdout: expect.stringContaining('Recounted') });
      await installation.compose('up', '-d', '--wait');
      expect(await askForBooking(url, shop, booking)).toBe(200);
      expect(await buy(url, shop, 'after-the-restore')).not.toBe(booking);
      expect((await installation.tourctl(['doctor'])).code).toBe(0);
    });
  });

  describe('compose.yaml with compose.ha.yaml', () => {
    let installation: Installation;
    let url: string;
    let shop: ContainerShop;
    beforeAll(async () => {
      const files = ['compose.yaml', 'compose.ha.yaml'];
      installation = makeInstallation(engine, path.join(folder, 'ha'), files);
      url = await engine.forward(PROXY_PORT);
      await installation.compose('up', '-d', '--build', '--wait');
      shop = await openShop(installation);
    }, 2 * LIMIT);
    afterAll(() => removeAll(engine));

    it('each container of compose.ha.yaml is healthy, unprivileged and cannot write its root file system', async () => {
      const facts = await inspectAll(engine);
      const services = facts.map(({ service }) => service);
      expect(services).toEqual(
        expect.arrayContaining(['etcd-1', 'etcd-2', 'etcd-3', 'haproxy', 'patroni-1', 'patroni-2']),
      );
      expect(services).not.toContain('postgres');
      expectUnprivileged(facts);
    });

    it(
      'the sales go on without manual steps after the container of the primary was killed, and none is lost',
      async () => {
        for (let n = 1; n <= FAILOVERS; n++) await failOver(n);
        expect((await installation.tourctl(['doctor'])).code).toBe(0);
      },
      FAILOVERS * LIMIT,
    );

    async function failOver(n: number): Promise<void> {
      const primary = await primaryOf(engine);
      const sales = startSales(url, shop, `failover-${n}`);
      await sleep(3000);
      const killed = (await runningContainers(engine)).get(primary)!;
      await engine.expectDocker(['kill', killed]);
      await until(async () => ![undefined, primary].includes(await primaryOf(engine).catch(() => undefined)));
      await sleep(5000);
      await engine.expectDocker(['start', killed]);
      await until(async () => (await membersOf(engine)).some(({ Role }) => Role === 'Sync Standby'));
      const { bookings, gapMs, failures } = await sales.stop();
      process.stdout.write(
        `Failover ${n}: ${primary} killed, gap ${gapMs} ms, ${bookings.length} sold, ${failures.length} answers other than 201\n`,
      );
      for (const booking of bookings) expect(await askForBooking(url, shop, booking)).toBe(200);
      expect(new Set(bookings).size).toBe(bookings.length);
    }
  });
}

/** Removes the containers, networks and volumes of this run, or of one that was killed. The images stay. */
async function removeAll(engine: Engine): Promise<void> {
  const containers = (await engine.expectDocker(['ps', '--all', '--quiet'])).split('\n').filter(Boolean);
  if (containers.length > 0) await engine.expectDocker(['rm', '--force', '--volumes', ...containers]);
  await engine.expectDocker(['network', 'prune', '--force']);
  await engine.expectDocker(['volume', 'prune', '--all', '--force']);
  await engine.expectDocker(['image', 'prune', '--force']);
}

async function addedBy(engine: Engine, image: string, base: string): Promise<number> {
  return (await sizeOf(engine, image)) - (await sizeOf(engine, base));
}

async function statusOf(address: string): Promise<number> {
  return (await fetch(address)).status;
}

/** Sends reads, two at a time, and counts the answers by status. */
async function askFor(ms: number, address: string, statuses: Record<number, number>): Promise<void> {
  const end = Date.now() + ms;
  const ask = async () => {
    while (Date.now() < end) {
      const status = await statusOf(address);
      statuses[status] = (statuses[status] ?? 0) + 1;
      await sleep(50);
    }
  };
  await Promise.all([ask(), ask()]);
}

async function inspectAll(engine: Engine): Promise<ContainerFacts[]> {
  const containers = [...(await runningContainers(engine))];
  return Promise.all(containers.map(([service, id]) => inspectContainer(engine, service, id)));
}

/** Prints the facts, and expects of each container what docs/security.md says. */
function expectUnprivileged(facts: ContainerFacts[]): void {
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  printTable(
    'Containers',
    ['service', 'account', 'capabilities', 'no new privileges', 'filtered calls', 'read-only root', 'health'],
    facts.map((fact) => [
      fact.service,
      fact.account,
      `${fact.effectiveCapabilities}/${fact.boundingCapabilities}`,
      yes(fact.noNewPrivileges),
      yes(fact.filtered),
      yes(fact.readOnly),
      fact.health,
    ]),
  );
  for (const fact of facts) {
    expect(fact).toEqual({
      service: fact.service,
      account: expect.any(Number),
      effectiveCapabilities: '0000000000000000',
      boundingCapabilities: '0000000000000000',
      noNewPrivileges: true,
      filtered: true,
      readOnly: true,
      health: 'healthy',
    });
    expect([fact.service, fact.account]).not.toEqual([fact.service, 0]);
  }
}

interface Member {
  Member: string;
  Role: string;
  State: string;
}

/** Asks a running member of the cluster for the list of all. */
async function membersOf(engine: Engine): Promise<Member[]> {
  const containers = await runningContainers(engine);
  const [, id] = [...containers].find(([service]) => service.startsWith('patroni-'))!;
  return JSON.parse(await engine.expectDocker(['exec', id, 'patronictl', 'list', '--format', 'json']));
}

/** @returns the service whose member is the primary */
async function primaryOf(engine: Engine): Promise<string> {
  const leader = (await membersOf(engine)).find(
    ({ Role, State }) => Role === 'Leader' && State === 'running',
  );
  if (!leader) throw new Error('there is no primary');
  return leader.Member;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; !(await isSo()); tries++) {
    if (tries === 240) throw new Error('it did not come about within two minutes');
    await sleep(500);
  }
}
