import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config/config';
import { DEFAULTS, DOCKER, documentsOf, filledIn, interpolated, knownVariables, read } from './docker-files';

describe('compose.yaml and compose.ha.yaml', () => {
  const compose = documentsOf('compose.yaml')[0];
  const ha = documentsOf('compose.ha.yaml')[0];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const services = Object.entries<any>(compose.services);
  const ours = services.filter(([, service]) => service.image === 'tour-platform');
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const all = [...services, ...Object.entries<any>(ha.services)];
  const text = read('compose.yaml') + read('compose.ha.yaml');

  it('compose.yaml runs two instances of each service with their dependencies, after the migration', () => {
    expect(services.map(([name]) => name).sort()).toEqual(
      [
        'api-1',
        'api-2',
        'migrate',
        'pgbouncer',
        'postgres',
        'proxy',
        'queue-1',
        'queue-2',
        'redis',
        'tourctl',
      ].sort(),
    );
    expect(ours.map(([name, { command, entrypoint }]) => [name, (entrypoint ?? command)[0]])).toEqual([
      ['migrate', 'tourctl'],
      ['api-1', 'api'],
      ['api-2', 'api'],
      ['queue-1', 'webhook-queue'],
      ['queue-2', 'webhook-queue'],
      ['tourctl', 'tourctl'],
    ]);
    for (const name of ['api-1', 'api-2', 'queue-1', 'queue-2'])
      expect(compose.services[name].depends_on.migrate).toEqual({
        condition: 'service_completed_successfully',
      });
  });

  it('compose.yaml gives each service a valid environment without unknown variables', () => {
    const known = knownVariables();
    for (const [name, { environment }] of ours) {
      expect([name, Object.keys(environment).filter((variable) => !known.has(variable))]).toEqual([name, []]);
      const env = Object.fromEntries(
        Object.entries<string>(environment).map(([variable, value]) => [variable, filledIn(value)]),
      );
      const config = loadConfig(env);
      const hosts = [config.databaseUrl, config.databaseDirectUrl].map((url) => new URL(url!).host);
      const direct = ['migrate', 'tourctl'].includes(name) ? 'postgres:5432' : 'pgbouncer:6432';
      expect([name, ...hosts]).toEqual([name, 'pgbouncer:6432', direct]);
      expect(config).toMatchObject({ replicas: 2, trustProxy: 1, sharedStore: { kind: 'redis' } });
    }
  });

  it('each service has its own login, and only migrations and tourctl get the password of the owner', () => {
    const logins = ours.map(([name, { environment }]) => [
      name,
      new URL(filledIn(environment.DATABASE_URL)).username,
    ]);
    expect(logins).toEqual([
      ['migrate', 'tours'],
      ['api-1', 'tours_api'],
      ['api-2', 'tours_api'],
      ['queue-1', 'tours_queue'],
      ['queue-2', 'tours_queue'],
      ['tourctl', 'tours'],
    ]);
    const seeing = (password: string) =>
      ours
        .filter(([, { environment }]) => JSON.stringify(environment).includes(`{${password}:`))
        .map(([name]) => name);
    expect(seeing('DATABASE_PASSWORD')).toEqual(['migrate', 'tourctl']);
    expect(seeing('API_DATABASE_PASSWORD')).toEqual(['api-1', 'api-2']);
    expect(seeing('QUEUE_DATABASE_PASSWORD')).toEqual(['queue-1', 'queue-2']);
  });

  it('compose.yaml contains no secret and no default of a secret', () => {
    const { required, optional } = interpolated(text);
    expect([...optional].sort()).toEqual(
      [
        'FAILOVER_LOOP_WAIT',
        'FAILOVER_RETRY_TIMEOUT',
        'FAILOVER_STRICT',
        'FAILOVER_TTL',
        'HTTP_PORT',
        'SUDO_USER',
        'TOURCTL_ACTOR',
        'TOURCTL_TENANT',
        'TRUST_PROXY',
        'USER',
      ].sort(),
    );
    const example = Object.fromEntries(
      [...read('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map((line) => line.slice(1)),
    );
    for (const name of required) expect([name, example[name]]).toEqual([name, '']);
    const mentions = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].filter(([, name]) => required.has(name!));
    expect(new Set(mentions.map(([, , otherwise]) => otherwise))).toEqual(
      new Set([':?set it in docker/.env']),
    );
    const secrets = services
      .flatMap(([, service]) => Object.entries<string>(service.environment ?? {}))
      .filter(([variable]) => /PASSWORD|KEY|TOKEN/.test(variable));
    expect(secrets.length).toBeGreaterThan(10);
    for (const secret of secrets) expect(secret).toEqual([secret[0], expect.stringMatching(/^\$\{\w+:\?/)]);
  });

  it('compose.yaml publishes only the proxy, and gives no process more rights than it needs', () => {
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy']);
    expect(compose.services.proxy.ports).toEqual(['${HTTP_PORT:-8080}:8080', '127.0.0.1:8081:8081']);
    expect(compose.networks.data).toEqual({ internal: true });
    for (const [name, service] of all.filter(([, { image }]) => image)) {
      expect([name, service]).toMatchObject([
        name,
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true },
      ]);
      expect([name, service.cap_add, service.privileged]).toEqual([name, undefined, undefined]);
    }
    for (const name of ['postgres', 'pgbouncer', 'redis'])
      expect(compose.services[name].networks).toEqual(['data']);
  });

  it('compose.yaml limits the size of each directory in memory', () => {
    const directories = all.flatMap(([, { image, tmpfs }]) => (image ? (tmpfs as string[]) : []));
    expect(directories.length).toBeGreaterThan(10);
    expect(directories.filter((directory) => !/^\/[\w/]+:size=\d+m$/.test(directory))).toEqual([]);
  });

  it('compose.yaml limits the processes of each container, and the memory of all but PostgreSQL', () => {
    for (const [name, service] of services) expect([name, service.pids_limit]).toEqual([name, 512]);
    const unlimited = services.filter(([, service]) => !/^\d+m$/.test(service.mem_limit));
    expect(unlimited.map(([name]) => name)).toEqual(['postgres']);
  });

  it('only the first service that runs builds the image of the product, and none asks a registry for it', () => {
    expect(ours.filter(([, { build }]) => build).map(([name]) => name)).toEqual(['migrate']);
    expect(new Set(ours.map(([, service]) => service.pull_policy))).toEqual(new Set(['never']));
  });

  it('the health check accepts PostgreSQL only if the owner can log in to its database', () => {
    const servers = [compose.services.postgres, ha.services['patroni-1'], ha.services['patroni-2']];
    for (const { environment, healthcheck } of servers) {
      expect(environment).toHaveProperty('DATABASE_PASSWORD');
      expect(healthcheck.test).toEqual([
        'CMD-SHELL',
        'PGPASSWORD="$$DATABASE_PASSWORD" psql -w -h 127.0.0.1 -U tours -d tours -c "select 1"',
      ]);
    }
  });

  it('compose.yaml checks and restarts each process, and gives a service enough time to stop', () => {
    const lasting = all.filter(([name, { image }]) => image && !['migrate', 'tourctl'].includes(name));
    expect(lasting.map(([name, { restart }]) => [name, restart])).toEqual(
      lasting.map(([name]) => [name, 'unless-stopped']),
    );
    // The health checks of these are in their images.
    const unwatched = lasting.filter(([, { healthcheck }]) => !healthcheck?.test).map(([name]) => name);
    expect(unwatched).toEqual(['pgbouncer', 'etcd-1', 'etcd-2', 'etcd-3']);
    for (const image of ['pgbouncer', 'etcd']) expect(read(`${image}/Dockerfile`)).toMatch(/^HEALTHCHECK /m);
    expect(new Set(ours.map(([, service]) => service.stop_grace_period))).toEqual(new Set(['20s']));
    const asked = (name: string) => compose.services[name].healthcheck.test.at(-1);
    expect(asked('api-1')).toBe(`http://127.0.0.1:${DEFAULTS.apiPort}/readyz`);
    expect(asked('queue-1')).toBe(`http://127.0.0.1:${DEFAULTS.webhookQueuePort}/readyz`);
  });

  it('tourctl runs without starting another container', () => {
    expect(compose.services.tourctl.depends_on).toEqual({});
    expect(ha.services.tourctl).not.toHaveProperty('depends_on');
  });

  it('compose.ha.yaml leaves out the single server, and sends PgBouncer, migrations and tourctl to the current primary, and expects one standby', () => {
    expect(ha.services.postgres).toEqual({ profiles: ['single'] });
    expect(ha.services.pgbouncer.environment).toEqual({ DATABASE_HOST: 'haproxy' });
    for (const name of ['migrate', 'tourctl']) {
      const url = new URL(filledIn(ha.services[name].environment.DATABASE_DIRECT_URL));
      expect([name, url.host, url.username]).toEqual([name, 'haproxy:5432', 'tours']);
    }
    for (const name of ['queue-1', 'queue-2'])
      expect([name, ha.services[name].environment]).toEqual([name, { DATABASE_STANDBYS: '1' }]);
    for (const name of ['pgbouncer', 'migrate'])
      expect([name, ha.services[name].depends_on]).toEqual([
        name,
        {
          postgres: { condition: 'service_healthy', required: false },
          haproxy: { condition: 'service_healthy' },
        },
      ]);
  });

  it('compose.ha.yaml keeps etcd and Patroni, which ask for no password, in a network without services', () => {
    expect(ha.networks).toEqual({ cluster: { internal: true } });
    const inside = all.filter(([, { networks }]) => networks?.includes('cluster')).map(([name]) => name);
    expect(inside).toEqual(['etcd-1', 'etcd-2', 'etcd-3', 'patroni-1', 'patroni-2', 'haproxy']);
    for (const name of ['etcd-1', 'patroni-1']) expect(ha.services[name].networks).toEqual(['cluster']);
  });

  it('etcd, the members and HAProxy agree on names and ports', () => {
    const etcd = ['etcd-1', 'etcd-2', 'etcd-3'];
    for (const name of etcd)
      expect(ha.services[name].environment).toMatchObject({
        ETCD_NAME: name,
        ETCD_ADVERTISE_CLIENT_URLS: `http://${name}:2379`,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${name}:2380`,
        ETCD_INITIAL_CLUSTER: etcd.map((one) => `${one}=http://${one}:2380`).join(','),
      });
    for (const name of ['patroni-1', 'patroni-2']) {
      expect(ha.services[name].environment).toMatchObject({
        PATRONI_NAME: name,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
        PATRONI_ETCD3_HOSTS: etcd.map((one) => `${one}:2379`).join(','),
      });
      expect(read('haproxy/haproxy.cfg')).toContain(`-${name}:5432}" check port`);
    }
  });

  it('tourctl works in the mounted folder docker/files, and runs as the account in TOURCTL_USER', () => {
    const { tourctl } = compose.services;
    expect(tourctl).toMatchObject({
      user: '${TOURCTL_USER:?set it in docker/.env}',
      volumes: ['./files:/files'],
      working_dir: '/files',
    });
    expect(read('files/.gitignore')).toContain('*\n!.gitignore\n');
  });

  it('compose.yaml passes the name of the person who runs tourctl to the container, for the audit log', () => {
    const { tourctl } = compose.services;
    expect(tourctl.environment.TOURCTL_ACTOR).toBe('${TOURCTL_ACTOR:-${SUDO_USER:-${USER:-}}}');
    expect(filledIn(tourctl.environment.TOURCTL_ACTOR)).toBe('');
  });

  it('compose.yaml names services, networks, volumes and files that exist', () => {
    const names = all.map(([name]) => name);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const mentioned = (of: (service: any) => string[]) => all.flatMap(([, service]) => of(service));
    const others = mentioned((service) => Object.keys(service.depends_on ?? {}));
    expect(others.filter((name) => !names.includes(name))).toEqual([]);
    const networks = mentioned((service) => service.networks ?? []);
    expect(networks.filter((name) => !(name in { ...compose.networks, ...ha.networks }))).toEqual([]);

    const sources = mentioned((service) => service.volumes ?? []).map((volume) => volume.split(':')[0]!);
    const volumes = { ...compose.volumes, ...ha.volumes };
    const files = sources.filter((source) => source.startsWith('.'));
    expect(sources.filter((source) => !files.includes(source) && !(source in volumes))).toEqual([]);
    const builds = mentioned(({ build }) =>
      build ? [path.join(build.context, build.dockerfile ?? 'Dockerfile')] : [],
    );
    // The path of the Dockerfile is relative to the build context, which is the repository.
    const dockerfiles = builds.map((file) => file.replace(/^\.\.\/docker\//, ''));
    for (const file of [...files, ...dockerfiles])
      expect([file, existsSync(path.join(DOCKER, file))]).toEqual([file, true]);
    for (const script of readdirSync(path.join(DOCKER, 'postgres')))
      expect(statSync(path.join(DOCKER, 'postgres', script)).mode & 0o111).toBe(0o111);
  });

  it('the proxy knows the names and ports of the instances', () => {
    const upstreams = [...read('nginx/upstreams.conf').matchAll(/server ([\w-]+):(\d+) /g)];
    expect(upstreams.map(([, name, port]) => [name, Number(port)])).toEqual([
      ['api-1', DEFAULTS.apiPort],
      ['api-2', DEFAULTS.apiPort],
      ['queue-1', DEFAULTS.webhookQueuePort],
      ['queue-2', DEFAULTS.webhookQueuePort],
    ]);
    expect([...read('nginx/nginx.conf').matchAll(/listen (\d+);/g)].map(([, port]) => port)).toEqual([
      '8080',
      '8081',
    ]);
    expect(compose.services.proxy.volumes).toEqual(['./nginx:/etc/tours:ro']);
  });
});
