import { hostname } from 'node:os';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await openTestTerminal();
  await terminal.tourctl('tenant create --slug acme --name Acme');
});
afterAll(async () => terminal.drop());

const rows = (where: object) => terminal.db('audit_log').where(where).orderBy('id');

describe('a change', () => {
  it('leaves one row: who, where, what, before and after', async () => {
    const { json: before } = await terminal.tourctl('tenant show acme --json');
    const { json: after } = await terminal.tourctl('tenant set acme --max-holds 5 --json');
    expect(await rows({ action: 'tenant.set' })).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(Date),
        actor: 'olga',
        host: hostname(),
        action: 'tenant.set',
        tenant_id: before.id,
        subject: 'acme',
        before,
        after,
      },
    ]);
  });

  it('leaves a row for each verb', async () => {
    const { id: key } = (await terminal.tourctl('key issue acme --scope catalog:read --json')).json;
    const { id: token } = (await terminal.tourctl('widget issue acme --json')).json;
    await terminal.tourctl(`key rotate ${key}`);
    await terminal.tourctl(`key revoke ${key} --yes`);
    await terminal.tourctl(`widget rotate ${token}`);
    await terminal.tourctl(`widget revoke ${token} --yes`);
    await terminal.tourctl('origins add acme a.example');
    await terminal.tourctl('origins set acme b.example');
    await terminal.tourctl('origins remove acme b.example --yes');
    await terminal.tourctl('tenant suspend acme --yes');
    await terminal.tourctl('tenant activate acme');
    const actions = (await rows({})).map((row) => row.action);
    expect(actions).toEqual(
      expect.arrayContaining([
        'tenant.create',
        'key.issue',
        'widget.issue',
        'key.rotate',
        'key.revoke',
        'widget.rotate',
        'widget.revoke',
        'origins.add',
        'origins.set',
        'origins.remove',
        'tenant.suspend',
        'tenant.activate',
      ]),
    );
    expect(new Set(actions).size).toBe(actions.length);
  });

  it('that changes nothing leaves none', async () => {
    await terminal.tourctl('origins add acme same.example');
    const [before] = await terminal.db('audit_log').count();
    await terminal.tourctl('origins add acme same.example');
    await terminal.tourctl('tenant activate acme');
    expect(await terminal.db('audit_log').count()).toEqual([before]);
  });

  it('that is refused leaves none', async () => {
    const [before] = await terminal.db('audit_log').count();
    await terminal.tourctl('tenant create --slug acme --name Twice');
    await terminal.tourctl('tenant set acme --hold-max 5');
    await terminal.tourctl('key revoke aaaaaaaaaaaa --yes');
    expect(await terminal.db('audit_log').count()).toEqual([before]);
  });

  it('does not happen where its row cannot be written', async () => {
    await terminal.db.raw(
      `alter table audit_log add constraint broken check (action <> 'key.issue') not valid`,
    );
    const [before] = await terminal.db('api_keys').count();
    const { code, stdout } = await terminal.tourctl('key issue acme --scope catalog:read --json');
    await terminal.db.raw('alter table audit_log drop constraint broken');
    expect([code, stdout]).toEqual([1, '']);
    expect(await terminal.db('api_keys').count()).toEqual([before]);
  });

  it('never leaves a secret in its row', async () => {
    const { id, key } = (await terminal.tourctl('key issue acme --scope catalog:read --json')).json;
    const { key: next } = (await terminal.tourctl(`key rotate ${id} --json`)).json;
    const { token } = (await terminal.tourctl('widget issue acme --json')).json;
    const { secret } = (await terminal.tourctl('webhook add acme https://acme.example/hook --json')).json;
    const log = JSON.stringify(await rows({}));
    for (const shown of [key, next, token, secret]) expect(log).not.toContain(shown.slice(-20));
    expect(log).not.toMatch(/svc_(live|widget)_|whsec_|digest/);
  });
});

describe('tourctl audit list', () => {
  const list = async (flags = '') => (await terminal.tourctl(`audit list --json ${flags}`.trim())).json.items;

  it('answers newest first', async () => {
    await terminal.tourctl('tenant create --slug newest --name Newest');
    const items = await list();
    expect(items[0]).toMatchObject({
      actor: 'olga',
      action: 'tenant.create',
      tenant: 'newest',
      subject: 'newest',
    });
    const ids = items.map((item: { id: number }) => item.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('narrows by tenant, action and time', async () => {
    await terminal.tourctl('tenant create --slug narrow --name Narrow');
    await terminal.tourctl('tenant set narrow --max-holds 3');
    expect(await list('--tenant narrow')).toHaveLength(2);
    expect(await list('--tenant narrow --action tenant.set')).toHaveLength(1);
    await terminal
      .db('audit_log')
      .where({ subject: 'narrow', action: 'tenant.create' })
      .update({ at: '2020-01-01' });
    expect(await list('--tenant narrow --since 1h')).toHaveLength(1);
    expect(await list('--tenant narrow --since 2019-12-31')).toHaveLength(2);
    expect(await list('--limit 1')).toHaveLength(1);
  });
});
