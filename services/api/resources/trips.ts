/** A locked resource, with what its trips are judged by. */
export interface LockedResource {
  id: string;
  code: string;
  /** The most seats that one unit carries. Null: its seats are not counted. */
  places: number | null;
  units: number;
  /** Milliseconds between two trips. */
  turnaroundMs: number;
  closings: ResourceClosing[];
}

/** A time in which units are closed: from the first instant to the one before the last. Milliseconds since 1970. */
interface ResourceClosing {
  from: number;
  to: number;
  units: number;
}

/** A departure that uses a resource, with its sold seats: 0 for one that is cancelled. */
export interface ResourceUse {
  resourceId: string;
  departureId: string;
  /** True: seats of the sandbox; false: real seats. */
  sandbox: boolean;
  /** Uses of one resource with the same text are one trip. */
  trip: string;
  /** From the start less the time before it. Milliseconds since 1970. */
  from: number;
  /** To the end plus the time after it, without the turnaround. */
  to: number;
  seats: number;
}

/** The seats that the resources of a departure leave for more sales. */
interface SeatsOfResources {
  /** Null: they limit none. */
  seatsOfResources: number | null;
  /** The code of the resource that leaves the fewest. Null: none limits them. */
  scarceResource: string | null;
}

/** Seats of a departure. */
interface SeatsOf {
  departureId: string;
  seats: number;
}

/**
 * The trips of locked resources, under the locks. Counts the sales that a transaction decides, one after the other. resource_loads and
 * count_seats_of_resources (0168_resources.sql) are its SQL: a test compares both.
 */
export class Trips {
  private readonly resources: Map<string, LockedResource>;

  constructor(
    resources: LockedResource[],
    private readonly uses: ResourceUse[],
  ) {
    this.resources = new Map(resources.map((resource) => [resource.id, resource]));
  }

  /** Returns whether these are resources of a departure, all of which it knows. */
  haveAll(resourceIds: readonly string[]): boolean {
    return resourceIds.length > 0 && resourceIds.every((id) => this.resources.has(id));
  }

  /** Counts more seats of a departure. @param more fewer if it is negative */
  take(departureId: string, sandbox: boolean, more: number): void {
    for (const use of this.usesOf(departureId, sandbox)) use.seats += more;
  }

  /**
   * Returns the seats that the resources of a departure leave for more sales, and the resource that leaves the fewest.
   * @param freed seats that the sale leaves on another departure
   */
  leftFor(departureId: string, sandbox: boolean, freed?: SeatsOf): SeatsOfResources {
    let least: SeatsOfResources = { seatsOfResources: null, scarceResource: null };
    for (const use of this.usesOf(departureId, sandbox)) {
      const seats = this.leftBy(use, freed);
      if (seats === null || seats >= (least.seatsOfResources ?? Infinity)) continue;
      least = { seatsOfResources: seats, scarceResource: this.resources.get(use.resourceId)!.code };
    }
    return least;
  }

  /** Returns the number of trips that a sale of the departure begins. */
  begunBy(departureId: string, sandbox: boolean): number {
    return this.usesOf(departureId, sandbox).filter((mine) =>
      this.uses.every(
        (use) =>
          use.resourceId !== mine.resourceId ||
          use.sandbox !== sandbox ||
          use.trip !== mine.trip ||
          use.seats === 0,
      ),
    ).length;
  }

  private usesOf(departureId: string, sandbox: boolean): ResourceUse[] {
    return this.uses.filter((use) => use.departureId === departureId && use.sandbox === sandbox);
  }

  private leftBy(mine: ResourceUse, freed: SeatsOf | undefined): number | null {
    const { places, units, turnaroundMs, closings } = this.resources.get(mine.resourceId)!;
    const sold = this.uses
      .filter(({ resourceId, sandbox }) => resourceId === mine.resourceId && sandbox === mine.sandbox)
      .map((use) => withoutFreed(use, freed));
    const isLive = ({ departureId, seats }: ResourceUse) => seats > 0 || departureId === mine.departureId;
    const own = sold.filter((use) => use.trip === mine.trip && isLive(use));
    const from = Math.min(...own.map((use) => use.from));
    const to = Math.max(...own.map((use) => use.to)) + turnaroundMs;
    const others = sold
      .filter(({ trip, seats }) => trip !== mine.trip && seats > 0)
      .map((use) => ({ trip: use.trip, from: use.from, to: use.to + turnaroundMs }));
    // The number of trips and of closed units is the highest at the start of one of them.
    const starts = [...others, ...closings].map((one) => one.from).filter((at) => at > from && at < to);
    const isTaken = [from, ...starts].some((at) => {
      const trips = new Set(others.filter((one) => covers(one, at)).map(({ trip }) => trip));
      const closed = closings.filter((one) => covers(one, at)).reduce((sum, one) => sum + one.units, 0);
      return trips.size + closed >= units;
    });
    const free = places === null ? null : places - own.reduce((sum, { seats }) => sum + seats, 0);
    return isTaken ? Math.min(0, free ?? 0) : free;
  }
}

function withoutFreed(use: ResourceUse, freed: SeatsOf | undefined): ResourceUse {
  return freed?.departureId === use.departureId ? { ...use, seats: use.seats - freed.seats } : use;
}

function covers({ from, to }: { from: number; to: number }, at: number): boolean {
  return from <= at && at < to;
}
