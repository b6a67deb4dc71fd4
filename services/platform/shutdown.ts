import type { Logger } from './logger';

/**
 * Ends a process that cannot start, with one line on stderr that names the next step.
 * @param ports the variables of its ports
 */
export function failStart(service: string, ports: string, error: unknown): void {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  const text =
    code === 'EADDRINUSE'
      ? `Port ${port} is taken: stop the process that uses it, or set ${ports} to another port.`
      : message;
  process.stderr.write(`${service}: ${text}\n`, () => process.exit(1));
}

/**
 * Runs `stop` once on SIGTERM, SIGINT, or when the parent that forked this process ends. Then exits with 0, or with 1 where
 * `stop` fails or takes longer than `graceMs`.
 */
export function onShutdown(log: Logger, graceMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), graceMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => begin('SIGTERM'));
  process.on('SIGINT', () => begin('SIGINT'));
  if (process.channel) process.on('disconnect', () => begin('parent gone'));
}
