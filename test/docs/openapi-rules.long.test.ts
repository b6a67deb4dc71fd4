import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { isEmail } from '../../services/platform/forms/text-forms';
import { useTestApi } from '../support/api';
import { folderWith } from './guide';

const ROOT = path.resolve(__dirname, '../..');

type Json = Record<string, unknown>;

const api = useTestApi();
const documents: Record<string, Json> = {};
let types: string;
/** The rules that Spectral recommends, without the two slow rules for examples. The second test checks the examples. */
const RULES = new Ruleset({
  extends: [oas],
  rules: { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' },
});
// Fetches everything before the first check, because a linter keeps this process so busy that the API would shed load.
beforeAll(async () => {
  documents['3.0'] = (await api.http.get('/openapi.json')).body;
  documents['3.1'] = (await api.http.get('/openapi.3.1.json')).body;
  types = (await api.http.get('/openapi.d.ts')).text;
});

describe.each(['3.0', '3.1'])('OpenAPI %s', (version) => {
  it('the OpenAPI document passes the rules that Spectral recommends', async () => {
    const spectral = new Spectral();
    spectral.setRuleset(RULES);
    const issues = await spectral.run(documents[version]!);
    expect(issues.map(({ code, message, path: at }) => `${at.join('.')}: ${message} (${code})`)).toEqual([]);
  }, 60_000);

  it('every example and every default matches its own schema', () => {
    const document = documents[version]!;
    const examples = examplesOf(document, []);
    // The document has more examples than this. A lower number means that the search misses some.
    expect(examples.length).toBeGreaterThan(300);
    const validator = version === '3.0' ? new Ajv({ strict: false }) : new Ajv2020({ strict: false });
    addFormats(validator)
      .addFormat('idn-email', isEmail)
      .addSchema({ ...document, $id: 'document' });
    const refused = examples.flatMap(({ at, value }) => {
      const pointer = at
        .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
        .map(encodeURIComponent);
      const validate = validator.getSchema(`document#/${pointer.join('/')}`)!;
      return validate(value) ? [] : [`${at.join(' ')}: ${validator.errorsText(validate.errors)}`];
    });
    expect(refused).toEqual([]);
  });

  it('every parameter, body and answer has an example', () => {
    const document = documents[version]!;
    const without = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([route, operations]) =>
        Object.entries(operations).flatMap(([method, { parameters, requestBody, responses }]) => {
          const media = [requestBody, ...Object.values(responses)].flatMap((one) =>
            Object.entries(one?.content ?? {}).filter(([type]) => type.endsWith('json')),
          );
          return [...parameters, ...media.map(([, one]) => one)]
            .filter((one) => one.example === undefined && one.examples === undefined)
            .map((one) => `${method} ${route} ${JSON.stringify(one)}`);
        }),
    );
    expect(without).toEqual([]);
  });
});

interface Example {
  example?: unknown;
  examples?: unknown;
}

interface Operation {
  parameters: Example[];
  requestBody?: { content?: Record<string, Example> };
  responses: Record<string, { content?: Record<string, Example> }>;
}

interface Found {
  /** Position of the schema that the value must match. */
  at: string[];
  value: unknown;
}

/** Returns every example and default of a schema, a parameter, a header or a body. */
function examplesOf(node: unknown, at: string[], root = node as Json): Found[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, type, example, examples, default: preset } = node as Json;
  const own: Found[] = [];
  const place = schema === undefined ? at : [...at, 'schema'];
  if (example !== undefined) own.push({ at: place, value: example });
  // Only a schema has a type. In another map, "default" is the name of an entry and not a default value.
  if (preset !== undefined && (typeof type === 'string' || Array.isArray(type)))
    own.push({ at, value: preset });
  if (Array.isArray(examples)) own.push(...examples.map((value) => ({ at: place, value })));
  else if (schema !== undefined) own.push(...namedExamples(examples, root, place));
  const inner = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples');
  return [...own, ...inner.flatMap(([key, part]) => examplesOf(part, [...at, key], root))];
}

function namedExamples(examples: unknown, root: Json, at: string[]): Found[] {
  const shared = (root.components as { examples: Record<string, { value: unknown }> }).examples;
  return Object.values((examples ?? {}) as Record<string, { $ref: string }>).map(({ $ref }) => ({
    at,
    value: shared[$ref.replace('#/components/examples/', '')]!.value,
  }));
}

describe('/openapi.d.ts', () => {
  it('the generated types pass the strictest compiler options, and reject requests that the API refuses', async () => {
    const folder = await folderWith({
      'openapi.d.ts': types,
      'right.ts': `import type { components, operations, webhooks } from './openapi';
        type Hold = components['schemas']['HoldAnswer'];
        export const seats: operations['placeHold']['requestBody']['content']['application/json'] = {
          departure_date: '2027-03-06', quantity: 2 };
        export const until = (hold: Hold): string => hold.expires_at;
        export type Event = webhooks['bookingCreated']['post']['requestBody']['content']['application/json'];
        export const ref = (event: Event): string | null => event.external_ref;`,
      'wrong.ts': `import type { components } from './openapi';
        // @ts-expect-error quantity is a number
        export const a: components['schemas']['HoldBody'] = { departure_date: '2027-03-06', quantity: '2' };
        // @ts-expect-error there is no such status
        export const b: components['schemas']['HoldAnswer']['status'] = 'gone';`,
    });
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    // The compiler's own declarations are not checked: 1.3 s of CPU instead of 4.3 s.
    const flags = [...strict, '--noEmit', '--lib', 'es2022', '--skipDefaultLibCheck'];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [compiler, ...flags, 'right.ts', 'wrong.ts'],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  }, 60_000);
});
