import { openDatabase } from '../../services/platform/database/database';
import { VIEWER_COLUMNS } from '../../services/platform/people/columns';
import { findMissingLogSetting } from '../../services/platform/people/people.repository';
import { changingTasks, peopleStatements, rightsOfPeople } from '../../services/platform/people/rights';
import { useTestTerminal } from '../cli/terminal';
import { closeDatabase, givenPerson, personTerminal } from '../support/people';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenDay, SECRETS_OF_DAY } from './day';

const owner = useTestTerminal();
const folder = useTemporaryFolder();

const refusal = async (line: string) => {
  const { code, error } = await owner.tourctl(`${line} --json --yes`);
  return `${code} ${error.code}`;
};

describe('tourctl people', () => {
  it('people add is refused while PUBLIC may connect, with the statement', async () => {
    const { code, error } = await owner.tourctl('people add first --role desk --json');
    expect([code, error.code]).toEqual([1, 'public_may_connect']);
    expect(error.message).toMatch(/revoke connect on database \w+ from public;$/);
    await closeDatabase(owner);
  });

  it('a person logs in with the printed address, and the server has the verifier alone', async () => {
    const answer = await owner.json('people add olga --role desk');
    expect(answer).toMatchObject({ name: 'olga', roles: ['desk'], until: null });
    const db = openDatabase(answer.database_url, { applicationName: 'tests', poolMax: 1 });
    const { rows } = await db.raw('select session_user as login');
    await db.destroy();
    expect(rows).toEqual([{ login: answer.login }]);
    const stored = await owner.db('pg_authid').where({ rolname: answer.login }).first();
    expect(stored).toMatchObject({
      rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/),
      rolconnlimit: 5,
    });
    const [person] = (await owner.json('people list')).items;
    expect(person).toMatchObject({ name: 'olga', login: answer.login, connection_limit: 5, sessions: 0 });
  });

  it('people add has the statement that keeps customers out of the log, if the owner may not say so', async () => {
    const { login } = await owner.json('people add lars --role desk');
    expect(await findMissingLogSetting(owner.db, login)).toBeUndefined();
    await owner.db.raw('alter role ?? reset log_error_verbosity', [login]);
    expect(await findMissingLogSetting(owner.db, login)).toBe(
      `alter role ${login} set log_error_verbosity = terse;`,
    );
  });

  it('a name is refused that is not 2 to 20 of a-z and 0-9, and one that a role of the server has', async () => {
    expect(await refusal('people add Olga --role desk')).toBe('2 usage_error');
    expect(await refusal('people add o --role desk')).toBe('2 usage_error');
    expect(await refusal('people add olga --role desk')).toBe('1 person_exists');
    await owner.db.raw(
      `do $$ begin execute format('create role %I', current_database() || '_taken'); end $$`,
    );
    expect(await refusal('people add taken --role desk')).toBe('1 login_exists');
    await owner.db.raw(`do $$ begin execute format('drop role %I', current_database() || '_taken'); end $$`);
  });

  it("a login with the owner's rights is the owner's, whatever its name, and whatever roles it has", async () => {
    const login = `${owner.env.DATABASE_URL!.match(/([^/?]+)(?:[?]|$)/)![1]}_service`;
    await owner.db.raw(
      `do $$ begin
         execute format('create role %I login password ''secret'' in role tour_platform_viewer, %I', '${login}', current_user);
         execute format('grant connect on database %I to %I', current_database(), '${login}');
       end $$`,
    );
    const service = personTerminal(
      owner,
      owner.env.DATABASE_URL!.replace(/\/\/[^@]*@/, `//${login}:secret@`),
    );
    expect(await service.outcome('audit list')).toBe('0');
    await owner.db.raw(`drop owned by "${login}"; drop role "${login}"`);
  });

  it('a command that a role lacks is refused with the roles that may, before anything is asked', async () => {
    const mia = await givenPerson(owner, 'mia', 'desk');
    const { code, error } = await mia.tourctl('key issue --json');
    expect([code, error.code]).toEqual([1, 'not_allowed']);
    expect(error.message).toContain('keys, admin');
    expect(await mia.outcome('backup')).toContain('only the owner of the database may');
    expect(await mia.outcome('tenant list --actor ivan')).toMatch(/^0|2 usage_error/);
    expect(await mia.outcome('hold release 01987f3c --actor ivan')).toContain('1 not_allowed: --actor');
  });

  it('the help of a person leaves out the commands that the person may not use, and --all shows them', async () => {
    const tom = await givenPerson(owner, 'tom', 'viewer');
    const help = async (line: string) => (await tom.tourctl(line)).stdout;
    expect(await help('--help')).not.toMatch(/^ {2}(backup|people|customer) /m);
    expect(await help('help --all')).toMatch(/^ {2}people /m);
    expect(await help('booking --help')).not.toMatch(/^ {2}add /m);
  });

  it('a viewer sees no customer, and the documents say so', async () => {
    const { TOUR, DATE, REF, HOLD, DELIVERY } = await givenDay(owner, folder, 'seen');
    const ria = await givenPerson(owner, 'ria', 'viewer');
    expect(await ria.outcome('booking list --search ana')).toContain(
      '1 not_allowed: ria (viewer) may not use --search',
    );
    expect(await ria.outcome('booking list --reveal')).toContain('1 not_allowed');
    const documents = [
      `booking show ${REF}`,
      `hold show ${HOLD}`,
      `delivery show ${DELIVERY}`,
      `departure manifest ${TOUR} ${DATE}`,
      `departure manifest ${TOUR} ${DATE} --by pickup`,
      'booking list',
      'hold list',
    ];
    for (const line of documents) {
      const shown = JSON.stringify(await ria.json(line));
      expect(shown).toContain('"hidden":true');
      expect(shown).not.toMatch(SECRETS_OF_DAY);
      const { stdout, stderr } = await ria.tourctl(line);
      expect(stdout).not.toMatch(SECRETS_OF_DAY);
      expect(stderr).not.toContain('--reveal');
    }
    const { stderr } = await ria.tourctl(`departure manifest ${TOUR} ${DATE}`);
    expect(stderr).toContain('Data of customers is hidden: the roles that see it: desk, admin');
    for (const line of [`departure manifest ${TOUR} ${DATE} --csv`, 'booking export'])
      expect((await ria.tourctl(line)).stdout).not.toMatch(SECRETS_OF_DAY);
    const { answers, pickup, customer } = await ria.json(`booking show ${REF}`);
    expect(answers).toMatchObject([{ code: 'diet', value: null, hidden: true }]);
    await owner.json(`booking change ${REF} --adjust -1 --reason secret-reason`);
    const { adjustment } = await ria.json(`booking show ${REF}`);
    expect(adjustment).toEqual({ amount: -1, reason: null, hidden: true });
    expect((await ria.tourctl(`booking show ${REF}`)).stdout).toContain('(the reason is hidden)');
    expect(pickup).toMatchObject({ point: null, name: null, hidden: true });
    expect(customer).toMatchObject({ name: null, phone: null, email: null });
    const ben = await givenPerson(owner, 'ben', 'desk');
    const { bookings } = await ben.json(`departure manifest ${TOUR} ${DATE} --reveal`);
    expect(JSON.stringify(bookings)).toMatch(/secret-diet.*secret-place|secret-place.*secret-diet/);
  });

  it('the time of a pickup needs catalog and desk, because it changes bookings', async () => {
    const { TOUR, DATE, POINT } = await givenDay(owner, folder, 'fetched');
    const line = `departure set-pickup ${TOUR} ${DATE} ${POINT} 08:15`;
    for (const role of ['catalog', 'desk']) {
      const one = await givenPerson(owner, `one${role}`, role);
      expect(await one.outcome(line)).toContain('it needs catalog and desk, or admin');
    }
    const max = await givenPerson(owner, 'max', 'catalog,desk');
    expect((await max.json(line)).bookings).toHaveLength(1);
  });

  it('a discount of the desk is at most that of the tenant, also after a change of the party', async () => {
    const { TENANT, TOUR, DATE } = await givenDay(owner, folder, 'discounted');
    const dan = await givenPerson(owner, 'dan', 'desk');
    const amy = await givenPerson(owner, 'amy', 'admin');
    await owner.json(`tenant set ${TENANT} --desk-discount 10`);
    const sale = `booking add ${TOUR} ${DATE} --tenant ${TENANT} --party adult=2 --name Ana --phone +4930901820 --reason Guest`;
    const { booking_ref: ref, total_price: total } = await dan.json(`${sale} --adjust -1 --yes`);
    const change = (percent: number) =>
      `booking change ${ref} --reason Guest --adjust -${(((total + 1) * percent) / 100).toFixed(2)}`;
    const refused = '1 discount_too_high: dan may give a discount of at most 10 %';
    expect(await dan.outcome(change(11))).toContain(refused);
    expect(await dan.outcome(change(10))).toBe('0');
    expect(await dan.outcome(`booking change ${ref} --adults 1`)).toContain(refused);
    expect(await dan.outcome(`booking change ${ref} --adults 3`)).toBe('0');
    expect(await dan.outcome(`${sale} --adjust -${(total / 2).toFixed(2)}`)).toContain(refused);
    expect(await amy.outcome(change(50))).toBe('0');
    expect(await dan.outcome(`booking change ${ref} --notes Vegan`)).toBe('0');
    expect(await amy.outcome('people add pam --role admin')).toBe('0');
    expect(await amy.outcome('people set amy --role desk')).toContain('1 own_login');
    await owner.json('people remove amy --yes');
    await owner.json('people remove pam --yes');
  });

  it('the last administrator can be removed or lowered by the owner only', async () => {
    const ada = await givenPerson(owner, 'ada', 'admin');
    expect(await ada.outcome('people set ada --role desk')).toContain('1 last_admin');
    expect(await ada.outcome('people remove ada')).toContain('1 own_login');
    const eve = await givenPerson(owner, 'eve', 'admin');
    expect(await eve.outcome('people remove ada')).toBe('0');
    expect(await owner.json('people set eve --role viewer')).toMatchObject({ roles: ['viewer'] });
  });

  it('people remove ends the open sessions before it returns, and the name can be used again', async () => {
    const kim = await givenPerson(owner, 'kim', 'desk');
    const session = openDatabase(kim.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
    await session.raw('select lo_create(0)');
    const { code, stdout } = await owner.tourctl('people remove kim --yes --json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { name: 'kim', sessions_ended: 1 }]);
    await expect(session.raw('select 1')).rejects.toThrow();
    await session.destroy();
    expect(await owner.db('pg_roles').where('rolname', 'like', '%\\_kim')).toEqual([]);
    expect((await owner.json('people add kim --role viewer')).roles).toEqual(['viewer']);
  });

  it('people rotate gives another password, and the old one opens no session', async () => {
    const lea = await givenPerson(owner, 'lea', 'viewer');
    const { database_url: url } = await owner.json('people rotate lea');
    expect(await personTerminal(owner, url).outcome('tenant list')).toBe('0');
    expect(await lea.outcome('tenant list')).toMatch(/^1 /);
  });

  it('the audit log names the person, the roles before and after, and marks what the owner did', async () => {
    const [added] = (await owner.json('audit list --action people.add --limit 1')).items;
    expect(added).toMatchObject({ owner: true, person: null, after: { roles: expect.any(Array) } });
    const [removed] = (await owner.json('audit list --person eve')).items;
    expect(removed).toMatchObject({ action: 'people.remove', subject: 'ada', person: 'eve', owner: false });
    expect(removed.actor).toMatch(/_eve$/);
  });
});

describe('the table of tasks', () => {
  it('the database has exactly the rights of the table, and no other for the roles of people', async () => {
    const stored = await owner
      .db('database_rights')
      .whereNotIn('role', ['tour_platform_api', 'tour_platform_queue'])
      .select('role', 'object', 'rights');
    const sorted = (rows: { role: string; object: string }[]) =>
      [...rows].sort((a, b) => `${a.role} ${a.object}`.localeCompare(`${b.role} ${b.object}`));
    expect(sorted(stored)).toEqual(sorted(rightsOfPeople()));
    expect(peopleStatements()).toContain('insert into viewer_columns');
    const byName = (rows: { name: string }[]) => [...rows].sort((a, b) => a.name.localeCompare(b.name));
    expect(byName(await owner.db('people_tasks'))).toEqual(byName(changingTasks()));
  });

  it('each trigger that reads or writes a table has a fixed search path, and those that write records have the rights of the owner', async () => {
    const READ_NO_TABLE = [
      'refuse_another_kind',
      'refuse_created_at',
      'refuse_earlier_revision',
      'set_departure_updated_at',
      'set_updated_at',
      'stamp_departure_status',
    ];
    const RIGHTS_OF_CALLER = [
      'date_octo_booking',
      'insert_behind_view',
      'move_octo_booking_of_hold',
      'move_octo_booking_of_lead',
      'recount_written_departures',
      'refuse_sell_in_during_update',
      'set_payment_due',
    ];
    const { rows } = await owner.db.raw<{ rows: { name: string; isOwners: boolean; path: string | null }[] }>(
      `select distinct p.proname as name, p.prosecdef as is_owners,
         (select one from unnest(p.proconfig) one where one like 'search_path=%') as path
       from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
         join pg_namespace n on n.oid = c.relnamespace
       where not t.tgisinternal and n.nspname in ('public', 'without_customers', 'without_bodies') order by p.proname`,
    );
    const ofCaller = rows.filter(({ isOwners }) => !isOwners).map(({ name }) => name);
    expect(ofCaller).toEqual([...READ_NO_TABLE, ...RIGHTS_OF_CALLER].sort());
    // insert_behind_view names the schema of its table.
    const free = [...READ_NO_TABLE, 'insert_behind_view'];
    const fixed = rows.filter(({ path }) => path === 'search_path=public, pg_temp').map(({ name }) => name);
    expect(fixed).toEqual(rows.map(({ name }) => name).filter((name) => !free.includes(name)));
  });

  it('every column of a table with customers is listed as visible, or hidden on purpose', async () => {
    const HIDDEN = [
      'booking_answers.answers',
      'booking_answers.pickup',
      'booking_imports.key_check',
      'booking_leads.adjustment_reason',
      'booking_leads.cancel_reason',
      'booking_leads.customer_email',
      'booking_leads.customer_name',
      'booking_leads.customer_phone',
      'booking_leads.customer_phone_as_sent',
      'booking_leads.external_ref',
      'booking_leads.import_digest',
      'booking_leads.import_ref',
      'booking_leads.notes',
      'booking_leads.travellers',
      'octo_bookings.cancel_reason',
      'octo_bookings.contact',
      'octo_bookings.notes',
      'octo_bookings.pickup',
      'octo_bookings.request_digest',
      'octo_bookings.unit_items',
      'sale_refusals.external_ref',
      'seat_holds.customer_email',
      'seat_holds.customer_name',
      'seat_holds.customer_phone',
      'seat_holds.customer_phone_as_sent',
      'seat_holds.external_ref',
      'webhook_attempts.reason',
      'webhook_attempts.response_body',
      'webhook_attempts.response_headers',
      'webhook_attempts.signature',
      'webhook_deliveries.body',
      'webhook_deliveries.last_error',
      'webhook_events.body',
    ];
    const columns = await owner
      .db('information_schema.columns')
      .where({ table_schema: 'public' })
      .whereIn('table_name', Object.keys(VIEWER_COLUMNS))
      .select<{ tableName: string; columnName: string }[]>('table_name', 'column_name');
    const hidden = columns
      .filter(({ tableName, columnName }) => !VIEWER_COLUMNS[tableName]!.split(' ').includes(columnName))
      .map(({ tableName, columnName }) => `${tableName}.${columnName}`);
    expect(hidden.sort()).toEqual(HIDDEN);
  });
});
