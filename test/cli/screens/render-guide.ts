import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../support/database';
import { writeCatalogFiles } from './catalog-files';
import { createNeutral } from './neutral';
import { setScene } from './scene';
import { openShell } from './shell';

const COLUMNS = 80;
/** A screen of the guide. */
const BLOCK = /```console(?: columns=(\d+))?\n([^]*?)```/g;

/**
 * Returns the guide with the output of this version. Types each line that begins with a dollar in a console block into a terminal on
 * a temporary database, in the order of the page. Replaces the text below the line by the output.
 */
export async function renderGuide(guide: string): Promise<string> {
  const database = await createTestDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'screens-'));
  // The port of a running webhook queue, for the link of `tourctl monitor`.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY: 's'.repeat(32),
    CURSOR_KEY: 'c'.repeat(32),
    PUBLIC_BASE_URL: 'https://tours.example',
    SUDO_USER: 'olga',
    DATA_DIR: folder,
    LANG: 'C.UTF-8',
    WEBHOOK_QUEUE_PORT: String(port),
  };
  try {
    const shell = openShell(env, folder);
    const neutral = createNeutral(database.db);
    const silent = { colors: false };
    writeCatalogFiles(folder);
    await setScene(database.db, async (line) => void (await shell.type(`tourctl ${line}`, silent)));
    await neutral.learn();

    const type = async (line: string, columns: number) => {
      const output = await shell.type(neutral.toReal(line), { columns, colors: false });
      await neutral.learn();
      return neutral
        .toShown(output)
        .replaceAll(folder, '~')
        .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:3001');
    };
    let text = '';
    let end = 0;
    for (const match of guide.matchAll(BLOCK)) {
      const [block, columns = `${COLUMNS}`, content] = match;
      const screen: string[] = [];
      for (const line of commandsOf(content!)) screen.push(`$ ${line}\n`, await type(line, Number(columns)));
      const shown = screen.join('').trimEnd().replace(/ +$/gm, '');
      text +=
        guide.slice(end, match.index) + block.slice(0, block.length - content!.length - 3) + shown + '\n```';
      end = match.index + block.length;
    }
    return text + guide.slice(end);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
    await database.drop();
  }
}

/** Returns the typed lines; a backslash at the end continues a line. */
function commandsOf(content: string): string[] {
  return [...content.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, line]) => line!);
}
