import type { Express, Request, Response, NextFunction } from 'express';
import { coverPicture } from '../../../seeds/cover-picture';
import { TransportError } from '../http/http.errors';

const SLUG_FILE = /^([a-z0-9-]{2,63})\.svg$/;

/** The demo catalog's covers, drawn here, so that a first look needs no other host. */
export function registerCoverPictures(app: Express): void {
  app.get('/covers/:file', (request: Request<{ file: string }>, response: Response, next: NextFunction) => {
    const slug = SLUG_FILE.exec(request.params.file)?.[1];
    const picture = slug && coverPicture(slug);
    if (!picture) return next(new TransportError('not_found', 'There is no such cover.'));
    response.setHeader('Cache-Control', 'public, max-age=86400');
    // Pages of other origins show it: the widget's, and the tenants' own.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.type('image/svg+xml').send(picture);
  });
}
