import { NotConfirmedError, UsageError } from './failure';
import type { Io } from '../terminal/io';
import type { Output } from '../terminal/output';
import { askYesNo } from '../terminal/prompts';

interface Streams {
  io: Io;
  output: Output;
}

/** Returns whether there is a person to ask: on a terminal, and not with --json. */
export function mayAsk({ io, output }: Streams): boolean {
  return io.isTTY && !output.json;
}

/**
 * Asks before a dangerous change: suspend, close, revoke, rotate with grace 0, remove, release, cancel, erase,
 * --prune and tenfold prices.
 * @param agreed whether --yes is given
 * @throws UsageError if there is nobody to ask; NotConfirmedError
 * @rule a dangerous command asks first: test/cli/tenant.test.ts
 */
export async function confirm(streams: Streams, agreed: boolean, question: string): Promise<void> {
  if (agreed) return;
  if (!mayAsk(streams)) throw nobodyToAsk(question);
  if (!(await askYesNo(streams.io, question))) throw new NotConfirmedError();
}

/** @param question the question that could not be asked; undefined if it depends on data of the database that was not read */
export function nobodyToAsk(question?: string): UsageError {
  const asked = question === undefined ? '' : ` if you agree: ${question}`;
  return new UsageError(`No terminal to ask on: add --yes${asked}`);
}
