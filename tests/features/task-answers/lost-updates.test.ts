import { expect, test } from 'vitest';
import { saveChanges } from '#features/tasks/task-answers/autosaving.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { ChangeResult } from '#features/tasks/answer-editor/answer-editor.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { makeCast } from '../../support/cast.ts';
import { en, sectionOf, templateOf } from '../questionnaires/support.ts';
import '../../../src/app.server.ts';

/*
 * Sixteen people answer the same questions at once over a bad network: messages are repeated, overtake each other and
 * lose their responses. Nobody looks at the answers of others before typing, which is the worst case. Every text that
 * was typed must then be the answer, have been replaced knowingly or by its own tab, or be kept for a decision.
 *
 * `TASK_EDITS=1000 npx vitest run tests/features/task-answers/lost-updates.test.ts` makes a thousand edits each.
 */

const EDITORS = 16;
const EDITS = Number(process.env['TASK_EDITS'] ?? 12);
const FIELDS = 40;

const { ada, cleo, sam, clientA } = await makeCast();

/** A generator of numbers in [0, 1), the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Change {
  path: string;
  value: string;
  base: number;
  sequence: number;
}

/** A tab: the versions that it knows, and what it has sent without an answer. */
interface Tab {
  tab: string;
  actor: typeof ada;
  sequence: number;
  versions: Map<string, number>;
  waiting: Change[];
}

test(
  'nothing that sixteen people type at the same time over a bad network is lost',
  async () => {
    const random = randomNumbers(20_261_124);
    const pick = (count: number): number => Math.floor(random() * count);
    const { taskId } = await createTask(sam, {
      clientId: clientA,
      type: 'questionnaire',
      form: templateOf([
        sectionOf(
          'year',
          Array.from({ length: FIELDS }, (_, at) => ({
            kind: 'text' as const,
            key: `q-${at}`,
            label: en(`Question ${at}`),
          })),
        ),
      ]),
    });
    const tabs = Array.from({ length: EDITORS }, (_, at): Tab => ({
      tab: `tab-number-${String(at).padStart(3, '0')}`,
      actor: at % 2 === 0 ? ada : cleo,
      sequence: 0,
      versions: new Map(),
      waiting: [],
    }));
    /** The texts of each tab at each path, in the order in which they were typed. */
    const typed = new Map<string, string[]>();
    /** What was written: the version before, and the tab. */
    const written = new Map<string, { value: string; tab: string; base: number }[]>();
    const counts = { saved: 0, superseded: 0, conflict: 0, refused: 0, repeated: 0, lost: 0, late: 0 };

    async function deliver(tab: Tab, changes: Change[]): Promise<ChangeResult[]> {
      const results = await saveChanges(tab.actor, taskId, { tab: tab.tab, language: 'en-us', changes });
      for (const [at, { path, result, version }] of results.entries()) {
        counts[result] += 1;
        const { value = '', base = 0 } = changes[at] ?? {};
        const writes = written.get(path) ?? [];
        written.set(path, writes);
        if (result === 'saved' && version > writes.length) writes.push({ value, tab: tab.tab, base });
      }
      return results;
    }

    function learn(tab: Tab, changes: readonly Change[], results: readonly ChangeResult[]): void {
      for (const { path, result, version } of results)
        if (result === 'saved') tab.versions.set(path, Math.max(version, tab.versions.get(path) ?? 0));
      tab.waiting = tab.waiting.filter((change) => !changes.includes(change));
    }

    for (let edit = 0; edit < EDITS * EDITORS; edit += 1) {
      const tab = tabs[pick(EDITORS)];
      if (!tab) continue;
      const path = `year.q-${pick(FIELDS)}`;
      tab.sequence += 1;
      const value = `${tab.tab} typed ${tab.sequence}`;
      const key = `${tab.tab} ${path}`;
      typed.set(key, [...(typed.get(key) ?? []), value]);
      tab.waiting.push({ path, value, base: tab.versions.get(path) ?? 0, sequence: tab.sequence });
      const luck = random();
      if (luck < 0.2) continue; // not sent yet
      const changes = tab.waiting.slice(0, 50);
      if (luck < 0.4) {
        counts.late += 1;
        changes.reverse(); // later ones overtake earlier ones
      }
      const results = await deliver(tab, changes);
      if (luck > 0.9) {
        counts.repeated += 1;
        await deliver(tab, changes);
      }
      if (luck > 0.8 && luck < 0.9) counts.lost += 1;
      else learn(tab, changes, results); // otherwise it is sent again with the next edit
    }
    for (const tab of tabs)
      while (tab.waiting.length > 0) {
        const changes = tab.waiting.slice(0, 50);
        learn(tab, changes, await deliver(tab, changes));
      }

    const { answers, versions } = await questionAnswers(taskId);
    const rows = await db()
      .selectFrom('task_kept_answers')
      .selectAll()
      .where('task_id', '=', taskId)
      .execute();
    const kept = new Map(
      rows.map((row) => [
        `${row.kept_by_tab} ${row.path}`,
        JSON.parse(decryptFrom('task_kept_answers.value', row.kept_id, row.value)) as string,
      ]),
    );
    expect(kept.size, 'one kept answer of each tab and path').toBe(rows.length);
    for (const [path, writes] of written) {
      expect(versions.get(path), 'one winner of each version').toBe(writes.length);
      expect(answers[path]).toBe(writes.at(-1)?.value);
      for (const [at, write] of writes.entries())
        expect(
          write.base === at || writes[at - 1]?.tab === write.tab,
          `${write.value} overwrote what it did not know`,
        ).toBe(true);
    }
    const lost = [...typed].filter(([key, texts]) => {
      const last = texts.at(-1) ?? '';
      const [, path = ''] = key.split(' ');
      return kept.get(key) !== last && !written.get(path)?.some(({ value }) => value === last);
    });
    expect(lost).toEqual([]);
    expect(counts.refused).toBe(0);
    // the network was as bad as it was meant to be
    expect(
      Math.min(counts.conflict, counts.superseded, counts.repeated, counts.lost, counts.late),
    ).toBeGreaterThan(0);
  },
  EDITS * 1000 + 60_000,
);
