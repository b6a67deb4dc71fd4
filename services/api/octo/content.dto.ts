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

/** The names of the standard's members; the catalog knows none of the values. */
export interface OctoPostalAddress {
  streetAddress: string | null;
  addressLocality: string | null;
  addressRegion: string | null;
  postalCode: string | null;
  addressCountry: string | null;
  postOfficeBoxNumber: string | null;
}

/** The names of the standard's members; the catalog knows none of the values. */
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
