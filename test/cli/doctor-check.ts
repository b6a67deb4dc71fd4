import type { TestTerminal } from './terminal';

/** Runs tourctl doctor. Returns one check with the exit code and the overall result. */
export async function checkOf(terminal: TestTerminal, name: string) {
  const { code, json } = await terminal.tourctl('doctor --json');
  return { code, ok: json.ok, ...json.checks.find((found: { name: string }) => found.name === name) };
}

/** Matches a notice. */
export const notice = (detail: string) => ({
  code: 0,
  status: 'notice',
  detail: expect.stringContaining(detail) as string,
});

/** Runs the commands that a finding names, and expects that they succeed. */
export async function followAdvice(terminal: TestTerminal, name: string): Promise<void> {
  for (const command of (await checkOf(terminal, name)).commands as string[]) {
    const { code, stderr } = await terminal.tourctl(command.replace('tourctl ', ''));
    if (code !== 0) throw new Error(`${command}: ${stderr}`);
  }
}
