import { execFileSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Runs the logger in a separate process, because it writes to the process's stdout. */
function logged(script: string): Record<string, unknown>[] {
  const source = `const { createLogger } = require('./dist/services/platform/logger'); const log = createLogger('info', 'test'); ${script}`;
  const stdout = execFileSync(process.execPath, ['-e', source], { cwd: ROOT, encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the logger', () => {
  it('the logger writes one JSON line for each event, with personal data and secrets redacted at two depths', () => {
    const [line] = logged(
      `log.info({ token: 'svc', customer: { name: 'Ana' }, lead: { email: 'a@b.c', phone: '1' } }, 'x');`,
    );
    expect(line).toMatchObject({
      level: 'info',
      service: 'test',
      msg: 'x',
      token: '[redacted]',
      customer: '[redacted]',
      lead: { email: '[redacted]', phone: '[redacted]' },
    });
  });

  it('the logger redacts the fields of objects without a prototype and of any class', () => {
    const lines = logged(
      `class Call { token = 'svc' }
       log.info({ query: Object.assign(Object.create(null), { api_key: 'svc' }), body: { constructor: 'x', email: 'svc' }, call: new Call() }, 'x');`,
    );
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('svc');
  });

  it('the logger keeps the code and the message of a database error, and drops the statement and its values', () => {
    const [line] = logged(
      `const e = Object.assign(new Error("insert ('ana@example.com') - duplicate key"), { code: '23505', constraint: 'c', detail: 'Key (email)=(ana@example.com)' }); log.error({ err: e }, 'x');`,
    );
    expect(line!.err).toMatchObject({ code: '23505', constraint: 'c', message: 'duplicate key' });
    expect(JSON.stringify(line)).not.toContain('ana@example.com');
  });

  it('the logger hides a credential in the message of an error', () => {
    const [line] = logged(
      `log.error({ err: new Error('invalid input: "svc_live_abcdefghijkl_secret"\\nsvc_widget_abcdefghijkl_secret') }, 'x');`,
    );
    expect(line!.err).toMatchObject({ message: 'invalid input: "svc_live_…"\nsvc_widget_…' });
    expect(JSON.stringify(line)).not.toContain('_secret');
  });

  it('the logger counts the errors of an unreachable database, and writes neither stack nor statement nor values', () => {
    const lines = logged(
      `const away = (message) => ({ err: new Error(\`insert ('ana@example.com') - \${message}\`), request_id: 'r' });
       for (let n = 0; n < 20; n++) log.error(away('Connection terminated unexpectedly'), 'internal_error');
       log.warn(away('Query read timeout'), 'sweep failed'); log.info('request'); setTimeout(() => {}, 1200);`,
    );
    const line = { level: 'error', msg: 'the database cannot be used, or no connection is free' };
    expect(lines).toEqual([
      expect.objectContaining({ ...line, failures: { internal_error: 1 } }),
      expect.objectContaining({ level: 'info', msg: 'request' }),
      expect.objectContaining({
        ...line,
        reason: 'Query read timeout',
        failures: { internal_error: 19, 'sweep failed': 1 },
      }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/ana@example|stack|insert/);
  });

  it('the logger writes one line, whatever the text', () => {
    const text = 'a\r\nb\u001b[2J\u2028{"level":"error"}';
    expect(logged(`log.info({ reference: ${JSON.stringify(text)} }, 'x');`)).toEqual([
      expect.objectContaining({ level: 'info', reference: text }),
    ]);
  });
});
