import fc from 'fast-check';
import { brandStyle, contrast, DARK, LIGHT, NO_BRAND } from '../../services/api/widget/embed-style';
import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import type { TenantToCreate } from '../../services/api/tenants/manage-tenants';
import { useTestApi } from '../support/api';
import { givenTenant, givenTour } from '../support/given';
import { givenShowcase } from './browser/given-showcase';
import { givenWidgetToken, SHOP } from './given-widget';

const api = useTestApi();
beforeAll(async () => {
  await givenShowcase(api.db, 40);
});

const LINKS = { linkTemplate: `${SHOP}/tours/{slug}` };
const page = async (query: Record<string, string> = {}, tenant: Partial<TenantToCreate> = {}) => {
  const { db } = api;
  const { token } = await givenWidgetToken(db, await givenTenant(db, { ...LINKS, ...tenant }));
  return (await api.http.get('/embed/tours').query({ token, ...query })).text;
};
const variablesOf = (style: string) =>
  Object.fromEntries([...style.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value!]));

describe('the colour of a tenant', () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);

  it('any colour gets a contrast of at least 4.5 as background, text, border and ring, light and dark', () => {
    fc.assert(
      fc.property(color, (brandColor) => {
        const style = variablesOf(brandStyle({ ...NO_BRAND, brandColor }));
        expect(style.brand).toBe(brandColor);
        const onBrand = style['on-brand'] === '#fff' ? '#ffffff' : '#000000';
        expect(contrast(brandColor, onBrand)).toBeGreaterThanOrEqual(4.5);
        for (const ground of [LIGHT.card, LIGHT.blank]) {
          expect(contrast(style['on-light'], ground)).toBeGreaterThanOrEqual(4.5);
        }
        for (const ground of [DARK.card, DARK.blank]) {
          expect(contrast(style['on-dark'], ground)).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it('a colour changes only on the background where it is not readable', () => {
    const { 'on-light': light, 'on-dark': dark } = variablesOf(
      brandStyle({ ...NO_BRAND, brandColor: '#1e1b4b' }),
    );
    expect(light).toBe('#1e1b4b');
    expect(dark).toMatch(/^#[7-9a-f].[7-9a-f].[c-f].$/);
  });

  it.each([LIGHT, DARK])('the page’s own text colours are readable: %j', ({ card, blank, ink, soft }) => {
    for (const text of [ink, soft]) {
      for (const ground of [card, blank]) expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe('the appearance settings of a tenant', () => {
  it('the settings set the logo, the corners and the fonts', async () => {
    const text = await page(
      {},
      { brandLogo: `${SHOP}/logo.svg`, brandRadius: 4, brandFont: 'Inter, Noto Serif, serif' },
    );
    expect(text).toContain(`<img class="logo" src="${SHOP}/logo.svg" alt="Acme Travel" />`);
    expect(text).toContain(
      '<style>:root { --radius: 4px; --font: "Inter", "Noto Serif", serif, system-ui, sans-serif; }</style>',
    );
    expect(await page()).not.toMatch(/class="logo"|--radius: 4px/);
  });

  it('a stored font or colour cannot inject markup', () => {
    for (const brandFont of ['x;} body{display:none', '</style><script>', 'url(https://evil.example)']) {
      expect(brandStyle({ ...NO_BRAND, brandFont })).toBe(':root { --font: system-ui, sans-serif; }');
    }
    expect(brandStyle({ ...NO_BRAND, brandColor: 'red;}' })).toBe('');
  });

  it.each([
    { brandRadius: 33 },
    { brandRadius: -1 },
    { brandFont: 'Inter; x' },
    { brandFont: '"Inter"' },
    { brandFont: 'Inter,' },
  ])('the database refuses the setting %j', async (looks) => {
    await expect(givenTenant(api.db, looks)).rejects.toThrow(/tenants_brand_/);
  });

  it('the page of a refusal has the tenant’s colour', async () => {
    const { db } = api;
    const { token } = await givenWidgetToken(db, await givenTenant(db, { brandColor: '#c2410c' }));
    const answer = await fetch(`${api.baseUrl}/embed/tours?token=${token}&limit=0`, {
      headers: { accept: 'text/html' },
    });
    expect(await answer.text()).toContain('--brand: #c2410c;');
  });
});

describe('the theme', () => {
  it('the parameter theme sets the theme, the links keep it, and an unknown value is ignored', async () => {
    expect(await page()).not.toMatch(/<html [^>]*data-theme/);
    const dark = await page({ theme: 'dark' });
    expect(dark).toMatch(/<html [^>]*data-theme="dark">/);
    expect(dark).toMatch(/href="tours\?pass=[\w.-]+&amp;theme=dark"/);
    expect(await page({ theme: '"><script>' })).not.toMatch(/<html [^>]*data-theme/);
  });
});

describe('the language of the appearance', () => {
  it.each([
    ['en', 'ltr', 'Search tours'],
    ['de', 'ltr', 'Reisen suchen'],
    ['fr-CA', 'ltr', 'Rechercher un circuit'],
    ['es', 'ltr', 'Buscar viajes'],
    ['pt-PT', 'ltr', 'Pesquisar viagens'],
    ['pt-BR', 'ltr', 'Buscar passeios'],
    ['ar-EG', 'rtl', 'ابحث عن رحلة'],
    ['vi', 'ltr', 'Tìm tour'],
    ['ja', 'ltr', 'ツアーを検索'],
  ])('the page in %s is written %s, and its search field says %s', async (lang, dir, words) => {
    const text = await page({ lang });
    expect(text).toContain(`<html lang="${lang}" dir="${dir}"`);
    expect(text).toContain(`placeholder="${words}"`);
    // The texts of the catalog have their own language.
    const attributes = lang === 'en' ? '' : 'dir="ltr" lang="en"';
    expect(text).toMatch(new RegExp(`<h2 ${attributes}>\\s*<a [^>]+>Annapurna`));
  });

  it('the embed page keeps a currency sign with its amount in right-to-left text', async () => {
    expect(await page({ lang: 'ar', q: 'banff' })).toContain('\u2066US$\u2069');
    expect(await page({ lang: 'en', q: 'banff' })).not.toMatch(/[\u2066\u2069]/);
  });
});

describe('the help on an empty list', () => {
  it('the help on an empty list offers to search all continents and to show all tours', async () => {
    const none = await page({ q: 'atlantis', continent: 'asia' });
    expect(none).toMatch(
      /<a class="button first" href="tours\?pass=[\w.-]+&amp;q=atlantis">Search all continents</,
    );
    expect(none).toMatch(/<a class="button" href="tours\?pass=[\w.-]+">Show all tours</);
  });

  it('the help on an empty list explains an empty catalog, without a search and filters', async () => {
    const empty = await page({}, { defaultVisible: false });
    expect(empty).toContain('New tours are on their way');
    expect(empty).not.toMatch(/class="pills"|<form|Show all tours/);
  });
});

describe('the structured data', () => {
  const dataOf = (text: string) =>
    JSON.parse(/<script type="application\/ld\+json" id="data">(.*?)<\/script>/s.exec(text)![1]!) as unknown;

  it('the structured data name the tours in schema.org terms, at the tenant’s price', async () => {
    const data = dataOf(await page({ q: 'banff', lang: 'de' }));
    expect(data).toEqual({
      '@context': 'https://schema.org',
      '@type': 'ItemList',
      inLanguage: 'en',
      itemListElement: [
        {
          '@type': 'ListItem',
          position: 1,
          item: {
            '@type': 'TouristTrip',
            name: 'Banff to Jasper: The Icefields Parkway',
            url: `${SHOP}/tours/banff-to-jasper`,
            image: 'https://api.example.test/covers/banff-to-jasper.svg',
            itinerary: { '@type': 'Country', name: 'Kanada' },
            offers: { '@type': 'Offer', price: 1390, priceCurrency: 'USD' },
          },
        },
      ],
    });
  });

  it('a tour’s name cannot end the script element of the structured data', async () => {
    const tour = await givenTour(api.db, { name: 'Zz </script><!--\u2028&' });
    const text = await page({ q: 'zz' });
    expect(text).toContain('Zz \\u003c/script\\u003e\\u003c!--\\u2028\\u0026');
    expect(JSON.stringify(dataOf(text))).toContain('Zz </script>');
    await api.db('tours').where({ id: tour.id }).delete();
  });
});

describe('the size of the embed page', () => {
  it.each(['en', 'ar'])('the fullest page is smaller than 50 KiB in %s', async (lang) => {
    const text = await page({ limit: '30', lang }, { brandColor: '#c2410c', brandFont: 'Inter, serif' });
    expect(text.match(/<li class="tour" data-slug/g)).toHaveLength(30);
    expect(Buffer.byteLength(text)).toBeLessThan(50 * 1024);
    expect(Buffer.byteLength(await page({ lang }))).toBeLessThan(32 * 1024);
  });
});

describe('a fetch of the embed page', () => {
  it('the embed page answers a fetch only if the page’s own script sends it with the pass', async () => {
    const {
      db,
      context: { secrets },
    } = api;
    const { token, id } = await givenWidgetToken(db, await givenTenant(db));
    const pass = mintEmbedPass(secrets.cursorKey, id);
    const ask = async (query: Record<string, string>, site: string, headers: Record<string, string> = {}) => {
      const sent = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': site, ...headers };
      return (await api.http.get('/embed/tours').query(query).set(sent)).status;
    };
    expect(await ask({ pass }, 'same-origin')).toBe(200);
    expect(await ask({ token }, 'same-origin')).toBe(403);
    expect(await ask({ pass }, 'same-site')).toBe(403);
    expect(await ask({ pass }, 'cross-site')).toBe(403);
    expect(await ask({ pass }, 'none')).toBe(403);
    expect(await ask({ pass }, 'same-origin', { origin: SHOP })).toBe(403);
    expect(await ask({ pass }, 'same-origin', { 'sec-fetch-dest': 'script' })).toBe(403);
  });
});
