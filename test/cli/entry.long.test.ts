import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { useTemporaryFolder } from '../support/temporary-folder';
import { TOURCTL, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const elsewhere = useTemporaryFolder();

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the real file like a shell, in a directory outside the checkout. */
function tourctl(args: string[], env: Record<string, string>, stdin = ''): Promise<Outcome> {
  const child = spawn(TOURCTL, args, {
    cwd: elsewhere,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const outcome = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()));
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...outcome }));
  });
}

describe('cli/tourctl.js', () => {
  it('cli/tourctl.js runs from any directory', async () => {
    const name = 'Über den Wolken';
    const created = await tourctl(
      ['tenant', 'create', '--slug', 'acme', '--name', name, '--json'],
      terminal.env,
    );
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(created.stdout)).toMatchObject({ slug: 'acme', name });
  });

  it('cli/tourctl.js reads a token from a pipe', async () => {
    await terminal.tourctl('tenant create --slug piped --name Piped');
    const { key } = await terminal.json('key issue piped --scope catalog:read');
    const { code, stdout } = await tourctl(['key', 'inspect', '--json'], terminal.env, `${key}\n`);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ usable: true, tenant: 'piped' }),
    ]);
  });

  it('cli/tourctl.js asks no question on a pipe, but exits with 2 and names what is missing', async () => {
    const { code, stdout, stderr } = await tourctl(
      ['tenant', 'create', '--json'],
      terminal.env,
      'acme\nyes\n',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error.message).toContain('--slug is missing');
  });

  it('cli/tourctl.js reports in one line that the database is unreachable, with nothing on stdout', async () => {
    const env = { ...terminal.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    const { code, stdout, stderr } = await tourctl(['tenant', 'list', '--json'], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'database_unreachable' });
  });

  it('migrate creates a database if none is configured, and later commands use it', async () => {
    const env = { DATA_DIR: path.join(elsewhere, 'data') };
    const create = ['tenant', 'create', '--slug', 'first', '--name', 'First', '--json'];
    expect((await tourctl(create, env)).code).toBe(1);
    expect((await tourctl(['migrate'], env)).code).toBe(0);
    const created = await tourctl(create, env);
    expect([created.code, JSON.parse(created.stdout)]).toEqual([
      0,
      expect.objectContaining({ slug: 'first' }),
    ]);
    const issued = await tourctl(['key', 'issue', 'first', '--scope', 'catalog:read'], env);
    expect(issued.stdout).toMatch(/^svc_live_\S+\n$/);
    expect(readFileSync(path.join(env.DATA_DIR, 'secrets.json'), 'utf8')).toContain('keyPepper');
    const listed = await tourctl(['tenant', 'list', '--json'], env);
    expect(JSON.parse(listed.stdout).items).toHaveLength(1);
  });
});
