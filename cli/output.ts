import type { Io } from './io';
import { PIPE, type Screen } from './screen';

/** The one place that writes. stdout has the answer and nothing else; what is meant for a person's eyes goes to stderr. */
export interface Output {
  json: boolean;
  screen: Screen;
  /** The command's answer: as one JSON document, or as `text` gives it for the screen that it is read on. */
  answer(document: object, text: (screen: Screen) => string): void;
  /** Tells a person how it went; silent in --json mode. */
  note(line: string): void;
  /** Done, but something is not as it may seem. */
  warn(message: string): void;
  error(code: string, message: string, hint?: string): void;
  help(text: string): void;
}

/** What is shown once: a key, a token, a webhook's secret. */
const SECRET = /svc_(live|widget)_[0-9A-Za-z]{12}_|whsec_/;

export function createOutput(io: Io, json: boolean): Output {
  const { screen = PIPE } = io;
  const say = (text: string) => void io.stderr.write(`${text}\n`);
  return {
    json,
    screen,
    answer(document, text) {
      const written = json ? JSON.stringify(document) : text(screen);
      if (SECRET.test(written)) io.onNews?.('secret');
      if (written !== '') io.stdout.write(`${written}\n`);
    },
    note: (line) => (json ? undefined : say(line)),
    warn: (message) => say(json ? JSON.stringify({ warning: { message } }) : `warning: ${message}`),
    error(code, message, hint) {
      if (json) return say(JSON.stringify({ error: { code, message } }));
      say(`error: ${message}${hint ? `\n${hint}` : ''}`);
    },
    help: (text) => void io.stdout.write(text),
  };
}
