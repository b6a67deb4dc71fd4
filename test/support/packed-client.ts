import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { useTemporaryFolder } from './temporary-folder';

const run = promisify(execFile);
const FOLDER = useTemporaryFolder();
const ROOT = path.resolve(__dirname, '../..');
export const CLIENT = path.join(ROOT, 'clients/typescript');

/**
 * Creates a temporary folder with the client package installed as npm publishes it. The packages of the checkout are found in the folder
 * above.
 */
export async function folderWithClient(): Promise<string> {
  const above = await mkdtemp(path.join(FOLDER, 'client-'));
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
