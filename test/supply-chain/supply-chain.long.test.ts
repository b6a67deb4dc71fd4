import { allowScripts } from '../../package.json';
import { billOfMaterials } from './bill-of-materials';
import { licenceIssues } from './licences';
import { clientPackages, packagesWithInstallScript, productionPackages } from './locked-packages';

describe('the check of licences', () => {
  it('every package of production has an accepted licence', () => {
    expect(licenceIssues(productionPackages())).toEqual([]);
  });

  it('every package that the client package brings has an accepted licence', () => {
    const packages = clientPackages();
    expect(packages.map(({ name }) => name)).toEqual(['openapi-fetch', 'openapi-typescript-helpers']);
    expect(licenceIssues(packages)).toEqual([]);
  });

  it('the check of licences names a package with another licence, and a package without a licence', () => {
    const packages = [
      { name: 'good', version: '1.0.0', license: 'MIT' },
      { name: 'strict', version: '2.0.0', license: 'AGPL-3.0-only' },
      { name: 'silent', version: '3.0.0' },
    ];
    expect(licenceIssues(packages)).toEqual(['strict@2.0.0: AGPL-3.0-only', 'silent@3.0.0: no licence']);
  });
});

describe('the software bill of materials', () => {
  it('the software bill of materials names each package of production once, and no path or registry', () => {
    const bill = billOfMaterials();
    const installed = new Set(productionPackages().map(({ name, version }) => `${name}@${version}`));
    expect(bill.components.map((component) => component['bom-ref']).sort()).toEqual([...installed].sort());
    expect(bill.metadata.component.name).toBe('tour-platform');
    expect(JSON.stringify(bill)).not.toMatch(/"\/|file:|registry\./);
  });

  it('the software bill of materials names the dependencies of its packages, and of no others', () => {
    const { components, dependencies, metadata } = billOfMaterials();
    const known = [metadata.component, ...components].map((component) => component['bom-ref']);
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual(known.sort());
    expect(dependencies.flatMap(({ dependsOn = [] }) => dependsOn)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^express@/)]),
    );
    for (const { dependsOn = [] } of dependencies) for (const ref of dependsOn) expect(known).toContain(ref);
  });
});

describe('the scripts of packages', () => {
  it('allowScripts in package.json names each package that has an install script, and no other', () => {
    expect(Object.keys(allowScripts).sort()).toEqual(packagesWithInstallScript());
  });
});
