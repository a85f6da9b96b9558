import { textsOf } from './texts.ts';

/** The texts that the starters of every country share. */
export const common = textsOf<never>('en-us', { es: {}, pt: {}, fr: {} });
