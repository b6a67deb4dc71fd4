import { InvalidWidgetTokenError } from './credential.errors';

/** A pass of ours whose hour is over. The caller learns no more than from any bad token; its page may still be framed. */
export class EmbedPassExpiredError extends InvalidWidgetTokenError {
  constructor(readonly origins: string[]) {
    super();
  }
}
