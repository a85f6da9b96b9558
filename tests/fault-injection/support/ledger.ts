import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Answer, Listed, Person } from './person.ts';
import { contentOf, digestOf } from './person.ts';
import type { Portal } from './portal.ts';
import type { Delivered } from './mail-server.ts';

interface Kept {
  id: string;
  name: string;
  containerId: string;
  containerType: string;
}

/** A session by its cookie, and whose it is. */
export interface SignedIn {
  email: string;
  cookie: string;
}

/** Records every acknowledged write (complete 2xx response), to be compared with the final state. */
export class Ledger {
  readonly documents: Kept[] = [];
  readonly folders: { id: string; name: string }[] = [];
  readonly shares: { subject: string; recipients: string[] }[] = [];
  /** How often each link was opened successfully. */
  readonly openings = new Map<string, number>();
  readonly alive: SignedIn[] = [];
  readonly ended: SignedIn[] = [];
  /** Unsuccessful responses by status. */
  readonly refused = new Map<number, number>();
  acknowledged = 0;

  /** Records a response; returns whether it was successful. */
  note(answer: Answer): boolean {
    const good = answer.status < 300 || answer.status === 303;
    if (good) this.acknowledged += 1;
    else this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
    return good;
  }

  noteDocuments(answer: Answer): Kept[] {
    if (!this.note(answer)) return [];
    const { data } = JSON.parse(answer.body.toString()) as { data: Listed[] };
    const kept = data.map(({ id, name, parent }) => ({
      id,
      name,
      containerId: parent.id,
      containerType: parent.containerType,
    }));
    this.documents.push(...kept);
    return kept;
  }

  noteFolder(answer: Answer): void {
    if (!this.note(answer)) return;
    const { data } = JSON.parse(answer.body.toString()) as { data: { id: string; name: string } };
    this.folders.push(data);
  }
}

/** Problems found in a portal, as sentences. */
export interface Finding {
  lost: string[];
  torn: string[];
  twice: string[];
}

/** Documents uploaded by this harness, as opposed to those of the demo. */
const OURS = /^w\d.*-\d+\.pdf$/;

/**
 * Compares what a person sees with the ledger. Downloads every document of the harness, acknowledged or not:
 * none may be truncated.
 */
export async function compare(person: Person, ledger: Ledger): Promise<Finding> {
  const finding: Finding = { lost: [], torn: [], twice: [] };
  const listed = await person.documents();
  const byId = new Map(listed.map((document) => [document.id, document]));
  for (const { id, name } of ledger.documents)
    if (byId.get(id)?.name !== name) finding.lost.push(`the document ${name}`);
  const names = new Set<string>();
  for (const document of listed) {
    const place = `${document.parent.id}/${document.name.toLowerCase()}`;
    if (names.has(place)) finding.twice.push(`the name ${place}`);
    names.add(place);
    if (!OURS.test(document.name)) continue;
    const expected = contentOf(document.name);
    const answer = await person
      .download({
        id: document.id,
        containerId: document.parent.id,
        containerType: document.parent.containerType,
      })
      .catch(() => undefined); // the connection broke
    if (
      answer?.status !== 200 ||
      !answer.body.equals(expected) ||
      document.sha256 !== digestOf(expected) ||
      document.originalItemSize !== expected.length
    )
      finding.torn.push(
        `the document ${document.name} (${answer?.status}, ${answer?.body.length} of ${expected.length} bytes)`,
      );
  }
  for (const { name } of ledger.folders) {
    const again = await person.makeFolder(name);
    if (again.status !== 409) finding.lost.push(`the folder ${name}`);
  }
  return finding;
}

/** People of the demo, who also get emails about comments and tasks. */
const OF_DEMO = /@(?:maplehart|juniper)\.example$/;

/**
 * Compares delivered mails with acknowledged shares: all of them arrived, with one Message-ID per recipient,
 * however often each was delivered.
 */
export function compareMails(delivered: readonly Delivered[], ledger: Ledger): Finding {
  const finding: Finding = { lost: [], torn: [], twice: [] };
  // the demo's own notices, such as that of a certificate, are no shares
  const subjects = new Set(ledger.shares.map(({ subject }) => subject));
  const byAddress = Map.groupBy(
    delivered.filter(({ to, subject }) => !OF_DEMO.test(to) && subjects.has(subject)),
    (mail) => mail.to,
  );
  for (const { subject, recipients } of ledger.shares) {
    for (const recipient of recipients)
      if (!byAddress.get(recipient)?.some((mail) => mail.subject === subject))
        finding.lost.push(`the mail to ${recipient}`);
  }
  for (const [to, mails] of byAddress) {
    if (new Set(mails.map((mail) => mail.messageId)).size > 1)
      finding.twice.push(`the mail to ${to}, under different ids`);
    if (mails.some((mail) => !/\/share\/[\w-]{43}$/.test(mail.link)))
      finding.torn.push(`the mail to ${to} has no link`);
  }
  return finding;
}

const ROOT = path.join(import.meta.dirname, '../../..');

/**
 * Runs `npm run verify` on the data of a portal, `under` another command if they are where only that sees them.
 * Returns its findings, empty if there are none.
 */
export async function verify(
  { environment }: Portal,
  ahead = 0,
  under: readonly string[] = [],
): Promise<string[]> {
  const clock = ahead === 0 ? [] : [`--import=${path.join(import.meta.dirname, 'clock-preload.ts')}`];
  const command = [...under, process.execPath, ...clock, path.join(ROOT, 'dist/server/verify.mjs')];
  const [program = '', ...args] = command;
  try {
    await promisify(execFile)(program, args, {
      cwd: ROOT,
      env: { ...environment, FAULTS_CLOCK: String(ahead) },
    });
    return [];
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error)
      .split('\n')
      .filter(Boolean);
  }
}
