import type { Tour } from '../catalog/tour';
import type { Category, CategoryKind } from '../parties/category';
import type { OctoCapability } from './capabilities';
import type { OctoFeature } from './content.dto';
import type { OctoPricing } from './pricing.dto';

/** @example {"minAge": 18, "maxAge": 99, "idRequired": false, "minQuantity": null, "maxQuantity": null, "paxCount": 1, "accompaniedBy": []} */
export interface OctoUnitRestrictions {
  /** 0: no limit. */
  minAge: number;
  /** 99: no limit. */
  maxAge: number;
  /** Always false. */
  idRequired: boolean;
  /** The fewest units in a booking that has some. Null: no limit. */
  minQuantity: number | null;
  /** The most units in a booking. Null: no limit. */
  maxQuantity: number | null;
  /** The travellers of one unit. */
  paxCount: number;
  /** The ids of units. A booking with this unit needs at least one of them. */
  accompaniedBy: string[];
}

type OctoUnitType =
  'ADULT' | 'YOUTH' | 'CHILD' | 'INFANT' | 'FAMILY' | 'SENIOR' | 'STUDENT' | 'MILITARY' | 'OTHER';

/** @example {"id": "adult", "internalName": "Adult", "reference": "adult", "type": "ADULT", "requiredContactFields": [], "restrictions": {"minAge": 18, "maxAge": 99, "idRequired": false, "minQuantity": null, "maxQuantity": null, "paxCount": 1, "accompaniedBy": []}} */
export interface OctoUnit {
  /** The code of the price category. */
  id: string;
  internalName: string;
  reference: string;
  type: OctoUnitType;
  requiredContactFields: string[];
  restrictions: OctoUnitRestrictions;
  /** With `octo/content`. */
  title?: string;
  /** With `octo/content`: the ages. Absent: the unit has no limit of age. */
  shortDescription?: string;
  /** With `octo/content`. */
  features?: OctoFeature[];
  /** With `octo/pricing`, in products: the lowest price of the open dates. */
  pricingFrom?: OctoPricing[];
  /** With `octo/pricing`, in bookings. */
  pricing?: OctoPricing[];
}

/** The type and the title of a unit whose category has no name. */
const KINDS: Record<CategoryKind, { type: OctoUnitType; title: string }> = {
  adult: { type: 'ADULT', title: 'Adult' },
  youth: { type: 'YOUTH', title: 'Youth' },
  child: { type: 'CHILD', title: 'Child' },
  infant: { type: 'INFANT', title: 'Infant' },
  senior: { type: 'SENIOR', title: 'Senior' },
  student: { type: 'STUDENT', title: 'Student' },
  family: { type: 'FAMILY', title: 'Family' },
  military: { type: 'MILITARY', title: 'Military' },
  group: { type: 'OTHER', title: 'Group' },
  other: { type: 'OTHER', title: 'Other' },
  // A supplement is no unit.
  supplement: { type: 'OTHER', title: 'Supplement' },
};

/** The values on which the answer of a unit depends. */
export interface UnitView {
  capabilities: OctoCapability[];
  /** The tour as it is now. */
  tour: Pick<Tour, 'categories'>;
  /** The tour with its texts in the preferred languages. */
  shown: Pick<Tour, 'categories'>;
}

/** The price of a unit: `pricingFrom` in products, `pricing` in bookings. */
export type UnitPrice = Pick<OctoUnit, 'pricingFrom' | 'pricing'>;

/** Returns a category as OCTO's unit. @param category of the tour, or as a booking has locked it */
export function toUnit(
  category: Category,
  view: UnitView,
  { pricingFrom, pricing }: UnitPrice = {},
): OctoUnit {
  const { code, name, kind } = category;
  return {
    id: code,
    internalName: name ?? KINDS[kind].title,
    reference: code,
    type: KINDS[kind].type,
    requiredContactFields: [],
    restrictions: toRestrictions(category),
    ...(pricingFrom && { pricingFrom }),
    ...(view.capabilities.includes('octo/content') && toUnitContent(category, view)),
    ...(pricing && { pricing }),
  };
}

/** The oldest age that OCTO knows. It stands for no limit. */
const OLDEST = 99;

function toRestrictions(category: Category): OctoUnitRestrictions {
  const { age_from: minAge = 0, age_to: maxAge = OLDEST, min, max, people, with: companions = [] } = category;
  return {
    minAge,
    maxAge,
    idRequired: false,
    minQuantity: min ?? null,
    maxQuantity: max ?? null,
    paxCount: people,
    accompaniedBy: companions,
  };
}

function toUnitContent(
  category: Category,
  view: UnitView,
): Pick<OctoUnit, 'title' | 'shortDescription' | 'features'> {
  const ages = describeAges(category);
  return {
    title: titleOf(category, view),
    ...(ages !== undefined && { shortDescription: ages }),
    features: [],
  };
}

/** Returns the name in the preferred languages. A name that the tour has changed since the booking has no translation. */
function titleOf({ code, name, kind }: Category, { tour, shown }: UnitView): string {
  const nameIn = ({ categories }: Pick<Tour, 'categories'>) =>
    categories.find((category) => category.code === code)?.name;
  const title = nameIn(tour) === name ? nameIn(shown) : name;
  return title ?? KINDS[kind].title;
}

function describeAges({ age_from: from = 0, age_to: to = OLDEST }: Category): string | undefined {
  if (to >= OLDEST) return from > 0 ? `From ${from} years.` : undefined;
  return from > 0 ? `From ${from} to ${to} years.` : `Up to ${to} years.`;
}
