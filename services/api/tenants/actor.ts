/** The name that holds and leads store for the caller that changed them. A key is named by its public id, never its secret. */
export type Actor = string;

export function byKey({ keyId }: { keyId: string }): Actor {
  return `key ${keyId}`;
}

/** @param name the system user, as in audit rows */
export function byOperator({ name }: { name: string }): Actor {
  return `operator ${name}`;
}
