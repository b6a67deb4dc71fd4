import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import shortened from '../../clients/booking-element/shortened-names.json';
import openapi from '../../services/api/generated/openapi.json';

const SOURCES = path.resolve(__dirname, '../../clients/booking-element/src');

/** Returns the names of the properties of all schemas in a document. */
function propertiesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(value).flatMap(propertiesOf)];
}

describe('the properties that the bundle of the element shortens', () => {
  it('none of them is a field of the API', () => {
    const fields = new Set(propertiesOf(openapi));
    expect(fields).toContain('departure_date');
    expect(shortened.filter((name) => fields.has(name))).toEqual([]);
  });

  it('none of them is a text in the sources, because the bundle shortens names alone', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /[.]tsx?$/.test(file),
    );
    const code = files.map((file) => readFileSync(path.join(SOURCES, file), 'utf8')).join('\n');
    expect(shortened.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
    expect(shortened.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(code))).toEqual([]);
  });
});
