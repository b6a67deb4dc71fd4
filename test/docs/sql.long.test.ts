import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mintCredentialToken } from '../../services/api/credentials/token';
import { serverPrograms } from '../chaos/failover/server-programs';
import { TOURCTL } from '../cli/terminal';
import { killChildren } from '../stack/child';
import { type Instance, startInstance } from '../stack/service';
import { createDebianPostgres, type DebianPostgres } from '../support/debian-postgres';
import { describeWith, isInstalled } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import { useTemporaryFolder } from '../support/temporary-folder';
import { codeBlocks, inlineStatements } from './code-blocks';
import { type Outcome, pageSnippets, runProgram } from './guide';

const PASSWORD = 'a-password';
const LOGINS = 'A PostgreSQL of your own';
/** The value for `…` in a statement. */
const FORMS: [statement: RegExp, value: string][] = [[/pg_terminate_backend/, '0']];

describeWith(
  'postgresql',
  'the SQL of docs/',
  () => describeWith('jq', 'with jq', suite),
  serverPrograms() !== undefined && isInstalled('psql'),
);

function suite(): void {
  const folder = useTemporaryFolder();
  const [logins] = pageSnippets('run-many.md', LOGINS, 'sql');
  let postgres: DebianPostgres;
  let api: Instance;
  beforeAll(async () => {
    postgres = await createDebianPostgres(path.join(folder, 'postgres'));
  }, 60_000);
  afterAll(() => killChildren());

  const urlOf = (login: string) => `postgres://${login}:${PASSWORD}@127.0.0.1:${postgres.port}/tours`;
  const settingsOf = (login: string) => ({
    DATABASE_URL: urlOf(login),
    SECRETS_KEY: 's'.repeat(32),
    CURSOR_KEY: 'c'.repeat(32),
    KEY_PEPPER: 'p'.repeat(32),
  });
  /** Runs SQL like an administrator. */
  const psql = (database: string, sql: string): Promise<Outcome> =>
    runProgram('psql', ['-v', 'ON_ERROR_STOP=1', '-d', database], {
      cwd: folder,
      env: postgres.superuser,
      stdin: sql,
    });

  it('docs/run-many.md creates the database and three logins, with which a migration and both services work', async () => {
    expect(await psql('postgres', logins!.replaceAll('…', PASSWORD))).toMatchObject({ code: 0, stderr: '' });
    const migrated = await runProgram(process.execPath, [TOURCTL, 'migrate'], {
      cwd: folder,
      env: settingsOf('tours'),
    });
    expect(migrated).toMatchObject({ code: 0 });
    const [port, queuePort, metrics] = await freePorts();
    const METRICS_PORT = `${metrics}`;
    api = await startInstance('api', folder, port, { ...settingsOf('tours_api'), METRICS_PORT });
    await startInstance('webhook-queue', folder, queuePort, { ...settingsOf('tours_queue'), METRICS_PORT });
    const doctor = await runProgram(process.execPath, [TOURCTL, 'doctor'], {
      cwd: folder,
      env: settingsOf('tours'),
    });
    expect(doctor).toMatchObject({ code: 0, stdout: expect.not.stringContaining('notice') });
  }, 60_000);

  // The guide's statements use tables of the tenant; its own tests create these.
  const blocks = codeBlocks().filter(
    ({ page, language, section }) => language === 'sql' && section !== LOGINS && !page.startsWith('guide/'),
  );
  it.each(blocks)('PostgreSQL runs the SQL of $page, $section', async ({ code }) => {
    expect(await psql('tours', code)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(inlineStatements())('PostgreSQL runs "$statement" of $page', async ({ statement }) => {
    const [, value] = FORMS.find(([form]) => form.test(statement)) ?? [];
    const complete = value === undefined ? statement : statement.replace('…', value);
    expect(await psql('tours', `${complete};`)).toMatchObject({ code: 0 });
  });

  it('the commands of docs/watching.md find requests in the logs of the API and the proxy', async () => {
    const logs = path.join(folder, 'logs');
    mkdirSync(logs);
    const token = mintCredentialToken('api_key').token;
    const answer = await fetch(`${api.baseUrl}/api/tenant/catalog`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
    const id = answer.headers.get('x-request-id')!;
    await api.stop();
    copyFileSync(path.join(folder, `api-${new URL(api.baseUrl).port}.log`), path.join(logs, 'api.log'));
    // A line of docker/nginx/http.conf.
    writeFileSync(path.join(logs, 'proxy.log'), '{"status":401,"refused_client":"192.0.2.7"}\n');
    const find = async (section: string) => {
      const script = pageSnippets('watching.md', section).join('\n').replaceAll('…', id);
      return runProgram('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: logs });
    };
    const request = await find('Healthy values');
    expect(JSON.parse(request.stdout)).toMatchObject({ request_id: id, status: 401 });
    const guessed = await find('When credentials are guessed');
    const credential = (JSON.parse(request.stdout) as { credential: string }).credential;
    expect(guessed.stdout).toMatch(new RegExp(`^ +1 192[.]0[.]2[.]7\n +1 ${credential}\n$`));
  });
}
