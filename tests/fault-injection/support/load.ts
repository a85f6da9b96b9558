import { randomInt } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { contentOf, Person } from './person.ts';
import type { MailServer } from './mail-server.ts';

/** Generates load while faults are injected: each worker repeats one kind of operation until stopped. */
export interface Load {
  /** Waits until every worker has finished or failed its current operation. */
  stop: () => Promise<void>;
  /** Incorrect responses, such as bytes that differ from those uploaded. */
  wrong: string[];
}

type Work = (round: number) => Promise<void>;

const size = (): number => (randomInt(40) === 0 ? randomInt(1_000_000, 6_000_000) : randomInt(20, 200_000));

let serial = 0;

/**
 * Starts `writers` workers with sessions of `people`. A request without a complete response is not recorded,
 * and is tried again under another name. `life` keeps the names of several runs apart.
 */
export function startLoad(
  people: readonly Person[],
  ledger: Ledger,
  smtpServer: MailServer,
  writers: number,
): Load {
  const wrong: string[] = [];
  const run = ++serial;
  const stopping = new AbortController();
  const kinds: ((person: Person, writer: number) => Work)[] = [
    uploads(ledger, 1),
    uploads(ledger, 3),
    shares(ledger),
    folders(ledger),
    openings(ledger, smtpServer, wrong),
    uploads(ledger, 1),
    readings(ledger, wrong),
    signIns(ledger),
  ];
  const name = (writer: number, round: number): string => `w${writer}-${run}-${round}`;
  const everybody = Array.from({ length: writers }, async (_, writer) => {
    const person = people[writer % people.length] as Person;
    const work = (kinds[writer % kinds.length] as (typeof kinds)[number])(person, writer);
    for (let round = 0; !stopping.signal.aborted; round += 1) await work(round).catch(() => pauseOfOne());
  });

  function uploads(book: Ledger, most: number) {
    return (person: Person, writer: number): Work =>
      async (round) => {
        const names = Array.from({ length: most }, (_, i) => `${name(writer, round)}-${i}-${size()}.pdf`);
        book.noteDocuments(await person.uploadAs(names, { onConflict: round % 2 === 0 ? 'fail' : 'rename' }));
      };
  }

  function shares(book: Ledger) {
    return (person: Person, writer: number): Work =>
      async (round) => {
        const document = book.documents.at(-1);
        if (!document) return pauseOfOne();
        const subject = name(writer, round);
        const recipients = [`${subject}-a@supplier.example`, `${subject}-b@supplier.example`];
        if (book.note(await person.share(document, recipients, subject)))
          book.shares.push({ subject, recipients });
        book.noteDocuments(await person.uploadAs([`${subject}-after-${size()}.pdf`]));
      };
  }

  function folders(book: Ledger) {
    return (person: Person, writer: number): Work =>
      async (round) => {
        book.noteFolder(await person.makeFolder(name(writer, round)));
        book.noteDocuments(await person.uploadAs([`${name(writer, round)}-${size()}.pdf`]));
      };
  }

  return {
    wrong,
    stop: async () => {
      stopping.abort();
      await Promise.all(everybody);
    },
  };
}

/** Opens mailed links, and downloads their documents and archive. */
function openings(book: Ledger, smtpServer: MailServer, wrong: string[]) {
  return (sender: Person): Work =>
    async () => {
      const links = smtpServer.delivered.filter(({ link }) => link !== '');
      const mail = links[randomInt(Math.max(1, links.length))];
      if (!mail) return pauseOfOne();
      const visitor = new Person(sender.origin, mail.to);
      if (!book.note(await visitor.openLink(mail.link))) return;
      book.openings.set(mail.link, (book.openings.get(mail.link) ?? 0) + 1);
      const page = await visitor.ask(new URL(mail.link).pathname);
      const [, address = '', id = ''] =
        /(\/api\/storage\/v2\/sharing\/links\/[\w-]+)\/documents\/(doc_\w+)/.exec(page.body.toString()) ?? [];
      const file = await visitor.ask(`${address}/documents/${id}`);
      const name = /filename="?([^";]+)/.exec(file.headers.get('content-disposition') ?? '')?.[1] ?? '';
      if (!book.note(file)) return;
      if (!file.body.equals(contentOf(name))) wrong.push(`the shared document ${name} came with other bytes`);
      const archive = await visitor.ask(`${address}/documents.zip`);
      if (book.note(archive) && archive.body.indexOf(contentOf(name)) < 0)
        wrong.push(`the archive of ${name} came without its bytes`);
    };
}

/** Reads back what was just acknowledged. */
function readings(book: Ledger, wrong: string[]) {
  return (person: Person): Work =>
    async () => {
      const document = book.documents[randomInt(Math.max(1, book.documents.length))];
      if (!document) return pauseOfOne();
      const answer = await person.download(document);
      if (book.note(answer) && !answer.body.equals(contentOf(document.name)))
        wrong.push(`${document.name} came with other bytes`);
    };
}

/** People who only sign in and out: the portal keeps the ten newest sessions of each person. */
const VISITORS = ['ana@padaria.example', 'marcus@holdings.example', 'sophie@erable.example'] as const;

/** Signs in and out, leaving one active and one ended session, each identified by its cookie. */
function signIns(book: Ledger) {
  return ({ origin }: Person): Work =>
    async (round) => {
      const email = VISITORS[(round >> 1) % VISITORS.length] ?? VISITORS[0];
      const visitor = new Person(origin, email);
      if (!book.note(await visitor.signIn()) || !visitor.cookies.has('sid')) return;
      const cookie = visitor.cookieHeader;
      if (round % 2 === 0) book.alive.push({ email, cookie });
      else if (book.note(await visitor.signOut())) book.ended.push({ email, cookie });
    };
}

/** Waits while there is nothing to do. */
// eslint-disable-next-line portal/no-sleeping -- clients retry after a pause while the portal is down; no test waits for it
const pauseOfOne = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
