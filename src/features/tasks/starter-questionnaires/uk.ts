import { uk as es } from './es/uk.ts';
import { uk as fr } from './fr/uk.ts';
import { uk as pt } from './pt/uk.ts';
import { textsOf } from './texts.ts';

/** The texts of the starters for the United Kingdom. */
export const uk = textsOf('en-gb', { es, pt, fr });
