import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.errors';

/**
 * Opens a file of the cluster for `work`. The cluster may belong to an account that root lends to PostgreSQL and that
 * others use too: what lies in it must not lead root to another's file by a link (of either kind), nor hold it up by a
 * pipe. Throws EmbeddedPostgresError for all but a plain file of the directory's owner; else as openSync does.
 */
export function withClusterFile<T>(
  directory: string,
  name: string,
  work: (file: number) => T,
  access: number = constants.O_RDONLY,
): T {
  const file = openItself(path.join(directory, name), access);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.uid !== statSync(directory).uid) throw notItsOwn(path.join(directory, name));
    return work(file);
  } finally {
    closeSync(file);
  }
}

export function readClusterFile(directory: string, name: string): string {
  return withClusterFile(directory, name, (file) => readFileSync(file, 'utf8'));
}

function openItself(file: string, access: number): number {
  try {
    return openSync(file, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? notItsOwn(file) : error;
  }
}

function notItsOwn(file: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${file} is not a plain file of the account that the database belongs to`,
    'Find out who put it there, and restore the file or remove what is in its place',
  );
}
