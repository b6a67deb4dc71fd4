import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useTemporaryFolder } from '../support/temporary-folder';

const FOLDER = useTemporaryFolder();
const DOCS = path.resolve(__dirname, '../../docs');
const NAMES = [
  'sell-on-your-page',
  'proxy',
  'first-booking',
  'selling',
  'webhooks',
  'widget',
  'octo',
] as const;
type GuidePage = (typeof NAMES)[number];
/** The text of each file in docs/guide, by its name without the extension. */
export const GUIDE = Object.fromEntries(
  NAMES.map((name) => [name, readFileSync(path.join(DOCS, `guide/${name}.md`), 'utf8')]),
) as Record<GuidePage, string>;
const WHOLE_GUIDE = Object.values(GUIDE).join('\n');

/** Returns the code of a page of the guide in one language, in order. */
export function snippets(language: string, page: GuidePage): string[] {
  return codeIn(GUIDE[page], language);
}

/** Returns the code of a section of a page in docs/ in one language, in order. */
export function pageSnippets(page: string, section: string, language = 'sh'): string[] {
  return codeIn(sectionOf(readFileSync(path.join(DOCS, page), 'utf8'), `## ${section}`), language);
}

function codeIn(text: string, language: string): string[] {
  return [...text.matchAll(/```(\w+)\n([^]*?)\n```/g)]
    .filter(([, found]) => found === language)
    .map(([, , code]) => code!);
}

const TOURCTL = path.resolve(__dirname, '../../cli/tourctl.js');

/** Replaces each call of `tourctl` in a script, as the pages write it, by the program of this checkout. */
export function callTourctl(script: string): string {
  return script.replaceAll(/(?<![\w/.'-])tourctl(?= )/g, `'${process.execPath}' '${TOURCTL}'`);
}

/** @param heading with its two number signs; the section ends at the next such heading */
function sectionOf(document: string, heading: string): string {
  const [, rest] = document.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`There is no section "${heading}"`);
  return rest.split('\n## ')[0]!;
}

/** Returns the languages of all snippets, each once. */
export function languages(): string[] {
  return [...new Set([...WHOLE_GUIDE.matchAll(/```(\w+)\n/g)].map(([, language]) => language!))];
}

/** Returns an example of the guide, by its path below docs/examples. */
export function exampleOf(file: string): string {
  return readFileSync(path.join(DOCS, 'examples', file), 'utf8');
}

/** Creates a temporary folder with these files. */
export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(FOLDER, 'guide-'));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function runProgram(
  program: string,
  parameters: string[],
  { cwd, env = {}, stdin = '' }: { cwd: string; env?: NodeJS.ProcessEnv; stdin?: string },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, env: { ...process.env, ...env } });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()));
    child.once('error', reject).once('close', (code) => resolve({ ...outcome, code }));
    // A program that reads no input may end before this write.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
