/*
 * The access policy, based on the spec and threat-model.md, not on the implementation: facts about people, what a rule
 * of a call can say (`rules` of tests/features/<feature>/access.ts), and what follows from it. The matrix compares
 * every response with that.
 */

/** All persons, named by what distinguishes them. */
export const PERSONS = [
  'a visitor',
  'the own contact',
  'a contact with two clients',
  'a sibling contact',
  'a contact of the other firm',
  'staff',
  'staff of the other firm',
  'a contact of a locked firm',
  'a user whose second step is missing',
  'an expired session',
  'an ended session',
  'a forged cookie',
  'a link recipient',
  'a contact whose client was taken away',
  'a contact of both firms',
  'staff with assigned clients',
  'read-only staff',
] as const;
export type Person = (typeof PERSONS)[number];

/**
 * The clients of the fixture: three of firm one, two of firm two, one of the locked firm. `own` and `sibling`
 * are relative to the `own` contact.
 */
export type ClientKey =
  'own' | 'sibling' | 'staff only' | 'other firm' | 'other firm, second' | 'locked firm';

/** The clients that a person acts for. Persons not listed have no valid session. */
const ACTS_FOR: Partial<Record<Person, readonly ClientKey[]>> = {
  'the own contact': ['own'],
  'a contact with two clients': ['own', 'sibling'],
  'a sibling contact': ['sibling'],
  'a contact of the other firm': ['other firm'],
  staff: ['own', 'sibling', 'staff only'],
  'staff of the other firm': ['other firm', 'other firm, second'],
  'a contact whose client was taken away': [],
  'a contact of both firms': ['own'],
  'staff with assigned clients': ['own'],
  'read-only staff': ['own', 'sibling', 'staff only'],
};

export const isSignedIn = (person: Person): boolean => ACTS_FOR[person] !== undefined;
const STAFF: readonly Person[] = [
  'staff',
  'staff of the other firm',
  'staff with assigned clients',
  'read-only staff',
];
export const isStaff = (person: Person): boolean => STAFF.includes(person);
/** Staff of the fixture publish, and may also invite and help contacts, but for those who only read. */
export const isReader = (person: Person): boolean => person === 'read-only staff';
export const actsFor = (person: Person): readonly ClientKey[] => ACTS_FOR[person] ?? [];

/** The clients of a person's other accounts: a URL with one of them leads to the account switch. */
export const actsElsewhere = (person: Person): readonly ClientKey[] =>
  person === 'a contact of both firms' ? ['other firm'] : [];

/** Links by state. Only the link recipient has opened any. */
export type LinkKey =
  | 'good'
  | 'with a code'
  | 'expired'
  | 'revoked'
  | 'of a deleted document'
  | 'of a sender without the client'
  | 'of a locked firm'
  | 'opened too long ago'
  | 'of another recipient'
  | 'of the sibling'
  | 'of the other firm';
const OPENED: Record<LinkKey, 'works' | 'over' | 'not opened'> = {
  good: 'works',
  'with a code': 'works',
  expired: 'over',
  revoked: 'over',
  'of a deleted document': 'over',
  'of a sender without the client': 'over',
  'of a locked firm': 'over',
  'opened too long ago': 'not opened',
  'of another recipient': 'not opened',
  'of the sibling': 'not opened',
  'of the other firm': 'not opened',
};

/** The canaries that a person may see: those of their firm and clients. Any other one is a leak. */
const CLIENT_MARKS: Record<ClientKey, string> = {
  own: 'CANARY-C1',
  sibling: 'CANARY-C2',
  'staff only': 'CANARY-C3',
  'other firm': 'CANARY-C4',
  'other firm, second': 'CANARY-C5',
  'locked firm': 'CANARY-C6',
};
export function mayMeet(person: Person): ReadonlySet<string> {
  if (person === 'a link recipient') return new Set(['CANARY-F1', 'CANARY-C1']);
  if (!isSignedIn(person)) return new Set();
  const firm = person.includes('of the other firm') ? 'CANARY-F2' : 'CANARY-F1';
  return new Set([firm, ...actsFor(person).map((client) => CLIENT_MARKS[client])]);
}

/** The canaries of all firms in which a person has an account. */
export const firmsOf = (person: Person): ReadonlySet<string> =>
  new Set(person === 'a contact of both firms' ? ['CANARY-F1', 'CANARY-F2'] : []);

/** The target of an id: `live` exists, `deleted` did, `unknown` never did, `malformed` is not an id. */
export interface Thing {
  id: string;
  state: 'live' | 'deleted' | 'unknown' | 'malformed';
  /** The person whose contact it is. */
  of?: Person;
  client?: ClientKey;
  /** The container of a document. */
  parent?: string;
  link?: LinkKey;
  /** The links that include a document. */
  links?: readonly LinkKey[];
  /** Who may see it, if that does not follow from its client. */
  seenBy?: readonly Person[];
  /** True for a member of staff. */
  isOfStaff?: boolean;
  /** True when the id is of another kind, such as a folder instead of a project. */
  otherKind?: boolean;
}

export interface Rule {
  who:
    | 'anyone'
    | 'nobody without a sign-in under way'
    | 'nobody without a payment provider'
    | 'signed in'
    | 'contacts'
    | 'staff'
    | 'holder of an opened link'
    | 'holder of a link that is not here'
    | 'demo'
    | 'nobody here';
  /** True if it takes the permission to invite and help contacts, which staff have unless they only read. */
  managesContacts?: true;
  /** Read-only staff cannot read it either. */
  forWriters?: true;
  /** True for a write that read-only staff may make: to their own account, or only to read. */
  forReaders?: true;
  /** Set by `ruleOf`: the call is no GET. */
  isWrite?: boolean;
  /** Ids that must be visible to the caller; otherwise the response is that for an unknown id. */
  sees?: readonly string[];
  /** The id of the caller's own contact; any other one is FORBIDDEN. */
  ownContact?: string;
  /** Ids that only filter a list; an invisible one is treated as unknown. */
  narrows?: readonly string[];
  /** A document and the container that it must be in. */
  within?: readonly [document: string, container: string];
  /**
   * Statuses for permitted callers when the call cannot succeed in this fixture; `changes` are then those of
   * the refusal.
   */
  answers?: readonly number[];
  /** The success status, if not 200. */
  succeeds?: number;
  /** Tables from which it deletes the caller's own rows. */
  ends?: readonly string[];
  /** Tables that a permitted call changes. */
  changes?: readonly string[];
  /** Tables in which it updates the caller's own row, which shows as a deletion and an insertion. */
  updates?: readonly string[];
  /** True when the response names all firms of the caller, not only that of the session. */
  namesAllFirms?: true;
  /** Counter columns, by table: nothing else in these rows changes. */
  counts?: Readonly<Record<string, string>>;
  /** True when it changes existing rows. */
  alters?: true;
  /** Tables whose rows belong to a client, and not to who created them. */
  ofClient?: readonly string[];
  /** The id that accepts any kind of container, as in the spec's folders/{id} with a client. */
  anyKind?: string;
  /** A document that the caller must have uploaded, unless they are staff; others who can see it get 403. */
  uploadedByCaller?: string;
  /** The container is of staff, and only they change it: contacts who can see it get 403. */
  ofStaff?: true;
  /**
   * True when it changes or deletes documents of the caller's clients: they are restored for the next cell.
   */
  trashes?: true;
  /** It locks: the matrix undoes it, as what is locked refuses the calls after it. */
  locks?: true;
  /** True when staff assign or revoke a role of a contact of their firm. */
  gives?: true;
  /** Who sees deleted documents of the `own` client: the uploader and staff. */
  showsDeleted?: readonly Person[];
}

/** Who uploaded the documents of each client. */
const UPLOADED_BY: Partial<Record<ClientKey, Person>> = {
  own: 'the own contact',
  sibling: 'a sibling contact',
  'staff only': 'staff',
  'other firm': 'a contact of the other firm',
  'other firm, second': 'staff of the other firm',
};

/** The expected statuses; several only for malformed ids, where any refusal reveals equally little. */
export function expected(
  rule: Rule,
  person: Person,
  things: Readonly<Record<string, Thing>>,
  isDemo: boolean,
): readonly number[] {
  const all = Object.values(things);
  if (rule.who === 'anyone') return [200];
  if (rule.who === 'nobody without a sign-in under way') return [401];
  if (rule.who === 'nobody without a payment provider') return [404];
  // of kinds of which the fixture has none: tests of their features test those who hold one
  if (rule.who === 'holder of a link that is not here') return [404];
  if (['signed in', 'contacts', 'staff'].includes(rule.who) && !isSignedIn(person)) return [401];
  const isForWriters = rule.managesContacts ?? rule.forWriters ?? (rule.isWrite && !rule.forReaders);
  if (isReader(person) && isForWriters) return [403];
  if (rule.who === 'contacts' && isStaff(person))
    return all.some(({ state }) => state === 'malformed') ? [403, 422] : [403];
  if (rule.who === 'nobody here') return [isSignedIn(person) ? 403 : 401];
  if (rule.who === 'staff' && !isStaff(person)) return [403];
  if (rule.who === 'demo' && !isDemo) return [404];
  if (rule.who === 'holder of an opened link') return ofLink(person, things);
  const contact = things[rule.ownContact ?? ''];
  if (contact) return contact.of === person ? [200] : contact.state === 'malformed' ? [403, 422] : [403];
  if (all.some(({ state }) => state === 'malformed'))
    return rule.narrows?.some((name) => things[name]?.state === 'malformed') ? [200, 404, 422] : [404, 422];
  if (rule.answers) return rule.answers;
  if (rule.who === 'demo') return [all.every(({ state }) => state === 'live') ? 200 : 404];
  const isSeen = (name: string): boolean => {
    const thing = things[name];
    if (thing?.seenBy) return thing.state === 'live' && thing.seenBy.includes(person);
    return (
      thing !== undefined &&
      thing.state === 'live' &&
      (!thing.otherKind || name === rule.anyKind) &&
      thing.client !== undefined &&
      actsFor(person).includes(thing.client)
    );
  };
  const [document, container] = rule.within ?? [];
  const isInPlace =
    document === undefined || container === undefined || things[document]?.parent === things[container]?.id;
  if (!(rule.sees ?? []).every(isSeen) || !isInPlace) return [404];
  const owner = UPLOADED_BY[things[rule.uploadedByCaller ?? '']?.client ?? 'locked firm'];
  if (rule.ofStaff && !isStaff(person)) return [403];
  return [
    rule.uploadedByCaller === undefined || isStaff(person) || owner === person ? (rule.succeeds ?? 200) : 403,
  ];
}

/**
 * A link that this browser has never opened does not exist for it; an expired one says so to those who opened
 * it; it gives access to its own documents only.
 */
function ofLink(person: Person, { token, documentId }: Readonly<Record<string, Thing>>): readonly number[] {
  const refused = [token, documentId].some((thing) => thing?.state === 'malformed') ? [404, 422] : [404];
  if (person !== 'a link recipient' || token?.link === undefined || OPENED[token.link] === 'not opened')
    return refused;
  if (OPENED[token.link] === 'over') return documentId?.state === 'malformed' ? [410, 422] : [410];
  return documentId === undefined || (documentId.state === 'live' && documentId.links?.includes(token.link))
    ? [200]
    : refused;
}
