import { cutoffOf } from '../catalog/cutoff';

export const RESOURCE_KINDS = ['vehicle', 'guide', 'place', 'equipment'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** The limits of a resource, which its CHECK constraints have too (0168_resources.sql). */
export const PLACES_MAX = 100_000;
export const RESOURCE_UNITS_MAX = 1_000;
export const TURNAROUND_MAX_MINUTES = 525_600;
export const CLOSING_REASON_MAX = 200;

/** What departures use and what cannot be in two places: a boat, a guide. */
export interface Resource {
  id: string;
  code: string;
  name: string;
  kind: ResourceKind;
  /** The most seats that one unit carries. Null: its seats are not counted. */
  places: number | null;
  /** How many alike there are. */
  units: number;
  /** Minutes between two trips. */
  turnaround: number;
  /** The zone of the dates of its closings and its days. */
  timeZone: string;
  phone: string | null;
  email: string | null;
  createdAt: Date;
}

/** The values that an operator gives a resource. */
export type ResourceValues = Omit<Resource, 'id' | 'code' | 'createdAt'>;

/** A time in which units of a resource are closed: from the first instant to the one before the last. */
export interface Closing {
  from: Date;
  to: Date;
  /** Null: all units. */
  units: number | null;
  reason: string;
}

/** A time of a resource, as an operator gives it: dates in the zone of the resource, both included, or instants of RFC 3339. */
export interface GivenTime {
  from: string;
  to: string;
}

/** A time between two instants, without the second. */
export interface TimeSpan {
  from: Date;
  to: Date;
}

/** Returns a resource as documents show it. */
export function toResourceDocument(resource: Resource) {
  return {
    code: resource.code,
    name: resource.name,
    kind: resource.kind,
    places: resource.places,
    units: resource.units,
    turnaround: cutoffOf(resource.turnaround),
    time_zone: resource.timeZone,
    phone: resource.phone,
    email: resource.email,
    created_at: resource.createdAt.toISOString(),
  };
}

/** Returns a closing as documents show it. */
export function toClosingDocument({ from, to, units, reason }: Closing) {
  return { from: from.toISOString(), to: to.toISOString(), units, reason };
}
