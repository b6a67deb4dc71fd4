import type { Verb } from '../engine/command';
import type { AuditedContext, Basics, Terminal } from '../engine/context';
import { openInBrowser } from '../terminal/browser';
import { createSignInLink, describeLink } from './monitor';

export const openVerbs: Verb[] = [
  {
    usage: 'monitor',
    about: 'Open the monitoring page of the webhook queue, signed in; without a desktop, print its link',
    audits: true,
    run: openMonitorCommand,
  },
  {
    usage: 'docs',
    about: 'Open the reference of the API; without a desktop, print its address',
    needs: 'configuration',
    run: openDocsCommand,
  },
];

async function openMonitorCommand(context: AuditedContext): Promise<void> {
  const link = await createSignInLink(context);
  const opened = await show(context, link.url, link.isOpen);
  if (!opened) describeLink(link, context.output);
}

async function openDocsCommand({ config, ...basics }: Terminal): Promise<void> {
  await show(basics, new URL('/docs', config.publicBaseUrl).href, true);
}

/** @param isNear whether this machine reaches the address @returns whether the page was opened; if not, its address is printed */
async function show({ io, output }: Basics, url: string, isNear: boolean): Promise<boolean> {
  const opened = isNear && (await openInBrowser(url, io.env));
  await output.answer({ url, opened }, () => (opened ? '' : url));
  if (opened) output.note('Opened in the browser');
  return opened;
}
