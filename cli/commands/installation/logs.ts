import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../services/platform/errors';
import type { Terminal } from '../../engine/context';
import { EXIT } from '../../engine/failure';
import { dayOf, describeLogLine, type LogLine, parseLogLine, toJsonLine } from './log-line';
import { LogReader } from './log-reader';
import { logFileOf, type ServiceName } from './service';

interface LogOptions {
  service?: LogLine['service'];
  since?: Date;
  follow?: boolean;
}

class NoLogsError extends AppError {
  readonly code = 'no_logs';

  constructor(dataDir: string) {
    super(
      `There are no logs in ${dataDir}/logs: npm start writes them; services that are started otherwise log to their standard output`,
    );
  }
}

const FILES: Record<LogLine['service'], ServiceName> = { api: 'api', queue: 'webhook-queue' };
const SHOWN_LINES = 100;
/** Enough for SHOWN_LINES of one service: a line of a request has about 300 bytes. */
const TAIL_BYTES = 256 * 1024;
const FOLLOW_MS = 250;

/**
 * Prints the lines of the logs of `npm start` in the order of their times.
 * @returns 130 after Ctrl-C
 */
export async function logsCommand(
  terminal: Terminal,
  { service, since, follow = false }: LogOptions,
): Promise<number> {
  const { config, io, output } = terminal;
  const services = service ? [service] : (['api', 'queue'] as const);
  const logs = services.map((name) => new ServiceLog(name, new LogReader(logFileOf(config, FILES[name]))));
  const print = createPrinter(terminal);
  try {
    const shown = await print(since ? inOrder(logs, since.getTime()) : lastLines(logs));
    if (shown === 0 && !follow) {
      if (!logs.some((log) => log.exists)) throw new NoLogsError(config.dataDir);
      output.note('No lines');
    }
    if (follow) await followLogs(logs, print, io.interrupted);
    return io.interrupted?.aborted ? EXIT.interrupted : EXIT.done;
  } finally {
    for (const log of logs) await log.reader.close();
  }
}

async function followLogs(
  logs: ServiceLog[],
  print: (lines: AsyncGenerator<LogLine>) => Promise<number>,
  interrupted: AbortSignal | undefined,
): Promise<void> {
  while (!interrupted?.aborted) {
    await sleep(FOLLOW_MS, undefined, { signal: interrupted }).catch(() => undefined);
    await print(inOrder(logs, -Infinity));
  }
}

/** The log of one service. */
class ServiceLog {
  private time = -Infinity;
  exists = false;

  constructor(
    private readonly name: LogLine['service'],
    readonly reader: LogReader,
  ) {}

  /** Reads the lines that were written since the last call. */
  async *lines(tailBytes?: number): AsyncGenerator<LogLine> {
    for await (const text of this.reader.read(tailBytes)) {
      this.exists = true;
      const line = parseLogLine(this.name, text, this.time);
      this.time = line.time;
      yield line;
    }
  }
}

/** Merges the new lines of the logs, from a time on. */
async function* inOrder(logs: ServiceLog[], since: number): AsyncGenerator<LogLine> {
  const sources = logs.map((log) => log.lines());
  const next = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    const open = next.flatMap(({ done, value }, i) => (done ? [] : [{ i, line: value }]));
    if (open.length === 0) return;
    const { i, line } = open.reduce((first, other) => (other.line.time < first.line.time ? other : first));
    if (line.time >= since) yield line;
    next[i] = await sources[i]!.next();
  }
}

async function* lastLines(logs: ServiceLog[]): AsyncGenerator<LogLine> {
  const all: LogLine[] = [];
  for (const log of logs) {
    const last: LogLine[] = [];
    for await (const line of log.lines(TAIL_BYTES)) {
      last.push(line);
      if (last.length > SHOWN_LINES) last.shift();
    }
    all.push(...last);
  }
  yield* all.sort((a, b) => a.time - b.time).slice(-SHOWN_LINES);
}

/** Returns a function that prints lines until Ctrl-C, as fast as the other end reads them, and returns their number. */
function createPrinter({ io, output }: Terminal) {
  let day: string | undefined;
  let count = 0;

  function draw(line: LogLine): string {
    count++;
    if (output.json) return toJsonLine(line);
    const changed = dayOf(line);
    const heading = changed !== undefined && changed !== day ? `${changed} (UTC)\n` : '';
    day = changed ?? day;
    return `${heading}${describeLogLine(line, output.screen)}\n`;
  }

  async function* drawn(lines: AsyncGenerator<LogLine>): AsyncGenerator<string> {
    for await (const line of lines) {
      if (io.interrupted?.aborted) return;
      yield draw(line);
    }
  }

  return async (lines: AsyncGenerator<LogLine>): Promise<number> => {
    count = 0;
    await output.pour(drawn(lines), output.json ? 'json' : 'text');
    return count;
  };
}
