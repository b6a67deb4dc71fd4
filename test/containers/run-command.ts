import { spawn } from 'node:child_process';

export interface Output {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Standard input. */
  input?: string;
}

/** Runs a program to its end. It gets an empty standard input without `input`. */
export function runCommand(
  program: string,
  args: string[],
  { input, ...options }: CommandOptions = {},
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', reject).once('close', (code) => resolve({ code, ...output }));
  });
}

/** Runs a program that must succeed. @returns its standard output @throws Error with the end of its output */
export async function runSuccessfully(
  program: string,
  args: string[],
  options?: CommandOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args, options);
  if (code === 0) return stdout;
  const end = `${stdout}\n${stderr}`.trim().slice(-3000);
  throw new Error(`${[program, ...args].join(' ')} ended with ${code}:\n${end}`);
}
