import { pictureAddress, type Tour, type TourLocation } from '../catalog/tour';

/** @example {"type": "INCLUSION", "shortDescription": "All meals on board"} */
export interface OctoFeature {
  type: 'INCLUSION' | 'EXCLUSION' | 'ADDITIONAL_INFORMATION' | 'CANCELLATION_TERM';
  shortDescription: string;
}

/**
 * @example {"src": "https://images.example.com/ha-long.jpg", "type": "image/jpeg", "rel": "COVER", "title": null, "caption": "Limestone islands at dawn", "copyright": null}
 */
export interface OctoMedia {
  src: string;
  type: 'image/jpeg' | 'image/png';
  rel: 'COVER' | 'GALLERY';
  title: string | null;
  caption: string | null;
  copyright: string | null;
}

/** The members that OCTO requires. All are null, because the catalog has none of these values. */
export interface OctoPostalAddress {
  streetAddress: string | null;
  addressLocality: string | null;
  addressRegion: string | null;
  postalCode: string | null;
  addressCountry: string | null;
  postOfficeBoxNumber: string | null;
}

/** The members that OCTO requires. All but the first are null, because the catalog has none of these values. */
export interface OctoPlaceIdentifiers {
  googlePlaceId: string | null;
  applePlaceId: string | null;
  tripadvisorLocationId: string | null;
  yelpPlaceId: string | null;
  facebookPlaceId: string | null;
  foursquarePlaceId: string | null;
  baiduPlaceId: string | null;
  amapPlaceId: string | null;
}

export interface OctoPlace {
  latitude: number;
  longitude: number;
  postalAddress: OctoPostalAddress;
  identifiers: OctoPlaceIdentifiers;
  /** Always empty. */
  sameAs: string[];
}

/** @example {"title": "Tuan Chau Marina", "shortDescription": null, "types": ["START"], "minutesTo": null, "minutesAt": null, "place": {"latitude": 20.9275, "longitude": 106.988, "postalAddress": {"streetAddress": null, "addressLocality": null, "addressRegion": null, "postalCode": null, "addressCountry": null, "postOfficeBoxNumber": null}, "identifiers": {"googlePlaceId": null, "applePlaceId": null, "tripadvisorLocationId": null, "yelpPlaceId": null, "facebookPlaceId": null, "foursquarePlaceId": null, "baiduPlaceId": null, "amapPlaceId": null}, "sameAs": []}} */
export interface OctoLocation {
  title: string;
  shortDescription: string | null;
  types: ('START' | 'END')[];
  minutesTo: number | null;
  minutesAt: number | null;
  place: OctoPlace;
}

/** @example {"format": "IN_PERSON", "language": "en"} */
export interface OctoCommentary {
  format: 'IN_PERSON';
  language: string;
}

const MINUTES_A_DAY = 24 * 60;

/** Returns the fields that octo/content adds to a product. A field that the catalog does not have is null or an empty list. */
export function toProductContent(tour: Tour, baseUrl: string) {
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
    commentary: tour.languages.map((language): OctoCommentary => ({ format: 'IN_PERSON', language })),
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
    .map(({ url, alt = null }) => ({ url, alt, rel: 'GALLERY' as const }));
  return [...cover, ...gallery].flatMap(({ url, alt, rel }) => {
    const src = pictureAddress(url, baseUrl);
    const type = pictureType(url);
    if (src === null || type === undefined) return [];
    return [{ src, type, rel, title: null, caption: alt, copyright: null }];
  });
}

/**
 * Returns the media type for the extension. An address without an extension counts as JPEG. Returns undefined for other extensions, because
 * OCTO allows only JPEG and PNG.
 */
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
  return [
    {
      title: location.name,
      shortDescription: null,
      types: [type],
      minutesTo: null,
      minutesAt: null,
      place: {
        latitude: location.lat,
        longitude: location.lng,
        ...UNKNOWN_PLACE,
        identifiers: { ...UNKNOWN_PLACE.identifiers, googlePlaceId: location.google_place_id ?? null },
      },
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
