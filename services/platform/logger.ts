import pino, { type Logger } from 'pino';

export type { Logger };

/** Fields that hold secrets or personal data, wherever a careless caller may put them. */
const REDACTED = [
  'authorization',
  'api_key',
  'token',
  'secret',
  'phone',
  'email',
  'name',
  'notes',
  'customer',
];

/** JSON lines on stdout, one event a line, written asynchronously. */
export function createLogger(level: string, service: string): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
      serializers: { err: describeError },
    },
    pino.destination({ dest: 1, sync: false }),
  );
}

/** A database error names the row it tripped over in `detail`: personal data, so only what helps is kept. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint } = error as { code?: string; constraint?: string };
  // Knex puts the whole statement, with its values, before " - ".
  const message = code ? error.message.split(' - ').at(-1) : error.message;
  return { type: error.name, code, constraint, message, stack: error.stack?.split('\n').slice(1).join('\n') };
}
