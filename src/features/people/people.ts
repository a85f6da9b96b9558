/** Who acts: one contact of one firm. Every verb takes it first, and every query is scoped by it. */
export interface Actor {
  prismGuid: string;
  contactId: string;
  companyId: string;
  /** Staff of the firm: acts for every client of the firm. */
  staff: boolean;
  firstName: string;
  lastName: string;
  fullName: string;
  emailAddress: string;
  language: string;
}

/** Who is here: the live session of a request. `id` is the stored hash, never the cookie's value. */
export interface Session {
  id: string;
  actor: Actor;
  expiresAt: number;
}
