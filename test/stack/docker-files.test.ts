import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config';
import { DOCKER, documentsOf, filledIn, interpolated, knownVariables, read } from './docker-files';

const ROOT = path.resolve(DOCKER, '..');
const COMMANDS = readdirSync(path.join(DOCKER, 'bin'));
const DEFAULTS = loadConfig({});
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'SECRETS_KEY',
  'CURSOR_KEY',
  'KEY_PEPPER',
];

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  it('has three commands, each of a file that the build makes', () => {
    expect(COMMANDS.sort()).toEqual(['api', 'tourctl', 'webhook-queue']);
    for (const command of COMMANDS) {
      expect(statSync(path.join(DOCKER, 'bin', command)).mode & 0o111).toBe(0o111);
      const [, entry] = /^exec node \/app\/(\S+)/m.exec(read(`bin/${command}`))!;
      const source = entry!
        .replace(/^dist\//, '')
        .replace(/[.]js$/, entry!.startsWith('dist/') ? '.ts' : '.js');
      expect([command, source, existsSync(path.join(ROOT, source))]).toEqual([command, source, true]);
    }
    expect(last).toMatch(/^CMD \["api"\]$/m);
  });

  it('is small, runs as nobody in particular, and says how it is', () => {
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
    expect(last).not.toMatch(/npm |COPY \. |apk |apt/);
    expect(dockerfile).not.toMatch(/:latest|ARG \w*(KEY|PASSWORD|TOKEN)/);
    for (const port of [
      DEFAULTS.apiPort,
      DEFAULTS.webhookQueuePort,
      DEFAULTS.metricsPort,
      DEFAULTS.metricsPort + 1,
    ])
      expect(last).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'));
  });

  it('is built from files that are there and reach the builder', () => {
    const kept = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(kept.filter((line) => line && !line.startsWith('#'))[0]).toBe('*');
    const allowed = kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const file of allowed) expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )?(.+) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    );
    for (const file of copied.filter((name) => name !== '.')) {
      const isAllowed = allowed.some((name) => path.normalize(`${file}/`).startsWith(`${name}/`));
      expect([file, isAllowed, existsSync(path.join(ROOT, file))]).toEqual([file, true, true]);
    }
    // What `npm run build` compiles and copies.
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    for (const [, file] of scripts.build.matchAll(/'([a-z-]+(?:\/[\w./-]+)?)'/g)) {
      if (file === 'dist/') continue;
      expect([file, allowed.some((name) => `${file}/`.startsWith(`${name}/`))]).toEqual([file, true]);
    }
  });
});

describe('compose.yaml', () => {
  const compose = documentsOf('compose.yaml')[0];
  const ha = documentsOf('compose.ha.yaml')[0];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const services = Object.entries<any>(compose.services);
  const ours = services.filter(([, service]) => service.image === 'tour-platform');
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const all = [...services, ...Object.entries<any>(ha.services)];
  const text = read('compose.yaml') + read('compose.ha.yaml');

  it('runs two of each service, what they need, and the migration before them', () => {
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

  it('gives each of ours an environment that it starts with, and no variable that it does not know', () => {
    const known = knownVariables();
    for (const [name, { environment }] of ours) {
      expect([name, Object.keys(environment).filter((variable) => !known.has(variable))]).toEqual([name, []]);
      const env = Object.fromEntries(
        Object.entries<string>(environment).map(([variable, value]) => [variable, filledIn(value)]),
      );
      const config = loadConfig(env);
      expect(new URL(config.databaseUrl!).host).toBe('pgbouncer:6432');
      expect(new URL(config.databaseDirectUrl!).host).toBe('postgres:5432');
      expect(config).toMatchObject({ replicas: 2, trustProxy: 1, sharedStore: { kind: 'redis' } });
    }
  });

  it('has no secret in it, and none that works when none is set', () => {
    const { required, optional } = interpolated(text);
    expect([...optional].sort()).toEqual(['DATABASE_HOST', 'HTTP_PORT', 'TRUST_PROXY']);
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

  it('lets nothing be reached but the proxy, and gives nothing more rights than it needs', () => {
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy']);
    expect(compose.services.proxy.ports).toEqual(['${HTTP_PORT:-8080}:8080', '127.0.0.1:8081:8081']);
    expect(compose.networks.data).toEqual({ internal: true });
    for (const [name, service] of services.filter(([name]) => name !== 'postgres')) {
      expect([name, service]).toMatchObject([
        name,
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true },
      ]);
    }
    for (const name of ['postgres', 'pgbouncer', 'redis'])
      expect(compose.services[name].networks).toEqual(['data']);
  });

  it('watches and restarts each, and gives a service the time that it takes to stop', () => {
    const lasting = all.filter(([name, { image }]) => image && !['migrate', 'tourctl'].includes(name));
    expect(lasting.map(([name, { restart }]) => [name, restart])).toEqual(
      lasting.map(([name]) => [name, 'unless-stopped']),
    );
    // PgBouncer's is in its image.
    const unwatched = lasting.filter(([, { healthcheck }]) => !healthcheck?.test).map(([name]) => name);
    expect(unwatched).toEqual(['pgbouncer']);
    expect(read('pgbouncer/Dockerfile')).toMatch(/^HEALTHCHECK /m);
    expect(new Set(ours.map(([, service]) => service.stop_grace_period))).toEqual(new Set(['20s']));
    const asked = (name: string) => compose.services[name].healthcheck.test.at(-1);
    expect(asked('api-1')).toBe(`http://127.0.0.1:${DEFAULTS.apiPort}/readyz`);
    expect(asked('queue-1')).toBe(`http://127.0.0.1:${DEFAULTS.webhookQueuePort}/readyz`);
  });

  it('names services, networks, volumes and files that exist', () => {
    const names = all.map(([name]) => name);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const mentioned = (of: (service: any) => string[]) => all.flatMap(([, service]) => of(service));
    const others = mentioned((service) => Object.keys(service.depends_on ?? {}));
    expect(others.filter((name) => !names.includes(name))).toEqual([]);
    const networks = mentioned((service) => service.networks ?? []);
    expect(networks.filter((name) => !(name in compose.networks))).toEqual([]);

    const sources = mentioned((service) => service.volumes ?? []).map((volume) => volume.split(':')[0]!);
    const volumes = { ...compose.volumes, ...ha.volumes };
    const files = sources.filter((source) => source.startsWith('.'));
    expect(sources.filter((source) => !files.includes(source) && !(source in volumes))).toEqual([]);
    const builds = mentioned(({ build }) =>
      build ? [path.join(build.context, build.dockerfile ?? 'Dockerfile')] : [],
    );
    // That of the image is named from the context, which is the repository.
    const dockerfiles = builds.map((file) => file.replace(/^\.\.\/docker\//, ''));
    for (const file of [...files, ...dockerfiles])
      expect([file, existsSync(path.join(DOCKER, file))]).toEqual([file, true]);
    for (const script of readdirSync(path.join(DOCKER, 'postgres')))
      expect(statSync(path.join(DOCKER, 'postgres', script)).mode & 0o111).toBe(0o111);
  });

  it('has a proxy that knows the instances, at their ports', () => {
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

describe('the Kubernetes manifests', () => {
  const API_VERSIONS: Record<string, string> = {
    Namespace: 'v1',
    ConfigMap: 'v1',
    Service: 'v1',
    Deployment: 'apps/v1',
    PodDisruptionBudget: 'policy/v1',
    HorizontalPodAutoscaler: 'autoscaling/v2',
    Ingress: 'networking.k8s.io/v1',
    Job: 'batch/v1',
  };
  const [kustomization] = documentsOf('kubernetes/kustomization.yaml');
  const documents = [...kustomization.resources, 'migrate.yaml'].flatMap((file: string) =>
    documentsOf(`kubernetes/${file}`),
  );
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
  const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
  const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
  const pods = workloads.map(({ metadata, spec }) => ({
    name: metadata.name ?? 'migrate',
    labels: spec.template.metadata.labels,
    spec: spec.template.spec,
    container: spec.template.spec.containers[0],
  }));
  const ours = pods.filter(({ name }) => name !== 'pgbouncer');

  it('are all listed, and of kinds and versions that the cluster has', () => {
    const files = readdirSync(path.join(DOCKER, 'kubernetes')).filter(
      (file) => file !== 'kustomization.yaml',
    );
    expect([...kustomization.resources, 'migrate.yaml'].sort()).toEqual(files.sort());
    for (const { kind, apiVersion } of documents)
      expect([kind, apiVersion]).toEqual([kind, API_VERSIONS[kind]]);
    for (const kind of Object.keys(API_VERSIONS))
      expect([kind, ofKind(kind).length > 0]).toEqual([kind, true]);
  });

  it('run the commands of the image, with variables that it knows', () => {
    expect(ours.map(({ container }) => container.command)).toEqual([
      ['api'],
      ['webhook-queue'],
      ['tourctl', 'migrate'],
    ]);
    const { data } = named('ConfigMap', 'tour-platform');
    const known = knownVariables();
    for (const variable of [...Object.keys(data), ...SECRETS])
      expect([variable, known.has(variable)]).toEqual([variable, true]);
    const secrets = Object.fromEntries(SECRETS.map((name) => [name, 's'.repeat(40)]));
    const urls = {
      DATABASE_URL: 'postgres://t:p@h/d',
      DATABASE_DIRECT_URL: 'postgres://t:p@h/d',
      REDIS_URL: 'redis://r',
    };
    expect(loadConfig({ ...data, ...secrets, ...urls })).toMatchObject({ trustProxy: 1, replicas: 10 });
    for (const { container } of ours) {
      expect(container.env).toBeUndefined();
      expect(container.envFrom).toEqual([
        { configMapRef: { name: 'tour-platform' } },
        { secretRef: { name: 'tour-platform' } },
      ]);
    }
    const docs = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');
    for (const variable of SECRETS) expect(docs).toContain(`--from-literal=${variable}=`);
    for (const variable of ['DATABASE_HOST', 'DATABASE_PASSWORD']) {
      expect(docs).toContain(`--from-literal=${variable}=`);
      expect(read('pgbouncer/start')).toContain(`$${variable}`);
    }
  });

  it('hold no secret, and let no Service set a variable of ours', () => {
    expect(ofKind('Secret')).toEqual([]);
    // A Service named api would set API_PORT=tcp://….
    for (const { name, spec } of pods) expect([name, spec.enableServiceLinks]).toEqual([name, false]);
  });

  it('run as nobody in particular, and may change nothing', () => {
    for (const { name, spec, container } of pods) {
      expect([name, spec]).toMatchObject([
        name,
        {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ]);
      expect([name, container.securityContext]).toEqual([
        name,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
      expect([name, container.resources]).toMatchObject([
        name,
        { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
      ]);
      expect([name, `${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`]).toEqual([
        name,
        /^USER (\S+)$/m.exec(read(name === 'pgbouncer' ? 'pgbouncer/Dockerfile' : 'Dockerfile'))![1],
      ]);
    }
  });

  it('probe ports that are there, and stop no sooner than a service does', () => {
    const ports = {
      api: [DEFAULTS.apiPort, DEFAULTS.metricsPort],
      'webhook-queue': [DEFAULTS.webhookQueuePort, DEFAULTS.metricsPort + 1],
    };
    for (const [name, [http, metrics]] of Object.entries(ports)) {
      const { container, spec } = pods.find((pod) => pod.name === name)!;
      expect(container.ports).toEqual([
        { name: 'http', containerPort: http },
        { name: 'metrics', containerPort: metrics },
      ]);
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
      const [, before] = container.lifecycle.preStop.exec.command;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(before) + 15 + 5);
      expect(named('Deployment', name).spec.template.metadata.annotations['prometheus.io/port']).toBe(
        `${metrics}`,
      );
    }
  });

  it('find each other', () => {
    for (const { name, labels } of pods.filter((pod) => pod.name !== 'migrate')) {
      const selector = { 'app.kubernetes.io/name': name };
      expect(labels).toMatchObject(selector);
      expect(named('Deployment', name).spec.selector).toEqual({ matchLabels: selector });
      expect(named('PodDisruptionBudget', name).spec).toEqual({
        maxUnavailable: 1,
        selector: { matchLabels: selector },
      });
      const { spec } = named('Service', name);
      expect(spec.selector).toEqual(selector);
      const { container, spec: pod } = pods.find((one) => one.name === name)!;
      expect(container.ports.map((port: { name: string }) => port.name)).toContain(spec.ports[0].targetPort);
      for (const { labelSelector } of pod.topologySpreadConstraints)
        expect(labelSelector).toEqual({ matchLabels: selector });
      for (const mount of container.volumeMounts)
        expect(pod.volumes.map((volume: { name: string }) => volume.name)).toContain(mount.name);
    }
    const [{ spec: scaler }] = ofKind('HorizontalPodAutoscaler');
    expect(named('Deployment', scaler.scaleTargetRef.name).spec.replicas).toBeUndefined();
    expect(named('ConfigMap', 'tour-platform').data.REPLICAS).toBe(`${scaler.maxReplicas}`);
    const [{ spec: ingress }] = ofKind('Ingress');
    const { service } = ingress.rules[0].http.paths[0].backend;
    expect(named('Service', service.name).spec.ports[0].name).toBe(service.port.name);
    const images = kustomization.images.map(({ name }: { name: string }) => name);
    for (const { container } of pods.filter((pod) => pod.name !== 'migrate'))
      expect(images).toContain(container.image);
    const { newName, newTag } = kustomization.images[0];
    expect(pods.find((pod) => pod.name === 'migrate')!.container.image).toBe(`${newName}:${newTag}`);
  });
});
