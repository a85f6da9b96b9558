/** Why a job was refused, without words of the file. */
export type Refusal =
  | 'encrypted'
  | 'restricted'
  | 'damaged'
  | 'signed'
  | 'xfa'
  | 'lost-values'
  | 'active-content'
  | 'external-content'
  | 'undrawable'
  | 'differs'
  | 'too-many-pages'
  | 'timestamp'
  | 'own-check'
  | 'wrong-password'
  | 'not-pkcs12'
  | 'unsuitable-key';

/** What a refusal names: fields of the document, and its pages. For people who may see it, not for the log. */
export interface RefusalDetails {
  fields?: string[];
  pages?: number[];
}

/** A job that the thread refuses. */
export class JobRefusal extends Error {
  readonly why: Refusal;
  readonly details: RefusalDetails;
  constructor(why: Refusal, details: RefusalDetails = {}) {
    super(why);
    this.name = 'JobRefusal';
    this.why = why;
    this.details = details;
  }
}
