import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config';
import { DEFAULTS, DOCKER, documentsOf, knownVariables, read, ROOT } from './docker-files';

const SECRETS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'SECRETS_KEY',
  'CURSOR_KEY',
  'KEY_PEPPER',
];

/** Maps each pod to the Secret that has the database address for the pod's role. */
const OWN_SECRET = {
  api: 'tour-platform-api',
  'webhook-queue': 'tour-platform-queue',
  tourctl: 'tour-platform-operator',
  migrate: 'tour-platform-operator',
};
const PGBOUNCER_SECRETS = [
  'DATABASE_HOST',
  'DATABASE_PASSWORD',
  'API_DATABASE_PASSWORD',
  'QUEUE_DATABASE_PASSWORD',
];

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

  it('every manifest is listed, with a kind and a version that the cluster supports', () => {
    const files = readdirSync(path.join(DOCKER, 'kubernetes')).filter(
      (file) => file !== 'kustomization.yaml',
    );
    expect([...kustomization.resources, 'migrate.yaml'].sort()).toEqual(files.sort());
    for (const { kind, apiVersion } of documents)
      expect([kind, apiVersion]).toEqual([kind, API_VERSIONS[kind]]);
    for (const kind of Object.keys(API_VERSIONS))
      expect([kind, ofKind(kind).length > 0]).toEqual([kind, true]);
  });

  it('each pod runs a command of the image with known variables and its own database login', () => {
    expect(ours.map(({ container }) => container.command)).toEqual([
      ['api'],
      ['webhook-queue'],
      ['sleep', 'infinity'],
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
    for (const { name, container } of ours) {
      expect(container.env).toBeUndefined();
      expect(container.envFrom).toEqual([
        { configMapRef: { name: 'tour-platform' } },
        { secretRef: { name: 'tour-platform' } },
        { secretRef: { name: OWN_SECRET[name as keyof typeof OWN_SECRET] } },
      ]);
    }
    const docs = readFileSync(path.join(ROOT, 'docs/run-many.md'), 'utf8');
    for (const variable of SECRETS) expect(docs).toContain(`--from-literal=${variable}=`);
    for (const secret of Object.values(OWN_SECRET))
      expect(docs).toContain(`create secret generic ${secret} `);
    for (const variable of PGBOUNCER_SECRETS) {
      expect(docs).toContain(`--from-literal=${variable}=`);
      expect(read('pgbouncer/start')).toMatch(new RegExp(`"\\$\\{?${variable}`));
    }
  });

  it('no manifest contains a secret or lets a Service set a variable of the product', () => {
    expect(ofKind('Secret')).toEqual([]);
    // A Service named api would set API_PORT=tcp://….
    for (const { name, spec } of pods) expect([name, spec.enableServiceLinks]).toEqual([name, false]);
  });

  it('every pod runs as an unprivileged user with a read-only file system', () => {
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
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
      const [, before] = container.lifecycle.preStop.exec.command;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(before) + 15 + 5);
      expect(named('Deployment', name).spec.template.metadata.annotations['prometheus.io/port']).toBe(
        `${metrics}`,
      );
    }
  });

  it('every name that a manifest refers to exists', () => {
    for (const { name, labels } of pods.filter((pod) => !['migrate', 'tourctl'].includes(pod.name))) {
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
