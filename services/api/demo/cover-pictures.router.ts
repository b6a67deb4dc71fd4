import { join } from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import { TransportError } from '../http/http.errors';

const COVERS = join(__dirname, '../../../seeds/covers');
const SLUG_FILE = /^[a-z0-9-]{2,63}\.svg$/;
/** Pages of other origins show the covers: the widget's page and the tenants' own. */
const HEADERS = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** Serves the demo catalog's covers, so that the demo needs no other host. */
export function registerCoverPictures(app: Express): void {
  app.get('/covers/:file', (request: Request<{ file: string }>, response: Response, next: NextFunction) => {
    const { file } = request.params;
    const refuse = () => next(new TransportError('not_found', 'There is no such cover.'));
    if (!SLUG_FILE.test(file)) return refuse();
    response.sendFile(file, { root: COVERS, maxAge: '1 day', headers: HEADERS }, (error) => {
      if (error && !response.headersSent) refuse();
    });
  });
}
