import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ELEMENTS } from '../../services/api/widget/published-scripts';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runOnce } from './run-once';

const folder = useTemporaryFolder();
const [{ text, integrity }] = ELEMENTS;
const ENV = { DATA_DIR: path.join(folder, 'missing'), PUBLIC_BASE_URL: 'https://tours.example/' };
const tourctl = (line: string) => runOnce(line, { env: ENV });
const json = async (line: string) => JSON.parse((await tourctl(`${line} --json`)).stdout);
let copies = 0;
const newFile = () => path.join(folder, `copy-${++copies}.js`);

describe('tourctl widget element', () => {
  it('the command prints one script tag with the address and the hash of the element, without a database', async () => {
    const { code, stdout, stderr } = await tourctl('widget element');
    const tag = `<script type="module" src="https://tours.example/embed/booking.v1.js" integrity="${integrity}"></script>\n`;
    expect([code, stdout]).toEqual([0, tag]);
    expect(stderr).toContain('<tour-booking tour=');
    expect(existsSync(ENV.DATA_DIR)).toBe(false);
  });

  it('the command answers --json with one document', async () => {
    const url = 'https://tours.example/embed/booking.v1.js';
    expect(await json('widget element')).toEqual({
      version: 'v1',
      url,
      integrity,
      file: null,
      snippet: `<script type="module" src="${url}" integrity="${integrity}"></script>`,
    });
  });

  it('the command writes a complete copy with --out, and prints the tag of this copy', async () => {
    const file = newFile();
    const { code, stdout } = await tourctl(`widget element --out ${file}`);
    const bytes = readFileSync(file);
    const hash = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
    expect(bytes.toString()).toBe(text);
    expect([code, stdout]).toEqual([
      0,
      `<script type="module" src="/${path.basename(file)}" integrity="${hash}"></script>\n`,
    ]);
    expect(await json(`widget element --out ${newFile()}`)).toMatchObject({
      url: `/copy-${copies}.js`,
      integrity,
      file: path.join(folder, `copy-${copies}.js`),
    });
  });

  it('the command refuses an existing file and leaves it unchanged, until --force replaces it', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    const refused = await tourctl(`widget element --out ${file}`);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`${file} cannot be written (it exists; --force replaces it)`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await tourctl(`widget element --out ${file} --force`)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('the command refuses a link to a file that does not exist, until --force replaces the link', async () => {
    const file = newFile();
    symlinkSync(path.join(folder, 'nowhere.js'), file);
    const { stderr } = await tourctl(`widget element --out ${file}`);
    expect(stderr).toContain(`${file} cannot be written (it exists; --force replaces it)`);
    expect((await tourctl(`widget element --out ${file} --force`)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('the command refuses a folder that does not exist, --force without --out, and a name that is empty', async () => {
    const missing = await tourctl(`widget element --out ${folder}/none/booking.js --json`);
    expect([missing.code, missing.error.code]).toEqual([1, 'file_not_written']);
    for (const line of ['widget element --force', 'widget element --out=', 'widget element acme'])
      expect((await tourctl(line)).code).toBe(2);
  });

  it('the tag of a copy contains no character that would end its attribute', async () => {
    const { stdout } = await runOnce(['widget', 'element', '--out', path.join(folder, 'a "b" ü.js')], {
      env: ENV,
    });
    expect(stdout).toContain('src="/a%20%22b%22%20%C3%BC.js" ');
  });
});
