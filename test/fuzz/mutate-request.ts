import { gzipSync } from 'node:zlib';
import type { FuzzRequest } from './generate-request';
import { oddValue } from './odd-values';
import { encoded } from './encoded';
import type { Random } from './random';

type Mutation = (request: FuzzRequest, random: Random) => void;

/** Changes one to three parts of a request, mostly one, because the service often refuses the first change before it reads the second. */
export function mutateRequest(request: FuzzRequest, random: Random): void {
  for (let count = random.pick([1, 1, 1, 2, 3]); count > 0; count--) random.pick(MUTATIONS)(request, random);
}

const changeValue: Mutation = (request, random) => {
  const places = [...placesIn(request.body), ...request.query.map((pair) => ({ holder: pair, name: 1 }))];
  if (places.length === 0) return void request.query.push(['q', oddValue(random)]);
  const { holder, name } = random.pick(places) as { holder: Record<string | number, unknown>; name: string };
  holder[name] = oddValue(random);
};

const removeField: Mutation = ({ body, query }, random) => {
  const places = placesIn(body);
  if (places.length === 0) return void query.splice(random.integer(query.length || 1), 1);
  const { holder, name } = random.pick(places);
  delete (holder as Record<string | number, unknown>)[name];
};

const addField: Mutation = ({ body, query }, random) => {
  const name = random.pick([
    'tenant_id',
    'status',
    '__proto__',
    'constructor',
    'total',
    'api_key',
    'token',
    '',
    'é',
  ]);
  if (typeof body === 'object' && body !== null && random.chance(0.7))
    Object.defineProperty(body, name, {
      value: oddValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else query.push([name, oddValue(random)]);
};

const repeatParameter: Mutation = ({ query }, random) => {
  const [name, value] = query.length > 0 ? random.pick(query) : ['limit', '2'];
  query.push([
    name + random.pick(['', '[]', '[a]', '.a', ' ']),
    random.chance(0.5) ? value : oddValue(random),
  ]);
};

const changePathValue: Mutation = (request, random) => {
  const parts = request.path.split('/');
  parts[1 + random.integer(parts.length - 1)] = encoded(oddValue(random)).slice(0, 9000);
  request.path = parts.join('/');
};

const changePathForm: Mutation = (request, random) => {
  request.path = random.pick([
    `${request.path}/`,
    `/${request.path}`,
    request.path.toUpperCase(),
    request.path.replace(/\/(\w)/, '/./$1'),
    request.path.replace(/[a-z]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
    `${request.path}%`,
    `${request.path}%zz`,
    `${request.path}%00`,
    `${request.path};a=b`,
    `${request.path}%2f..%2f..`,
  ]);
};

const changeMethod: Mutation = (request, random) => {
  request.method = random.pick([
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  ]);
};

const changeHeader: Mutation = ({ headers }, random) => {
  const many = (text: string, count: number) =>
    Array.from({ length: count }, (_, n) => text.replace('#', `${n}`));
  const [name, ...values] = random.pick(HEADERS);
  headers[name] = random.pick([
    ...values,
    '',
    ',',
    'x'.repeat(300),
    many('"#"', 900).join(),
    many('a#;q=0.#', 700).join(),
    many('k#', 40),
    '\u00e9\u00ff',
    '*',
  ]);
};

const HEADERS: [name: string, ...values: (string | string[])[]][] = [
  [
    'accept-language',
    'de-DE,de;q=0.9',
    `${'-'.repeat(6000)}`,
    `${'a-'.repeat(3000)}`,
    'en;q=1.0000000'.repeat(300),
  ],
  ['accept', 'text/html', 'application/xml', '*/*;q=0'],
  ['accept-encoding', 'br', 'gzip;q=0', 'identity;q=0, *;q=0'],
  [
    'content-type',
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;'.repeat(200),
    'multipart/form-data',
  ],
  ['content-encoding', 'gzip', 'br', 'x'],
  ['if-none-match', 'W/"x"', '*', '"'],
  ['idempotency-key', 'same-key', 'k'.repeat(256), ['a', 'b']],
  ['authorization', 'Bearer', 'Basic YTpi', `Bearer svc_live_${'a'.repeat(9000)}`, ['Bearer a', 'Bearer b']],
  ['x-svc-widget-token', 'svc_widget_x', ['a', 'b']],
  ['octo-capabilities', 'octo/pricing', 'octo/none', 'octo/pricing,'.repeat(300)],
  ['octo-env', 'test', 'live'],
  ['origin', 'null', 'https://evil.example', 'https://[::1'],
  ['x-request-id', 'a b', 'r'.repeat(500)],
  ['x-forwarded-for', '9.9.9.9', '::1,'.repeat(500)],
  ['range', 'bytes=0-1'],
  ['cookie', 'a=b; '.repeat(400)],
  ['x-http-method-override', 'DELETE'],
  ['connection', 'close', 'upgrade'],
];

const changeBytes: Mutation = (request, random) => {
  const json = JSON.stringify(request.body ?? {});
  request.bytes = random.pick<() => Buffer>([
    () => Buffer.from(json.slice(0, random.integer(json.length))),
    () => Buffer.from(`\ufeff${json}`),
    () => Buffer.from(json, 'utf16le'),
    () => Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
    () => gzipSync(json),
    () => Buffer.from('['.repeat(3000) + ']'.repeat(3000)),
    () => Buffer.from(JSON.stringify({ ...(request.body as object), unitItems: Array(7000).fill(1) })),
    () => Buffer.from(`{"a":${'9'.repeat(8000)}}`),
    () => Buffer.from(JSON.stringify({ notes: 'n'.repeat(17_000) })),
    () => Buffer.from('x'.repeat(200_000)),
    () => Buffer.from(json.replace('{', '{"quantity":1,"quantity":2,')),
    () => Buffer.from('null'),
    () => Buffer.from('"text"'),
    () => Buffer.from('[]'),
    () => Buffer.from('{"__proto__":{"quantity":1},"constructor":{"prototype":{"a":1}}}'),
    () => Buffer.from(`{${Array.from({ length: 900 }, (_, n) => `"k${n}":${n}`).join()}}`),
    () => Buffer.alloc(0),
  ])();
};

const MUTATIONS: readonly Mutation[] = [
  ...Array<Mutation>(7).fill(changeValue),
  changeHeader,
  changeHeader,
  changeBytes,
  removeField,
  addField,
  repeatParameter,
  changePathValue,
  changePathForm,
  changeMethod,
];

interface Place {
  holder: object;
  name: string | number;
}

/** Returns every field of a body, at any depth. */
function placesIn(body: unknown): Place[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => [{ holder: body, name }, ...placesIn(value)]);
}
