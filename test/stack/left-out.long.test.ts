import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInstalled, describeLeftOut } from '../support/describe-with';

describe('a run without a program that some suites need', () => {
  it('a test run without programs that some suites need names the skipped suites and how to install each program', () => {
    const written =
      'redis-server\tquotas\nnginx\tthe proxy\nredis-server\tthe cache\nredis-server\tquotas\n@scope/name\ttraces\n';
    expect(describeLeftOut(written).split('\n')).toEqual([
      'Left out, as redis-server is not installed: quotas; the cache. To run them: apt-get install redis-server',
      'Left out, as nginx is not installed: the proxy. To run them: apt-get install nginx',
      'Left out, as @scope/name is not installed: traces. To run them: let npm reach its registry',
      '',
    ]);
    expect(describeLeftOut('')).toBe('');
  });

  it('a test run on a machine that cannot run a suite names the suite and the reason', () => {
    expect(describeLeftOut('the containers of docker/, because a Docker engine needs root\n')).toBe(
      'Left out: the containers of docker/, because a Docker engine needs root\n',
    );
  });

  it('a program counts as installed only if the path has an executable file of its name', () => {
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
