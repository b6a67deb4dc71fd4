import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Markup, toHtml } from '../../../platform/html-template';
import type { OpenApiDocument } from '../openapi-document';
import { renderColumns } from '../pages/page';
import { toOpenapi31 } from '../pages/to-openapi-31';
import { completeOpenapi } from './complete-openapi';
import { renderContents, renderMarkdown } from './markdown';
import { reference, referenceContents } from './reference-page';

const GENERATED = path.resolve(__dirname, '../../generated');
const OPENAPI = path.join(GENERATED, 'openapi.json');
const TYPES = path.join(GENERATED, 'openapi.d.ts');
const GUIDE = path.resolve(__dirname, '../../../../docs/integration-guide.md');

/**
 * Part of `npm run generate`, after tsoa: completes openapi.json, and writes it, with the webhooks, as TypeScript beside;
 * renders the pages that are made of Markdown.
 */
function writeGenerated(): void {
  const document = completeOpenapi(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApiDocument);
  writeFileSync(OPENAPI, `${JSON.stringify(document, null, 2)}\n`);
  const cli = path.resolve(require.resolve('openapi-typescript'), '../../bin/cli.js');
  const input = JSON.stringify(toOpenapi31(document));
  writeFileSync(TYPES, execFileSync(process.execPath, [cli], { input }));
  const guide = readFileSync(GUIDE, 'utf8').trimEnd();
  writePage('guide.html', renderMarkdown(guide), renderContents(guide));
  writePage('reference.html', reference(document), referenceContents(document));
}

function writePage(file: string, body: Markup, contents: Markup): void {
  writeFileSync(path.join(GENERATED, file), `${toHtml(renderColumns(body, contents))}\n`);
}

writeGenerated();
