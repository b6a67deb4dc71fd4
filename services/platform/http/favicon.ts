import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import { createFixedBody } from './fixed-body';

const ICON = createFixedBody('image/x-icon', readFileSync(join(__dirname, 'assets/favicon.ico')));

/** Sends the icon that browsers request for a page without being told. */
export function sendFavicon(request: Request, response: Response): Promise<void> {
  response.setHeader('Cache-Control', 'public, max-age=86400');
  return ICON.send(request, response);
}
