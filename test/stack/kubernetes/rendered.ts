import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { DOCKER } from '../docker-files';

/** The folders that an operator applies. */
export const OVERLAYS = ['single', 'ha'] as const;
export type Overlay = (typeof OVERLAYS)[number];

/* eslint-disable @typescript-eslint/no-explicit-any -- an object may be of any kind; schemas.long.test.ts checks the shape of each */

/** A pod that a Deployment or a Job creates. */
export interface Pod {
  name: string;
  labels: Record<string, string>;
  spec: any;
  container: any;
}

/** The objects that `kubectl apply -k` sends to the cluster. */
export interface Rendered {
  objects: any[];
  ofKind(kind: string): any[];
  /** Throws an error if there is no object of this kind and name. */
  named(kind: string, name: string): any;
  pods: Pod[];
}

/** Renders a folder of docker/kubernetes by `kubectl kustomize`. */
export function render(folder: Overlay | 'migrate'): Rendered {
  const text = execFileSync('kubectl', ['kustomize', path.join(DOCKER, 'kubernetes', folder)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const objects = text.split(/^---$/m).map((document) => parseYaml(document) as any);
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  return {
    objects,
    ofKind,
    named(kind, name) {
      const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
      if (!found) throw new Error(`${folder} has no ${kind} ${name}`);
      return found;
    },
    pods: [...ofKind('Deployment'), ...ofKind('Job')].map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: spec.template.metadata.labels,
      spec: spec.template.spec,
      container: spec.template.spec.containers[0],
    })),
  };
}
