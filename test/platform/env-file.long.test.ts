import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { withEnvFile, readEnvFile } from '../../services/platform/config/config';
import { TOURCTL } from '../cli/terminal';
import { SERVICE_ENTRY } from '../support/service-entry';
import { useTemporaryFolder } from '../support/temporary-folder';

const folder = useTemporaryFolder();
const file = path.join(folder, '.env');
const read = (text: string) => {
  writeFileSync(file, text);
  return readEnvFile(file);
};

describe('an .env file', () => {
  it('the reader of .env files reads names and values, with or without quotes, and skips comments', () => {
    const text = [
      '\uFEFF# settings of this machine',
      '',
      'API_PORT=4100 # the API',
      'export HOST = ::1',
      'SUPPLIER_NAME="Tours # and more"',
      "SUPPLIER_ADDRESS='1 Long Road",
      "Bergen'",
      'LOG_LEVEL=',
      'SUPPLIER_PHONE=it"s',
    ];
    const values = {
      API_PORT: '4100',
      HOST: '::1',
      SUPPLIER_NAME: 'Tours # and more',
      SUPPLIER_ADDRESS: '1 Long Road\nBergen',
      LOG_LEVEL: '',
      SUPPLIER_PHONE: 'it"s',
    };
    expect(read(text.join('\n'))).toEqual(values);
    expect(read(text.join('\r\n').replace('Road\r', 'Road'))).toEqual(values);
  });

  it('the reader of .env files returns no value for an .env file that does not exist', () => {
    expect(readEnvFile(path.join(folder, 'none'))).toEqual({});
  });

  it.each([
    ['API_PORT=1\nhunter2\n', 'line 2, is not NAME=value'],
    ['9_LIVES=hunter2', 'line 1, is not NAME=value'],
    ['A B=hunter2', 'line 1, is not NAME=value'],
    ['\n\nKEY_PEPPER="hunter2\nHOST=::1\n', 'line 3, has no closing "'],
    ["A='1\n2'\nhunter2", 'line 3, is not NAME=value'],
  ])(
    'the reader of .env files refuses an invalid line with its number and without its text: %j',
    (text, problem) => {
      expect(() => read(text)).toThrow(`${file}, ${problem}. Correct the file, or move it away`);
    },
  );

  it('the reader of .env files refuses an .env file that cannot be read', () => {
    const directory = path.join(folder, 'directory');
    mkdirSync(directory);
    expect(() => readEnvFile(directory)).toThrow(`${directory} cannot be read (EISDIR`);
  });

  it('the reader of .env files adds only variables of this platform, and never changes a variable that is set', () => {
    writeFileSync(file, 'API_PORT=1\nHOST=::1\nLOG_LEVEL=warn\nPGOPTIONS=x\n');
    expect(withEnvFile({ API_PORT: '2', LOG_LEVEL: '', PATH: 'p' }, file)).toEqual({
      API_PORT: '2',
      HOST: '::1',
      LOG_LEVEL: '',
      PATH: 'p',
    });
  });
});

describe('a process', () => {
  const start = (program: string, args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
    }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );

  it.each([
    ['the API', SERVICE_ENTRY.api, []],
    ['the webhook queue', SERVICE_ENTRY['webhook-queue'], []],
    ['tourctl migrate', TOURCTL, ['migrate']],
    ['tourctl up', TOURCTL, ['up']],
  ])(
    '%s reads .env in its working directory, and the environment takes precedence',
    async (_, program, args) => {
      writeFileSync(file, 'API_PORT=70000\n');
      expect(await start(program, args)).toMatch(/: API_PORT must be a whole number from 1 to 65535\n$/);
      const given = { API_PORT: '1', LOG_LEVEL: 'loud' };
      expect(await start(program, args, given)).toMatch(/: LOG_LEVEL must be one of [^\n]+\n$/);
      writeFileSync(file, 'API_PORT\n');
      expect(await start(program, args)).toMatch(/: [^\n]+\.env, line 1, is not NAME=value\. [^\n]+\n$/);
    },
  );

  it('an empty variable of the environment means the default, not the value in .env', async () => {
    writeFileSync(file, 'API_PORT=4100\n');
    const get = ['config', 'get', 'API_PORT'];
    expect(await start(TOURCTL, get)).toBe('4100\n');
    expect(await start(TOURCTL, get, { API_PORT: '' })).toBe('3000\n');
  });
});

const describeAsRoot = process.geteuid?.() === 0 ? describe : describe.skip;
describeAsRoot('a process of an account that may not read .env', () => {
  it.each([
    ['the owner', { uid: 65534, gid: 0, mode: 0o600 }, 'nobody', 'sudo -u nobody tourctl …'],
    ['root', { uid: 0, gid: 0, mode: 0o640 }, 'root', 'sudo tourctl …'],
    ['an owner without a name', { uid: 54_321, gid: 0, mode: 0o600 }, '#54321', "sudo -u '#54321' tourctl …"],
    ['the account of the group', { uid: 0, gid: 1, mode: 0o640 }, 'daemon', 'sudo -u daemon tourctl …'],
  ])(
    'a process of an account that may not read .env names %s as the account to run as, and does not say to move the file',
    async (_, { uid, gid, mode }, name, command) => {
      const stranger = { cwd: folder, uid: 4321, gid: 4321, env: { PATH: process.env.PATH } };
      writeFileSync(file, 'API_PORT=4100\n');
      chmodSync(folder, 0o755);
      chownSync(file, uid, gid);
      chmodSync(file, mode);
      const run = promisify(execFile)(process.execPath, [TOURCTL, 'config', 'get', 'API_PORT'], stranger);
      const failure = await run.catch((error: { code: number; stderr: string }) => error);
      chownSync(file, 0, 0);
      expect(failure).toMatchObject({
        code: 1,
        stderr:
          `error: ${file} cannot be read by this account. ` +
          `Run this as ${name}, who may read it, such as: ${command}\n`,
      });
    },
  );

  it('a process that may not enter the folder of .env names the owner of the folder', async () => {
    chownSync(folder, 1, 1);
    chmodSync(folder, 0o700);
    const stranger = { cwd: folder, uid: 4321, gid: 4321, env: { PATH: process.env.PATH } };
    const run = promisify(execFile)(process.execPath, [TOURCTL, 'config', 'get', 'API_PORT'], stranger);
    const failure = await run.catch((error: { stderr: string }) => error);
    chownSync(folder, 0, 0);
    expect(failure.stderr).toContain(
      'Run this as daemon, who may read it, such as: sudo -u daemon tourctl …',
    );
  });
});
