import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DEFAULTS, DOCKER, read, ROOT } from './docker-files';

const COMMANDS = readdirSync(path.join(DOCKER, 'bin'));

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  it('each of the three commands runs a file of the build', () => {
    expect(COMMANDS.sort()).toEqual(['api', 'tourctl', 'webhook-queue']);
    for (const command of COMMANDS) {
      expect(statSync(path.join(DOCKER, 'bin', command)).mode & 0o111).toBe(0o111);
      const [, entry] = /^exec node (?:--\S+ )*\/app\/(\S+)/m.exec(read(`bin/${command}`))!;
      const source = entry!
        .replace(/^dist\//, '')
        .replace(/[.]js$/, entry!.startsWith('dist/') ? '.ts' : '.js');
      expect([command, source, existsSync(path.join(ROOT, source))]).toEqual([command, source, true]);
    }
    expect(last).toMatch(/^CMD \["api"\]$/m);
  });

  it('the image is small, runs as an unprivileged user, and has a health check', () => {
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toContain('npm run build && npm prune --omit=dev --omit=optional --ignore-scripts');
    expect(last).not.toMatch(/npm |COPY \. |apk |apt/);
    expect(dockerfile).not.toMatch(/:latest|ARG \w*(KEY|PASSWORD|TOKEN)/);
    for (const port of [
      DEFAULTS.apiPort,
      DEFAULTS.webhookQueuePort,
      DEFAULTS.metricsPort,
      DEFAULTS.metricsPort + 1,
    ])
      expect(last).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'));
  });

  it('every file that the image copies exists and is in the build context', () => {
    const kept = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(kept.filter((line) => line && !line.startsWith('#'))[0]).toBe('*');
    const allowed = kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const file of allowed) expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )?(.+) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    );
    for (const file of copied.filter((name) => name !== '.')) {
      const isAllowed = allowed.some((name) => path.normalize(`${file}/`).startsWith(`${name}/`));
      expect([file, isAllowed, existsSync(path.join(ROOT, file))]).toEqual([file, true, true]);
    }
    // `npm run build` reads these.
    const { SOURCES } = jest.requireActual<{ SOURCES: string[] }>('../../build.cjs');
    expect(allowed).toEqual(expect.arrayContaining(['build.cjs', ...SOURCES]));
  });
});
