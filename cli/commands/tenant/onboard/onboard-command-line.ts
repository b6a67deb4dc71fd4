import { formatDuration } from '../../../duration';
import type { OnboardPlan } from './onboard-plan';

const WIDTH = 76;

/** The plan as a command line that makes the same, in lines that a shell takes as one when they are pasted. */
export function describeCommand(plan: OnboardPlan): string {
  const given: [string, string | readonly string[] | null | undefined][] = [
    ['--name', plan.name],
    ['--slug', plan.slug],
    ['--status', plan.status],
    ['--country', plan.country],
    ['--currency', plan.currency.code],
    ['--booking-prefix', plan.bookingPrefix],
    ['--visibility', plan.tour || plan.continent ? undefined : plan.visibility],
    ['--continent', plan.continent],
    ['--tour', plan.tour],
    ['--deposit-percent', plan.depositPercent],
    ['--percent', plan.percent],
    ['--amount', plan.amount],
    ['--round-to', plan.roundTo],
    ['--origin', plan.origin],
    ['--scope', plan.key ? plan.scope : undefined],
    ['--website', plan.website],
    ['--key-expires-in', inWords(plan.keyExpiresIn)],
    ['--widget-expires-in', inWords(plan.widgetExpiresIn)],
    ['--webhook', plan.webhook],
    ['--event', plan.event],
    ['--format', plan.format],
    ['--out', plan.out],
  ];
  const switches = { '--dev': plan.dev === true, '--no-key': !plan.key, '--no-widget': !plan.widget };
  const words = [
    'tourctl tenant onboard',
    ...given.flatMap(([flag, value]) => [value ?? []].flat().map((one) => `${flag} ${quote(one)}`)),
    ...Object.entries(switches).flatMap(([flag, on]) => (on ? [flag] : [])),
    '--yes',
  ];
  return inLines(words).join(' \\\n    ');
}

function inLines(words: string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < WIDTH - 4)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function inWords(seconds: number | null | undefined): string | undefined {
  return seconds == null ? undefined : formatDuration(seconds, 'd');
}

/** For a shell: what is plain stays plain. */
function quote(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
