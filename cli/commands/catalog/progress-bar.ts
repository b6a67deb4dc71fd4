import type { WriteStream } from 'node:tty';
import type { ImportProgress, WatchImport } from '../../../services/api/catalog-import/catalog-file';
import type { Io } from '../../terminal/io';
import { drawsBlocks, filledBar, rewritesLines } from '../../terminal/screen';

/** Draws a progress line that it rewrites, on a terminal only. */
export interface ProgressBar {
  watch: WatchImport;
  /** Clears the line for an answer or a question. */
  clear(): void;
}

const SILENT: ProgressBar = { watch: () => {}, clear: () => {} };
/** Repaints at most every 100 ms. */
const MS_A_PAINT = 100;
const WIDEST_BAR = 30;
const UNITS = { reading: 'MB', comparing: 'rows', writing: 'rows' };

/** Draws only on a terminal that can rewrite a line, and not with --json. */
export function showProgress(
  io: Io,
  json: boolean,
  now: () => number = () => performance.now(),
): ProgressBar {
  if (json || !rewritesLines(io.isTTY, io.env)) return SILENT;
  const blocks = drawsBlocks(io.env);
  let [shown, phase, begun, painted] = [0, '', 0, -Infinity];
  const write = (text: string) => {
    io.stderr.write(`\r${text.padEnd(shown)}${text.length < shown ? `\r${text}` : ''}`);
    shown = text.length;
  };
  return {
    watch(progress) {
      const time = now();
      if (progress.phase !== phase) [phase, begun, painted] = [progress.phase, time, -Infinity];
      if (time - painted < MS_A_PAINT) return;
      painted = time;
      // A terminal of unknown width reports 0.
      const columns = (io.stderr as Partial<WriteStream>).columns || 80;
      write(line(progress, (time - begun) / 1000, columns - 1, blocks));
    },
    clear() {
      if (shown === 0) return;
      io.stderr.write(`\r${' '.repeat(shown)}\r`);
      shown = 0;
    },
  };
}

function line(
  { phase, done, of }: ImportProgress,
  seconds: number,
  columns: number,
  blocks: boolean,
): string {
  const part = of > 0 ? Math.min(done / of, 1) : 1;
  const rate = seconds > 0 ? done / seconds : 0;
  const isBytes = phase === 'reading';
  const amount = (value: number) => (isBytes ? (value / 1e6).toFixed(1) : grouped(Math.round(value)));
  const unit = UNITS[phase];
  const facts = [`${amount(done)} of ${amount(of)} ${unit}`, `${amount(rate)} ${unit}/s`];
  // The rate is not reliable in the first moments.
  if (seconds >= 1 && rate > 0) facts.push(`${duration((of - done) / rate)} left`);
  const text = () => [`${String(Math.floor(part * 100)).padStart(3)} %`, ...facts].join(', ');
  const room = () => columns - phase.length - text().length - 2;
  // On a narrow screen, drops the amount first, then the rate, and the remaining time last.
  while (facts.length > 0 && room() < 0) facts.shift();
  const width = Math.min(WIDEST_BAR, room() - 1);
  const bar = width >= 5 ? ` ${filledBar(part, width, blocks)} ` : ' ';
  return `${phase}${bar}${text()}`.slice(0, columns);
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
