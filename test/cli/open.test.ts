import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { openInBrowser } from '../../cli/terminal/browser';
import { freePorts } from '../support/free-ports';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
const folder = useTemporaryFolder();
const opened = path.join(folder, 'opened');
const DESKTOP = { DISPLAY: ':9', PATH: `${folder}:${process.env.PATH}` };

/** Stands in for the programs of a desktop: records the address. */
function installOpener(name: string, exitCode: number): void {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho "$@" >> '${opened}'\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
}

beforeAll(() => {
  terminal.env.PUBLIC_BASE_URL = 'https://tours.example';
});
beforeEach(() => {
  rmSync(opened, { force: true });
  installOpener('xdg-open', 0);
});

describe('tourctl open docs', () => {
  it('tourctl open docs opens the reference in the browser of a desktop', async () => {
    const { code, stdout, stderr } = await withEnv(terminal, DESKTOP, () => terminal.tourctl('open docs'));
    expect([code, stdout, stderr]).toEqual([0, '', 'Opened in the browser\n']);
    expect(readFileSync(opened, 'utf8')).toBe('https://tours.example/docs\n');
    expect(await withEnv(terminal, DESKTOP, () => terminal.json('open docs'))).toEqual({
      url: 'https://tours.example/docs',
      opened: true,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['without a desktop', { PATH: DESKTOP.PATH }],
    ['over SSH', { ...DESKTOP, SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }],
    ['without an opener', { DISPLAY: ':9', PATH: path.join(folder, 'none') }],
  ])('tourctl open docs prints the address %s', async (_, settings) => {
    const { code, stdout } = await withEnv(terminal, settings, () => terminal.tourctl('open docs'));
    expect([code, stdout]).toEqual([0, 'https://tours.example/docs\n']);
  });

  it('tourctl open docs prints the address if the opener fails', async () => {
    installOpener('xdg-open', 3);
    const { stdout } = await withEnv(terminal, DESKTOP, () => terminal.tourctl('open docs'));
    expect(stdout).toBe('https://tours.example/docs\n');
  });
});

it('openInBrowser uses the opener of each platform', async () => {
  installOpener('open', 0);
  installOpener('cmd', 0);
  expect(await openInBrowser('http://a.example/', { PATH: DESKTOP.PATH }, 'darwin')).toBe(true);
  expect(await openInBrowser('http://b.example/', { PATH: DESKTOP.PATH }, 'win32')).toBe(true);
  expect(readFileSync(opened, 'utf8')).toBe('http://a.example/\n/c start "" http://b.example/\n');
});

describe('tourctl open monitor', () => {
  const server = createServer((socket) => socket.destroy());
  beforeAll(async () => {
    const [, port] = await freePorts();
    terminal.env.WEBHOOK_QUEUE_PORT = String(port);
    await new Promise<void>((resolve) => server.listen(port, resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('tourctl open monitor opens a sign-in link, or prints it with its expiry without a desktop', async () => {
    const link = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43}\n$/;
    const { stdout } = await withEnv(terminal, DESKTOP, () => terminal.tourctl('open monitor'));
    expect([stdout, readFileSync(opened, 'utf8')]).toEqual(['', expect.stringMatching(link)]);
    const printed = await terminal.tourctl('open monitor --actor olga');
    expect([printed.stdout, printed.stderr]).toEqual([
      expect.stringMatching(link),
      expect.stringMatching(/^Valid once, until /),
    ]);
  });

  it('tourctl open monitor is refused without a webhook queue', async () => {
    await withEnv(terminal, { WEBHOOK_QUEUE_PORT: '1' }, async () => {
      expect(await terminal.refusal('open monitor')).toBe('1 queue_not_running');
    });
  });
});
