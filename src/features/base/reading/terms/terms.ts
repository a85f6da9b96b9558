/** Words of the profession with their forms, each with what it means in plain words. */
export type Terms = readonly (readonly [words: readonly string[], meaning: string])[];
