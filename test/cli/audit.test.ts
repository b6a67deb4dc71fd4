import { hostname } from 'node:os';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

const rows = (where: object) => terminal.db('audit_log').where(where).orderBy('id');

describe('a change', () => {
  it('a change leaves one audit row with actor, host, action, old and new values', async () => {
    const before = await terminal.json('tenant show acme');
    const after = await terminal.json('tenant set acme --max-holds 5');
    expect(await rows({ action: 'tenant.set' })).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(Date),
        actor: 'olga',
        host: hostname(),
        action: 'tenant.set',
        tenantId: before.id,
        subject: 'acme',
        before,
        after,
        login: expect.any(String),
        person: null,
        byOwner: true,
      },
    ]);
  });

  it('tenant, key, widget and origins commands leave one audit row each', async () => {
    const { id: key } = await terminal.json('key issue acme --scope catalog:read');
    const { id: token } = await terminal.json('widget issue acme');
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

  it('the audit row of rotate-secret has the creation and expiry of each secret', async () => {
    const { id } = await terminal.json('webhook add acme https://acme.example/signed');
    await terminal.tourctl(`webhook rotate-secret ${id} --grace 7d`);
    const [{ before, after }] = await rows({ action: 'webhook.rotate-secret', subject: id });
    const signs = (until: unknown) => ({ created_at: expect.any(String), expires_at: until });
    expect(before).toEqual({ secrets: [signs(null)] });
    expect(after).toEqual({ secrets: [signs(null), signs(expect.any(String))] });
  });

  it('a command that changes nothing leaves no audit row', async () => {
    await terminal.tourctl('origins add acme same.example');
    const [before] = await terminal.db('audit_log').count();
    await terminal.tourctl('origins add acme same.example');
    await terminal.tourctl('tenant activate acme');
    expect(await terminal.db('audit_log').count()).toEqual([before]);
  });

  it('a refused command leaves no audit row', async () => {
    const [before] = await terminal.db('audit_log').count();
    await terminal.tourctl('tenant create --slug acme --name Twice');
    await terminal.tourctl('tenant set acme --hold-max 5');
    await terminal.tourctl('key revoke aaaaaaaaaaaa --yes');
    expect(await terminal.db('audit_log').count()).toEqual([before]);
  });

  it('tourctl key issue writes no key if its audit row cannot be written', async () => {
    await terminal.db.raw(
      `alter table audit_log add constraint broken check (action <> 'key.issue') not valid`,
    );
    const [before] = await terminal.db('api_keys').count();
    const { code, stdout } = await terminal.tourctl('key issue acme --scope catalog:read --json');
    await terminal.db.raw('alter table audit_log drop constraint broken');
    expect([code, stdout]).toEqual([1, '']);
    expect(await terminal.db('api_keys').count()).toEqual([before]);
  });

  it('the audit log never contains a secret', async () => {
    const { id, key } = await terminal.json('key issue acme --scope catalog:read');
    const { key: next } = await terminal.json(`key rotate ${id}`);
    const { token } = await terminal.json('widget issue acme');
    const { secret } = await terminal.json('webhook add acme https://acme.example/hook');
    const log = JSON.stringify(await rows({}));
    for (const shown of [key, next, token, secret]) expect(log).not.toContain(shown.slice(-20));
    expect(log).not.toMatch(/svc_(live|widget)_|whsec_|digest/);
  });
});

describe('tourctl audit list', () => {
  const list = async (flags = '') => (await terminal.tourctl(`audit list --json ${flags}`.trim())).json.items;

  it('tourctl audit list lists the newest change first', async () => {
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

  it('tourctl audit list filters by tenant, action and time', async () => {
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

  it('tourctl audit list filters by noun, actor and subject', async () => {
    await terminal.tourctl('tenant create --slug thing --name Thing');
    await terminal.tourctl('tenant set thing --max-holds 3');
    const actions = (items: { action: string }[]) => items.map(({ action }) => action);
    expect(actions(await list('--subject thing'))).toEqual(['tenant.set', 'tenant.create']);
    expect(actions(await list('--action tenant --tenant thing'))).toEqual(['tenant.set', 'tenant.create']);
    expect(await list('--action tenan')).toEqual([]);
    expect(await list('--action tenan_')).toEqual([]);
    expect(await list('--actor nobody')).toEqual([]);
    expect((await list('--actor olga --subject thing')).length).toBe(2);
  });

  it('tourctl audit list without --json shows the actor, host, time, action and changed fields', async () => {
    await terminal.tourctl('tenant create --slug logged --name Logged');
    await terminal.tourctl('tenant set logged --max-holds 3 --hold-max 45');
    const { stdout } = await terminal.tourctl('audit list --subject logged');
    const [heading, line] = stdout.split('\n');
    expect(heading).toMatch(/^ *ID {2}AT \(UTC\) +WHO +LOGIN +ACTION +TENANT +SUBJECT +CHANGE$/);
    expect(line).toMatch(
      /^ *\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}olga@\S+ +owner +tenant\.set +logged +logged +/,
    );
    expect(line).toContain('max_holds 1000 → 3');
    expect(line).toMatch(/hold_max\w* \S+ → 45/);
  });
});

describe('tourctl audit show', () => {
  it('tourctl audit show shows every field before and after', async () => {
    await terminal.tourctl('tenant create --slug shown --name Shown');
    await terminal.tourctl('tenant set shown --max-holds 3');
    const [set, created] = (await terminal.json('audit list --subject shown')).items;
    expect(await terminal.json(`audit show ${set.id}`)).toEqual(set);
    expect((await terminal.tourctl(`audit show ${set.id}`)).stdout).toMatch(/^max_holds +1000 +3$/m);
    expect((await terminal.tourctl(`audit show ${created.id}`)).stdout).toMatch(/^name +- +Shown$/m);
  });

  it('tourctl audit show refuses an id that is not in the log', async () => {
    expect(await terminal.refusal('audit show 999999')).toBe('1 change_not_found');
  });
});
