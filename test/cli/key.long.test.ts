import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Scope } from '../../services/api/credentials/credential';
import { databaseCredentials } from '../../services/api/credentials/credential-source';
import { verifyApiKey } from '../../services/api/credentials/verify-credential';
import { PEPPER } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { expectPages, useTestTerminal } from './terminal';

const terminal = useTestTerminal({ KEY_PEPPER: PEPPER });

beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

const issue = async (flags = '--scope catalog:read') => terminal.json(`key issue acme ${flags}`);
const verify = (token: string, scope: Scope = 'catalog:read') =>
  verifyApiKey(databaseCredentials(terminal.db), PEPPER, token, scope);
const listed = async (id: string) =>
  (await terminal.json('key list acme --limit 1000')).items.find((key: { id: string }) => key.id === id);
const change = (id: string, row: object) => terminal.db('api_keys').where({ id }).update(row);
const daysAgoText = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const secondsFromNow = (time: string | Date) => (new Date(time).getTime() - Date.now()) / 1000;

describe('tourctl key issue', () => {
  it('tourctl key issue prints the key, which verification accepts from then on', async () => {
    const answer = await issue(
      '--scope catalog:read --scope booking:create --name site --website acme.example',
    );
    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      key: expect.stringMatching(/^svc_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/),
      tenant: 'acme',
      scopes: ['catalog:read', 'booking:create'],
      name: 'site',
      expires_at: null,
    });
    const principal = await verify(answer.key, 'booking:create');
    expect(principal).toMatchObject({
      kind: 'api_key',
      keyId: answer.id,
      familyId: answer.id,
      tenant: { slug: 'acme' },
    });
  });

  it('tourctl key issue prints only the secret on stdout without --json', async () => {
    const { stdout, stderr } = await terminal.tourctl('key issue acme --scope catalog:read');
    expect(stdout).toMatch(/^svc_live_[0-9A-Za-z_]+\n$/);
    expect(stderr).not.toContain(stdout.trim());
  });

  it('tourctl key issue stores a digest and not the secret', async () => {
    const { id, key } = await issue();
    const row = await terminal.db('api_keys').where({ id }).first();
    expect(row.digestAlg).toBe('hmac-sha256');
    expect(JSON.stringify(row)).not.toContain(key.slice(22));
  });

  it('tourctl key issue says when the key expires', async () => {
    const { expires_at } = await issue('--scope catalog:read --expires-in 90d');
    expect(secondsFromNow(expires_at)).toBeCloseTo(90 * 86_400, -2);
  });

  it('tourctl key issue stores a scope once if it is given twice', async () => {
    expect((await issue('--scope catalog:read --scope catalog:read')).scopes).toEqual(['catalog:read']);
  });

  it('tourctl key issue requires at least one known scope', async () => {
    expect((await terminal.tourctl('key issue acme --json')).error.message).toContain('--scope is missing');
    const unknown = await terminal.tourctl('key issue acme --scope catalog:write --json');
    expect([unknown.code, unknown.error.message]).toEqual([
      2,
      expect.stringMatching(/^--scope must be one of catalog:read/),
    ]);
  });

  it('tourctl key issue warns if the tenant is suspended', async () => {
    await terminal.tourctl('tenant create --slug asleep --name Asleep');
    await terminal.tourctl('tenant suspend asleep --yes');
    const { code, stderr } = await terminal.tourctl('key issue asleep --scope catalog:read');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: asleep is suspended');
  });
});

describe('tourctl key issue --out', () => {
  const folder = useTemporaryFolder();

  it('tourctl key issue --out writes the secret to a file that only its owner can read, and not to stdout', async () => {
    const file = path.join(folder, 'acme.key');
    const { stdout, json } = await terminal.tourctl(
      `key issue acme --scope catalog:read --out ${file} --json`,
    );
    const secret = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stdout).not.toContain(secret);
    expect(json.key).toBeNull();
    expect((await verify(secret)).keyId).toBe(json.id);
  });

  it('tourctl key issue --out issues no key if the file exists or cannot be written', async () => {
    const file = path.join(folder, 'kept');
    await terminal.tourctl(`key issue acme --scope catalog:read --out ${file}`);
    const [keys] = await terminal.db('api_keys').count();
    for (const out of [file, path.join(folder, 'no/such/directory')]) {
      expect(await terminal.refusal(`key issue acme --scope catalog:read --out ${out}`)).toBe(
        '1 file_not_written',
      );
    }
    expect(await terminal.db('api_keys').count()).toEqual([keys]);
  });

  it('tourctl key issue --out leaves no file if it issues no key', async () => {
    const file = path.join(folder, 'nobody.key');
    await terminal.tourctl(`key issue nobody --scope catalog:read --out ${file}`);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('tourctl key rotate', () => {
  it('tourctl key rotate answers like key issue, and keeps the scopes, the website and the family', async () => {
    const old = await issue('--scope catalog:read --scope booking:read --name site --website acme.example');
    const json = await terminal.json(`key rotate ${old.id}`);
    expect(Object.keys(json)).toEqual(Object.keys(old));
    expect(json).toMatchObject({ tenant: 'acme', scopes: old.scopes, name: 'site', expires_at: null });
    expect(json.key).not.toBe(old.key);
    expect((await verify(json.key)).familyId).toBe(old.id);
    expect(await listed(json.id)).toMatchObject({ website: 'acme.example' });
  });

  it('a rotated key stays valid during the grace period', async () => {
    const old = await issue();
    const json = await terminal.json(`key rotate ${old.id} --grace 2h`);
    const { expires_at, replaced_by } = await listed(old.id);
    expect(replaced_by).toBe(json.id);
    expect(secondsFromNow(expires_at)).toBeCloseTo(7200, -2);
    await expect(verify(old.key)).resolves.toMatchObject({ keyId: old.id });
  });

  it('tourctl key rotate uses a grace period of one day by default', async () => {
    const old = await issue();
    await terminal.tourctl(`key rotate ${old.id}`);
    expect(secondsFromNow((await listed(old.id)).expires_at)).toBeCloseTo(86_400, -2);
  });

  it('tourctl key rotate never extends the life of the old key', async () => {
    const old = await issue('--scope catalog:read --expires-in 30m');
    await terminal.tourctl(`key rotate ${old.id} --grace 24h`);
    expect((await listed(old.id)).expires_at).toBe(old.expires_at);
  });

  it('tourctl key rotate uses the lifetime of the old key for the new one, unless another is given', async () => {
    const old = await issue('--scope catalog:read --expires-in 10d');
    const next = await terminal.json(`key rotate ${old.id}`);
    expect(secondsFromNow(next.expires_at)).toBeCloseTo(10 * 86_400, -2);
    const ever = await terminal.json(
      `key rotate ${(await issue('--scope catalog:read --expires-in 10d')).id} --expires-in none`,
    );
    expect(ever.expires_at).toBeNull();
    const third = await terminal.json(`key rotate ${next.id} --expires-in 1d`);
    expect(secondsFromNow(third.expires_at)).toBeCloseTo(86_400, -2);
  });

  it('tourctl key rotate asks before it revokes the old key with --grace 0', async () => {
    const old = await issue();
    expect((await terminal.tourctl(`key rotate ${old.id} --grace 0 --json`)).code).toBe(2);
    expect((await listed(old.id)).status).toBe('live');
    const json = await terminal.json(`key rotate ${old.id} --grace 0 --yes`);
    await expect(verify(old.key)).rejects.toMatchObject({ code: 'key_revoked' });
    await expect(verify(json.key)).resolves.toMatchObject({ keyId: json.id });
  });

  it('tourctl key rotate refuses a rotated, revoked or expired key', async () => {
    const rotated = await issue();
    await terminal.tourctl(`key rotate ${rotated.id}`);
    const revoked = await issue();
    await terminal.tourctl(`key revoke ${revoked.id} --yes`);
    const expired = await issue('--scope catalog:read --expires-in 1d');
    await change(expired.id, { expires_at: '2020-01-01T00:00:00Z' });
    for (const { id } of [rotated, revoked, expired]) {
      expect(await terminal.refusal(`key rotate ${id}`)).toBe('1 api_key_not_live');
    }
  });

  it('tourctl key rotate issues one successor when two operators rotate at once', async () => {
    const old = await issue();
    const answers = await Promise.all([1, 2].map(() => terminal.tourctl(`key rotate ${old.id} --json`)));
    expect(answers.map((answer) => answer.code).sort()).toEqual([0, 1]);
  });
});

describe('the subscriptions of OCTO that a key made', () => {
  /** Stores a subscription, as the API does for a request with the key. @returns its id */
  async function givenSubscription(key: { id: string }, name: string): Promise<string> {
    const { tenantId } = await terminal.db('api_keys').where({ id: key.id }).first('tenant_id');
    const [row] = await terminal
      .db('webhook_endpoints')
      .insert({
        tenant_id: tenantId,
        url: `https://reseller.example/${name}`,
        format: 'octo',
        events: ['octo.product_update'],
        api_key_id: key.id,
      })
      .returning('id');
    return row.id;
  }
  const warning = (name: string, id: string) =>
    `warning: The key made a subscription of OCTO, which stays: https://reseller.example/${name}. ` +
    `If nobody knows the address: tourctl webhook remove ${id}`;

  it('tourctl key revoke warns of each subscription that the key made, until it is removed', async () => {
    const [key, other] = [await issue(), await issue()];
    const [first, second] = [await givenSubscription(key, 'one'), await givenSubscription(key, 'two')];
    await givenSubscription(other, 'three');
    const { stderr } = await terminal.tourctl(`key revoke ${key.id} --yes`);
    expect(stderr).toContain(warning('one', first));
    expect(stderr).toContain(warning('two', second));
    expect(stderr).not.toContain('three');
    await terminal.tourctl(`webhook remove ${first} --yes`);
    const again = await terminal.tourctl(`key revoke ${key.id} --yes`);
    expect(again.stderr).toContain(warning('two', second));
    expect(again.stderr).not.toContain(first);
  });

  it('tourctl key rotate warns of them only if it revokes the old key', async () => {
    const [ended, going] = [await issue(), await issue()];
    const id = await givenSubscription(ended, 'four');
    await givenSubscription(going, 'five');
    expect((await terminal.tourctl(`key rotate ${ended.id} --grace 0 --yes`)).stderr).toContain(
      warning('four', id),
    );
    expect((await terminal.tourctl(`key rotate ${going.id}`)).stderr).not.toContain('five');
  });

  it('tourctl webhook list and show name the format octo and the key', async () => {
    const key = await issue();
    const id = await givenSubscription(key, 'six');
    const shown = { id, format: 'octo', api_key: key.id };
    const { items } = await terminal.json('webhook list acme');
    expect(items).toContainEqual(expect.objectContaining(shown));
    expect(await terminal.json(`webhook show ${id}`)).toMatchObject(shown);
  });
});

describe('tourctl key list', () => {
  const givenKey = async (row: Record<string, unknown>, flags?: string) => {
    const { id } = await issue(flags);
    await change(id, row);
    return id as string;
  };
  const daysAgo = (days: number) => terminal.db.raw(`now() - interval '${days} days'`);

  it.each([
    ['seen in a browser', { browser_seen_at: daysAgoText(1) }, ['seen_in_browser']],
    ['never used for a week', { created_at: daysAgoText(8) }, ['never_used']],
    ['never used, but less than a week old', { created_at: daysAgoText(6) }, []],
    ['used', { created_at: daysAgoText(8), last_used_at: daysAgoText(1) }, []],
    ['that expires within two weeks', { expires_at: daysAgoText(-13) }, ['expires_soon']],
    ['that expires later than in two weeks', { expires_at: daysAgoText(-15) }, []],
    ['revoked and seen in a browser', { browser_seen_at: daysAgoText(1), revoked_at: daysAgoText(0) }, []],
    ['expired', { browser_seen_at: daysAgoText(1), expires_at: daysAgoText(1) }, []],
    [
      'with three issues',
      { browser_seen_at: daysAgoText(1), created_at: daysAgoText(9), expires_at: daysAgoText(-1) },
      ['seen_in_browser', 'expires_soon', 'never_used'],
    ],
  ])('tourctl key list shows the right warnings for a key %s', async (_, row, warnings) => {
    const id = await givenKey(row);
    expect((await listed(id)).warnings).toEqual(warnings);
  });

  it('tourctl key list does not warn of a rotated key', async () => {
    const id = await givenKey({ created_at: daysAgo(8) });
    await terminal.tourctl(`key rotate ${id}`);
    expect((await listed(id)).warnings).toEqual([]);
  });

  it('tourctl key list prints on stderr the command that removes the cause of a warning', async () => {
    await terminal.tourctl('tenant create --slug careless --name Careless');
    const { id } = await terminal.json('key issue careless --scope catalog:read');
    await change(id, { browser_seen_at: daysAgo(1) });
    const { stdout, stderr } = await terminal.tourctl('key list careless');
    expect(stdout).toContain('in a browser');
    expect(stderr).toContain(`tourctl key rotate ${id} --grace 0`);
    expect((await terminal.tourctl('key list careless --json')).stderr).toBe('');
  });

  it('tourctl key list says when it does not show all keys, and warns only of shown keys', async () => {
    await terminal.tourctl('tenant create --slug many --name Many');
    for (let i = 0; i < 4; i++) await terminal.tourctl('key issue many --scope catalog:read');
    const tenants = terminal.db('tenants').where({ slug: 'many' }).select('id');
    await terminal
      .db('api_keys')
      .whereIn('tenant_id', tenants)
      .update({ created_at: daysAgo(8) });
    await expectPages(terminal, 'key list many', { warns: true });
    const few = await terminal.tourctl('key list many --limit 2');
    expect(few.stderr.match(/was never used/g)).toHaveLength(2);
    expect(await terminal.refusal('key list many --after AAAAAAAAAAAA')).toBe('1 api_key_not_found');
  });

  it('tourctl key list lists the keys of all tenants with their tenants if no slug is given', async () => {
    for (const slug of ['one', 'two'])
      await terminal.tourctl(`tenant create --slug ${slug} --name Of-${slug}`);
    const one = await terminal.json('key issue one --scope catalog:read');
    const two = await terminal.json('key issue two --scope catalog:read');
    expect((await terminal.json('key list --limit 2')).items).toMatchObject([
      { id: two.id, tenant: 'two' },
      { id: one.id, tenant: 'one' },
    ]);
    expect((await terminal.json(`key list --limit 1 --after ${two.id}`)).items).toMatchObject([
      { id: one.id },
    ]);
    const { stdout } = await terminal.tourctl('key list --limit 2');
    expect(stdout).toMatch(new RegExp(`^ID +TENANT +STATUS.*\n${two.id} +two +live.*\n${one.id} +one +live`));
    expect((await terminal.tourctl('key list one')).stdout).not.toContain('TENANT');
  });

  it('tourctl key list filters keys by status', async () => {
    await terminal.tourctl('tenant create --slug mixed --name Mixed');
    const mixed = async (row: Record<string, unknown>) => {
      const { id } = await terminal.json('key issue mixed --scope catalog:read');
      await change(id, { id, ...row });
      return id;
    };
    const ids = {
      live: await mixed({}),
      expired: await mixed({ expires_at: daysAgo(1) }),
      revoked: await mixed({ expires_at: daysAgo(1), revoked_at: daysAgo(1) }),
    };
    for (const [status, id] of Object.entries(ids)) {
      const { items } = await terminal.json(`key list mixed --status ${status}`);
      expect(items).toMatchObject([{ id, status }]);
    }
    expect((await terminal.tourctl('key list mixed --status dead')).code).toBe(2);
  });
});
