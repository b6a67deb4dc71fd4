import type { Logger } from './logger';

/**
 * Runs a service. It ends by onShutdown, or with exit code 1 and one line on stderr that names the next step.
 * @param ports the variables of its ports
 * @param main receives the function that ends the process for an error that it cannot throw
 */
export function runService(
  service: string,
  ports: string,
  main: (fail: (error: unknown) => void) => Promise<void>,
): void {
  const fail = (error: unknown) => failStart(service, ports, error);
  // Node ends with exit code 0 when nothing is left to wait for.
  process.once('beforeExit', () =>
    fail(new Error('The process ended although nobody stopped it: read its log, then start it again.')),
  );
  main(fail).catch(fail);
}

function failStart(service: string, ports: string, error: unknown): void {
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
