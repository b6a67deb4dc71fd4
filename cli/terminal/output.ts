import { randomUUID } from 'node:crypto';
import { AppError } from '../../services/platform/errors';
import { CancelledError, type Io, ReaderGoneError } from './io';
import { ESCAPE, PIPE, readScreen, type Screen } from './screen';
import { StandardStream } from './standard-stream';
import { cleanText, escapeJson } from './text';

/**
 * Writes all output except the questions of prompts.ts, and cleans it. stdout carries only the answer; notes, warnings and
 * errors go to stderr. All text waits without a limit for a slow reader, and half a second after Ctrl-C.
 */
export interface Output {
  json: boolean;
  screen: Screen;
  /**
   * Writes the command's answer: one JSON document, or `text` for this screen. Resolves when the reader has taken it. Resolves too if the
   * reader has closed the pipe, so that the command ends with its own exit code.
   * @throws OutputLostError, CancelledError
   */
  answer(document: object, text: (screen: Screen) => string): Promise<void>;
  /**
   * Streams to stdout as fast as its reader takes it. Escapes unsafe characters in JSON. Cleans text. Cleans CSV only on a terminal.
   * @throws ReaderGoneError if the reader has closed the pipe; OutputLostError, CancelledError
   */
  pour(pieces: AsyncIterable<string>, form: 'json' | 'csv' | 'text'): Promise<void>;
  /** Aborted when the reader of stdout has closed the pipe: a command that only shows what happens ends then. */
  readerGone: AbortSignal;
  /** Writes a note for a person; silent with --json. */
  note(line: string): void;
  /** Passes on the stderr of a child service. */
  relay(text: string): void;
  /** Warns about a command that succeeded. */
  warn(message: string): void;
  /**
   * Writes the error. Resolves when the reader of stderr has taken all text.
   * @param facts further fields of the JSON document
   */
  error(code: string, message: string, hint?: string, facts?: Record<string, unknown>): Promise<void>;
  help(text: string): void;
  /** Writes to the screen without a line break at the end. The mark of the screen (`mark` in screen.ts) begins a control sequence. */
  draw(text: string): void;
  /** Returns the screen in its present size. With --wide, the width has no limit. */
  currentScreen(): Screen;
  /** Calls `listener` whenever the size of the screen changes. @returns a function that removes the listener */
  onResize(listener: () => void): () => void;
  /** Records that a change is committed, so that a later failure of stdout reports the change. */
  recordChange(): void;
  /** Says which results are lost if no reader takes them: `: the change was made`. Empty if nothing waits. */
  describeWaiting(): string;
  /** Waits until the readers have taken all text. @throws OutputLostError, CancelledError */
  drain(): Promise<void>;
}

/** Signals that stdout cannot be written, for example because the disk is full. */
class OutputLostError extends AppError {
  readonly code = 'output_lost';
}

type Result = 'change' | 'secret';

/** @returns the end of a message about lost output */
function describeLoss(results: ReadonlySet<Result>): string {
  if (results.has('secret'))
    return ': the issued credential is valid but its secret is lost: rotate or revoke it';
  return results.has('change') ? ': the change was made' : '';
}

/** Matches secrets that are shown once: a key, a token, a webhook's secret. */
const SECRET = /svc_(live|widget)_[0-9A-Za-z]{12}_|whsec_/;

/** @param wide cuts no line at the width of the screen */
export function createOutput(io: Io, json: boolean, wide = false): Output {
  // Colours text with a random mark. The output cleans the text and then replaces the mark by ESCAPE, so no text from a user or the
  // database can add an escape sequence.
  const mark = randomUUID();
  const screen = { ...(io.screen ?? PIPE), mark, ...(wide && { columns: undefined }) };
  const onScreen = (text: string) => cleanText(text).replaceAll(mark, ESCAPE);
  const stdout = new StandardStream(io.stdout, io.interrupted);
  const stderr = new StandardStream(io.stderr, io.interrupted);
  const say = (text: string) => stderr.write(onScreen(`${text}\n`));
  const document = (value: object) => escapeJson(JSON.stringify(value));
  const results = new Set<Result>();

  function assertTaken(): void {
    const { error } = stdout;
    if (stdout.isWaiting) throw new CancelledError(`Interrupted${describeLoss(results)}`);
    if (!error || (stdout.closed.aborted && !results.has('secret'))) return;
    throw new OutputLostError(
      `Standard output cannot be written (${error.code ?? 'closed'})${describeLoss(results)}`,
    );
  }

  return {
    json,
    screen,
    readerGone: stdout.closed,
    async answer(value, text) {
      const written = json ? document(value) : text(screen);
      if (SECRET.test(written)) results.add('secret');
      if (written === '') return;
      await stdout.write(onScreen(`${written}\n`));
      assertTaken();
    },
    async pour(pieces, form) {
      const isTerminal = io.screen !== undefined && io.screen !== PIPE;
      const exact = (text: string) => text;
      const forTerminal = (text: string) => cleanText(text.replaceAll('\r\n', '\n'));
      const written = { json: escapeJson, csv: isTerminal ? forTerminal : exact, text: onScreen }[form];
      for await (const piece of pieces) {
        await stdout.write(written(piece));
        assertTaken();
        if (stdout.closed.aborted) throw new ReaderGoneError();
      }
    },
    note(line) {
      if (!json) void say(line);
    },
    relay: (text) => void stderr.write(onScreen(text)),
    warn: (message) => void say(json ? document({ warning: { message } }) : `warning: ${indented(message)}`),
    error: (code, message, hint, facts) =>
      say(
        json
          ? document({ error: { code, message, ...facts } })
          : `error: ${indented(message)}${hint ? `\n${hint}` : ''}`,
      ),
    help: (text) => void stdout.write(onScreen(text)),
    draw: (text) => void stdout.write(onScreen(text)),
    currentScreen() {
      const { columns, rows } = readScreen(io.stdout as NodeJS.WriteStream, io.env);
      return { ...screen, columns: wide ? undefined : columns, rows };
    },
    onResize(listener) {
      io.stdout.on('resize', listener);
      return () => void io.stdout.off('resize', listener);
    },
    recordChange: () => void results.add('change'),
    describeWaiting: () => (stdout.isWaiting ? describeLoss(results) : ''),
    async drain() {
      await stdout.drain();
      assertTaken();
      await stderr.drain();
    },
  };
}

/** Indents every line after the first, so that foreign text cannot look like a separate message. */
function indented(message: string): string {
  return message.replace(/\n/g, '\n  ');
}
