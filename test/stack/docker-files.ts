import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { loadConfig } from '../../services/platform/config/config';

export const ROOT = path.resolve(__dirname, '../..');
export const DOCKER = path.join(ROOT, 'docker');
/** The configuration of a service without settings. */
export const DEFAULTS = loadConfig({});

export const read = (file: string) => readFileSync(path.join(DOCKER, file), 'utf8');

/** Parses the documents of a YAML file. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function documentsOf(file: string): any[] {
  return read(file)
    .split(/^---$/m)
    .map((text) => parseYaml(text));
}

/** Returns every variable that loadConfig reads. */
export function knownVariables(): Set<string> {
  const asked = new Set<string>();
  const asking = (values: Record<string, string>) =>
    new Proxy(values, {
      get: (target, name) => {
        asked.add(String(name));
        return target[String(name)];
      },
    });
  loadConfig(asking({}));
  loadConfig(asking({ CACHE_REST_URL: 'https://store.example', CACHE_REST_TOKEN: 'token' }));
  return asked;
}

/**
 * Replaces `${NAME:?why}` and `${NAME:-default}` as compose does. A name without a default gets a value. A default may contain
 * another `${…}`.
 */
export function filledIn(value: string): string {
  const filled = value.replace(
    /\$\{(\w+)(?::([?-])([^{}]*))?\}/g,
    (_, name: string, kind: string, text: string) => {
      if (kind === '-') return text;
      return name.endsWith('_URL') ? 'https://api.example.com' : `${name.toLowerCase()}-`.padEnd(40, '0');
    },
  );
  return filled === value ? value : filledIn(filled);
}

/** Returns the names in `${…}` of a text: those without a default, and those with one. */
export function interpolated(text: string): { required: Set<string>; optional: Set<string> } {
  const [required, optional] = [new Set<string>(), new Set<string>()];
  for (const [, name, kind] of text.matchAll(/\$\{(\w+)(:[?-])?/g))
    (kind === ':-' ? optional : required).add(name!);
  return { required, optional };
}
