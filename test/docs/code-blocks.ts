import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const DOCS = path.join(ROOT, 'docs');
/** The languages of code that a reader pastes into a shell, a crontab or psql. */
const PASTED = ['sh', 'bash', 'crontab', 'sql'];
/** Begins a statement of SQL in a sentence. `show pools` is for PgBouncer. */
const STATEMENT = /^(alter|analyze|begin;|create|delete|grant|insert|reindex|revoke|select|update|vacuum) /i;

/** A fenced block of code that a reader pastes. */
export interface CodeBlock {
  /** The path below docs/. */
  page: string;
  /** The heading above it, without number signs; empty before the first one. */
  section: string;
  language: string;
  code: string;
}

/** Returns the pages of docs/ in git, without the decisions. */
export function pages(): string[] {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: DOCS, encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .filter((file) => !file.startsWith('adr/'));
}

export function codeBlocks(): CodeBlock[] {
  return pages().flatMap((page) =>
    `\n${read(page)}`.split('\n## ').flatMap((part, index) => {
      const section = index === 0 ? '' : part.split('\n')[0]!;
      return [...part.matchAll(/^ *```(\w+)[^\n]*\n([^]*?)\n *```/gm)]
        .filter(([, language]) => PASTED.includes(language!))
        .map(([, language, code]) => ({ page, section, language: language!, code: code! }));
    }),
  );
}

/** Returns the statements of SQL that stand in sentences. */
export function inlineStatements(): { page: string; statement: string }[] {
  return inlineCode(STATEMENT).map(({ page, code }) => ({ page, statement: code }));
}

/** Returns the code in sentences that matches, on one line. */
export function inlineCode(wanted: RegExp): { page: string; code: string }[] {
  return pages().flatMap((page) => {
    const prose = read(page).replace(/```[^]*?```/g, '');
    return [...prose.matchAll(/`([^`]+)`/g)]
      .map(([, code]) => ({ page, code: code!.replaceAll(/\s+/g, ' ') }))
      .filter(({ code }) => wanted.test(code));
  });
}

function read(page: string): string {
  return readFileSync(path.join(DOCS, page), 'utf8');
}
