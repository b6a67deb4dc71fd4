import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { accountFor, makeOwnDirectory, runAs } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { placeCluster } from '../../services/platform/embedded-postgres/cluster';
import { LOAD_TYPESCRIPT } from '../support/service-entry';
import {
  ask,
  joinInProcess,
  leave,
  nextWord,
  serverPid,
  startProcess,
  removeDirectories,
  temporaryDirectory,
} from './embedded-postgres-support';

afterAll(removeDirectories);

const root = process.geteuid?.() === 0;
const describeAsRoot = root ? describe : describe.skip;
/** Skips a suite where another account cannot enter the directory of this checkout or of Node. */
const describeOtherAccounts = otherAccountsCanRunThis() ? describe : describe.skip;

describe('the PostgreSQL binaries', () => {
  it('bundledRelease finds the PostgreSQL 18 that npm has installed', async () => {
    const release = bundledRelease();
    expect(release).toMatchObject({ major: 18, name: expect.stringMatching(/^\w+-\w+-18\./) as string });
    const { programs } = await usableBinaries(release, {});
    expect((await runAs({}, path.join(programs, 'postgres'), ['--version'])).output).toMatch(
      /PostgreSQL\) 18\./,
    );
  });

  it('usableBinaries completes the binaries in place when no install script ran', async () => {
    const native = bareBinaries(temporaryDirectory());
    expect((await runAs({}, path.join(native, 'bin/postgres'), ['--version'])).ok).toBe(false);
    const release = { ...bundledRelease(), native };
    const fallback = temporaryDirectory();
    const both = await Promise.all([
      usableBinaries(release, accountFor(), fallback),
      usableBinaries(release, accountFor(), fallback),
    ]);
    expect(both.map(({ programs }) => programs)).toEqual([`${native}/bin`, `${native}/bin`]);
    expect((await runAs({}, path.join(native, 'bin/initdb'), ['--version'])).output).toMatch(/initdb/);
  });

  it('usableBinaries refuses binaries that do not run, and names the next step', async () => {
    const native = path.join(temporaryDirectory(), 'native');
    const unusable = usableBinaries({ ...bundledRelease(), native }, {}, temporaryDirectory());
    await expect(unusable).rejects.toThrow(/do not run on this system\. .* set DATABASE_URL/);
  });
});

describe('the fallback directory', () => {
  it('the fallback directory gets the mode 0755 under a stricter umask', () => {
    const directory = path.join(temporaryDirectory(), 'new');
    const umask = process.umask(0o077);
    try {
      makeOwnDirectory(directory);
    } finally {
      process.umask(umask);
    }
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  it('a start of the embedded database refuses a fallback directory that every account can write to', () => {
    const open = temporaryDirectory();
    chmodSync(open, 0o777);
    expect(() => makeOwnDirectory(open)).toThrow(`${open} is not a directory that only this account`);
  });

  it('a start of the embedded database refuses a file in place of the fallback directory', () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(() => makeOwnDirectory(file)).toThrow('EEXIST');
  });
});

describeAsRoot('an embedded database that root starts', () => {
  it('a start as root copies the binaries once when the account cannot enter their directory', async () => {
    const closed = temporaryDirectory();
    chmodSync(closed, 0o700);
    const fallback = temporaryDirectory();
    const release = { ...bundledRelease(), native: bareBinaries(closed) };
    const copy = path.join(fallback, `postgres-${release.name}`);
    // Leaves the incomplete copy of a killed start.
    mkdirSync(`${copy}.draft`);
    writeFileSync(`${copy}.draft/old`, '');
    const both = await Promise.all([
      usableBinaries(release, accountFor(), fallback),
      usableBinaries(release, accountFor(), fallback),
    ]);
    expect(both.map(({ programs }) => programs)).toEqual([`${copy}/bin`, `${copy}/bin`]);
    expect(existsSync(path.join(copy, 'old'))).toBe(false);
    const copied = statSync(copy).ino;
    await usableBinaries(release, accountFor(), fallback);
    expect(statSync(copy).ino).toBe(copied);
    expect(readdirSync(fallback)).toEqual([path.basename(copy)]);
  });

  it('a start as root keeps the cluster outside a data directory that the account cannot enter, and says so', async () => {
    const home = temporaryDirectory();
    chmodSync(home, 0o700);
    const dataDir = path.join(home, 'project/data');
    mkdirSync(dataDir, { recursive: true });
    const fallback = temporaryDirectory();
    const notices: string[] = [];
    const place = await placeCluster(dataDir, 18, (line) => notices.push(line), fallback);
    expect(place.directory).toMatch(new RegExp(`^${fallback}/project-\\w{8}/pg18$`));
    expect(notices).toEqual([expect.stringContaining(`its database is kept in ${place.directory}`)]);
    // The first start continues after a start that was killed. The second start uses the database of the first.
    for (const start of [1, 2]) {
      const database = await joinEmbeddedPostgres(dataDir);
      await ask(database.url, start === 1 ? 'create table kept ()' : 'select from kept');
      await database.leave();
    }
    expect(lstatSync(path.join(dataDir, 'pg18')).isSymbolicLink()).toBe(true);
    expect(existsSync(path.join(place.directory, 'PG_VERSION'))).toBe(true);
  });

  it('a start as root does not use a fallback directory that another account has created', () => {
    const directory = directoryOf({ uid: 4321, gid: 4321 });
    expect(() => makeOwnDirectory(directory)).toThrow('is not a directory that only this account');
  });

  it('the error says why the cluster cannot be kept outside a closed data directory', async () => {
    const dataDir = temporaryDirectory();
    chmodSync(dataDir, 0o700);
    const fallback = directoryOf({ uid: 4321, gid: 4321 });
    await expect(placeCluster(dataDir, 18, () => undefined, fallback)).rejects.toThrow(
      /cannot reach .* cannot be kept elsewhere \(.* that only this account can write to\)\. Set DATA_DIR/,
    );
  });

  it('a start as root refuses an existing database when the account cannot enter its directory', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(path.join(dataDir, 'pg18'));
    chmodSync(dataDir, 0o700);
    await expect(joinEmbeddedPostgres(dataDir)).rejects.toThrow(
      /cannot reach .*pg18\. Let it pass .*chmod o\+x/,
    );
  });
});

describeOtherAccounts('an embedded database that an ordinary account starts', () => {
  it('an ordinary account completes read-only binaries in its own copy', async () => {
    const native = bareBinaries(temporaryDirectory());
    execFileSync('chmod', ['-R', 'a-w', native]);
    const fallback = directoryOf(accountFor());
    const copier = startProcess(['binaries', native, fallback], {
      ...accountFor(),
      env: { TMPDIR: fallback, HOME: fallback },
    });
    const { programs, error } = await nextWord(copier);
    expect(error).toBeUndefined();
    expect(programs).toBe(path.join(fallback, `postgres-${bundledRelease().name}`, 'bin'));
    execFileSync('chmod', ['-R', 'u+w', native]);
  });

  it('an ordinary account does not start the cluster of another account', async () => {
    const dataDir = temporaryDirectory();
    const stranger = { uid: 4321, gid: 4321, env: { TMPDIR: directoryOf({ uid: 4321, gid: 4321 }) } };
    await expect(joinInProcess(dataDir, stranger)).rejects.toThrow(
      /cannot be written to .* Run as the account/,
    );
    chmodSync(dataDir, 0o777);
    mkdirSync(path.join(dataDir, 'pg18'));
    await expect(joinInProcess(dataDir, stranger)).rejects.toThrow(
      /belongs to the account with uid 0, and you are uid 4321/,
    );
  });

  it('an ordinary account starts a database without root, and root may join it', async () => {
    const nobody = passwdEntry('nobody');
    const dataDir = path.join(directoryOf(nobody), 'data');
    const { child, url } = await joinInProcess(dataDir, {
      ...nobody,
      env: { TMPDIR: path.dirname(dataDir) },
    });
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(serverUid(dataDir)).toBe(nobody.uid);
    // Root connects, but the server still runs as the owner of the cluster.
    const guest = await joinEmbeddedPostgres(dataDir);
    expect(guest.url).toBe(url);
    await leave(child);
    await guest.leave();
    expect(serverPid(dataDir)).toBeUndefined();
    const again = await joinEmbeddedPostgres(dataDir);
    expect(serverUid(dataDir)).toBe(nobody.uid);
    await again.leave();
  });
});

/** Restores the package's state after unpacking, without the links that its install script creates. */
function bareBinaries(directory: string): string {
  execFileSync('cp', ['-a', bundledRelease().native, directory]);
  const native = path.join(directory, 'native');
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  for (const { target } of links) rmSync(path.join(directory, target), { force: true });
  return native;
}

function directoryOf({ uid, gid }: { uid?: number; gid?: number }): string {
  const directory = temporaryDirectory();
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  return directory;
}

/** Returns the account of the server, which creates postmaster.pid itself. */
function serverUid(dataDir: string): number {
  return statSync(path.join(dataDir, 'pg18/postmaster.pid')).uid;
}

function otherAccountsCanRunThis(): boolean {
  const args = [...LOAD_TYPESCRIPT, '--eval', ''];
  return root && spawnSync(process.execPath, args, { cwd: __dirname, ...accountFor(), env: {} }).status === 0;
}

function passwdEntry(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line!.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}
