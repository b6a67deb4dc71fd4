import { databaseCredentials } from '../../services/api/credentials/credential-source';
import { issueApiKey } from '../../services/api/credentials/manage-credentials';
import { mintCredentialToken } from '../../services/api/credentials/token';
import { verifyApiKey } from '../../services/api/credentials/verify-credential';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { inTransaction, toColumns } from '../../services/platform/database/database';
import { PEPPER } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal({ KEY_PEPPER: PEPPER });

beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

const issue = async (flags = '--scope catalog:read') => terminal.json(`key issue acme ${flags}`);
const verify = (token: string) =>
  verifyApiKey(databaseCredentials(terminal.db), PEPPER, token, 'catalog:read');

describe('an API key', () => {
  it('verification refuses a key as soon as key revoke returns', async () => {
    const { id, key } = await issue();
    const json = await terminal.json(`key revoke ${id} --yes`);
    expect(json).toMatchObject({ id, status: 'revoked' });
    await expect(verify(key)).rejects.toMatchObject({ code: 'key_revoked', proven: true });
  });

  it('a second revocation keeps the time of the first, and leaves no audit row', async () => {
    const { id } = await issue();
    const first = await terminal.tourctl(`key revoke ${id} --yes --json`);
    const second = await terminal.tourctl(`key revoke ${id} --yes --json`);
    expect(second.json).toEqual(first.json);
    expect(await terminal.db('audit_log').where({ action: 'key.revoke', subject: id })).toHaveLength(1);
  });

  it('verification refuses an expired key by the clock of the database', async () => {
    const { id, key } = await issue('--scope catalog:read --expires-in 1d');
    await terminal
      .db('api_keys')
      .where({ id })
      .update({ expires_at: terminal.db.raw("clock_timestamp() - interval '1 ms'") });
    await expect(verify(key)).rejects.toMatchObject({ code: 'key_expired', proven: true });
    const { items } = await terminal.json('key list acme --limit 1000');
    expect(items).toContainEqual(expect.objectContaining({ id, status: 'expired' }));
  });

  it('verification refuses a key without the required scope', async () => {
    const { key } = await issue('--scope booking:read');
    await expect(verify(key)).rejects.toMatchObject({
      code: 'insufficient_scope',
      scope: 'catalog:read',
      proven: true,
    });
  });

  it('verification refuses the key of a suspended tenant, and accepts it again once the tenant is active', async () => {
    await terminal.tourctl('tenant create --slug pausing --name Pausing');
    const { key } = await terminal.json('key issue pausing --scope catalog:read');
    await terminal.tourctl('tenant suspend pausing --yes');
    await expect(verify(key)).rejects.toMatchObject({ code: 'tenant_inactive', proven: true });
    await terminal.tourctl('tenant activate pausing');
    await expect(verify(key)).resolves.toMatchObject({ kind: 'api_key' });
  });

  it('the refusal of an unknown key or a wrong secret gives no reason', async () => {
    const { key } = await issue();
    const stranger = mintCredentialToken('api_key').token;
    const { digest, digestAlg, ...row } = await terminal
      .db('api_keys')
      .where({ id: key.slice(9, 21) })
      .first();
    await terminal.db('api_keys').insert(toColumns({ ...row, id: stranger.slice(9, 21), digest, digestAlg }));
    for (const token of [stranger, mintCredentialToken('api_key').token, 'svc_live_x', '', `${key}x`]) {
      await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_api_key', proven: false });
    }
  });

  it('a widget token gets the code wrong_credential_type only if its secret is right', async () => {
    const forged = mintCredentialToken('widget_token').token;
    await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_api_key', proven: false });
    const { token } = (await terminal.json('widget issue acme')) as { token: string };
    await expect(verify(token)).rejects.toMatchObject({ code: 'wrong_credential_type', proven: true });
  });

  it('a key stored without a pepper stays valid after a pepper is set', async () => {
    const tenant = await findTenant(terminal.db, 'acme');
    const plain = await inTransaction(terminal.db, (trx) =>
      issueApiKey(trx, undefined, tenant, { scopes: ['catalog:read'] }),
    );
    await expect(verify(plain.token)).resolves.toMatchObject({ keyId: plain.credential.id });
  });

  it('a key stored with a pepper is refused without the pepper', async () => {
    const { key } = await issue();
    await expect(
      verifyApiKey(databaseCredentials(terminal.db), undefined, key, 'catalog:read'),
    ).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('tourctl key issue requires the pepper that the database was used with', async () => {
    await issue();
    delete terminal.env.KEY_PEPPER;
    const { code, error } = await terminal.tourctl('key issue acme --scope catalog:read --json');
    terminal.env.KEY_PEPPER = PEPPER;
    expect([code, error.code]).toEqual([1, 'wrong_secrets']);
    expect(error.message).toMatch(/^KEY_PEPPER is not the one that this database was used with: /);
  });

  it('revoke and rotate of an unknown key exit with 1', async () => {
    for (const line of ['key revoke aaaaaaaaaaaa --yes', 'key rotate aaaaaaaaaaaa']) {
      expect(await terminal.refusal(`${line}`)).toBe('1 api_key_not_found');
    }
  });

  it('tourctl key revoke refuses a secret as an argument and does not print it', async () => {
    const { key } = await issue();
    const { code, stderr } = await terminal.tourctl(`key revoke ${key} --yes`);
    expect(code).toBe(2);
    expect(stderr).toContain('never the secret');
    expect(stderr).not.toContain(key);
  });
});
