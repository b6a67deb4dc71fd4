import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenApiDocument } from '../openapi-document';
import { toOpenapi31 } from '../pages/to-openapi-31';
import { completeOpenapi } from './complete-openapi';

const OPENAPI = path.resolve(__dirname, '../../generated/openapi.json');
const TYPES = path.resolve(__dirname, '../../generated/openapi.d.ts');

/** Part of `npm run generate`, after tsoa: completes openapi.json, and writes it, with the webhooks, as TypeScript beside. */
function writeGenerated(): void {
  const document = completeOpenapi(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApiDocument);
  writeFileSync(OPENAPI, `${JSON.stringify(document, null, 2)}\n`);
  const cli = path.resolve(require.resolve('openapi-typescript'), '../../bin/cli.js');
  const input = JSON.stringify(toOpenapi31(document));
  writeFileSync(TYPES, execFileSync(process.execPath, [cli], { input }));
}

writeGenerated();
