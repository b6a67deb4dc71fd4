import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { givenTenant, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
const folder = useTemporaryFolder();
const file = path.join(folder, 'default-tenant');

beforeAll(async () => {
  terminal.env.DATA_DIR = folder;
  for (const slug of ['acme', 'riviera']) await givenTenant(terminal.db, { slug });
  await givenTour(terminal.db, { slug: 'alps' });
  await terminal.tourctl('use acme');
});

describe('tourctl use', () => {
  it('tourctl use stores, shows and forgets a tenant in a file that only its owner can read', async () => {
    expect(await terminal.json('use riviera')).toEqual({ tenant: 'riviera', from: 'tourctl use' });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['riviera\n', 0o600]);
    expect((await terminal.tourctl('use')).stdout).toBe('riviera\n');
    expect(await terminal.json('use --clear')).toEqual({ tenant: null, from: null });
    expect([existsSync(file), (await terminal.tourctl('use')).stdout]).toEqual([
      false,
      'No default tenant\n',
    ]);
    await terminal.tourctl('use acme');
  });

  it('tourctl use refuses an unknown tenant, suggests the nearest ones, and keeps the previous tenant', async () => {
    const { code, error } = await terminal.tourctl('use acmee --json');
    expect([code, error.code, error.message]).toEqual([
      1,
      'tenant_not_found',
      expect.stringContaining('Did you mean acme?'),
    ]);
    expect(await terminal.json('use')).toEqual({ tenant: 'acme', from: 'tourctl use' });
  });

  it('tourctl use refuses a slug together with --clear', async () => {
    expect(await terminal.refusal('use acme --clear')).toBe('2 usage_error');
  });

  it('tourctl use says that TOURCTL_TENANT takes precedence', async () => {
    await withEnv(terminal, { TOURCTL_TENANT: 'riviera' }, async () => {
      expect(await terminal.json('use')).toEqual({ tenant: 'riviera', from: 'TOURCTL_TENANT' });
      const { stdout, stderr } = await terminal.tourctl('use acme');
      expect([stdout, stderr]).toEqual(['riviera\n', 'warning: TOURCTL_TENANT is set, and wins: riviera\n']);
    });
  });

  it('tourctl use names the file that cannot be written, and the variable to set instead', async () => {
    writeFileSync(path.join(folder, 'taken'), '');
    await withEnv(terminal, { DATA_DIR: path.join(folder, 'taken') }, async () => {
      const { code, error } = await terminal.tourctl('use acme --json');
      expect([code, error.code]).toEqual([1, 'file_not_written']);
      expect(error.message).toContain('set TOURCTL_TENANT instead');
    });
  });
});

describe('a command that lacks only its slug', () => {
  it.each([
    ['key issue --scope catalog:read', 'tenant'],
    ['widget list', 'items'],
    ['origins add https://a.example https://b.example', 'origins'],
    ['origins list', 'origins'],
    ['visibility explain alps', 'tour'],
    ['pricing simulate alps', 'tour'],
    ['pricing add --percent 5', 'tenant'],
    ['webhook add https://acme.example/hooks', 'url'],
  ])(
    'a command without its slug uses the default tenant, and names it on stderr: %s',
    async (line, field) => {
      const { code, stdout, stderr } = await terminal.tourctl(line);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Tenant: acme \(tourctl use\)\n/)]);
      expect(stdout).not.toBe('');
      const document = await withEnv(terminal, { TOURCTL_TENANT: 'riviera' }, () =>
        terminal.tourctl(`${line} --json`),
      );
      expect(document.json).toHaveProperty(field);
      expect(JSON.parse(document.stderr.split('\n')[0]!)).toEqual({
        warning: { message: 'Tenant: riviera (TOURCTL_TENANT)' },
      });
    },
  );

  it('pricing remove without a slug removes a price rule of the default tenant only', async () => {
    const { id } = await terminal.json('pricing add riviera --percent 3');
    expect((await terminal.tourctl(`pricing remove ${id} --yes --json`)).code).toBe(1);
    expect((await terminal.tourctl(`pricing remove riviera ${id} --yes`)).stderr).not.toContain('Tenant:');
  });

  it.each([
    ['origins add acme', '<origin> is missing'],
    ['pricing remove acme', '<id> is missing'],
    ['pricing simulate', '<slug> is missing\n  <tour> is missing'],
    ['webhook add acme', '<url> is missing'],
    ['tenant show', '<slug> is missing'],
    ['tenant suspend --yes', '<slug> is missing'],
  ])(
    'the default tenant does not replace a missing argument in this command line: %s',
    async (line, message) => {
      const { code, stdout, stderr } = await terminal.tourctl(line);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
      expect(stderr).not.toContain('Tenant:');
    },
  );

  it('the default tenant limits no list', async () => {
    await terminal.tourctl('key issue riviera --scope catalog:read');
    const { items } = await terminal.json('key list');
    expect(items.map(({ tenant }: { tenant: string }) => tenant)).toContain('riviera');
  });
});
