import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from '../support/listen';
import { useTemporaryFolder } from '../support/temporary-folder';

const folder = useTemporaryFolder();

/** Runs the audit against a registry. The registry answers each audit request with this status and these findings for express. */
async function auditWith(status: number, findings: object[]): Promise<{ code: number; output: string }> {
  const registry = http.createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === 'POST' ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.method === 'POST' ? { express: findings } : {}));
  });
  const port = await listen(registry);
  const child = spawn(process.execPath, ['--import', 'tsx', path.join(__dirname, 'audit.ts')], {
    env: {
      ...process.env,
      // npm keeps findings in its cache.
      npm_config_cache: await mkdtemp(path.join(folder, 'npm-')),
      npm_config_registry: `http://127.0.0.1:${port}/`,
    },
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  registry.closeAllConnections();
  registry.close();
  return { code: code as number, output };
}

const finding = (severity: string) => ({
  id: 1,
  url: 'https://advisories.example/1',
  title: 'Test',
  severity,
  vulnerable_versions: '<99',
  cwe: [],
  cvss: { score: 5, vectorString: null },
});

describe('npm run audit', () => {
  it('npm run audit fails for a production package with a finding of the severity high, and names it', async () => {
    expect(await auditWith(200, [finding('high')])).toEqual({
      code: 1,
      output: expect.stringContaining('express: high'),
    });
  });

  it('npm run audit reports a finding of the severity low, and succeeds', async () => {
    expect(await auditWith(200, [finding('low')])).toEqual({
      code: 0,
      output: expect.stringContaining('express: low'),
    });
  });

  it('npm run audit succeeds and says that nothing was checked where the registry refuses audit requests', async () => {
    expect(await auditWith(405, [])).toEqual({
      code: 0,
      output: expect.stringMatching(/^Nothing was checked.*405/),
    });
  });
});
