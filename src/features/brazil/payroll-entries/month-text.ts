import { LANGUAGES, type Lang } from '#platform/text/languages.ts';

/** A month as people read it, such as `novembro de 2026`. */
export const formatMonth = (lang: Lang, competence: string): string =>
  new Intl.DateTimeFormat(LANGUAGES[lang], { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${competence}-01T00:00:00Z`),
  );
