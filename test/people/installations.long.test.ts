import { openDatabase } from '../../services/platform/database/database';
import { createMonitorLink, findSession, openSession } from '../../services/webhook-queue/monitor/session';
import { checkOf } from '../cli/doctor-check';
import { openTestTerminal, useTestTerminal } from '../cli/terminal';
import { closeDatabase, givenPerson, personTerminal } from '../support/people';
import { useTemporaryFolder } from '../support/temporary-folder';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(() => closeDatabase(owner));

const inDatabase = (url: string, name: string) => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
};

describe('two installations on one server', () => {
  it('the people of one cannot connect to the other, and both may have the same names', async () => {
    const other = await openTestTerminal();
    await closeDatabase(other);
    const here = await givenPerson(owner, 'olga', 'desk');
    const there = await givenPerson(other, 'olga', 'viewer');
    expect([await here.outcome('tenant list'), await there.outcome('tenant list')]).toEqual(['0', '0']);
    const astray = personTerminal(
      owner,
      inDatabase(here.env.DATABASE_URL!, new URL(other.url).pathname.slice(1)),
    );
    expect(await astray.outcome('tenant list')).toMatch(/^1 .*permission denied for database/);
    await owner.json('people remove olga --yes');
    expect(await there.outcome('tenant list')).toBe('0');
    await other.json('people remove olga --yes');
    await other.drop();
  });

  it('doctor names a database with people to which every login may connect again', async () => {
    await givenPerson(owner, 'rui', 'viewer');
    const name = new URL(owner.url).pathname.slice(1);
    expect((await owner.json('doctor')).checks.map((one: { name: string }) => one.name)).not.toContain(
      'people',
    );
    await owner.db.raw(`grant connect on database "${name}" to public`);
    expect(await checkOf(owner, 'people')).toMatchObject({ status: 'notice' });
    await owner.db.raw(`revoke connect on database "${name}" from public`);
  });
});

describe('a schema in which every login may create functions', () => {
  it('people add is refused with the statement, and doctor names the right of an installation with people', async () => {
    await givenPerson(owner, 'ole', 'viewer');
    await owner.db.raw('grant create on schema public to public');
    const { code, error } = await owner.tourctl('people add tim --role viewer --json');
    expect([code, error.code]).toEqual([1, 'public_may_create']);
    expect(error.message).toMatch(/revoke create on schema public from public;$/);
    const { commands } = await checkOf(owner, 'people');
    expect(commands).toEqual([expect.stringContaining('revoke create on schema public from public')]);
    await owner.db.raw('revoke create on schema public from public');
  });
});

describe('a database with the name of the roles of the services', () => {
  it('a person gets no login with the name of a service, although the role does not exist yet', async () => {
    const named = await openTestTerminal();
    const before = new URL(named.url).pathname.slice(1);
    await named.db.destroy();
    await owner.db.raw(`alter database "${before}" rename to "tour_platform"`);
    named.env.DATABASE_URL = inDatabase(named.url, 'tour_platform');
    await owner.db.raw('revoke connect on database tour_platform from public');
    const { code, error } = await named.tourctl('people add api --role viewer --json');
    await owner.db.raw('drop database tour_platform with (force)');
    expect([code, error.code]).toEqual([1, 'login_exists']);
  });
});

describe('a database with a long name', () => {
  it('a login of more than 63 bytes is refused, and a shorter name is not', async () => {
    const long = await openTestTerminal();
    const before = new URL(long.url).pathname.slice(1);
    await long.db.destroy();
    const name = 'd'.repeat(50);
    await owner.db.raw(`alter database "${before}" rename to "${name}"`);
    long.env.DATABASE_URL = inDatabase(long.url, name);
    await owner.db.raw(`revoke connect on database "${name}" from public`);
    const { code, error } = await long.tourctl(`people add ${'a'.repeat(13)} --role desk --json`);
    expect([code, error.code]).toEqual([1, 'login_too_long']);
    expect((await long.json(`people add ${'a'.repeat(12)} --role desk`)).login).toHaveLength(63);
    await long.json(`people remove ${'a'.repeat(12)} --yes`);
    await owner.db.raw(`drop database "${name}" with (force)`);
  });
});

describe('the monitoring page of a person', () => {
  it('a link and a session of a person end when the person is lowered or removed', async () => {
    const ada = await givenPerson(owner, 'ada', 'admin');
    const session = openDatabase(ada.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
    const link = () => session.transaction((trx) => createMonitorLink(trx, { operator: 'x', host: 'x' }));
    const [first, second] = [await link(), await link()];
    await session.destroy();
    const opened = await openSession(owner.db, first.token);
    expect(opened).toMatchObject({ person: 'ada', operator: expect.stringMatching(/_ada$/) });
    await owner.json('people set ada --role desk');
    expect(await findSession(owner.db, opened!.token)).toBeUndefined();
    expect(await openSession(owner.db, second.token)).toBeUndefined();
    await owner.json('people set ada --role admin');
    expect(await findSession(owner.db, opened!.token)).toMatchObject({ person: 'ada' });
    await owner.json('people remove ada --yes');
    expect(await owner.db('webhook_monitor_sessions')).toEqual([]);
  });
});

describe('the last administrator', () => {
  it('two administrators who remove each other at once leave one', async () => {
    const [eve, max] = [await givenPerson(owner, 'eve', 'admin'), await givenPerson(owner, 'max', 'admin')];
    const outcomes = await Promise.all([eve.outcome('people remove max'), max.outcome('people remove eve')]);
    expect(outcomes.filter((outcome) => outcome === '0')).toHaveLength(1);
    expect(await owner.db('people').whereIn('name', ['eve', 'max'])).toHaveLength(1);
    const [left] = await owner.db('people').whereIn('name', ['eve', 'max']);
    const last = left.name === 'eve' ? eve : max;
    expect(await last.outcome(`people set ${left.name} --until 2030-01-01`)).toContain('1 last_admin');
    await owner.json(`people set ${left.name} --until 2030-01-01`);
    await owner.json(`people remove ${left.name} --yes`);
  });
});

describe('a restore into an installation with people', () => {
  it('ends the logins of the installation, and names the restored people, who have none', async () => {
    const ivo = await givenPerson(owner, 'ivo', 'desk');
    const file = `${folder}/people.backup`;
    await owner.json(`backup --out ${file}`);
    const target = await openTestTerminal();
    await closeDatabase(target);
    const [old, gone] = [
      await givenPerson(target, 'ivo', 'admin'),
      await givenPerson(target, 'zoe', 'viewer'),
    ];
    const { code, stderr } = await target.tourctl(`restore ${file} --yes`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/People without a login on this server: ivo/);
    for (const one of [old, gone]) expect(await one.outcome('tenant list')).toMatch(/^1 login_refused/);
    const { items } = await target.json('people list');
    expect(items.find(({ name }: { name: string }) => name === 'ivo')).toMatchObject({
      login: null,
      roles: ['desk'],
    });
    expect(items.map(({ name }: { name: string }) => name)).not.toContain('zoe');
    expect(await ivo.outcome('tenant list')).toBe('0');
    const again = await givenPerson(target, 'ivo', 'desk');
    expect(await again.outcome('tenant list')).toBe('0');
    await target.json('people remove ivo --yes');
    await target.drop();
  });
});
