import path from 'node:path';
import { Readable } from 'node:stream';
import { ELEMENTS } from '../../services/api/widget/published-scripts';
import type { Terminal } from '../engine/context';
import { refuseExisting, writeWholeFile } from '../engine/output-file';

interface ElementOptions {
  out?: string;
  force?: boolean;
}

/** Prints the tag of the newest element `<tour-booking>`. If --out is given, writes the file, and prints the tag of this copy. */
export async function printElementCommand(
  { config, io, output }: Terminal,
  { out, force = false }: ElementOptions,
): Promise<void> {
  const [{ version, file, text, integrity }] = ELEMENTS;
  if (out !== undefined) {
    if (!force) refuseExisting(out);
    await writeWholeFile(out, Readable.from([text]), { force, stop: io.interrupted });
  }
  const url =
    out === undefined
      ? `${config.publicBaseUrl}/embed/${file}`
      : `/${encodeURIComponent(path.basename(out))}`;
  const snippet = `<script type="module" src="${url}" integrity="${integrity}"></script>`;
  await output.answer({ version, url, integrity, file: out ?? null, snippet }, () => snippet);
  if (out !== undefined)
    output.note(`The element ${version} is in ${out}: put the address at which your site serves it into src`);
  output.note(
    'In the page, where it sells: <tour-booking tour="a-slug" api="/tours" next="/pay"></tour-booking>',
  );
}
