import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/**
 * Sets the security headers of every response. Referrer-Policy is same-origin: with no-referrer, browsers send `Origin: null`
 * with the page's own forms (Fetch, "append a request Origin header"). On plain http, where no Sec-Fetch-Site is sent, these
 * forms would look like forms of another origin.
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

/** Forbids caching: a page may show personal data. Assets override this. */
export function forbidCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
