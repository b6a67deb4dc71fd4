/** The page's own words. What stands in the catalog is shown in the catalog's language. */
export interface Words {
  tours: string;
  search: string;
  continents: string;
  all: string;
  from: string;
  nextDeparture: string;
  nextPage: string;
  firstPage: string;
  nothing: string;
  nothingHint: string;
  failed: string;
  /** What to do, by the answer's status; the last resort is 500. */
  advice: Record<400 | 401 | 403 | 429 | 500, string>;
}

const en: Words = {
  tours: 'Tours',
  search: 'Search tours',
  continents: 'Continents',
  all: 'All',
  from: 'from',
  nextDeparture: 'Next departure',
  nextPage: 'More tours',
  firstPage: 'Back to the first',
  nothing: 'No tours found',
  nothingHint: 'Try another word, or look at all tours.',
  failed: 'The tours cannot be shown',
  advice: {
    400: 'This address is not complete. Reload the page to begin again.',
    401: 'This list has expired. Reload the page to see it again.',
    403: 'This list is not meant to be shown on this page.',
    429: 'Too many requests. Try again in a minute.',
    500: 'Something went wrong. Try again in a moment.',
  },
};

const de: Words = {
  tours: 'Reisen',
  search: 'Reisen suchen',
  continents: 'Kontinente',
  all: 'Alle',
  from: 'ab',
  nextDeparture: 'Nächster Termin',
  nextPage: 'Weitere Reisen',
  firstPage: 'Zurück zum Anfang',
  nothing: 'Keine Reisen gefunden',
  nothingHint: 'Versuchen Sie ein anderes Wort oder sehen Sie sich alle Reisen an.',
  failed: 'Die Reisen können nicht angezeigt werden',
  advice: {
    400: 'Diese Adresse ist nicht vollständig. Laden Sie die Seite neu.',
    401: 'Diese Liste ist abgelaufen. Laden Sie die Seite neu.',
    403: 'Diese Liste ist nicht für diese Seite bestimmt.',
    429: 'Zu viele Anfragen. Versuchen Sie es in einer Minute wieder.',
    500: 'Etwas ist schiefgegangen. Versuchen Sie es gleich noch einmal.',
  },
};

const fr: Words = {
  tours: 'Circuits',
  search: 'Rechercher un circuit',
  continents: 'Continents',
  all: 'Tous',
  from: 'dès',
  nextDeparture: 'Prochain départ',
  nextPage: 'Plus de circuits',
  firstPage: 'Retour au début',
  nothing: 'Aucun circuit trouvé',
  nothingHint: 'Essayez un autre mot ou parcourez tous les circuits.',
  failed: 'Les circuits ne peuvent pas être affichés',
  advice: {
    400: 'Cette adresse est incomplète. Rechargez la page.',
    401: 'Cette liste a expiré. Rechargez la page.',
    403: "Cette liste n'est pas destinée à cette page.",
    429: 'Trop de requêtes. Réessayez dans une minute.',
    500: "Une erreur s'est produite. Réessayez dans un instant.",
  },
};

const es: Words = {
  tours: 'Viajes',
  search: 'Buscar viajes',
  continents: 'Continentes',
  all: 'Todos',
  from: 'desde',
  nextDeparture: 'Próxima salida',
  nextPage: 'Más viajes',
  firstPage: 'Volver al principio',
  nothing: 'No se encontraron viajes',
  nothingHint: 'Pruebe otra palabra o vea todos los viajes.',
  failed: 'No se pueden mostrar los viajes',
  advice: {
    400: 'Esta dirección no está completa. Vuelva a cargar la página.',
    401: 'Esta lista ha caducado. Vuelva a cargar la página.',
    403: 'Esta lista no está destinada a esta página.',
    429: 'Demasiadas solicitudes. Inténtelo de nuevo en un minuto.',
    500: 'Algo ha salido mal. Inténtelo de nuevo en un momento.',
  },
};

const LANGUAGES: Record<string, Words> = { en, de, fr, es };

export interface Language {
  /** BCP 47: numbers, dates and names of places are written its way. */
  locale: string;
  words: Words;
}

/** The first of these tags whose words we have, else English. Tags come from strangers: anything may be among them. */
export function chooseLanguage(tags: unknown[]): Language {
  for (const tag of tags) {
    const locale = canonicalTag(tag);
    const primary = locale?.split('-')[0];
    if (primary && Object.hasOwn(LANGUAGES, primary)) return { locale: locale, words: LANGUAGES[primary]! };
  }
  return { locale: 'en', words: en };
}

function canonicalTag(tag: unknown): string | undefined {
  try {
    return typeof tag === 'string' ? Intl.getCanonicalLocales(tag)[0] : undefined;
  } catch {
    return undefined;
  }
}
