import { findLockingPeople } from '../../services/platform/people/people.repository';
import type { Db } from '../../services/platform/database/database';
import { openDatabase } from '../../services/platform/database/database';
import { checkOf } from '../cli/doctor-check';
import { useTestTerminal, withEnv } from '../cli/terminal';
import { untilTransactionWaits } from '../support/lock-wait';
import { closeDatabase, givenPerson, type PersonTerminal } from '../support/people';
import { describeOnTerminal } from '../support/pseudo-terminal';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenDay } from './day';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(() => closeDatabase(owner));

/** Runs a line of a person until it waits for the lock, and removes the person then. */
async function removeDuring(person: PersonTerminal, name: string, line: string, lock: string) {
  return owner.db.transaction(async (trx) => {
    await trx.raw(lock);
    const running = person.tourctl(line);
    await untilTransactionWaits(owner.db);
    const removed = await owner.json(`people remove ${name} --yes`);
    return { removed, answer: await running };
  });
}

describe('people remove while a command of the person runs', () => {
  it('an import of bookings ends at once, and has written nothing', async () => {
    const words = await givenDay(owner, folder, 'import');
    const uma = await givenPerson(owner, 'uma', 'desk');
    const before = await owner.db('booking_leads').count();
    const { removed, answer } = await removeDuring(
      uma,
      'uma',
      `booking import ${words['FILE:bookings']} --tenant ${words.TENANT} --yes --json`,
      'select from departures for update',
    );
    expect(removed).toEqual({ name: 'uma', sessions_ended: expect.any(Number) });
    expect(removed.sessions_ended).toBeGreaterThan(0);
    expect([answer.code, answer.stdout, answer.error.code]).toEqual([1, '', 'database_unreachable']);
    expect(await owner.db('booking_leads').count()).toEqual(before);
    expect(await owner.db('booking_imports')).toEqual([]);
    expect(await owner.db('audit_log').where({ person: 'uma' })).toEqual([]);
    expect(await owner.db('people_logins').where({ name: 'uma' })).toEqual([]);
  });

  it('a manifest ends at once, and has printed nothing', async () => {
    const { TOUR, DATE } = await givenDay(owner, folder, 'manifest');
    const ned = await givenPerson(owner, 'ned', 'desk');
    const { removed, answer } = await removeDuring(
      ned,
      'ned',
      `departure manifest ${TOUR} ${DATE} --csv --reveal`,
      'lock table booking_leads in access exclusive mode',
    );
    expect(removed.sessions_ended).toBeGreaterThan(0);
    expect([answer.code, answer.stdout]).toEqual([1, '']);
    expect((await ned.tourctl('tenant list --json')).code).toBe(1);
  });
});

describeOnTerminal('people remove while --watch runs', () => {
  it('--watch ends at once with the reason, and restores the screen', async () => {
    const ivy = await givenPerson(owner, 'ivy', 'desk');
    const screen = await withEnv(owner, ivy.env, async () => owner.sit('status --watch'));
    await screen.see('Schema');
    expect((await owner.json('people remove ivy --yes')).sessions_ended).toBeGreaterThan(0);
    expect(await screen.ended).toBe(1);
    expect(screen.raw).toContain('\x1b[?1049l');
    expect(screen.shown).toContain('The database:');
  });
});

describe('what the terminal tells of the sessions of people', () => {
  it('a session with a lock is named by status, to the owner and administrators only', async () => {
    const seats = await givenDay(owner, folder, 'locked');
    const gus = await givenPerson(owner, 'gus', 'desk');
    const session = openDatabase(gus.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
    const locking = (db: Db) => findLockingPeople(db, 0);
    await session.transaction(async (trx) => {
      await trx.raw('select 1');
      expect(await locking(owner.db)).toEqual([]);
      await trx('departures').where({ departure_date: seats.DATE }).forUpdate();
      expect(await locking(owner.db)).toEqual([{ name: 'gus', since: expect.any(Date) }]);
    });
    expect(await locking(owner.db)).toEqual([]);
    expect(await locking(session)).toBeNull();
    await session.destroy();
    expect((await gus.json('status')).waiting.people_locking).toBeNull();
    expect((await owner.json('status')).waiting.people_locking).toEqual([]);
  });

  it('a lock of a table, and an advisory lock outside a transaction, are named too', async () => {
    const tia = await givenPerson(owner, 'tia', 'catalog');
    const session = openDatabase(tia.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
    const named = async () => (await findLockingPeople(owner.db, 0))!.map(({ name }) => name);
    await session.transaction(async (trx) => {
      await trx.raw('select 1 from tours');
      expect(await named()).toEqual([]);
      await trx.raw('lock table tours in share mode');
      expect(await named()).toEqual(['tia']);
    });
    await session.raw('select pg_advisory_lock(1)');
    expect(await named()).toEqual(['tia']);
    await session.destroy();
  });

  it('a transaction that a person forgets in psql ends after a minute', async () => {
    const una = await givenPerson(owner, 'una', 'desk');
    const session = openDatabase(una.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
    const { rows } = await session.raw(
      "select current_setting('idle_in_transaction_session_timeout') as idle",
    );
    expect(rows).toEqual([{ idle: '1min' }]);
    await session.destroy();
  });

  it('doctor says that no queue ends the sessions of a login with an end', async () => {
    const workers = () => checkOf(owner, 'workers');
    expect((await workers()).detail).not.toContain('do not end with the login');
    await owner.json('people add zoe --role viewer --until 2030-01-01');
    expect((await workers()).detail).toContain('open sessions of a person do not end with the login');
    await owner.db('webhook_workers').insert({ id: 'host-1', slots: 8, in_flight: 0 });
    expect((await workers()).detail).toBe('1 of the webhook queue');
  });
});
