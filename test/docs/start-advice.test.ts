import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { START_API, START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';

const ROOT = path.resolve(__dirname, '../..');
const install = readFileSync(path.join(ROOT, 'docs/install.md'), 'utf8');

/** Returns the kinds of installation that the list of a section names. */
function kindsIn(section: string): string[] {
  const text = install.split(`\n## ${section}\n`)[1]!.split('\n## ')[0]!;
  return [...text.matchAll(/^- (.+?): /gm)].map(([, kind]) => kind!);
}

const RUNS_NPM = /\bnpm (run|start)\b/;

/** Returns the texts of a source that match, without its comments. Parses only files that may have one. */
function matchingTexts(file: string): string[] {
  const code = readFileSync(file, 'utf8');
  if (!RUNS_NPM.test(code)) return [];
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter((text) => RUNS_NPM.test(text));
}

describe('the advice to start a service', () => {
  it('the page of the advice has a command for each kind of installation in which tourctl is called', () => {
    expect(install).toContain('\n## Start the services\n');
    for (const advice of [START_API, START_WEBHOOK_QUEUE])
      expect(advice).toMatch(/ \(docs\/install\.md#start-the-services\)$/);
    expect(kindsIn('Start the services')).toEqual(kindsIn('How to call tourctl'));
    expect(kindsIn('Start the services')).toHaveLength(4);
  });

  it('no message of the terminal or a service tells an operator to run npm, which not every installation has', () => {
    const files = ['cli', 'services'].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.startsWith('api/generated/'))
        .map((file) => path.join(ROOT, folder, file)),
    );
    expect(files.length).toBeGreaterThan(300);
    const wrong = files.flatMap(matchingTexts);
    expect(wrong).toEqual([]);
  });
});
