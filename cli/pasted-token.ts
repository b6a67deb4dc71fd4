import type { Io } from './io';
import type { Output } from './output';
import { askSecret } from './prompts';
import { UsageError } from './usage-error';

/**
 * A key or token from standard input, never from the command line: that is kept by shells and shown to every user.
 * @param verb for the sentence where there is none, or more than one
 */
export async function readPastedToken(io: Io, output: Output, verb: string): Promise<string> {
  const text = await readText(io, output);
  if (text === '')
    throw new UsageError(`${verb} reads a key or token from standard input, and there was none`);
  return tokenIn(text, verb);
}

/** The one credential in what was pasted with it: a header, a quoted value, a line of a settings file. */
function tokenIn(text: string, verb: string): string {
  const found = new Set(text.match(/svc_[^\s"'`,;<>()&#]*/g));
  if (found.size > 1) throw new UsageError(`${verb} takes one key or token, and there are ${found.size}`);
  return [...found][0] ?? text;
}

async function readText(io: Io, output: Output): Promise<string> {
  if (io.isTTY && !output.json) return (await askSecret(io, 'Key or token')).trim();
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > 10_000) break;
  }
  return text.trim();
}
