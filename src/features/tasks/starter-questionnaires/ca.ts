import { ca as es } from './es/ca.ts';
import { ca as fr } from './fr/ca.ts';
import { ca as pt } from './pt/ca.ts';
import { properName, textsOf } from './texts.ts';

/** The texts of the starters for Canada. */
export const ca = textsOf('en-ca', { es, pt, fr });

export const PROVINCES = [
  { key: 'ab', label: properName('Alberta') },
  { key: 'bc', label: ca('British Columbia') },
  { key: 'mb', label: properName('Manitoba') },
  { key: 'nb', label: ca('New Brunswick') },
  { key: 'nl', label: ca('Newfoundland and Labrador') },
  { key: 'ns', label: ca('Nova Scotia') },
  { key: 'nt', label: ca('Northwest Territories') },
  { key: 'nu', label: properName('Nunavut') },
  { key: 'on', label: ca('Ontario') },
  { key: 'pe', label: ca('Prince Edward Island') },
  { key: 'qc', label: ca('Quebec') },
  { key: 'sk', label: properName('Saskatchewan') },
  { key: 'yt', label: properName('Yukon') },
];
