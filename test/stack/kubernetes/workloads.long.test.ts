import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { loadConfig } from '../../../services/platform/config/config';
import { describeWith } from '../../support/describe-with';
import { DEFAULTS, DOCKER, knownVariables, read, ROOT } from '../docker-files';
import { OVERLAYS, type Pod, render, type Rendered } from './rendered';

const FOLDER = path.join(DOCKER, 'kubernetes');
const SCRIPT = readFileSync(path.join(ROOT, 'docker/kubernetes/create-secrets.sh'), 'utf8');

/** The login of each pod, and the Secret with its password. */
const LOGINS: Record<string, { user: string; secret: string }> = {
  api: { user: 'tours_api', secret: 'tours-api' },
  'webhook-queue': { user: 'tours_queue', secret: 'tours-queue' },
  tourctl: { user: 'tours', secret: 'tours' },
  migrate: { user: 'tours', secret: 'tours' },
};

/** The parameters of each database URL: the server proves its name, also PgBouncer. */
const TLS = '?sslmode=verify-full&sslrootcert=/etc/database-ca/ca.crt';

/** The secrets of each pod, besides the password of its login. */
const SECRETS: Record<string, string[]> = {
  api: ['CURSOR_KEY', 'KEY_PEPPER', 'REDIS_URL', 'SECRETS_KEY'],
  'webhook-queue': ['SECRETS_KEY'],
  tourctl: ['CURSOR_KEY', 'KEY_PEPPER', 'REDIS_URL', 'SECRETS_KEY'],
  migrate: [],
};

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyReference; configMapKeyRef?: KeyReference };
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; values: string[] }[];
}

interface KeyReference {
  name: string;
  key: string;
}

/** Returns the Secrets that create-secrets.sh creates, each with its keys and their values. */
function createdSecrets(): Map<string, Record<string, string>> {
  const commands = SCRIPT.replace(/\\\n\s*/g, '').matchAll(/create secret generic (\S+)(.*)/g);
  return new Map(
    [...commands].map(([, name, rest]) => {
      const literals = rest!.matchAll(/--from-literal=(\w+)=("[^"]*"|\S+)/g);
      return [name!, Object.fromEntries([...literals].map(([, key, value]) => [key!, value!]))];
    }),
  );
}

/** Returns the environment of the container as the kubelet computes it, with `<Secret>` as the value of a Secret's key. */
function environmentOf({ container }: Pod, { named }: Rendered): Record<string, string> {
  const secrets = createdSecrets();
  const valueOf = (kind: 'ConfigMap' | 'Secret', { name, key }: KeyReference): string => {
    const values = kind === 'Secret' ? secrets.get(name) : named(kind, name).data;
    if (values?.[key] === undefined) throw new Error(`the ${kind} ${name} has no key ${key}`);
    return kind === 'Secret' ? `<${name}>` : values[key];
  };
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef) Object.assign(environment, named('ConfigMap', configMapRef.name).data);
    for (const key of secretRef ? Object.keys(secrets.get(secretRef.name)!) : [])
      environment[key] = valueOf('Secret', { name: secretRef.name, key });
  }
  // Kubernetes replaces $(NAME) only by variables of `env` that stand before it.
  const before: Record<string, string> = {};
  for (const { name, value, valueFrom } of (container.env ?? []) as Variable[]) {
    const secret = valueFrom?.secretKeyRef;
    const found = secret
      ? valueOf('Secret', secret)
      : (value ?? valueOf('ConfigMap', valueFrom!.configMapKeyRef!));
    before[name] = found.replace(/\$\((\w+)\)/g, (_, other: string) => before[other] ?? `unset ${other}`);
  }
  return { ...environment, ...before };
}

describeWith('kubectl', 'the Kubernetes overlays', () => {
  const rendered = { single: render('single'), ha: render('ha') };
  const migration = render('migrate');
  const { newName, newTag } = (
    parseYaml(read('kubernetes/images/kustomization.yaml')) as { images: Record<string, string>[] }
  ).images[0]!;

  it('every manifest is listed in the kustomization of its folder', () => {
    for (const folder of ['base', ...OVERLAYS, 'migrate']) {
      const { resources } = parseYaml(read(`kubernetes/${folder}/kustomization.yaml`)) as {
        resources: string[];
      };
      const files = readdirSync(path.join(FOLDER, folder)).filter((file) => file !== 'kustomization.yaml');
      expect([folder, resources.filter((one) => one !== '../base').sort()]).toEqual([folder, files.sort()]);
    }
  });

  it('no manifest contains a Secret, and every object is in the namespace of the product', () => {
    for (const { objects } of [...Object.values(rendered), migration])
      for (const { kind, metadata } of objects) {
        expect(kind).not.toBe('Secret');
        const namespace = kind === 'Namespace' ? metadata.name : metadata.namespace;
        expect([kind, metadata.name, namespace]).toEqual([kind, metadata.name, 'tour-platform']);
      }
  });

  describe.each(OVERLAYS)('%s', (overlay) => {
    const { named, ofKind, pods } = rendered[overlay];
    const all = [...pods, ...migration.pods];
    const ours = all.filter(({ name }) => name !== 'pgbouncer');

    it('each pod runs a command of the image, with its own login and known variables', () => {
      expect(ours.map(({ name, container }) => [name, container.command])).toEqual([
        ['api', ['api']],
        ['tourctl', ['sleep', 'infinity']],
        ['webhook-queue', ['webhook-queue']],
        ['migrate', ['tourctl', 'migrate']],
      ]);
      const known = knownVariables();
      for (const pod of ours) {
        const { user, secret } = LOGINS[pod.name]!;
        const environment = environmentOf(pod, rendered[overlay]);
        expect(environment.DATABASE_URL).toBe(`postgres://${user}:<${secret}>@pgbouncer:5432/tours${TLS}`);
        const parts = /^(DATABASE_HOST|DATABASE_PORT|\w*DATABASE_PASSWORD)$/;
        const names = Object.keys(environment).filter((name) => !parts.test(name));
        expect([pod.name, names.filter((name) => !known.has(name))]).toEqual([pod.name, []]);
        const secrets = {
          SECRETS_KEY: 's'.repeat(40),
          CURSOR_KEY: 'c'.repeat(40),
          KEY_PEPPER: 'p'.repeat(40),
        };
        const config = loadConfig({ ...environment, ...secrets, REDIS_URL: 'redis://r' });
        expect(config).toMatchObject({ trustProxy: 1, replicas: 10 });
      }
    });

    it('each pod has only the secrets that it needs, and only the certificate of the authority of the database', () => {
      for (const { name, container, spec } of ours) {
        const named = container.envFrom.flatMap(({ secretRef }: never) => secretRef?.['name'] ?? []);
        const keys = named.flatMap((secret: string) => Object.keys(createdSecrets().get(secret)!));
        expect([name, keys.sort()]).toEqual([name, SECRETS[name]]);
        const mounted = spec.volumes.flatMap(({ secret }: never) => secret ?? []);
        expect([name, mounted]).toEqual([
          name,
          [{ secretName: 'database-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] }],
        ]);
        expect(container.volumeMounts).toContainEqual({
          name: 'database-ca',
          mountPath: '/etc/database-ca',
          readOnly: true,
        });
      }
    });

    it('every connection is refused by default, and each pod has a policy of its own', () => {
      expect(named('NetworkPolicy', 'default-deny').spec).toEqual({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
      const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Pod['labels']) =>
        Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
        matchExpressions.every(({ key, values }) => values.includes(labels[key]!));
      const policies = ofKind('NetworkPolicy').filter(
        ({ metadata }) => !['default-deny', 'dns'].includes(metadata.name),
      );
      for (const { name, labels } of all)
        expect([name, policies.some(({ spec }) => selects(spec.podSelector, labels))]).toEqual([name, true]);
      const [{ from }] = named('NetworkPolicy', 'pgbouncer').spec.ingress;
      const callers = ours.filter(({ labels }) => selects(from[0].podSelector, labels));
      expect(callers).toHaveLength(ours.length);
      const ports = new Set(
        all.flatMap(({ container }) => (container.ports ?? []).map((port: { name: string }) => port.name)),
      );
      const used = policies
        .flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        .flatMap(({ ports = [] }) => ports);
      for (const { port } of used.filter(({ port }) => typeof port === 'string'))
        expect(ports).toContain(port);
    });

    it('only tourctl and the migration get the password of the owner, and they bypass PgBouncer', () => {
      const host = named('ConfigMap', 'tour-platform-database').data.DATABASE_HOST;
      const direct = ours.map((pod) => [pod.name, environmentOf(pod, rendered[overlay]).DATABASE_DIRECT_URL]);
      const url = `postgres://tours:<tours>@${host}:5432/tours${TLS}`;
      expect(direct).toEqual([
        ['api', undefined],
        ['tourctl', url],
        ['webhook-queue', undefined],
        ['migrate', url],
      ]);
      for (const { container } of ours.filter(({ name }) => ['api', 'webhook-queue'].includes(name)))
        expect(JSON.stringify(container)).not.toContain('"name":"tours"');
    });

    it('every pod runs as an unprivileged user with a read-only file system', () => {
      for (const { name, spec, container } of all) {
        expect([name, spec]).toMatchObject([
          name,
          {
            // A Service named api would otherwise set API_PORT=tcp://….
            enableServiceLinks: false,
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
        const dockerfile = name === 'pgbouncer' ? 'pgbouncer/Dockerfile' : 'Dockerfile';
        const { runAsUser, runAsGroup } = spec.securityContext;
        expect([name, `${runAsUser}:${runAsGroup}`]).toEqual([
          name,
          /^USER (\S+)$/m.exec(read(dockerfile))![1],
        ]);
        const volumes = spec.volumes.map((volume: { name: string }) => volume.name);
        for (const mount of container.volumeMounts) expect(volumes).toContain(mount.name);
      }
    });

    it('every image has the registry and the tag of images/kustomization.yaml', () => {
      for (const { name, container } of all)
        expect([name, container.image]).toEqual([
          name,
          `${newName}${name === 'pgbouncer' ? '-pgbouncer' : ''}:${newTag}`,
        ]);
    });

    it('the probes of a service use ports that exist, and its termination grace period is long enough to stop', () => {
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
        for (const probe of [container.livenessProbe, container.startupProbe])
          expect(probe.httpGet).toEqual({ path: '/healthz', port: 'http' });
        const [, before] = container.lifecycle.preStop.exec.command;
        expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(before) + 15 + 5);
        const { annotations } = named('Deployment', name).spec.template.metadata;
        expect(annotations['prometheus.io/port']).toBe(`${metrics}`);
      }
    });

    it('every selector finds the pods that it names', () => {
      for (const { name, labels, spec, container } of pods.filter((pod) => pod.name !== 'tourctl')) {
        const selector = { 'app.kubernetes.io/name': name };
        expect(labels).toMatchObject(selector);
        expect(named('Deployment', name).spec.selector).toEqual({ matchLabels: selector });
        expect(named('PodDisruptionBudget', name).spec).toEqual({
          maxUnavailable: 1,
          selector: { matchLabels: selector },
        });
        const { spec: service } = named('Service', name);
        expect(service.selector).toEqual(selector);
        const ports = container.ports.map((port: { name: string }) => port.name);
        expect(ports).toContain(service.ports[0].targetPort);
        for (const { labelSelector } of spec.topologySpreadConstraints)
          expect(labelSelector).toEqual({ matchLabels: selector });
      }
    });

    it('the autoscaler and the ingress name objects that exist, and the quotas know the maximum of instances', () => {
      const [{ spec: scaler }] = ofKind('HorizontalPodAutoscaler');
      expect(named('Deployment', scaler.scaleTargetRef.name).spec.replicas).toBeUndefined();
      expect(named('ConfigMap', 'tour-platform').data.REPLICAS).toBe(`${scaler.maxReplicas}`);
      const [{ spec: ingress }] = ofKind('Ingress');
      const { service } = ingress.rules[0].http.paths[0].backend;
      expect(named('Service', service.name).spec.ports[0].name).toBe(service.port.name);
    });
  });

  it('the PgBouncer of single has the variables that it reads, and its Service has the port of the URLs', () => {
    const { named, pods } = rendered.single;
    const environment = environmentOf(
      pods.find(({ name }) => name === 'pgbouncer')!,
      rendered.single,
    );
    expect(environment).toEqual({
      DATABASE_HOST: 'postgres.example.internal',
      DATABASE_PORT: '5432',
      DATABASE_PASSWORD: '<tours>',
      API_DATABASE_PASSWORD: '<tours-api>',
      QUEUE_DATABASE_PASSWORD: '<tours-queue>',
      CLIENT_TLS_DIR: '/etc/pgbouncer-tls',
      DATABASE_CA: '/etc/database-ca/ca.crt',
    });
    for (const variable of Object.keys(environment))
      expect(read('pgbouncer/start')).toMatch(new RegExp(`\\$\\{?${variable}`));
    expect(named('Service', 'pgbouncer').spec.ports[0].port).toBe(5432);
  });
});
