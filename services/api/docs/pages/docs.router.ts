import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import type { ApiContext } from '../../http/api-context';
import { TransportError } from '../../http/http.errors';
import { isProblemCode } from '../../http/problems';
import { errorArticle, errorList } from './errors-page';
import { renderContents, renderMarkdown } from './markdown';
import { DOCS_POLICY, type Page, renderPage } from './page';
import { reference, referenceContents } from './reference-page';
import { servedDocument, withBaseUrl } from './served-document';
import { toOpenapi31 } from './to-openapi-31';

const GUIDE = readText('docs/integration-guide.md');
const TYPES = readText('services/api/generated/openapi.d.ts');

/** What a tenant's developer reads. Public, and without a word about any tenant. */
export function registerDocs(app: Express): void {
  const { publicBaseUrl } = (app.locals.context as ApiContext).config;
  const basePath = new URL(publicBaseUrl).pathname.replace(/\/$/, '');
  const document = () => servedDocument(publicBaseUrl);
  const page = (path: string, make: () => Omit<Page, 'path'>) =>
    serve(app, path, 'text/html', () => renderPage({ path, ...make() }, basePath));

  serve(app, '/openapi.json', 'application/json', () => JSON.stringify(document()));
  serve(app, '/openapi.3.1.json', 'application/json', () => JSON.stringify(toOpenapi31(document())));
  serve(app, '/openapi.d.ts', 'text/plain', () => withBaseUrl(TYPES, publicBaseUrl));
  page('/docs', () => ({
    title: 'API reference',
    contents: referenceContents(document()),
    body: reference(document(), basePath),
  }));
  page('/docs/guide', () => {
    const source = withBaseUrl(GUIDE, publicBaseUrl);
    return { title: 'Integration guide', contents: renderContents(source), body: renderMarkdown(source) };
  });
  page('/docs/errors', () => ({ title: 'Errors', body: errorList(basePath) }));
  app.get(
    '/docs/errors/:code',
    (request: Request<{ code: string }>, response: Response, next: NextFunction) => {
      const { code } = request.params;
      if (!isProblemCode(code))
        return next(new TransportError('not_found', 'There is no error with this code.'));
      const body = errorArticle(code, publicBaseUrl);
      send(response, 'text/html', renderPage({ path: '', title: code, body }, basePath));
    },
  );
}

/** Made at the first request, and then the same for all. */
function serve(app: Express, path: string, type: string, make: () => string): void {
  let text: string | undefined;
  app.get(path, (_request: Request, response: Response) => send(response, type, (text ??= make())));
}

function send(response: Response, type: string, text: string): void {
  if (type === 'text/html') response.setHeader('Content-Security-Policy', DOCS_POLICY);
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.type(type).send(text);
}

/** From the checkout, or from the build, which lays these files as they lie there. */
function readText(file: string): string {
  return readFileSync(path.resolve(__dirname, '../../../..', file), 'utf8').trimEnd();
}
