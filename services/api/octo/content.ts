import type { Tour, TourLocation } from '../catalog/tour';
import { pictureAddress } from '../catalog/tour-answer';
import type { OctoFeature, OctoLocation, OctoMedia } from './content.dto';
import type { OctoProduct } from './product.dto';

const MINUTES_A_DAY = 24 * 60;

/** The texts of the units with octo/content. */
export const UNIT_CONTENT = {
  adult: { title: 'Adult', shortDescription: 'From 18 years.', features: [] },
  child: { title: 'Child', shortDescription: 'Up to 17 years.', features: [] },
};

/** Returns the fields that octo/content adds to a product: everything that the tour has, and empty lists for the rest. */
export function toProductContent(tour: Tour, baseUrl: string): Partial<OctoProduct> {
  return {
    title: tour.name,
    shortDescription: tour.summary,
    description: tour.description,
    features: featuresOf(tour),
    faqs: [],
    media: mediaOf(tour, baseUrl),
    locations: locationsOf(tour),
    categoryLabels: [],
    durationMinutesFrom: tour.durationDays * MINUTES_A_DAY,
    durationMinutesTo: null,
    commentary: tour.languages.map((language) => ({ format: 'IN_PERSON', language })),
  };
}

function featuresOf({ inclusions, exclusions, itinerary, cancellationPolicy }: Tour): OctoFeature[] {
  const days = itinerary.map(({ day, title, description }) =>
    [`Day ${day}: ${title}`, description].filter(Boolean).join('\n'),
  );
  return [
    ...inclusions.map((text) => feature('INCLUSION', text)),
    ...exclusions.map((text) => feature('EXCLUSION', text)),
    ...days.map((text) => feature('ADDITIONAL_INFORMATION', text)),
    ...(cancellationPolicy === null ? [] : [feature('CANCELLATION_TERM', cancellationPolicy)]),
  ];
}

function feature(type: OctoFeature['type'], shortDescription: string): OctoFeature {
  return { type, shortDescription };
}

function mediaOf({ imageUrl, images }: Tour, baseUrl: string): OctoMedia[] {
  const cover = imageUrl === null ? [] : [{ url: imageUrl, alt: null, rel: 'COVER' as const }];
  const gallery = images
    .filter(({ url }) => url !== imageUrl)
    .map(({ url, alt }) => ({ url, alt: alt ?? null, rel: 'GALLERY' as const }));
  return [...cover, ...gallery].flatMap(({ url, alt, rel }) => {
    const src = pictureAddress(url, baseUrl);
    const type = pictureType(url);
    if (src === null || type === undefined) return [];
    return [{ src, type, rel, title: null, caption: alt, copyright: null }];
  });
}

/** Returns the media type by the extension. OCTO knows two; an address without an extension counts as JPEG. */
function pictureType(url: string): OctoMedia['type'] | undefined {
  const extension = /\.(\w+)(?:[?#].*)?$/.exec(url.replace(/^https:\/\/[^/]*/, ''))?.[1]?.toLowerCase();
  if (extension === 'png') return 'image/png';
  return extension === undefined || ['jpg', 'jpeg'].includes(extension) ? 'image/jpeg' : undefined;
}

function locationsOf({ startLocation, endLocation }: Tour): OctoLocation[] {
  return [...locationOf(startLocation, 'START'), ...locationOf(endLocation, 'END')];
}

/** Returns no location without coordinates, because OCTO requires them. */
function locationOf(location: TourLocation | null, type: 'START' | 'END'): OctoLocation[] {
  if (location?.lat === undefined || location.lng === undefined) return [];
  const place = { latitude: location.lat, longitude: location.lng, ...UNKNOWN_PLACE };
  return [
    {
      title: location.name,
      shortDescription: null,
      types: [type],
      minutesTo: null,
      minutesAt: null,
      place,
    },
  ];
}

const UNKNOWN_PLACE = {
  postalAddress: {
    streetAddress: null,
    addressLocality: null,
    addressRegion: null,
    postalCode: null,
    addressCountry: null,
    postOfficeBoxNumber: null,
  },
  identifiers: {
    googlePlaceId: null,
    applePlaceId: null,
    tripadvisorLocationId: null,
    yelpPlaceId: null,
    facebookPlaceId: null,
    foursquarePlaceId: null,
    baiduPlaceId: null,
    amapPlaceId: null,
  },
  sameAs: [],
};
