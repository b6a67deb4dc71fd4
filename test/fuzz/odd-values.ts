import type { Random } from './random';

/** Values that break parsers, patterns, numbers, types of the database, and limits. */
const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  -0,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e-320,
  '2',
  '1e9',
  '',
  ' ',
  '\t',
  '%',
  '_',
  '\\',
  'a\\',
  "' or 1=1 --",
  '../../etc/passwd',
  '$ref',
  '__proto__',
  '{{7*7}}',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202eabc',
  '\ufeff',
  '\uffff',
  'ﷺ'.repeat(50),
  '🧳'.repeat(300),
  'e\u0301'.repeat(1000),
  'İ'.repeat(200),
  'a\r\nX-Injected: 1',
  '\u001b[31m',
  '<script>alert(1)</script>',
  'a'.repeat(129),
  'a'.repeat(5000),
  '1'.repeat(400),
  '-'.repeat(3000),
  `${'('.repeat(500)}a`,
  'a'.repeat(2000) + '!',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '+275760-09-13',
  '2027-03-06T00:00:00Z',
  '20270306',
  '-0001-01-01',
  '2026-11-23T10:00:00.123456789Z',
  '2026-11-23T25:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-11-23 10:00',
  'now',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '0f8c6a526a1b4a4e8e0c0f6a1c9d2b77',
  `${'a'.repeat(64)}@${'b.'.repeat(90)}example.com`,
  'a@[127.0.0.1]',
  `+49${'0'.repeat(60)}`,
  '+1 (555) 010-0000x9',
  'eyJhIjoxfQ',
  'v1.AAAA.BBBB',
  'NaN',
  'Infinity',
  'undefined',
  'ASC; drop table tours',
  '٣',
  '１２',
];

const MADE: readonly ((random: Random) => unknown)[] = [
  () => [],
  () => ({}),
  () => [[[[]]]],
  () => ({ __proto__: null, constructor: { prototype: { admin: true } } }),
  () => JSON.parse('{"__proto__":{"admin":true}}'),
  () => Array.from({ length: 2000 }, (_, n) => n),
  () => nested(60),
  (random) => String.fromCharCode(...Array.from({ length: 20 }, () => random.integer(0x10000))),
  (random) => (random.integer(2 ** 30) - 2 ** 29) * 2 ** random.integer(40),
];

export function oddValue(random: Random): unknown {
  return random.chance(0.85) ? random.pick(ODD) : random.pick(MADE)(random);
}

const ODD_TEXTS = ODD.filter((value) => typeof value === 'string');

export function oddText(random: Random): string {
  return random.pick(ODD_TEXTS);
}

/** Returns arrays in arrays. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
