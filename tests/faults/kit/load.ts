import { randomInt } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { contentOf, Person } from './person.ts';
import type { PostOffice } from './post-office.ts';

/** Who works on the portal while something is done to it. Each does one kind of thing, one after the other, until told to stop. */
export interface Load {
  /** Waits until everybody has finished, or lost, what they were at. */
  stop: () => Promise<void>;
  /** Answers that were wrong in themselves, such as bytes that differ from those that were handed in. */
  wrong: string[];
}

type Work = (round: number) => Promise<void>;

const size = (): number => (randomInt(40) === 0 ? randomInt(1_000_000, 6_000_000) : randomInt(20, 200_000));

let serial = 0;

/**
 * Starts `writers` people with sessions of `people`. A request that breaks off is no answer, so it is not written down; it is tried as
 * something new. `life` tells the names of one run from those of another.
 */
export function startLoad(people: readonly Person[], ledger: Ledger, office: PostOffice, writers: number): Load {
  const wrong: string[] = [];
  const run = ++serial;
  const stopping = new AbortController();
  const kinds: ((person: Person, writer: number) => Work)[] = [uploads(ledger, 1), uploads(ledger, 3), shares(ledger), folders(ledger), openings(ledger, office, wrong), uploads(ledger, 1), readings(ledger, wrong), comings(ledger)];
  const name = (writer: number, round: number): string => `w${writer}-${run}-${round}`;
  const everybody = Array.from({ length: writers }, async (_, writer) => {
    const person = people[writer % people.length] as Person;
    const work = (kinds[writer % kinds.length] as (typeof kinds)[number])(person, writer);
    for (let round = 0; !stopping.signal.aborted; round += 1) await work(round).catch(() => pauseOfOne());
  });

  function uploads(book: Ledger, most: number) {
    return (person: Person, writer: number): Work => async (round) => {
      const names = Array.from({ length: most }, (_, i) => `${name(writer, round)}-${i}-${size()}.pdf`);
      book.noteDocuments(await person.handIn(names, { onConflict: round % 2 === 0 ? 'fail' : 'rename' }));
    };
  }

  function shares(book: Ledger) {
    return (person: Person, writer: number): Work => async (round) => {
      const document = book.documents.at(-1);
      if (!document) return pauseOfOne();
      const subject = name(writer, round);
      const recipients = [`${subject}-a@supplier.example`, `${subject}-b@supplier.example`];
      if (book.note(await person.share(document, recipients, subject))) book.shares.push({ subject, recipients });
      book.noteDocuments(await person.handIn([`${subject}-after-${size()}.pdf`]));
    };
  }

  function folders(book: Ledger) {
    return (person: Person, writer: number): Work => async (round) => {
      book.noteFolder(await person.makeFolder(name(writer, round)));
      book.noteDocuments(await person.handIn([`${name(writer, round)}-${size()}.pdf`]));
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

/** Opens links that arrived, downloads what is behind them, and the archive of it. */
function openings(book: Ledger, office: PostOffice, wrong: string[]) {
  return (sender: Person): Work => async () => {
    const links = office.delivered.filter(({ link }) => link !== '');
    const mail = links[randomInt(Math.max(1, links.length))];
    if (!mail) return pauseOfOne();
    const visitor = new Person(sender.origin, mail.to);
    if (!book.note(await visitor.openLink(mail.link))) return;
    book.openings.set(mail.link, (book.openings.get(mail.link) ?? 0) + 1);
    const page = await visitor.ask(new URL(mail.link).pathname);
    const [, address = '', id = ''] = /(\/api\/storage\/v2\/sharing\/links\/[\w-]+)\/documents\/(doc_\w+)/.exec(page.body.toString()) ?? [];
    const file = await visitor.ask(`${address}/documents/${id}`);
    const name = /filename="?([^";]+)/.exec(file.headers.get('content-disposition') ?? '')?.[1] ?? '';
    if (!book.note(file)) return;
    if (!file.body.equals(contentOf(name))) wrong.push(`the shared document ${name} came with other bytes`);
    const archive = await visitor.ask(`${address}/documents.zip`);
    if (book.note(archive) && archive.body.indexOf(contentOf(name)) < 0) wrong.push(`the archive of ${name} came without its bytes`);
  };
}

/** Reads back what was acknowledged a moment ago. */
function readings(book: Ledger, wrong: string[]) {
  return (person: Person): Work => async () => {
    const document = book.documents[randomInt(Math.max(1, book.documents.length))];
    if (!document) return pauseOfOne();
    const answer = await person.download(document);
    if (book.note(answer) && !answer.body.equals(contentOf(document.name))) wrong.push(`${document.name} came with other bytes`);
  };
}

/** Signs in and out: one session that stays and one that has ended, each known by its cookie. */
function comings(book: Ledger) {
  return (person: Person): Work => async (round) => {
    const visitor = new Person(person.origin, person.email);
    if (!book.note(await visitor.signIn()) || !visitor.cookies.has('sid')) return;
    const cookie = visitor.cookieHeader;
    if (round % 2 === 0) book.alive.push({ cookie });
    else if (book.note(await visitor.signOut())) book.ended.push({ cookie });
  };
}

/** Nothing to do just now. */
// eslint-disable-next-line house/no-sleeping -- whoever finds the portal gone tries again a little later, as people do; no test waits for it
const pauseOfOne = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
