import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../services/platform/errors';
import { dateOf } from '../../../services/platform/forms/days';
import { flag, type VerbBody } from '../../engine/command';
import type { Terminal } from '../../engine/context';
import { EXIT } from '../../engine/failure';
import { sinceFlag } from '../../engine/list';
import { paint, type Screen, type Tone } from '../../terminal/screen';
import { padText, wrapText } from '../../terminal/text';
import { LogReader, logFileOf, type ServiceName } from './log-files';

export const logsVerb: VerbBody = {
  flags: [
    flag('--service <service>', 'only of this service', { choices: ['api', 'queue'], otherwise: 'both' }),
    { ...sinceFlag('lines'), otherwise: 'the last 100 lines' },
    flag('--follow', 'go on with new lines until Ctrl-C'),
  ],
  examples: ['logs', 'logs --service queue --since 10m', 'logs --follow'],
  needs: 'configuration',
  run: logsCommand,
};

interface LogOptions {
  service?: LogLine['service'];
  since?: Date;
  follow?: boolean;
}

class NoLogsError extends AppError {
  readonly code = 'no_logs';

  constructor(dataDir: string) {
    super(
      `There are no logs in ${dataDir}/logs: tourctl up writes them; services that are started otherwise log to their standard output (journalctl, docker compose logs)`,
    );
  }
}

const FILES: Record<LogLine['service'], ServiceName> = { api: 'api', queue: 'webhook-queue' };
const SHOWN_LINES = 100;
/** Number of bytes to read from the end of a log. They contain about SHOWN_LINES lines, because a line of a request has about 300 bytes. */
const TAIL_BYTES = 256 * 1024;
const FOLLOW_MS = 250;

/**
 * Prints the lines of the logs of `tourctl up` in the order of their times.
 * @returns 130 after Ctrl-C
 */
async function logsCommand(
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

/** Merges the new lines of the logs in the order of their times, from `since` on. */
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

/**
 * Returns a function that prints lines until Ctrl-C and returns the number of printed lines. Prints no faster than the reader of stdout
 * reads.
 */
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

interface LogLine {
  service: 'api' | 'queue';
  /** Milliseconds since the epoch. A line that is not JSON has the time of the previous line. */
  time: number;
  text: string;
  /** Undefined for a line that is not JSON, such as the message of a process that could not start. */
  fields: Record<string, unknown> | undefined;
}

/** @param before the time of the previous line; a line without a time gets this time */
function parseLogLine(service: LogLine['service'], text: string, before: number): LogLine {
  const fields = parseObject(text);
  const time = Date.parse(String(fields?.time));
  return { service, text, fields, time: Number.isNaN(time) ? before : time };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns one line of JSON. Puts a line that is not JSON into a JSON document as text. */
function toJsonLine({ service, text, fields }: LogLine): string {
  return `${fields ? text : JSON.stringify({ service, text })}\n`;
}

const TONES: Record<string, Tone> = {
  fatal: 'bad',
  error: 'bad',
  warn: 'waiting',
  debug: 'quiet',
  trace: 'quiet',
};
/** Fields with a fixed place in a printed line, and `pid`, which is never printed. The list of the further fields omits them. */
const SHOWN_APART = ['level', 'time', 'service', 'pid', 'msg', 'err', 'tenant', 'code', 'request_id'];
const REQUEST = ['method', 'route', 'status', 'duration_ms'];
const INDENT = '    ';

/** Formats a line for a person: time (UTC), level, service, message, then the fields, the most important first. */
function describeLogLine({ service, time, text, fields }: LogLine, screen: Screen): string {
  const width = Math.max(40, (screen.columns ?? Infinity) - INDENT.length);
  const clock = Number.isFinite(time) ? new Date(time).toISOString().slice(11, 23) : padText('', 12);
  const level = fields ? textOf(fields.level) : 'text';
  const start = `${clock} ${padText(level, 5)} ${padText(service, 5)} `;
  const said = fields ? describeFields(fields) : text;
  // A message with line breaks must not look like several lines of the log.
  const [first = '', ...more] = (start + said).split(/[\r\n]+/).flatMap((part) => wrapText(part, width));
  const painted = first.replace(level, () => paint(level, TONES[level], screen));
  return [painted, ...more.map((line) => INDENT + line), ...describeStack(fields)].join('\n');
}

/** Returns the day of a line. The printer writes it above the first line of each day. */
function dayOf({ time }: LogLine): string | undefined {
  return Number.isFinite(time) ? dateOf(time) : undefined;
}

function describeFields(fields: Record<string, unknown>): string {
  const isRequest = REQUEST.every((name) => name in fields);
  const what = isRequest ? `${REQUEST.map((name) => String(fields[name])).join(' ')} ms` : textOf(fields.msg);
  const apart = isRequest ? [...SHOWN_APART, ...REQUEST] : SHOWN_APART;
  const others = Object.keys(fields).filter((name) => !apart.includes(name));
  const named = ['code', 'tenant', ...others, 'request_id'].flatMap((name) =>
    fields[name] === undefined || fields[name] === null ? [] : `${name}=${describeValue(fields[name])}`,
  );
  return [what + describeError(fields.err), ...named].filter(Boolean).join(' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function describeValue(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}

interface LoggedError {
  type?: string;
  code?: string;
  message?: string;
}

function describeError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { type, code, message } = err as LoggedError;
  return `: ${[type, code && `(${code})`].filter(Boolean).join(' ')}: ${message}`;
}

function describeStack(fields: Record<string, unknown> | undefined): string[] {
  const { stack } = (fields?.err ?? {}) as { stack?: unknown };
  return typeof stack === 'string' ? stack.split('\n').map((line) => INDENT + line.trim()) : [];
}
