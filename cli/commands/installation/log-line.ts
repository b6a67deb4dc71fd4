import { paint, type Screen, type Tone } from '../../terminal/screen';
import { padText, wrapText } from '../../terminal/text';

/** One line of a log. */
export interface LogLine {
  service: 'api' | 'queue';
  /** Milliseconds since the epoch. A line that is no JSON has the time of the line before it. */
  time: number;
  text: string;
  /** Undefined for a line that is no JSON, such as the message of a process that could not start. */
  fields: Record<string, unknown> | undefined;
}

/** @param before the time of the line before */
export function parseLogLine(service: LogLine['service'], text: string, before: number): LogLine {
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

/** Returns one line of JSON: the line as it is, or a document around a text that is no JSON. */
export function toJsonLine({ service, text, fields }: LogLine): string {
  return `${fields ? text : JSON.stringify({ service, text })}\n`;
}

const TONES: Record<string, Tone> = {
  fatal: 'bad',
  error: 'bad',
  warn: 'waiting',
  debug: 'quiet',
  trace: 'quiet',
};
/** The fields that the beginning of a line shows, and those that nobody looks for. */
const SHOWN_APART = ['level', 'time', 'service', 'pid', 'msg', 'err', 'tenant', 'code', 'request_id'];
const REQUEST = ['method', 'route', 'status', 'duration_ms'];
const INDENT = '    ';

/** Formats a line for a person: time (UTC), level, service, message, then the fields, the most important first. */
export function describeLogLine({ service, time, text, fields }: LogLine, screen: Screen): string {
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

/** Returns the day for the line above the first one of each day. */
export function dayOf({ time }: LogLine): string | undefined {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : undefined;
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
