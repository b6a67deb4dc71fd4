import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { NOUNS } from '../../cli/tree';
import type { TestTerminal } from '../cli/terminal';
import { givenSeats } from '../support/website';

const BUYER = '--name Ana --phone +4930901820 --email ana@example.com';

/** A command line of each command, in the order of a day. Words in capitals are replaced (see givenDay). */
export const LINES = `
tenant list
tenant show TENANT
tenant create --slug NEW --name New
tenant set TENANT --max-holds 40
tenant suspend NEWEST
tenant activate NEWEST
tenant close NEWEST
use
key list
key issue TENANT --scope catalog:read
key rotate KEY
key revoke KEY2
widget list TENANT
widget issue TENANT --origin https://shop.example
widget rotate WIDGET
widget revoke WIDGET2
widget element
origins list TENANT
origins add TENANT https://more.example
origins set TENANT https://shop.example
origins remove TENANT https://shop.example
visibility show TENANT
visibility allow TENANT --tour TOUR
visibility explain TENANT TOUR
visibility deny TENANT --continent asia
visibility clear TENANT --continent asia
pricing show TENANT
pricing add TENANT --percent 10
pricing simulate TENANT TOUR
pricing remove TENANT RULE
rates list
rates set USD 1.1
rates import FILE:rates
catalog list
catalog show TOUR
catalog check FILE:tours
catalog import FILE:tours
catalog export
catalog archive imported-tour
catalog publish imported-tour
pickup list
pickup add NEWPOINT --name Station
pickup set NEWPOINT --name Harbour
pickup remove NEWPOINT
resource list
resource show BOAT
resource add NEWBOAT --name Boat
resource set NEWBOAT --places 12
resource close NEWBOAT --from 2040-01-01 --to 2040-01-02 --reason Dock
resource reopen NEWBOAT --from 2040-01-01 --to 2040-01-02
resource remove NEWBOAT
departure list
departure add TOUR 2031-05-01 --seats 4 --adult 10
departure schedule TOUR --every daily --from 2031-06-01 --to 2031-06-02 --seats 4 --adult 10
departure set-seats TOUR 2031-05-01 6
departure set-price TOUR 2031-05-01 --adult 12
departure set-time TOUR 2031-05-01 09:30
departure set-uses TOUR 2031-05-01T09:30 BOAT
departure cancel TOUR 2031-05-01T09:30
departure reopen TOUR 2031-05-01T09:30
departure manifest TOUR DATE
departure set-pickup TOUR DATE POINT 08:15
departure move TOUR DATE OTHER
hold list
hold show HOLD
hold add TOUR DATE --tenant TENANT --party adult=1 ${BUYER}
hold release HOLD
hold anonymize HOLD
booking list
booking show REF
booking add TOUR DATE --tenant TENANT --party adult=1 ${BUYER}
booking change REF --notes Vegan
booking confirm REF
booking cancel REF
booking expire
booking stats
booking refusals
booking export --out OUT
booking import FILE:bookings --tenant TENANT
booking anonymize REF --force
customer erase --email ana@example.com --force
report sales --from 2026-01-01 --to 2031-01-01
report adjustments --from 2026-01-01 --to 2031-01-01
delivery list
delivery show DELIVERY
delivery retry DELIVERY
delivery replay --endpoint ENDPOINT
webhook list
webhook add TENANT https://acme.example/two
webhook show ENDPOINT
webhook set ENDPOINT --url https://acme.example/three
webhook rotate-secret ENDPOINT
webhook pause ENDPOINT
webhook resume ENDPOINT
webhook trigger ENDPOINT --event booking.created
webhook disable ENDPOINT
webhook enable ENDPOINT
webhook ping ENDPOINT
webhook remove ENDPOINT
status
audit list
audit show 1
config list
people list
people add PERSON --role viewer
people set PERSON --role desk
people rotate PERSON
people remove PERSON
`
  .trim()
  .split('\n');

/** The data of the customers of givenDay. */
export const SECRETS_OF_DAY = /Ana|901820|ana@example|secret-/;

const TOURS = [
  {
    slug: 'imported-tour',
    name: 'Imported',
    continent: 'asia',
    country: 'VN',
    duration_days: 1,
    currency: 'EUR',
    base_price: 10,
    status: 'published',
    departures: [{ departure_date: '2031-05-01', seats_total: 4, prices: { adult: 10 } }],
  },
];

const RATES = `<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<Cube><Cube time='2026-11-27'><Cube currency='USD' rate='1.08'/></Cube></Cube></gesmes:Envelope>`;

let days = 0;

/** Makes a tenant with sales, keys and webhooks, and returns what each word in capitals of LINES stands for. */
export async function givenDay(
  owner: Pick<TestTerminal, 'db' | 'tourctl'>,
  folder: string,
  role: string,
): Promise<Record<string, string>> {
  const json = async (line: string) => {
    const answer = await owner.tourctl(`${line} --json --yes`);
    if (answer.code !== 0) throw new Error(`tourctl ${line}: ${answer.stderr}`);
    return answer.json;
  };
  const tag = `${role}${(days += 1)}`;
  const seats = await givenSeats(owner.db, { seats: 40 });
  await owner.db('pickup_points').insert({ code: `point-${tag}`, name: 'Station' });
  await owner
    .db('tours')
    .where({ id: seats.tour.id })
    .update({
      questions: JSON.stringify([{ code: 'diet', label: 'Diet', type: 'text', per: 'booking' }]),
      pickup: JSON.stringify({ elsewhere: true, points: [{ point: `point-${tag}`, minutes_before: 30 }] }),
    });
  const TENANT = `t-${tag}`;
  await json(`tenant create --slug ${TENANT} --name T`);
  await json(`tenant create --slug newest-${tag} --name N`);
  const [key, key2] = [
    await json(`key issue ${TENANT} --scope catalog:read`),
    await json(`key issue ${TENANT} --scope catalog:read`),
  ];
  const [widget, widget2] = [
    await json(`widget issue ${TENANT} --origin https://shop.example`),
    await json(`widget issue ${TENANT} --origin https://shop.example`),
  ];
  const endpoint = await json(`webhook add ${TENANT} https://acme.example/hook`);
  const place = `${seats.tour.slug} ${seats.date} --tenant ${TENANT} --party adult=1`;
  await json(`resource add boat-${tag} --name Boat --places 40`);
  await json(`departure set-uses ${seats.tour.slug} ${seats.date} boat-${tag}`);
  const hold = await json(`hold add ${place} ${BUYER}`);
  const booking = await json(
    `booking add ${place} ${BUYER} --external-ref secret-1 --notes secret-note --answer diet=secret-diet --place secret-place`,
  );
  await json(`booking add ${place} ${BUYER} --pickup point-${tag}`);
  const deliveries = await json(`delivery list --tenant ${TENANT}`);
  const other = '2031-09-09';
  await json(`departure add ${seats.tour.slug} ${other} --seats 40 --adult 10`);
  const rule = await json(`pricing add ${TENANT} --percent 5 --tour ${seats.tour.slug}`);
  const file = (name: string, text: string) => {
    const written = path.join(folder, `${tag}-${name}`);
    writeFileSync(written, text);
    return written;
  };
  return {
    TENANT,
    NEW: `new-${tag}`,
    NEWEST: `newest-${tag}`,
    KEY: key.id,
    KEY2: key2.id,
    WIDGET: widget.id,
    WIDGET2: widget2.id,
    RULE: String(rule.id),
    TOUR: seats.tour.slug,
    DATE: seats.date,
    OTHER: other,
    POINT: `point-${tag}`,
    BOAT: `boat-${tag}`,
    NEWBOAT: `new-${tag}`,
    NEWPOINT: `new-${tag}`,
    HOLD: hold.hold_id,
    REF: booking.booking_ref,
    ENDPOINT: endpoint.id,
    DELIVERY: deliveries.items[0].id,
    PERSON: `p${tag}`,
    OUT: path.join(folder, `${tag}-out.csv`),
    'FILE:tours': file('tours.json', JSON.stringify(TOURS)),
    'FILE:rates': file('rates.xml', RATES),
    'FILE:bookings': file(
      'bookings.csv',
      `external_ref,tour,departure_date,adults,name,total\nA1,${seats.tour.slug},${seats.date},1,Rui,1000\n`,
    ),
  };
}

/** Returns noun and verb of a command line. */
export function commandOf(line: string): string {
  const [first, second] = line.split(' ') as [string, string?];
  return NOUNS.some(({ name }) => name === first) ? `${first} ${second}` : first;
}
