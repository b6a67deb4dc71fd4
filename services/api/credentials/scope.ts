/** What an API key may do; a key is issued with the fewest that serve. */
export const SCOPES = ['catalog:read', 'booking:create', 'booking:read', 'booking:manage'] as const;
export type Scope = (typeof SCOPES)[number];
