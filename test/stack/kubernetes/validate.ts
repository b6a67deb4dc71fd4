import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import Ajv from 'ajv';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';

interface KubernetesObject {
  apiVersion: string;
  kind: string;
}

/** Classes that validate an object by the schema of Kubernetes. Each throws an error that names the wrong fields. */
const MODELS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
];

const { $defs, ...schemas } = parseYaml(
  readFileSync(path.join(__dirname, 'custom-resources.yaml'), 'utf8'),
) as Record<string, object>;
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const customResources = new Map(
  Object.entries(schemas).map(([type, schema]) => [type, ajv.compile({ ...schema, $defs })]),
);

/** Returns a line for each fault of the object: an unknown kind, an unknown field, or a value that the schema refuses. */
export function faultsOf(object: KubernetesObject): string[] {
  const type = `${object.apiVersion}/${object.kind}`;
  const custom = customResources.get(type);
  if (custom)
    return custom(object) ? [] : custom.errors!.map((error) => `${error.instancePath} ${error.message}`);
  const model = MODELS.find(({ apiVersion, kind }) => `${apiVersion}/${kind}` === type);
  return model ? faultsByModel(model, object) : [`no schema of ${type}`];
}

/**
 * Validates by the model of a kind. The schemas of Kubernetes allow unknown fields, which the API server refuses (or drops). The validator
 * reads each field that its schema has, so a field that it did not read is unknown.
 */
function faultsByModel(model: (typeof MODELS)[number], object: KubernetesObject): string[] {
  const unread = new Set<string>();
  const watched = watch(object, '', unread);
  try {
    model.prototype.validate.call(watched);
  } catch (error) {
    return [(error as Error).message];
  }
  return [...unread].map((field) => `${field} is unknown`);
}

/** Returns a view of the value. A field is in `unread` until somebody has read it in the view. */
function watch<T extends object>(value: T, at: string, unread: Set<string>): T {
  const views = new Map<string | symbol, object>();
  for (const name of Object.keys(value)) unread.add(`${at}/${name}`);
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === 'string') unread.delete(`${at}/${name}`);
      if (typeof found !== 'object' || found === null || !Object.hasOwn(target, name)) return found;
      if (!views.has(name)) views.set(name, watch(found, `${at}/${String(name)}`, unread));
      return views.get(name);
    },
  });
}
