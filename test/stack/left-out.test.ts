import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInstalled, tellLeftOut } from '../support/describe-with';

describe('a run without a program that some suites need', () => {
  it('says which it left out, and how to get the program, a line each', () => {
    const written = 'redis-server\tquotas\nnginx\tthe proxy\nredis-server\tthe cache\nredis-server\tquotas\n';
    expect(tellLeftOut(written).split('\n')).toEqual([
      'Left out, as redis-server is not installed: quotas; the cache. To run them: apt-get install redis-server',
      'Left out, as nginx is not installed: the proxy. To run them: apt-get install nginx',
      '',
    ]);
    expect(tellLeftOut('')).toBe('');
  });

  it('looks along the path, for what may be run', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'test-path-'));
    const before = process.env.PATH;
    process.env.PATH = `${before}${path.delimiter}${dir}`;
    expect(isInstalled('tours-cache')).toBe(false);
    writeFileSync(path.join(dir, 'tours-cache'), '', { mode: 0o600 });
    writeFileSync(path.join(dir, 'tours-proxy'), '', { mode: 0o700 });
    expect([isInstalled('tours-cache'), isInstalled('tours-proxy')]).toEqual([false, true]);
    process.env.PATH = before;
    rmSync(dir, { recursive: true });
  });
});
