/** When a credential was last seen, as far as a process has noted and not yet written. */
export interface Sighting {
  /** It was served. */
  used?: Date;
  /** It came with the marks of a browser. */
  inBrowser?: Date;
}

export function addSighting(sightings: Map<string, Sighting>, id: string, seen: Sighting): void {
  const known = sightings.get(id);
  if (known) Object.assign(known, seen);
  else sightings.set(id, seen);
}
