import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Io } from './io';
import { ESCAPE, PIPE, readScreen, type Screen } from './screen';
import { cleanText, escapeJson } from './text';

/**
 * Writes all output except the questions of prompts.ts, and cleans it. stdout carries only the answer; notes, warnings and
 * errors go to stderr.
 */
export interface Output {
  json: boolean;
  screen: Screen;
  /** Writes the command's answer: one JSON document, or `text` for this screen. */
  answer(document: object, text: (screen: Screen) => string): void;
  /** Streams to stdout as fast as its reader takes it. Escapes unsafe characters in JSON. Cleans text. Cleans CSV only on a terminal. */
  pour(pieces: AsyncIterable<string>, form: 'json' | 'csv' | 'text'): Promise<void>;
  /** Writes a note for a person; silent with --json. */
  note(line: string): void;
  /** Passes on the stderr of a child service. */
  relay(text: string): void;
  /** Warns about a command that succeeded. */
  warn(message: string): void;
  error(code: string, message: string, hint?: string): void;
  help(text: string): void;
  /** Writes to the screen without a line break at the end. The mark of the screen (`mark` in screen.ts) begins a control sequence. */
  draw(text: string): void;
  /** Returns the screen in its present size. With --wide, the width has no limit. */
  currentScreen(): Screen;
  /** Calls `listener` whenever the size of the screen changes. @returns a function that removes the listener */
  onResize(listener: () => void): () => void;
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
  const write = (stream: Io['stdout'], text: string) => void stream.write(onScreen(text));
  const say = (text: string) => write(io.stderr, `${text}\n`);
  const document = (value: object) => escapeJson(JSON.stringify(value));
  return {
    json,
    screen,
    answer(value, text) {
      const written = json ? document(value) : text(screen);
      if (SECRET.test(written)) io.onResult?.('secret');
      if (written !== '') write(io.stdout, `${written}\n`);
    },
    async pour(pieces, form) {
      const isTerminal = io.screen !== undefined && io.screen !== PIPE;
      const exact = (text: string) => text;
      const forTerminal = (text: string) => cleanText(text.replaceAll('\r\n', '\n'));
      const written = { json: escapeJson, csv: isTerminal ? forTerminal : exact, text: onScreen }[form];
      await pipeline(Readable.from(mapped(pieces, written)), io.stdout, { end: false });
    },
    note: (line) => (json ? undefined : say(line)),
    relay: (text) => write(io.stderr, text),
    warn: (message) => say(json ? document({ warning: { message } }) : `warning: ${indented(message)}`),
    error(code, message, hint) {
      if (json) return say(document({ error: { code, message } }));
      say(`error: ${indented(message)}${hint ? `\n${hint}` : ''}`);
    },
    help: (text) => write(io.stdout, text),
    draw: (text) => write(io.stdout, text),
    currentScreen() {
      const { columns, rows } = readScreen(io.stdout as NodeJS.WriteStream, io.env);
      return { ...screen, columns: wide ? undefined : columns, rows };
    },
    onResize(listener) {
      io.stdout.on('resize', listener);
      return () => void io.stdout.off('resize', listener);
    },
  };
}

/** Indents every line after the first, so that foreign text cannot look like a separate message. */
function indented(message: string): string {
  return message.replace(/\n/g, '\n  ');
}

async function* mapped(pieces: AsyncIterable<string>, change: (text: string) => string) {
  for await (const piece of pieces) yield change(piece);
}
