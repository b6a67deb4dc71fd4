import { useTestTerminal, withEnv } from '../cli/terminal';
import { closeDatabase, givenPerson, personTerminal } from '../support/people';
import { describeOnTerminal } from '../support/pseudo-terminal';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenDay } from './day';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
let words: Record<string, string>;
beforeAll(async () => {
  owner.env.DATA_DIR = folder;
  await closeDatabase(owner);
  words = await givenDay(owner, folder, 'seated');
});

const HIDDEN = 'Data of customers is hidden: the roles that see it: desk, admin';

describeOnTerminal('a sale of the desk at a terminal', () => {
  it('a discount that is too high is refused before a question is asked', async () => {
    const dan = await givenPerson(owner, 'dan', 'desk');
    await owner.json(`tenant set ${words.TENANT} --desk-discount 1`);
    const line = `booking add ${words.TOUR} ${words.DATE} --tenant ${words.TENANT} --party adult=1 --adjust -50 --reason Guest`;
    const screen = await withEnv(owner, dan.env, async () => owner.sit(line));
    expect(await screen.ended).toBe(1);
    expect(screen.shown).toContain('error: dan may give a discount of at most 1 %');
    expect(screen.shown).not.toMatch(/name|Sell it/i);
  });
});

describe('what the terminal says to a person whose roles hide something', () => {
  it('an export, its help, status and doctor say what is hidden', async () => {
    const ria = await givenPerson(owner, 'ria', 'viewer');
    for (const line of ['booking export', `booking show ${words.REF}`, 'booking list'])
      expect((await ria.tourctl(line)).stderr.split(HIDDEN)).toHaveLength(2);
    const written = await ria.json(`booking export --out ${folder}/of-ria.csv`);
    expect(written).toMatchObject({ hidden: true });
    const help = (await ria.tourctl('booking export --help')).stdout;
    expect(help).toContain(HIDDEN);
    expect(help).not.toMatch(/^ +--(reveal|search|actor)/m);
    const { login } = await ria.json('status');
    expect(login).toEqual({
      name: 'ria',
      roles: ['viewer'],
      hidden: ['customers', 'secrets', 'the audit log', 'sessions of people'],
    });
    expect((await ria.tourctl('status')).stdout).toMatch(/Hidden +from ria \(viewer\): customers, secrets/);
    expect((await ria.tourctl('doctor')).stdout).toMatch(/login +ria \(viewer\); hidden: customers, secrets/);
  });

  it('nothing is hidden from the owner and from an administrator', async () => {
    const ada = await givenPerson(owner, 'ada', 'admin');
    expect((await ada.json('status')).login).toEqual({ name: 'ada', roles: ['admin'], hidden: [] });
    expect((await owner.json('status')).login).toBeNull();
    expect((await owner.tourctl('booking export')).stderr).not.toContain('hidden');
    expect((await owner.tourctl('booking export --help')).stdout).toMatch(/^ +--reveal/m);
  });
});

describe('tourctl use', () => {
  it('each person of a machine has an own default tenant', async () => {
    const ben = await givenPerson(owner, 'ben', 'desk');
    const eva = await givenPerson(owner, 'eva', 'viewer');
    await ben.json(`use ${words.TENANT}`);
    expect((await eva.json('use')).tenant).toBeNull();
    expect((await owner.json('use')).tenant).toBeNull();
    await owner.json('use --clear');
    expect((await ben.json('use')).tenant).toBe(words.TENANT);
  });
});

describe('a login that the server refuses', () => {
  it('a removed login, and another password, are refused as such with exit 1', async () => {
    const kim = await givenPerson(owner, 'kim', 'desk');
    const wrong = personTerminal(owner, kim.env.DATABASE_URL!.replace(/:[^:@]*@/, ':wrong@'));
    expect(await wrong.outcome('tenant list')).toMatch(
      /^1 login_refused: The database: password authentication failed/,
    );
    await owner.json('people remove kim --yes');
    expect(await kim.outcome('tenant list')).toMatch(/^1 login_refused: .*a person who was removed/);
    expect(await kim.outcome('status')).toMatch(/^1 login_refused/);
  });
});
