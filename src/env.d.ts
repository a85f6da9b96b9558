declare namespace App {
  interface Locals {
    /** Set in server.ts. */
    optionalSession: import('#features/people/people.ts').Session | undefined;
    network: string;
    lockedOut: boolean | undefined;
    demo: boolean;
    /** The session behind the sign-in. UNAUTHENTICATED for a visitor, who has `optionalSession` at most. */
    readonly session: import('#features/people/people.ts').Session;
    /**
     * The client that the page acts for, read when first asked for; none for somebody who has none. A page about
     * something of another client sets it before its markup.
     */
    client: Promise<import('#features/clients/clients.ts').Client | undefined>;
    /** The client that the address of the tab names. */
    readonly pinnedClient: string | undefined;
    /** Addresses of pages, for this client. */
    readonly pathTo: import('#platform/addresses.server.ts').PathTo;
    /** Set by the middleware. */
    lang: import('#platform/languages.ts').Lang;
    locale: string;
    firm: import('#features/firms/firms.ts').Firm | undefined;
    /** The firm's time zone; times on a page are converted in the browser to the reader's own. */
    timeZone: string;
    /** The external address of a redirect, which the page `auth/leaving` follows. */
    leavingFor: string | undefined;
    /** Set by the first run of the middleware for a request; a rewrite runs it again. */
    isRewritten: true | undefined;
    flash: import('#platform/flash.server.ts').Flash | undefined;
  }
}
