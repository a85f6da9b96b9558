import { us as es } from './es/us.ts';
import { us as fr } from './fr/us.ts';
import { us as pt } from './pt/us.ts';
import { properName, textsOf } from './texts.ts';

/** The texts of the starters for the United States. */
export const us = textsOf('en-us', { es, pt, fr });

export const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'
    .split(' ')
    .map((code) => ({ key: code.toLowerCase(), label: properName(code) }));
