import { COMPLETED_NAMES } from '../../../services/api/health/known-names.repository';
import { loadConfig } from '../../../services/platform/config/config';
import { queryOnce } from '../../../services/platform/database/connect';
import { findRunningPostgres } from '../../../services/platform/embedded-postgres/embedded-postgres';
import { COMPLETED_IDS } from '../../../services/webhook-queue/inspect-queue';
import type { Action, Branch, LoneVerb, Noun, Verb } from '../../engine/command';
import { type Basics, settingsOf } from '../../engine/context';
import type { NamedKind } from '../../engine/named-values';
import type { Io } from '../../terminal/io';
import { lastWordOf } from './completed-words';
import { printScript } from './scripts';

const STATEMENTS: Record<NamedKind, string> = { ...COMPLETED_NAMES, ...COMPLETED_IDS };
/** Limits how long a person who pressed Tab waits for a database that does not answer. Normally it answers in milliseconds. */
const ANSWER_MS = 1000;
/**
 * Matches the characters of slugs, references, ids and times. No other text is printed, because a shell would expand parts such as `$(…)`.
 */
const INERT = /^[\w.:-]+$/;

/** @param tree all commands. TREE loads this file, so this file cannot import it */
export function completionVerbs(tree: Branch[]): Verb[] {
  const scriptVerb = (shell: 'bash' | 'zsh' | 'fish', install: string): Verb => ({
    usage: shell,
    about: `Print the script for ${shell}; to load it in every shell: ${install}`,
    examples: [`completion ${shell}`],
    needs: 'nothing',
    run: printScript(shell, tree),
  });
  return [
    scriptVerb('bash', 'source <(tourctl completion bash) in ~/.bashrc'),
    scriptVerb('zsh', 'source <(tourctl completion zsh) in ~/.zshrc, after compinit'),
    scriptVerb('fish', 'tourctl completion fish > ~/.config/fish/completions/tourctl.fish'),
    {
      usage: 'names <word...>',
      about: 'Print the slugs, dates, references or ids that may complete a command line, for the scripts',
      examples: ['completion names -- booking show ACME-1'],
      needs: 'nothing',
      run: completeNames(tree.flatMap(({ commands }) => commands)),
    },
  ];
}

/** Prints the names that complete the last word, one in a line. After any error it prints nothing: a shell shows no message. */
function completeNames(known: readonly (Noun | LoneVerb)[]): Action<Basics> {
  return async ({ io, output }: Basics, _: object, words: string[]) => {
    const names = await findNames(known, words, io).catch(() => []);
    await output.answer({ names }, () => names.join('\n'));
  };
}

async function findNames(known: readonly (Noun | LoneVerb)[], words: string[], io: Io): Promise<string[]> {
  const last = lastWordOf(known, words);
  const url = last && databaseUrl(io);
  if (!url) return [];
  const rows = await queryOnce<{ name: string }>(url, {
    text: STATEMENTS[last.kind],
    values: last.tour === undefined ? [last.start] : [last.start, last.tour],
    timeoutMs: ANSWER_MS,
  });
  return rows.map(({ name }) => name).filter((name) => INERT.test(name));
}

/** Returns the database's URL; undefined while the embedded one does not run, because its start takes seconds. */
function databaseUrl(io: Io): string | undefined {
  const config = loadConfig(settingsOf(io));
  if (config.databaseUrl) return config.databaseDirectUrl ?? config.databaseUrl;
  return findRunningPostgres(config.dataDir);
}
