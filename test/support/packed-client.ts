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
  await copyClient(source);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', above], { cwd: source });
  const folder = path.join(above, 'folder');
  const place = path.join(folder, 'node_modules/@tour-platform/client');
  await mkdir(place, { recursive: true });
  // `npm pack` prints the output of its build before the name of the file.
  const archive = stdout.trim().split('\n').at(-1)!;
  await run('tar', ['-xzf', path.join(above, archive), '-C', place, '--strip-components=1']);
  return folder;
}

/**
 * Creates a checkout with the client package alone.
 * @param parent an existing folder, in which the new one is made
 * @returns its path, and a package.json for a folder in which npm may install the packed client without its registry
 */
export async function checkoutOfClient(parent: string): Promise<{ checkout: string; packageJson: string }> {
  const checkout = await mkdtemp(path.join(parent, 'checkout-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  await copyClient(path.join(checkout, 'clients/typescript'));
  const overrides = { 'openapi-fetch': `file:${path.join(ROOT, 'node_modules/openapi-fetch')}` };
  return { checkout, packageJson: JSON.stringify({ private: true, overrides }) };
}

/** Copies the package, so that two tests do not build in the same folder. */
async function copyClient(to: string): Promise<void> {
  await cp(CLIENT, to, { recursive: true, filter: (file) => path.basename(file) !== 'dist' });
}
