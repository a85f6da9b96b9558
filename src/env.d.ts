declare namespace App {
  interface Locals {
    /** Set by the front door. */
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
    /** The firm's time zone: what a page states in it is replaced in the browser by the reader's own. */
    timeZone: string;
    /** The address of another site that a redirect led to. */
    leavingFor: string | undefined;
    /** Set for every page that another one leads to within the same request. */
    isRewritten: true | undefined;
    flash: import('#platform/flash.server.ts').Flash | undefined;
  }
}
