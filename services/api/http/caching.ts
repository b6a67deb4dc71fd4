import type { Request } from 'express';

/** Sets Cache-Control; an answer to a key in the address is never kept by anybody. */
export function setCaching(request: Request, value: string): void {
  request.res!.setHeader('Cache-Control', request.query.api_key === undefined ? value : 'no-store');
}

/** Catalog answers depend on the key: nobody shares them, and they are asked for again each time. */
export const PRIVATE = 'private, no-cache';
export const NO_STORE = 'no-store';
