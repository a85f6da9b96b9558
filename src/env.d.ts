declare namespace App {
  interface Locals {
    /** Set in server.ts. */
    optionalSession: import('#features/base/people/people.ts').Session | undefined;
    network: string;
    lockedOut: boolean | undefined;
    demo: boolean;
    /** Reads a posted form with files of at most so many bytes each. */
    readFilesForm: (maxFileBytes: number) => Promise<FormData>;
    /** Set by a layout whose icons are in the page (Icon.astro). */
    hasInlineIcons?: boolean;
    /**
     * The session of a person who is signed in; throws UNAUTHENTICATED for visitors, see `optionalSession`.
     */
    readonly session: import('#features/base/people/people.ts').Session;
    /**
     * The client that the page is about, looked up on first use; undefined for people without one. A page
     * about an item of another client sets it before rendering.
     */
    client: Promise<import('#features/clients/clients/clients.ts').Client | undefined>;
    /**
     * Links that the person sent and that were opened, until they have seen that; looked up on first use. The list of
     * shares sets those that remain.
     */
    openings: Promise<import('#features/sharing/sharing/openings.server.ts').Opening[]>;
    /** The client named in the address of the tab. */
    readonly pinnedClient: string | undefined;
    /** Builds addresses of pages, with the pinned client. */
    readonly pathTo: import('#platform/http/addresses.server.ts').PathTo;
    /** Tells whether a page without parameters exists and may be opened, such as `staff/people`. */
    readonly mayOpen: (page: string) => boolean;
    /** Set by the middleware. */
    lang: import('#platform/text/languages.ts').Lang;
    locale: string;
    firm: import('#features/base/firms/firms.ts').Firm | undefined;
    /** How the person reads; missing on pages of errors. */
    reading?: import('#features/base/reading/reading.ts').Reading;
    /** The firm's time zone; times on a page are converted in the browser to the reader's own. */
    timeZone: string;
    /** The external address of a redirect, which the page `auth/leaving` follows. */
    leavingFor: string | undefined;
    /** Set by the first run of the middleware for a request; a rewrite runs it again. */
    isRewritten: true | undefined;
    hasFormKey: true | undefined;
    flash: import('#platform/http/flash.server.ts').Flash | undefined;
  }
}
