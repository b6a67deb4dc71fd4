import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Markup, toHtml } from '../../../platform/html-template';
import type { OpenApiDocument } from '../openapi-document';
import { renderColumns } from '../pages/page';
import { toOpenapi31 } from '../pages/to-openapi-31';
import { guideIndex, guidePages, searchedPages } from './guide-page';
import { reference, referenceContents } from './reference-page';

/**
 * Part of the build: renders the guide and the reference as HTML, and the document as types for TypeScript.
 * @param openapi path of the document
 * @param folder to write to
 * @param guideFiles paths of the files of the guide, in the order of its pages
 */
function renderPages([openapi, folder, ...guideFiles]: string[]): void {
  const document = JSON.parse(readFileSync(openapi!, 'utf8')) as OpenApiDocument;
  const files = guideFiles.map((file) => ({
    name: path.basename(file),
    markdown: readFileSync(file, 'utf8'),
  }));
  const write = (file: string, text: string) => writeFileSync(path.join(folder!, file), text);
  const searched = searchedPages(files);
  const pages = guidePages(files).map(({ name, title, body, contents }) => ({
    name,
    title,
    html: toPage(renderColumns(body, contents, searched)),
  }));
  write('guide.json', JSON.stringify({ index: toPage(renderColumns(guideIndex(files))), pages }));
  write('reference.html', toPage(renderColumns(reference(document), referenceContents(document))));
  write('openapi.d.ts', toTypes(document));
}

function toPage(columns: Markup): string {
  const parts = toHtml(columns).split(/(<pre[^]*?<\/pre>)/);
  return `${parts.map(shorten).join('')}\n`;
}

/** Tags beside which a browser shows no space. */
const BLOCKS = / ?(<\/?(?:article|dd|details|div|dl|dt|h\d|li|noscript|p|summary|ul)\b[^>]*>) ?/g;

/** Removes the line breaks and indents of the templates. Code keeps its lines. Quotation marks and backticks need no escape between tags. */
function shorten(part: string): string {
  const text = part.replaceAll('&#39;', "'");
  if (part.startsWith('<pre')) return text.replaceAll('&quot;', '"').replaceAll('&#96;', '`');
  return text.replace(/\n\s+/g, ' ').replace(BLOCKS, '$1');
}

function toTypes(document: OpenApiDocument): string {
  const program = path.resolve(require.resolve('openapi-typescript'), '../../bin/cli.js');
  const input = JSON.stringify(toOpenapi31(document));
  const options = { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  return `${execFileSync(process.execPath, [program], options)}${problemCodes(document)}`;
}

/** Returns a type of the codes, because openapi-typescript does not read `x-extensible-enum`. */
function problemCodes({ components }: OpenApiDocument): string {
  const { 'x-extensible-enum': codes = [] } = components.schemas.ProblemDocument!.properties!.code!;
  const union = codes.map((code) => `    | "${code}"`).join('\n');
  return `/** The codes of ProblemDocument. Later versions may add codes. */\nexport type ProblemCode =\n${union};\n`;
}

renderPages(process.argv.slice(2));
