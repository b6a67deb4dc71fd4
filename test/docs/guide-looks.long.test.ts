import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openTestTerminal } from '../cli/terminal';
import { startTestApi } from '../support/api';
import { givenDeparture, givenTour } from '../support/given';
import { folderWithClient } from '../support/packed-client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenWebsite } from '../support/website';
import { callTourctl, exampleOf, folderWith, pageSnippets, runProgram } from './guide';

const FOLDER = useTemporaryFolder();

describe('the appearance settings on the page for operators', () => {
  it('the command of the page sets the appearance of a tenant', async () => {
    const terminal = await openTestTerminal();
    await terminal.tourctl('tenant create --slug acme --name Acme');
    const [command, ...none] = pageSnippets('tenants.md', 'Looks');
    const script = callTourctl(command!);
    const { code, stderr } = await runProgram('bash', ['--norc', '-euc', script], {
      cwd: await folderWith({}),
      env: terminal.env,
    });
    expect({ code, stderr, none }).toEqual({ code: 0, stderr: '', none: [] });
    expect((await terminal.tourctl('tenant show acme --json')).json).toMatchObject({
      brand_color: '#0a7d5c',
      brand_logo: 'https://acme.example/logo.svg',
      brand_radius: 8,
      brand_font: 'Inter, Georgia, serif',
    });
    await terminal.drop();
  });
});

describe('the list for search engines in the guide', () => {
  it('the list for search engines in the guide names the tours with their prices, and no name of a tour can end the script element', async () => {
    const api = await startTestApi();
    const website = await givenWebsite(api);
    const names = ['</script><b>Azores', 'Zagreb & around'];
    for (const [index, name] of names.entries()) {
      const tour = await givenTour(api.db, { slug: `tour-${index}`, name });
      await givenDeparture(api.db, tour);
    }
    const cwd = await folderWithClient(FOLDER);
    await writeFile(path.join(cwd, 'tours-for-search.mjs'), exampleOf('tours-for-search.mjs'));
    const main = `import { toursForSearch } from './tours-for-search.mjs'; console.log(await toursForSearch());`;
    await writeFile(path.join(cwd, 'main.mjs'), main);
    const { stdout, stderr } = await runProgram('node', ['main.mjs'], {
      cwd,
      env: { API: api.baseUrl, KEY: website.authorization.slice('Bearer '.length) },
    });
    await api.stop();
    expect(stderr).toBe('');
    const [, json] = /^<script type="application\/ld\+json">([^<]*)<\/script>\n$/.exec(stdout)!;
    const offers = { '@type': 'Offer', price: 500, priceCurrency: 'EUR' };
    expect(JSON.parse(json!)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'ItemList',
      itemListElement: names.map((name, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        item: { '@type': 'TouristTrip', name, url: `https://acme.example/tours/tour-${index}`, offers },
      })),
    });
  });
});
