import { br as es } from './es/br.ts';
import { br as fr } from './fr/br.ts';
import { br as pt } from './pt/br.ts';
import { textsOf } from './texts.ts';

/** The texts of the starters for Brazil. */
export const br = textsOf('en-us', { es, pt, fr });
