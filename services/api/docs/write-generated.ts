import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { completeOpenapi } from './complete-openapi';
import type { OpenApiDocument } from './openapi-document';

/**
 * Part of `npm run generate`, after tsoa: completes openapi.json, and keeps what is served as text beside it as JSON, so
 * that it goes wherever the code is built to. As lines, for a diff that can be read.
 */
const GENERATED = path.resolve(__dirname, '../generated');
const GUIDE = path.resolve(__dirname, '../../../docs/integration-guide.md');
const OPENAPI = path.join(GENERATED, 'openapi.json');

function writeGenerated(): void {
  const document = completeOpenapi(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApiDocument);
  writeJson(OPENAPI, document);
  const cli = path.resolve(require.resolve('openapi-typescript'), '../../bin/cli.js');
  const types = execFileSync(process.execPath, [cli, OPENAPI], { encoding: 'utf8' });
  writeJson(path.join(GENERATED, 'texts.json'), {
    types: lines(types),
    guide: lines(readFileSync(GUIDE, 'utf8')),
  });
}

function lines(text: string): string[] {
  return text.trimEnd().split('\n');
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

writeGenerated();
