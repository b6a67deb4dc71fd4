import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { name } from '../../package.json';
import { productionPackages } from './locked-packages';

interface Component {
  'bom-ref': string;
  name: string;
  properties?: { name: string; value: string }[];
}
interface BillOfMaterials {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const FILE = 'sbom.cdx.json';

/**
 * Returns the production packages in the format CycloneDX. Reads all packages, and removes those that only development needs.
 * `npm sbom --omit dev` would also leave out each package that both production and development need, such as express.
 */
export function billOfMaterials(): BillOfMaterials {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const all = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as BillOfMaterials;
  const product = all.metadata.component;
  const kept = new Set(productionPackages().map((one) => `${one.name}@${one.version}`)).add(
    product['bom-ref'],
  );
  return {
    ...all,
    // npm names the product after its folder.
    metadata: { ...all.metadata, component: { ...product, name } },
    components: all.components
      .filter((component) => kept.has(component['bom-ref']))
      // Drops the properties, because npm marks a package as development-only if one of its two copies is.
      .map((component) => ({ ...component, properties: [] })),
    dependencies: all.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}

function main(): void {
  const bill = billOfMaterials();
  writeFileSync(FILE, `${JSON.stringify(bill, null, 2)}\n`);
  process.stdout.write(`Wrote ${bill.components.length} packages to ${FILE}.\n`);
}

if (require.main === module) main();
