import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
export const CLIENT = path.join(ROOT, 'clients/typescript');

/**
 * Creates a folder, and installs the client package in it as npm publishes it. A program in the folder also finds the
 * packages of the checkout.
 * @param parent an existing folder, in which the new one is made
 */
export async function folderWithClient(parent: string): Promise<string> {
  const above = await mkdtemp(path.join(parent, 'client-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(above, 'node_modules'));
  const source = path.join(above, 'source');
  // Packs a copy, so that two tests do not build in the same folder.
  await cp(CLIENT, source, { recursive: true, filter: (file) => path.basename(file) !== 'dist' });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', above], { cwd: source });
  const folder = path.join(above, 'folder');
  const place = path.join(folder, 'node_modules/@tour-platform/client');
  await mkdir(place, { recursive: true });
  // `npm pack` prints the output of its build before the name of the file.
  const archive = stdout.trim().split('\n').at(-1)!;
  await run('tar', ['-xzf', path.join(above, archive), '-C', place, '--strip-components=1']);
  return folder;
}
