import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/**
 * For every answer. Referrer-Policy is same-origin and not no-referrer: under that one browsers send `Origin: null` with our own
 * forms (Fetch, "append a request Origin header"), and a foreign form could not be told apart where no Sec-Fetch-Site is sent,
 * as on plain http in a local network.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'same-origin' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: 'deny' },
});

/** A page may show what only this operator asked for; the assets alone say otherwise. */
export function keepNothing(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
