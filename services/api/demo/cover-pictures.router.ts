import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import { createFixedBody } from '../../platform/http/fixed-body';
import { TransportError } from '../http/http.errors';

const COVERS = join(__dirname, '../../../seeds/covers');

/** Serves the cover pictures of the demo catalog, so that the demo needs no other host. */
export function registerCoverPictures(app: Express): void {
  const covers = new Map(
    readdirSync(COVERS).map((file) => [
      file,
      createFixedBody('image/svg+xml', readFileSync(join(COVERS, file))),
    ]),
  );
  app.get('/covers/:file', (request: Request<{ file: string }>, response: Response, next: NextFunction) => {
    const cover = covers.get(request.params.file);
    if (!cover) return next(new TransportError('not_found', 'There is no such cover.'));
    // Lets pages of other origins, such as the websites of tenants, show the covers.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Cache-Control', 'public, max-age=86400');
    return cover.send(request as Request, response);
  });
}
