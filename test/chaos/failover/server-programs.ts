import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Returns the newest directory with pg_basebackup, which the embedded server lacks; undefined if the package is not installed. */
export function serverPrograms(): string | undefined {
  const packages = '/usr/lib/postgresql';
  const majors = existsSync(packages) ? readdirSync(packages) : [];
  return majors
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => path.join(packages, major, 'bin'))
    .find((bin) =>
      ['initdb', 'postgres', 'pg_ctl', 'pg_basebackup'].every((p) => existsSync(path.join(bin, p))),
    );
}
