import { spawnSync } from 'node:child_process';
import path from 'node:path';

const SERVICE = path.resolve(__dirname, '../../dist/services/platform/service.js');

/** Runs a service with this main function, as source text. */
function run(main: string): { status: number | null; stderr: string } {
  const script = `require(${JSON.stringify(SERVICE)}).runService('api', 'API_PORT', ${main})`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
}

describe('a service', () => {
  it('a service ends with exit code 1 and a message when it has nothing left to wait for', () => {
    expect(run('async () => {}')).toMatchObject({
      status: 1,
      stderr: 'api: The process ended although nobody stopped it: read its log, then start it again.\n',
    });
  });

  it('a service ends with exit code 1 and the message of its error', () => {
    expect(run(`async () => { throw new Error('No secret.'); }`)).toMatchObject({
      status: 1,
      stderr: 'api: No secret.\n',
    });
  });

  it('a service names the port that is taken and the variable that changes it', () => {
    const taken = `Object.assign(new Error(), { code: 'EADDRINUSE', port: 3000 })`;
    expect(run(`async () => { throw ${taken}; }`)).toMatchObject({
      status: 1,
      stderr: 'api: Port 3000 is taken: stop the process that uses it, or set API_PORT to another port.\n',
    });
  });
});
