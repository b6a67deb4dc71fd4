import { existsSync } from 'node:fs';
import path from 'node:path';
import { DOCKER, documentsOf, interpolated, read } from './docker-files';

const MOUNTED = '/etc/pgbackrest/pgbackrest.conf';

describe.each(['compose.archive.yaml', 'compose.ha-archive.yaml'])('%s', (file) => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const services = Object.entries<any>(documentsOf(file)[0].services);

  it(`${file} gives each server the shipped configuration, a section of it and a folder for the archive`, () => {
    const [section] = /^\[(?!global)(\w+)\]$/m.exec(read('pgbackrest/pgbackrest.conf'))!.slice(1);
    for (const [name, { environment, volumes }] of services) {
      expect([name, environment.PGBACKREST_STANZA]).toEqual([name, section]);
      expect(volumes).toEqual([
        `./pgbackrest/pgbackrest.conf:${MOUNTED}:ro`,
        '${ARCHIVE_DIR:?set it in docker/.env}:/var/lib/pgbackrest',
      ]);
    }
  });

  it(`${file} extends servers that the other compose files have`, () => {
    const base = documentsOf(file === 'compose.ha-archive.yaml' ? 'compose.ha.yaml' : 'compose.yaml')[0]
      .services;
    for (const [name] of services) expect(base[name].volumes[0]).toMatch(/^[\w-]+:\/var\/lib\/postgresql$/);
  });

  it(`${file} asks only for variables of .env.example`, () => {
    const { required, optional } = interpolated(read(file));
    expect([[...required], [...optional]]).toEqual([['ARCHIVE_DIR'], []]);
    expect(read('.env.example')).toMatch(/^ARCHIVE_DIR=$/m);
  });
});

describe('the configuration of pgBackRest', () => {
  const conf = read('pgbackrest/pgbackrest.conf');
  const valueOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(conf)?.[1];

  it('pgBackRest writes only to the archive and to the directory in memory', () => {
    expect(valueOf('repo1-path')).toBe('/var/lib/pgbackrest');
    expect(valueOf('lock-path')).toMatch(/^\/tmp\//);
    expect(valueOf('log-level-file')).toBe('off');
  });

  it('the image of the archive is built from a Dockerfile that exists, on the version of compose.yaml', () => {
    const { build } = documentsOf('compose.archive.yaml')[0].services.postgres;
    const dockerfile = path.join(build.context, 'Dockerfile');
    expect(existsSync(path.join(DOCKER, dockerfile))).toBe(true);
    expect(read(dockerfile)).toContain(
      `ARG POSTGRES_IMAGE=${documentsOf('compose.yaml')[0].services.postgres.image}\n`,
    );
    expect(valueOf('pg1-path')).toBe('/var/lib/postgresql/18/docker');
  });
});
