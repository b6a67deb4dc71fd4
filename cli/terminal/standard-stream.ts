import type { Writable } from 'node:stream';

/** After Ctrl-C, the time in which the reader can still take the text that waits. */
const GRACE_MS = 500;

/**
 * Writes to stdout or stderr, and knows when the reader has taken the text. A process that ends earlier loses all text beyond the buffer of
 * a pipe (64 KiB).
 * @rule a command ends after its output is read: test/cli/drained-output.long.test.ts
 */
export class StandardStream {
  /** The first error of a write. Later writes fail too. */
  error?: NodeJS.ErrnoException;
  /** Aborted when the reader has closed the pipe. */
  readonly closed: AbortSignal;
  private readonly closing = new AbortController();
  private readonly waiting = new Set<() => void>();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly stream: Writable,
    private readonly interrupted: AbortSignal | undefined,
  ) {
    this.closed = this.closing.signal;
    // Without a listener, Node ends the process with a stack. `write` gets the same error.
    stream.on('error', () => {});
    interrupted?.addEventListener('abort', () => this.limitWait());
  }

  /** True while the reader has not taken all text. */
  get isWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /**
   * Writes the text. Resolves when the reader has taken the text, when the write fails (see `error`), or half a second after Ctrl-C. Waits
   * without a limit for a slow reader. Never rejects.
   */
  write(text: string): Promise<void> {
    this.last = new Promise((resolve) => {
      this.waiting.add(resolve);
      this.stream.write(text, (error) => {
        if (error) this.fail(error);
        this.waiting.delete(resolve);
        resolve();
      });
    });
    if (this.interrupted?.aborted) this.limitWait();
    return this.last;
  }

  /** Waits for all text, like `write`. */
  drain(): Promise<void> {
    return this.last;
  }

  private fail(error: NodeJS.ErrnoException): void {
    this.error ??= error;
    if (this.error.code === 'EPIPE') this.closing.abort();
  }

  private limitWait(): void {
    setTimeout(() => this.waiting.forEach((resolve) => resolve()), GRACE_MS);
  }
}
