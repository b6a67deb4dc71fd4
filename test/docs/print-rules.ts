import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** `npm run lab -- rules`: lists the rules of the product, or those that contain the given words. */

const ROOT = path.resolve(__dirname, '../..');

/** A rule of the product, from the comment of the function or the constant that holds it. */
export interface Rule {
  rule: string;
  /** From the root of the repository, like `test`. */
  file: string;
  line: number;
  /** The function or the constant below the comment. Undefined: there is none. */
  name?: string;
  test: string;
}

/** Lists the lines `@rule rule: test file` of the product's sources. @throws Error where a line has another form */
export function listRules(): Rule[] {
  const sources = ['services', 'cli', 'clients', 'migrations', 'build.cjs'];
  const options = [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    ...sources,
  ];
  const files = execFileSync('git', options, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return files.filter((file) => /[.](c?js|tsx?|sql)$/.test(file)).flatMap(rulesOf);
}

function rulesOf(file: string): Rule[] {
  const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((text, index) => {
    if (!text.includes('@rule ')) return [];
    const [, rule, test] = /@rule (.+): (test\/\S+)/.exec(text) ?? [];
    if (!rule || !test) throw new Error(`${file}:${index + 1} is not "@rule RULE: TEST FILE"`);
    return [{ rule, file, line: index + 1, name: declaredBelow(lines.slice(index + 1)), test }];
  });
}

const DECLARED =
  /^\s*(?:export )?(?:async )?(?:create (?:or replace )?)?(?:(?:function|const|class|interface) )?(\w+)/;

/** Returns the name that the first line outside the comment declares. */
function declaredBelow(lines: string[]): string | undefined {
  const declaration = lines.find((line) => !/^\s*(?:[*]|--)/.test(line)) ?? '';
  return DECLARED.exec(declaration)?.[1];
}

/**
 * Returns the rules whose text, file or name contains every word or, if there is none, those that contain the most of the words, as Markdown: a
 * heading for each folder.
 */
export function describeRules(rules: Rule[], words: string[] = []): string {
  const counted = rules.map((one) => {
    const text = `${one.rule} ${one.file} ${one.name}`.toLowerCase();
    return { one, count: words.filter((word) => text.includes(word.toLowerCase())).length };
  });
  const most = Math.max(...counted.map(({ count }) => count));
  if (words.length > 0 && most === 0) return '';
  const folders = new Map<string, string[]>();
  for (const { one, count } of counted) {
    if (count < most) continue;
    const folder = path.dirname(one.file);
    folders.set(folder, [...(folders.get(folder) ?? []), lineOf(one)]);
  }
  return [...folders].map(([folder, lines]) => `## ${folder}\n\n${lines.join('\n')}\n`).join('\n');
}

function lineOf({ rule, file, line, name, test }: Rule): string {
  return `- ${rule}: \`${name}\` (${file}:${line}), ${test}`;
}

if (require.main === module) {
  const words = process.argv.slice(2);
  const found = describeRules(listRules(), words);
  process.stdout.write(found || `No rule has one of: ${words.join(', ')}. npm run lab -- rules lists all\n`);
}
