import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROBLEMS } from '../../http/problems';
import type { OpenApiDocument } from '../openapi-document';
import { completeOpenapi } from './complete-openapi';

const OPENAPI = path.resolve(__dirname, '../../generated/openapi.json');

const PROBLEMS_OF_PROXY = path.resolve(
  __dirname,
  '../../../../clients/typescript/src/proxy/platform-problems.ts',
);

/** Completes openapi.json, and writes the problems of the platform for the proxy, whose package is published alone. `npm run generate` runs this file after tsoa. */
function writeGenerated(): void {
  const document = completeOpenapi(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApiDocument);
  writeFileSync(OPENAPI, `${JSON.stringify(document, null, 2)}\n`);
  const problems = Object.entries(PROBLEMS).map(
    ([code, { status, title, retryable }]) =>
      `  ${code}: { status: ${status}, title: '${title}', retryable: ${retryable} },\n`,
  );
  const comment =
    '/** The problems of the platform by their codes, made of services/api/http/problems.ts. */';
  writeFileSync(
    PROBLEMS_OF_PROXY,
    `${comment}\nexport const PLATFORM_PROBLEMS = {\n${problems.join('')}};\n`,
  );
}

writeGenerated();
