import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TOURCTL, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
});

/** Runs the line in a shell, with redirected standard output. */
async function shell(line: string): Promise<{ code: number; stderr: string }> {
  const env = { PATH: process.env.PATH, ...terminal.env };
  const script = `set -o pipefail; ${line.replace('tourctl', `'${process.execPath}' '${TOURCTL}'`)}`;
  return promisify(execFile)('bash', ['--norc', '-c', script], { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

describe('tourctl whose standard output cannot be written', () => {
  it('tourctl that cannot write its output reports that a key is valid but its secret is lost', async () => {
    const { code, stderr } = await shell('tourctl key issue acme --scope catalog:read --json > /dev/full');
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'output_lost', message: expect.stringMatching(/ENOSPC.*its secret is lost/) },
    });
  });

  it('tourctl reports a lost secret after the reader has closed the pipe', async () => {
    const { stderr } = await shell('tourctl key issue acme --scope catalog:read | true');
    expect(stderr).toMatch(/EPIPE.*rotate or revoke it/);
  });

  it('tourctl reports that the change was made although its output is lost', async () => {
    const { code, stderr } = await shell('tourctl tenant create --slug full --name Full > /dev/full');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the change was made')]);
    expect((await terminal.tourctl('tenant show full --json')).code).toBe(0);
  });

  it('tourctl ends without a message when the reader of a list closes the pipe', async () => {
    expect(await shell('tourctl tenant list | true')).toEqual({ code: 0, stderr: '' });
    const full = await shell('tourctl tenant list > /dev/full');
    expect(full).toEqual({ code: 1, stderr: 'error: Standard output cannot be written (ENOSPC)\n' });
  });
});
