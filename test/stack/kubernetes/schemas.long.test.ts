import { describeWith } from '../../support/describe-with';
import { OVERLAYS, render } from './rendered';
import { faultsOf } from './validate';

/** Fields that hold names chosen by the author, so no name in them is unknown. */
const MAPS = new Set(['annotations', 'data', 'labels', 'limits', 'matchLabels', 'parameters', 'requests']);

/** Returns copies of the object, each with one more field in one of its objects, by the path of the field. */
function withUnknownField(object: object): [path: string, copy: object][] {
  return pathsOf(object)
    .filter(({ path, value }) => typeof value === 'object' && !Array.isArray(value) && !isMap(path, value))
    .map(({ path }) => [[...path, 'misspelt'].join('/'), changed(object, [...path, 'misspelt'], 'x')]);
}

/** Returns copies of the object, each with a list in the place of one value, by the path of the value. */
function withWrongValue(object: object): [path: string, copy: object][] {
  return pathsOf(object)
    .filter(({ value }) => typeof value !== 'object')
    .map(({ path }) => [path.join('/'), changed(object, path, [['x']])]);
}

function isMap(path: string[], value: unknown): boolean {
  // The selector of a Service holds labels at once, and that of a Deployment holds matchLabels.
  const isSelector = path.join('/') === 'spec/selector' && !Object.hasOwn(value as object, 'matchLabels');
  return isSelector || MAPS.has(path.at(-1) ?? '');
}

/** Returns all values within the value, with their paths. */
function pathsOf(value: unknown, path: string[] = []): { path: string[]; value: unknown }[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [{ path, value }, ...inner.flatMap(([name, found]) => pathsOf(found, [...path, name]))];
}

function changed(object: object, path: string[], value: unknown): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  let parent = copy;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  parent[path.at(-1)!] = value;
  return copy;
}

describeWith('kubectl', 'the schemas of the Kubernetes manifests', () => {
  const folders = [...OVERLAYS, 'migrate'] as const;
  const objects = folders.flatMap((folder) => render(folder).objects);

  it('every object that kustomize renders is valid by the schema of its kind', () => {
    const faults = objects.flatMap((object) =>
      faultsOf(object).map((fault) => `${object.kind} ${object.metadata.name}: ${fault}`),
    );
    expect(faults).toEqual([]);
    expect(objects.length).toBeGreaterThan(30);
  });

  it('an unknown field is refused in every object of every manifest', () => {
    const planted = objects.flatMap((object) => withUnknownField(object));
    expect(planted.length).toBeGreaterThan(300);
    const accepted = planted.filter(([, copy]) => faultsOf(copy as never).length === 0);
    expect(accepted.map(([path]) => path)).toEqual([]);
  });

  it('a value of a wrong type is refused in every field of every manifest', () => {
    const planted = objects.flatMap((object) => withWrongValue(object));
    expect(planted.length).toBeGreaterThan(600);
    const accepted = planted.filter(([, copy]) => faultsOf(copy as never).length === 0);
    expect(accepted.map(([path]) => path)).toEqual([]);
  });

  it('an object of a kind without a schema is refused', () => {
    expect(faultsOf({ apiVersion: 'apps/v1', kind: 'ReplicaSet' })).toEqual([
      'no schema of apps/v1/ReplicaSet',
    ]);
  });
});
