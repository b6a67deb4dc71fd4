import { setTimeout as sleep } from 'node:timers/promises';
import { flag } from './command';
import type { AuditedContext, Basics } from './context';
import { UsageError } from './failure';
import type { Output } from '../terminal/output';
import { PIPE, rewritesLines, type Screen } from '../terminal/screen';
import { paragraph, shortTime } from '../terminal/table';

const EVERY_SECONDS = 2;

export const WATCH_FLAG = flag(
  '--watch',
  `show it again every ${EVERY_SECONDS} s until Ctrl-C; only on a terminal`,
);

/** @throws UsageError if there is no screen to draw on */
export function refuseWatch({ io, output }: Basics): void {
  if (output.json)
    throw new UsageError('--watch draws on a screen, and --json is one document: leave one out');
  if (io.screen === undefined || io.screen === PIPE || !rewritesLines(true, io.env))
    throw new UsageError(
      '--watch needs a terminal to draw on: leave it out in a pipe, and repeat the command',
    );
}

type Run = (context: AuditedContext) => Promise<number | void>;

/**
 * Runs a command repeatedly until Ctrl-C, and draws each answer over the previous one. The caller closes the display when the command ends:
 * Ctrl-C and a lost database end it in the middle of a reading.
 */
export async function drawRepeatedly(display: Display, context: AuditedContext, run: Run): Promise<never> {
  for (;;) {
    const screen = context.output.currentScreen();
    display.show(await readLines(context, run, screen), screen);
    await untilNextDrawing(context);
  }
}

/** Runs the command and returns the lines of its answer, its notes and its warnings. */
async function readLines(context: AuditedContext, run: Run, screen: Screen): Promise<string[]> {
  const lines: string[] = [];
  const add = (text: string) => void lines.push(...text.split('\n'));
  const output: Output = {
    ...context.output,
    screen,
    answer: async (_, text) => add(text(screen)),
    note: (line) => add(paragraph(line, screen)),
    warn: (message) => add(paragraph(`warning: ${message}`, screen)),
  };
  await run({ ...context, output });
  return lines;
}

/** Waits until two seconds are over, the size of the screen changes, or Ctrl-C is pressed. The caller ends the command after Ctrl-C. */
async function untilNextDrawing({ io: { interrupted }, output }: AuditedContext): Promise<void> {
  const waiting = new AbortController();
  const end = () => waiting.abort();
  const ignoreSize = output.onResize(end);
  interrupted?.addEventListener('abort', end);
  await sleep(EVERY_SECONDS * 1000, undefined, { signal: waiting.signal }).catch(() => {});
  ignoreSize();
  interrupted?.removeEventListener('abort', end);
}

/**
 * Control sequences without their common prefix: switch to the alternate screen, hide the cursor, and cut lines at the edge of the screen.
 */
const ENTER = ['?1049h', '?25l', '?7l'];
const LEAVE = ['?7h', '?25h', '?1049l'];
/** Some terminals show all changes between these two sequences at once. Other terminals ignore both. */
const HOLD = '?2026h';
const SHOW = '?2026l';
const TO_START = 'H';
/** Clears the line from the cursor to its end. Comes before the text of a line: after a full line it would clear the last cell. */
const CLEAR_LINE = 'K';
const CLEAR_BELOW = 'J';

export interface Display {
  /** Draws the lines over the previous ones. Draws nothing after `close`: the reading that Ctrl-C interrupted ends later. */
  show(answer: string[], screen: Screen): void;
  /** Restores the screen. */
  close(): void;
}

/**
 * Draws on the alternate screen of the terminal, so that the earlier output stays. Overwrites lines in place, so that the screen does not
 * flicker.
 */
export function createDisplay(output: Output): Display {
  let state: 'new' | 'open' | 'closed' = 'new';
  const control = (...sequences: string[]) => sequences.map((each) => output.screen.mark + each).join('');
  return {
    show(answer, { rows = Infinity }) {
      if (state === 'closed') return;
      const opening = state === 'new' ? control(...ENTER) : '';
      state = 'open';
      const heading = `${shortTime(new Date())} UTC, again every ${EVERY_SECONDS} s until Ctrl-C`;
      const drawn = fitRows([heading, '', ...answer], rows);
      const lines = drawn.map((line) => control(CLEAR_LINE) + line);
      if (drawn.length < rows) lines.push(control(CLEAR_BELOW));
      output.draw(opening + control(HOLD, TO_START) + lines.join('\n') + control(SHOW));
    },
    close() {
      if (state === 'open') output.draw(control(...LEAVE));
      state = 'closed';
    },
  };
}

function fitRows(lines: string[], rows: number): string[] {
  if (lines.length <= rows) return lines;
  const shown = Math.max(0, rows - 1);
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines do not fit`];
}
