import type { WidgetToken } from '../../../services/api/credentials/credential';
import type { Context } from '../../context';
import { describeExpiry } from '../../credential-flags';
import { toIssuedWidgetDocument } from './widget-document';

/** Answers with a new token, as issue and rotate both do. */
export function announceWidget(
  { config, output }: Context,
  token: WidgetToken,
  secret: string,
  out: string | undefined,
): void {
  const document = toIssuedWidgetDocument(token, out === undefined ? secret : null, config.publicBaseUrl);
  output.answer(document, () => document.token ?? '');
  const origins = document.origins.join(', ') || 'no site';
  output.note(`Token ${token.id} of ${token.tenant} for ${origins}; ${describeExpiry(document.expires_at)}`);
  // The secret stands on stdout, and there once.
  if (document.snippet)
    output.note(`To paste into a page:\n${document.snippet.replaceAll(secret, '<the token>')}`);
  else output.note(`The token is in ${out}`);
  if (document.origins.length === 0) {
    output.warn(`no site may show it yet: tourctl origins add ${token.tenant} https://…`);
  }
}
