/** The text by which holds and leads name the caller that changed them. It names an API key by its public id, never by its secret. */
export type Actor = string;

export function byKey({ keyId }: { keyId: string }): Actor {
  return `key ${keyId}`;
}

/** @param name the system user, as in the audit log */
export function byOperator({ name }: { name: string }): Actor {
  return `operator ${name}`;
}
