import { SCOPES } from '../../services/api/credentials/credential';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

const WHAT = 'What may the key do?';
const HOW_LONG = 'When does it expire?';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

const keyIn = (shown: string) => /svc_live_[0-9A-Za-z_]{51}/.exec(shown)?.[0] ?? '';
const rightsOf = async (shown: string) =>
  (await terminal.tourctl('key inspect --json', keyIn(shown))).json as { expires_at: string | null };

describeOnTerminal('tourctl key issue on a terminal', () => {
  it('tourctl key issue on a terminal asks for the scopes and the lifetime, and suggests a whole shop and 90 days', async () => {
    const person = terminal.sit('key issue acme');
    await person.answer(WHAT, KEY.enter);
    await person.answer(HOW_LONG, KEY.enter);
    expect(await person.ended).toBe(0);
    const rights = await rightsOf(person.shown);
    expect(rights).toMatchObject({ usable: true, scopes: SCOPES });
    expect((Date.parse(rights.expires_at!) - Date.now()) / 86_400_000).toBeCloseTo(90, 1);
  });

  it('tourctl key issue on a terminal issues a key with the chosen scopes and lifetime', async () => {
    const person = terminal.sit('key issue acme');
    await person.answer(WHAT, KEY.down, KEY.enter);
    await person.answer(HOW_LONG, KEY.down, KEY.down, KEY.down, KEY.enter);
    expect(await person.ended).toBe(0);
    const scopes = ['catalog:read', 'booking:create', 'booking:read'];
    expect(await rightsOf(person.shown)).toMatchObject({ scopes, expires_at: null });
  });

  it('tourctl key issue on a terminal does not ask for values that the command line gives', async () => {
    const person = terminal.sit('key issue acme --scope booking:read');
    expect(await person.ended).toBe(0);
    expect(await rightsOf(person.shown)).toMatchObject({ scopes: ['booking:read'], expires_at: null });
    expect(person.shown).toContain('--expires-in 90d');
  });

  it('tourctl key issue on a terminal issues no key after Ctrl-C', async () => {
    const before = await terminal.db('api_keys').count();
    const person = terminal.sit('key issue acme');
    await person.answer(WHAT, KEY.enter);
    await person.answer(HOW_LONG, KEY.ctrlC);
    expect([await person.ended, keyIn(person.shown)]).toEqual([130, '']);
    expect(await terminal.db('api_keys').count()).toEqual(before);
  });
});
