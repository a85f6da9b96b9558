import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, inject, test } from 'vitest';
import { GRACE } from '../support/whole.ts';
import { compare, Ledger, verify } from './support/ledger.ts';
import { Person, type Answer } from './support/person.ts';
import { Portal, turn } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

test(
  'while another program locks the database, who writes waits at most five and a half seconds and gets a time to retry, who reads does not wait, and nothing is half done',
  { timeout: 120_000 },
  async () => {
    const portal = await Portal.start({ folder: copyWorld(inject('world')) });
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const ledger = new Ledger();
    const [document] = ledger.noteDocuments(await olivia.uploadAs(['w0-first-100.pdf']));
    if (!document) throw new Error('the document was not taken');
    const before = await counts(portal);
    const waits: Record<string, number> = {};
    const refused: Answer[] = [];
    let shares = 0;

    for (const held of [100, 1000, 6000 + GRACE]) {
      // the portal may be writing
      const other = new DatabaseSync(path.join(portal.start.folder, 'data/portal.db'), { timeout: 5000 });
      other.exec('begin immediate');
      const released = turn(held).then(() => {
        other.exec('rollback');
        other.close();
      });
      const timed = async (work: Promise<Answer>): Promise<{ answer: Answer; took: number }> => {
        const began = performance.now();
        const answer = await work;
        return { answer, took: performance.now() - began };
      };
      const name = `w0-${held}-500.pdf`;
      const slowestRead = readDuring(olivia, held / 2);
      const answers = await Promise.all([
        timed(olivia.uploadAs([name])).then((one) => ({
          ...one,
          done: () => void ledger.noteDocuments(one.answer),
        })),
        timed(olivia.makeFolder(`w0-${held}`)).then((one) => ({
          ...one,
          done: () => ledger.noteFolder(one.answer),
        })),
        timed(olivia.share(document, [`r${held}@supplier.example`], 'Metrics')).then((one) => ({
          ...one,
          done: () => void (shares += 1),
        })),
      ]);
      await released;
      waits[`longest read while held ${held} ms`] = await slowestRead;
      expect(await slowestRead, 'reading goes on').toBeLessThan(2000 + GRACE / 5);
      waits[`longest answer while held ${held} ms`] = Math.max(...answers.map(({ took }) => took));
      for (const { answer, took, done } of answers) {
        expect(took, 'an answer comes within five and a half seconds').toBeLessThan(5500 + GRACE);
        if (answer.status === 200) done();
        else refused.push(answer);
      }
      if (held <= 1000)
        expect(
          answers.map(({ answer }) => answer.status),
          'a short wait is no refusal',
        ).toEqual([200, 200, 200]);
    }

    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(JSON.parse(body.toString())).toMatchObject({ errors: [{ code: 'UNAVAILABLE' }] });
    }
    expect(await counts(portal)).toEqual({
      documents: before.documents + ledger.documents.length - 1,
      folders: before.folders + ledger.folders.length,
      shares: before.shares + shares,
    });
    expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
    report('database locked', { ...waits, 'answered 503': refused.length });
    await portal.end('SIGTERM');
    expect(await verify(portal, 2 * 3_600_000)).toEqual([]);
  },
);

/** Opens pages and calls lists for so long, and returns how long the slowest answer took (ms). */
async function readDuring(person: Person, milliseconds: number): Promise<number> {
  let slowest = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; await turn(20))
    for (const path of [
      '/clientcenter/en-us/documents',
      `/api/storage/v1/containers/documents?clientId=${person.clientId}`,
    ]) {
      const began = performance.now();
      expect((await person.ask(path)).status, path).toBe(200);
      slowest = Math.max(slowest, performance.now() - began);
    }
  return slowest;
}

async function counts(portal: Portal) {
  const database = new DatabaseSync(path.join(portal.start.folder, 'data/portal.db'), { readOnly: true });
  const count = (text: string): number => Number(database.prepare(text).get()?.['n']);
  const found = {
    documents: count('select count(*) as n from documents'),
    folders: count("select count(*) as n from containers where container_type = 'folder'"),
    shares: count('select count(*) as n from shares'),
  };
  database.close();
  return Promise.resolve(found);
}
