import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenApiDocument } from '../openapi-document';
import { completeOpenapi } from './complete-openapi';

const OPENAPI = path.resolve(__dirname, '../../generated/openapi.json');

/** Completes openapi.json. `npm run generate` runs this file after tsoa. */
function writeGenerated(): void {
  const document = completeOpenapi(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApiDocument);
  writeFileSync(OPENAPI, `${JSON.stringify(document, null, 2)}\n`);
}

writeGenerated();
