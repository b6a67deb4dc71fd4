import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The settings of a unit that a test needs to run its commands as systemd does. */
export interface Unit {
  /** The program and the parameters of each ExecStart line. */
  commands: string[][];
  workingDirectory: string;
  environmentFile: string;
  /** The other settings; the last of a name counts. */
  settings: Map<string, string>;
}

/**
 * Reads a service with the drop-ins for its prefix.
 * @param name without `.service`
 * @param placed replaces the paths of a server by those of the test
 */
export function readUnit(folder: string, name: string, placed: (text: string) => string): Unit {
  const files = [path.join(folder, `${name}.service`), ...dropInsOf(folder, name)];
  const lines = files.flatMap((file) => placed(readFileSync(file, 'utf8')).split('\n'));
  const assigned = lines.flatMap((line) => {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value: value! }];
  });
  const settings = new Map(assigned.map(({ key, value }) => [key, value]));
  return {
    commands: assigned.filter(({ key }) => key === 'ExecStart').map(({ value }) => wordsOf(value)),
    workingDirectory: settings.get('WorkingDirectory')!,
    environmentFile: settings.get('EnvironmentFile')!,
    settings,
  };
}

/** Returns the files of `tour-platform-.service.d`, which apply to each service whose name begins with `tour-platform-`. */
function dropInsOf(folder: string, name: string): string[] {
  const prefix = readdirSync(folder).filter(
    (entry) => entry.endsWith('-.service.d') && name.startsWith(entry.replace('.service.d', '')),
  );
  return prefix.flatMap((entry) =>
    readdirSync(path.join(folder, entry)).map((file) => path.join(folder, entry, file)),
  );
}

/** Splits a command line at spaces outside quotes. `$$` means `$`, and `%%` means `%`. */
function wordsOf(line: string): string[] {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g)!;
  return words.map((word) =>
    word
      .replace(/^(['"])(.*)\1$/, '$2')
      .replaceAll('$$', '$')
      .replaceAll('%%', '%'),
  );
}
