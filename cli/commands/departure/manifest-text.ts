import { awaitsPayment } from '../../../services/api/bookings/booking-status';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { describeParty } from '../../../services/api/parties/party';
import type { Party } from '../../../services/api/parties/party-rules';
import type { UsedResource } from '../../../services/api/resources/uses-of-departures.repository';
import { describeAnswer } from '../../engine/answers';
import { describeCustomer, describeTraveller } from '../../engine/personal-data';
import { describePickup } from '../../engine/pickup';
import type { Screen } from '../../terminal/screen';
import { beside } from '../../terminal/table';
import { countOf, foldLines } from '../../terminal/text';
import type { Manifest, ManifestBooking } from './manifest-document';
import { byPickup, countPeople, describeStop } from './stops';

/** Returns a manifest for paper: its head, then each booking. */
export function describeManifest(manifest: Manifest, screen: Screen): string {
  return [describeHead(manifest), describeBookings(manifest, screen)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns a manifest for a driver: its head, then the bookings of each stop by time, then who comes alone. */
export function describeByPickup(manifest: Manifest, screen: Screen): string {
  const { stops, alone } = byPickup(manifest.bookings);
  const groups = [
    ...stops.map((stop) => ({ title: describeStop(stop, manifest), bookings: stop.bookings })),
    { title: `Come alone: ${countPeople(alone)}`, bookings: alone.bookings },
  ].filter(({ bookings }) => bookings.length > 0);
  const parts = groups.map(
    (group) => `${group.title}\n\n${describeBookings({ ...manifest, ...group }, screen)}`,
  );
  return [describeHead(manifest), ...parts].join('\n\n');
}

/** The width of a page of paper. */
const PAPER_COLUMNS = 80;

function describeBookings(manifest: Manifest, screen: Screen): string {
  const paper = { ...screen, columns: Math.min(screen.columns ?? PAPER_COLUMNS, PAPER_COLUMNS) };
  return manifest.bookings.map((booking) => describeBooking(booking, manifest, paper)).join('\n\n');
}

/** Returns the title of the departure, its guide and vehicle, and how many people travel. */
function describeHead(manifest: Manifest): string {
  const { tour, departure_date: date, start_time: time, cancelled, resources } = manifest;
  const { people, seats, categories, bookings } = manifest;
  const unpaid = bookings.filter(awaitsPayment).length;
  const counts = [
    countPeople({ people }),
    ...(seats === people ? [] : [countOf(seats, 'seat')]),
    countOf(bookings.length, 'booking'),
    ...(unpaid > 0 ? [`${unpaid} unpaid`] : []),
  ];
  const title = `${tour} on ${nameDeparture(date, time)}${cancelled ? ' (cancelled)' : ''}`;
  const party: Party = Object.fromEntries(categories.map(({ category, units }) => [category, units]));
  const head = bookings.length === 0 ? 'No bookings' : `${counts.join(', ')}\n${describeParty(party)}`;
  return [title, ...resources.map(describeResource), head].join('\n');
}

/** Describes a guide or a vehicle: `Guide: Maria Silva, +351 912 000 111`. */
function describeResource({ kind, name, phone, email }: UsedResource): string {
  const facts = [name, phone, email].filter((value) => value !== null).join(', ');
  return `${kind[0]!.toUpperCase()}${kind.slice(1)}: ${facts}`;
}

const BOX = '[ ]';

/** Draws a box to tick off beside the facts of the booking. */
function describeBooking(booking: ManifestBooking, departure: Manifest, screen: Screen): string {
  const {
    booking_ref,
    tenant,
    status,
    party,
    name,
    phone,
    phone_as_sent,
    travellers,
    answers,
    pickup,
    notes,
    external_ref,
  } = booking;
  const lines = [
    [booking_ref, describeParty(party), awaitsPayment(booking) ? 'UNPAID' : status, tenant].join(', '),
    describeCustomer({ name, phone, phone_as_sent, email: null }) ?? '',
    ...(travellers ?? []).map((one) => `- ${describeTraveller(one)}`),
    pickup === null ? '' : `Pickup: ${describePickup(pickup, departure)}`,
    ...answers.map((one) => `* ${describeAnswer(one)}`),
    notes === null ? '' : `Notes: ${foldLines(notes)}`,
    external_ref === null ? '' : `Reference: ${external_ref}`,
  ];
  const facts = lines.filter((line) => line !== '').join('\n');
  return beside(BOX, facts, { width: BOX.length, screen });
}
