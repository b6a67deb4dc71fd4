import { readCatalogFile } from './read-catalog-file';
import { type Catalog, checkCatalog } from './check-catalog';

/**
 * Reads catalog files and checks what files alone can tell; what is wrong with them comes back as faults.
 * @throws what the file system says of a file that cannot be read
 */
export async function readCatalog(files: string[]): Promise<Catalog> {
  const read = [];
  for (const file of files) read.push(await readCatalogFile(file));
  const catalog = checkCatalog(read.flatMap(({ records }) => records));
  return { ...catalog, faults: [...read.flatMap(({ faults }) => faults), ...catalog.faults] };
}
