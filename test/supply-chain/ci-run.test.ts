import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { useTemporaryFolder } from '../support/temporary-folder';

const folder = useTemporaryFolder();
const UNCHECKED = 'Nothing was checked, because the registry answers no audit request: 405';

interface FakeRun {
  audit: string;
  failing?: string;
  /** The line about a suite that the second test run leaves out. */
  leftOut?: string;
}

/** Runs .ci/run with a fake npm. The fake prints this text for the audit, and reports three and two tests for the two test runs. */
function ciRun({ audit, failing = 'nothing', leftOut = '' }: FakeRun) {
  const npm = `#!/bin/sh
    case "$*" in
      *${failing}*) exit 1 ;;
      *audit) echo '${audit}' ;;
      'test '*) count=3 ;;
      *test:long*) count=2; printf '%s' '${leftOut}' >>"$TEST_LEFT_OUT_REPORT" ;;
    esac
    for last; do :; done
    if [ "\${count:-}" ]; then
      echo "{\\"numPassedTests\\":$count,\\"numFailedTests\\":0,\\"numRuntimeErrorTestSuites\\":0}" >"\${last#--outputFile=}"
    fi`;
  writeFileSync(path.join(folder, 'npm'), npm, { mode: 0o755 });
  const { status, stdout } = spawnSync(path.resolve(__dirname, '../../.ci/run'), {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}`, TMPDIR: folder },
  });
  return { status, lastLines: stdout.trimEnd().split('\n').slice(-2) };
}

describe('.ci/run', () => {
  it('.ci/run says before its last line that npm audit checked nothing where the registry refuses audit requests', () => {
    expect(ciRun({ audit: UNCHECKED })).toEqual({
      status: 0,
      lastLines: [
        UNCHECKED.replace('Nothing was checked', 'npm audit checked nothing'),
        '5 passed, 0 failed',
      ],
    });
  });

  it('.ci/run says nothing about an audit that was made', () => {
    const { status, lastLines } = ciRun({
      audit: 'npm audit has no finding of the severity high or critical.',
    });
    expect(status).toBe(0);
    expect(lastLines).toEqual([expect.stringMatching(/^== smoke: \d+ s$/), '5 passed, 0 failed']);
  });

  it('.ci/run says before its last line which suite this machine cannot run, and why', () => {
    const leftOut = 'Left out: the containers of docker/, because a Docker engine needs root';
    const audit = 'npm audit has no finding of the severity high or critical.';
    expect(ciRun({ audit, leftOut: `${leftOut}\n` })).toEqual({
      status: 0,
      lastLines: [leftOut, '5 passed, 0 failed'],
    });
  });

  it('.ci/run counts an audit that fails as one failure', () => {
    expect(ciRun({ audit: '', failing: 'audit' })).toMatchObject({
      status: 1,
      lastLines: [expect.anything(), '0 passed, 1 failed'],
    });
  });
});
