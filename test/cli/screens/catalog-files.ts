import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { daysFromToday } from '../../support/given';

/** Files like those that an operator receives from partners. */
export function writeCatalogFiles(folder: string): void {
  const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  put('tours.json', JSON.stringify(tours()));
  put('partner.csv', partner());
}

function tours(): object[] {
  const departure = (days: number, adult: number) => ({
    departure_date: daysFromToday(days),
    seats_total: 12,
    prices: { adult },
  });
  return [
    {
      slug: 'lofoten-by-sail',
      name: 'Lofoten by sail',
      continent: 'europe',
      country: 'NO',
      duration_days: 8,
      currency: 'EUR',
      base_price: 1550,
      departures: [
        departure(30, 1550),
        departure(44, 1490),
        departure(58, 1490),
        departure(72, 1490),
        departure(86, 1550),
      ],
    },
    {
      slug: 'iceland-on-horseback',
      name: 'Iceland on horseback',
      continent: 'europe',
      country: 'IS',
      duration_days: 6,
      currency: 'EUR',
      base_price: 1840,
      departures: [departure(60, 1840), departure(74, 1840)],
    },
  ];
}

function partner(): string {
  return [
    'slug;name;continent;country;duration_days;currency;base_price',
    'azores-on-foot;Azores on foot;europe;PT;7;EUR;990,50',
    'Madeira;Madeira;europe;PT;7;EUR;870',
    'faroes-by-ferry;Faroes by ferry;europe;Faroes;5;EUR;1100',
    '',
  ].join('\r\n');
}
