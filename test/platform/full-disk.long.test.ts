import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { readDiskSpace } from '../../services/platform/directories';
import { checkOf } from '../cli/doctor-check';
import { useTestTerminal, withEnv } from '../cli/terminal';
import { describeWithSmallDisks, mountSmallDisk, removeSmallDisks } from '../support/small-disk';

const terminal = useTestTerminal();

afterAll(removeSmallDisks);

describeWithSmallDisks('a full disk', () => {
  it('a start of the embedded database on a full disk fails with an error that names the cause', async () => {
    const directory = mountSmallDisk(40);
    const start = () => joinEmbeddedPostgres(directory);
    await expect(start()).rejects.toThrow(/The disk is full: free some space and start again/);
    expect(() => writeFileSync(path.join(directory, 'rest'), Buffer.alloc(40 * 1024 * 1024))).toThrow(
      /ENOSPC/,
    );
    await expect(start()).rejects.toThrow(/The disk is full: free some space and start again/);
  });

  it('tourctl doctor reports a full disk as a notice when the database is elsewhere', async () => {
    const directory = mountSmallDisk(20);
    const check = () => withEnv(terminal, { DATA_DIR: directory }, () => checkOf(terminal, 'disk'));
    expect(await check()).toMatchObject({
      code: 0,
      status: 'notice',
      detail: `20 MiB are free for ${directory} on this machine, not for the database`,
    });
    writeFileSync(path.join(directory, 'most'), Buffer.alloc(18 * 1024 * 1024));
    expect(await check()).toMatchObject({
      code: 0,
      status: 'notice',
      detail: expect.stringMatching(/^\d MiB/),
    });
  });
});

describe('the free space', () => {
  it('the free space of a directory that does not exist is unknown', () => {
    expect(readDiskSpace('/does/not/exist')).toBeUndefined();
  });

  it('tourctl doctor succeeds when it cannot read the free space', async () => {
    const directory = path.join(__filename, 'below-a-file');
    const { code, stderr } = await withEnv(terminal, { DATA_DIR: directory }, () =>
      terminal.tourctl('doctor'),
    );
    expect([code, stderr]).toEqual([0, '']);
  });
});
