/**
 * The locale for times of day. Argentina writes them with 24 hours, where the data of browsers and Node.js (CLDR) has
 * "a. m." and "p. m.".
 */
export const clockLocale = (locale: string): string => (locale === 'es-AR' ? 'es-AR-u-hc-h23' : locale);
