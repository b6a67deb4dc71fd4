import type { PlannedDeparture, World } from './world';

/** The time of a sold departure on the boat with the turnaround, in milliseconds, and the trip to which it belongs. */
interface TimeOnBoat {
  trip: string;
  from: number;
  to: number;
}

/** The model of the only boat of a world: what it leaves on each departure. */
export class BoatModel {
  private readonly times: Map<string, TimeOnBoat>;

  /** @param boat the boat; `departures` all departures that use it */
  constructor(
    private readonly boat: NonNullable<World['boat']>,
    departures: PlannedDeparture[],
  ) {
    this.times = new Map(departures.map((departure) => [departure.id, this.timeOf(departure)]));
  }

  /**
   * Returns the seats that the boat leaves on a departure: none while it is away on another trip.
   * @param sold the seats of the sold departures that take place
   */
  seatsLeft(id: string, sold: Map<string, number>): number {
    const { trip } = this.times.get(id)!;
    const onTrip = [...sold].filter(([other]) => this.times.get(other)!.trip === trip);
    const left = this.boat.places - onTrip.reduce((sum, [, seats]) => sum + seats, 0);
    return this.isAway(id, sold) ? Math.min(0, left) : left;
  }

  /** Returns whether another sold trip needs the boat at the time of the departure. */
  isAway(id: string, sold: Map<string, number>): boolean {
    const mine = this.times.get(id)!;
    return [...sold.keys()]
      .map((other) => this.times.get(other)!)
      .some((other) => other.trip !== mine.trip && mine.from < other.to && other.from < mine.to);
  }

  /** Returns the time of a departure. Without a start time, it takes the whole day. */
  private timeOf({ id, date, time, offset = 'Z' }: PlannedDeparture): TimeOnBoat {
    const {
      time: [minutes, turnaround],
      shared,
    } = this.boat;
    const from = Date.parse(`${date}T${time ?? '00:00'}${offset}`);
    const length = time === null ? 24 * 60 : minutes;
    return { trip: shared ? `${from}` : id, from, to: from + (length + turnaround) * 60_000 };
  }
}
