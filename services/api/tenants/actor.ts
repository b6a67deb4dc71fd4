/** Who took or gave back seats, as holds and leads keep it; a key by its public id, never its secret. */
export type Actor = string;

export function byKey({ keyId }: { keyId: string }): Actor {
  return `key ${keyId}`;
}

/** @param name the system user, as audit rows have it */
export function byOperator({ name }: { name: string }): Actor {
  return `operator ${name}`;
}
