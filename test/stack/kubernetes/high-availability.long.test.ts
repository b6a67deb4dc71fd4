import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Db, openDatabase } from '../../../services/platform/database/database';
import { describeWith, isInstalled } from '../../support/describe-with';
import { startTemporaryPostgres } from '../../support/temporary-postgres';
import { DOCKER, read, ROOT } from '../docker-files';
import { render } from './rendered';

/** Settings of pool.ini that the operator makes itself: the mode is a field, and the login is its own. */
const MADE_BY_OPERATOR = ['pool_mode', 'auth_type'];

/** Returns the settings of docker/pgbouncer/pool.ini. */
function poolSettings(): Record<string, string> {
  const lines = read('pgbouncer/pool.ini').matchAll(/^(\w+) = (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
}

/** Returns the roles of the product on a server, with their rights, groups and settings. */
async function describeRoles(db: Db): Promise<unknown[]> {
  const { rows } = await db.raw<{ rows: unknown[] }>(`
    select r.rolname, r.rolcanlogin, r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolinherit, r.rolconfig,
      array(select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid order by 1) as groups,
      array(select datname from pg_database where datdba = r.oid) as owns
    from pg_roles r where r.rolname like 'tour%' and not r.rolsuper order by 1`);
  return rows;
}

/** Starts a server, lets `prepare` create roles and the database, and describes the roles. */
async function rolesAfter(prepare: (db: Db, url: URL) => Promise<void>): Promise<unknown[]> {
  const server = await startTemporaryPostgres();
  const db = openDatabase(server.url, { applicationName: 'test', poolMax: 1 });
  try {
    await prepare(db, new URL(server.url));
    return await describeRoles(db);
  } finally {
    await db.destroy();
    await server.stop();
  }
}

describeWith('kubectl', 'the overlay with CloudNativePG', () => {
  const { named, ofKind } = render('ha');
  const { spec: cluster } = named('Cluster', 'database');
  const { spec: pooler } = named('Pooler', 'pgbouncer');

  it('a commit waits for one of two standbys on other nodes, and only a standby with every commit is promoted', () => {
    expect(cluster.instances).toBe(3);
    expect(cluster.postgresql.synchronous).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
      failoverQuorum: true,
    });
    expect(cluster.affinity).toEqual({
      enablePodAntiAffinity: true,
      podAntiAffinityType: 'required',
      topologyKey: 'kubernetes.io/hostname',
    });
    expect(named('ConfigMap', 'tour-platform').data.DATABASE_STANDBYS).toBe(`${cluster.instances - 1}`);
  });

  it('the address of the database is the Service of the primary, and the pooler and the backups belong to this Cluster', () => {
    expect(named('ConfigMap', 'tour-platform-database').data).toEqual({
      DATABASE_HOST: 'database-rw',
      DATABASE_PORT: '5432',
    });
    expect([pooler.cluster.name, pooler.type]).toEqual(['database', 'rw']);
    const [plugin] = cluster.plugins;
    expect(named('ObjectStore', plugin.parameters.barmanObjectName).spec.retentionPolicy).toBe('30d');
    const [{ spec: scheduled }] = ofKind('ScheduledBackup');
    expect(scheduled.cluster.name).toBe('database');
    expect(scheduled.pluginConfiguration.name).toBe(plugin.name);
  });

  it('the pooler has the settings of pool.ini and prepared statements, and opens fewer connections than PostgreSQL accepts', () => {
    const { poolMode, parameters } = pooler.pgbouncer;
    const settings = poolSettings();
    expect(poolMode).toBe(settings.pool_mode);
    const ours = Object.entries(settings).filter(([name]) => !MADE_BY_OPERATOR.includes(name));
    expect(parameters).toEqual({ ...Object.fromEntries(ours), max_prepared_statements: '200' });
    expect(named('ConfigMap', 'tour-platform').data.PREPARED_STATEMENTS).toBe('on');
    const opened = pooler.instances * Number(parameters.max_db_connections);
    expect(opened).toBeLessThan(Number(cluster.postgresql.parameters.max_connections) - 20);
    const { labels } = pooler.template.metadata;
    expect(labels).toMatchObject(named('PodDisruptionBudget', 'pgbouncer').spec.selector.matchLabels);
    const [spread] = pooler.template.spec.topologySpreadConstraints;
    expect(labels).toMatchObject(spread.labelSelector.matchLabels);
  });

  it('create-secrets.sh creates each Secret that the custom resources name, with its keys', () => {
    const script = readFileSync(path.join(ROOT, 'docker/kubernetes/create-secrets.sh'), 'utf8').replace(
      /\\\n\s*/g,
      '',
    );
    const commandOf = (secret: string) => new RegExp(`create secret generic ${secret} .*`).exec(script)?.[0];
    const logins = [
      ...cluster.managed.roles.map(({ name, passwordSecret }: never) => [passwordSecret['name'], name]),
      [cluster.bootstrap.initdb.secret.name, cluster.bootstrap.initdb.owner],
    ];
    expect(logins.map(([, user]) => user).sort()).toEqual(['tours', 'tours_api', 'tours_queue']);
    for (const [secret, user] of logins) {
      expect(commandOf(secret)).toContain('--type=kubernetes.io/basic-auth');
      expect(commandOf(secret)).toContain(`--from-literal=username=${user} --from-literal=password=`);
    }
    const { accessKeyId, secretAccessKey } = named('ObjectStore', 'backups').spec.configuration.s3Credentials;
    for (const { name, key } of [accessKeyId, secretAccessKey])
      expect(commandOf(name)).toContain(`--from-literal=${key}=`);
  });

  it('its database has the encoding and the collation of compose.yaml', () => {
    const { encoding, localeProvider, builtinLocale, locale } = cluster.bootstrap.initdb;
    expect(read('compose.yaml')).toContain(
      `--encoding=${encoding} --locale-provider=${localeProvider} --builtin-locale=${builtinLocale} --locale=${locale} `,
    );
  });
});

describeWith('kubectl', 'the database of the overlay with CloudNativePG', () => {
  describeWith(
    'postgresql',
    'the roles of the overlay with CloudNativePG',
    () => {
      it('its statements create the roles that docker/postgres/create-role.sh creates', async () => {
        const { spec: cluster } = render('ha').named('Cluster', 'database');
        const { owner, database, postInitSQL } = cluster.bootstrap.initdb;
        const byOperator = await rolesAfter(async (db) => {
          await db.raw('create role ?? login', [owner]);
          for (const statement of postInitSQL) await db.raw(statement);
          await db.raw('create database ?? owner ??', [database, owner]);
          for (const { name, inRoles } of cluster.managed.roles)
            for (const group of inRoles) await db.raw('grant ?? to ??', [group, name]);
        });
        const byScript = await rolesAfter((_, { hostname, port, username, password }) => {
          const passwords = {
            DATABASE_PASSWORD: 'a',
            API_DATABASE_PASSWORD: 'b',
            QUEUE_DATABASE_PASSWORD: 'c',
          };
          const server = { PGHOST: hostname, PGPORT: port, PGPASSWORD: password, POSTGRES_USER: username };
          execFileSync('bash', [path.join(DOCKER, 'postgres/create-role.sh')], {
            env: { PATH: process.env.PATH, ...passwords, ...server },
            stdio: 'pipe',
          });
          return Promise.resolve();
        });
        expect(byOperator).toEqual(byScript);
        expect(byOperator).toHaveLength(5);
      });
    },
    isInstalled('psql'),
  );
});
