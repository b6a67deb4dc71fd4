import { fstatSync, writeSync } from 'node:fs';
import { countSeries } from './metrics';

/** Collects log lines, because a write for each line takes 10 µs more of CPU. A killed process loses the lines of the last FLUSH_MS. */
const BUFFER_BYTES = 4096;
const FLUSH_MS = 100;
/** Further lines are dropped while so many bytes wait for a full disk or a slow reader. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** The pause before the next attempt after a write that failed. */
const RETRY_MS = 1000;
/** The longest time for which a process that ends waits for the reader of its log. */
const LAST_FLUSH_MS = 500;

const droppedLines = countSeries({
  name: 'log_lines_dropped_total',
  help: 'Log lines that were not written, because the disk is full, the reader is gone, or it is too slow',
  labelNames: [],
});

const STDOUT = 1;

/**
 * Writes log lines to stdout. A full disk, a reader that pauses or is gone, and each other error of stdout delay neither the service nor
 * its exit: lines that cannot be written wait, and when too many wait, further lines are dropped and counted. Says once on stderr that the
 * log cannot be written, and tries again every second.
 */
export class LogOutput {
  /** The bytes of the last write that stdout has not taken. They may begin within a line. */
  private rest: Buffer = Buffer.alloc(0);
  private lines = '';
  private dropped = 0;
  private reason: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isWriting = false;
  private onIdle: () => void = () => {};
  /** Undefined until the first line. */
  private isPipe: boolean | undefined;

  /**
   * @param service the name of the service, for the message on stderr
   * @param onDropped is called with the number of dropped lines when lines can be written again
   */
  constructor(
    private readonly service: string,
    private readonly onDropped: (lines: number) => void,
  ) {}

  /** @param line ends with a line break */
  write(line: string): void {
    if (this.isPipe === undefined) this.open();
    if (this.rest.length + this.lines.length > WAITING_BYTES_MAX) return this.drop();
    this.lines += line;
    if (this.lines.length >= BUFFER_BYTES && this.reason === undefined) this.writeNow();
    else this.writeLater(this.reason === undefined ? FLUSH_MS : RETRY_MS);
  }

  /** Calls back when all lines are written, or after LAST_FLUSH_MS. */
  flush(done: () => void): void {
    const timer = setTimeout(done, LAST_FLUSH_MS);
    this.onIdle = () => {
      clearTimeout(timer);
      done();
    };
    this.writeNow();
  }

  private open(): void {
    const stdout = fstatSync(STDOUT);
    this.isPipe = stdout.isFIFO() || stdout.isSocket();
    process.on('exit', () => this.writeNow());
  }

  private writeLater(afterMs: number): void {
    this.timer ??= setTimeout(() => this.writeNow(), afterMs).unref();
  }

  private writeNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isWriting) return;
    const bytes = Buffer.concat([this.rest, Buffer.from(this.lines)]);
    this.rest = bytes;
    this.lines = '';
    if (bytes.length === 0) return this.onIdle();
    if (this.isPipe) this.writeToPipe(bytes);
    else this.writeToFile(bytes);
  }

  /** Never blocks: Node's stream of a pipe waits for its reader in the background. */
  private writeToPipe(bytes: Buffer): void {
    this.isWriting = true;
    process.stdout.write(bytes, (error) => {
      this.isWriting = false;
      if (error) this.fail(error);
      else this.succeed(bytes.length);
    });
  }

  /** Writes synchronously, because a thread that hangs in a write would keep the process from ending. */
  private writeToFile(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
    } catch (error) {
      this.rest = bytes.subarray(written);
      return this.fail(error as NodeJS.ErrnoException);
    }
    this.succeed(written);
  }

  private succeed(written: number): void {
    this.rest = this.rest.subarray(written);
    this.reason = undefined;
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.onDropped(dropped);
    if (this.lines.length >= BUFFER_BYTES) this.writeNow();
    else if (this.lines.length > 0) this.writeLater(FLUSH_MS);
    else this.onIdle();
  }

  private fail({ code, message }: NodeJS.ErrnoException): void {
    // A terminal whose output is stopped takes no bytes for the moment. It needs no report.
    if (code !== 'EAGAIN') this.reportFailure(message);
    this.writeLater(RETRY_MS);
  }

  private drop(): void {
    this.dropped += 1;
    droppedLines({}).inc();
    this.reportFailure('its reader is too slow');
  }

  /** Says on stderr why lines wait or are lost, once until lines can be written again. */
  private reportFailure(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    process.stderr.write(
      `${this.service}: the log cannot be written (${reason}). Lines are lost until it can.\n`,
    );
  }
}
