import type { Express, Request, Response } from 'express';
import openapi from '../generated/openapi.json';

/** What a tenant's developer reads: the API's description. Public, and without a word about any tenant. */
export function registerDocs(app: Express): void {
  app.get('/openapi.json', (_request: Request, response: Response) => {
    response.json(openapi);
  });
}
