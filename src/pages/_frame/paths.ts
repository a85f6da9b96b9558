import { config } from '#platform/config.server.ts';
import type { Lang } from '#platform/languages.ts';

/** The address of a page in a language: `pathTo('pt', 'documents')` → `/clientcenter/pt/documents`. */
export const pathTo = (lang: Lang, page = ''): string => `/${config.base}/${lang}/${page}`;
