import type { Express } from 'express';

export function registerEmbed(_app: Express): void {}
