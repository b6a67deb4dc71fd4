import type { CredentialPage } from '../../../services/api/credentials/credential';
import { listWidgetTokens } from '../../../services/api/credentials/list-credentials';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { noteWarnings, STATUS_TONES, WARNING_TONES, warningLabels } from '../../credential-warnings';
import { answerPage, oneMoreThan } from '../../list-page';
import { table, type Column } from '../../table';
import { toWidgetDocument } from './widget-document';

const COLUMNS: Column[] = [
  'id',
  { heading: 'status', tones: STATUS_TONES },
  { heading: 'warning', least: 12, tones: WARNING_TONES },
  { heading: 'origins', least: 20 },
  'created',
  'expires',
  'last used',
  'successor',
];

export async function listWidgetsCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, status, after }: Partial<CredentialPage>,
  slug: string,
): Promise<void> {
  const page = { status, after, limit: oneMoreThan(limit) };
  const tokens = await listWidgetTokens(db, await findTenant(db, slug), page);
  const found = tokens.map((token) => ({ ...toWidgetDocument(token), warnings: token.warnings }));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((token) => {
      const days = [token.created_at, token.expires_at, token.last_used_at].map(
        (time) => time?.slice(0, 10) ?? null,
      );
      const origins = token.follows_tenant ? "the tenant's" : token.origins.join(' ');
      return [token.id, token.status, warningLabels(token.warnings), origins, ...days, token.replaced_by];
    });
    return table(COLUMNS, rows, 'No widget tokens', screen);
  });
  noteWarnings(output, 'widget', tokens.slice(0, limit));
}
