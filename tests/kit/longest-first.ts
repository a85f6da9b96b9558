import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take long, the longest first. */
const LONG = ['authz/matrix', 'commands/rotate-key', 'commands/postgres', 'faults/slow', 'authz/tampering', 'commands/backup', 'commands/restore', 'faults/postgres', 'faults/kill', 'faults/stop', 'faults/mail', 'features/sharing/links', 'features/documents/uploads', 'features/documents/trash', 'fuzz/api'];
const placeOf = ({ moduleId }: TestSpecification): number => LONG.findIndex((name) => moduleId.includes(`/tests/${name}.`));

/** Begins what takes long at once: begun last, it keeps one processor busy while the others have nothing left to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => placeOf(file) >= 0).toSorted((a, b) => placeOf(a) - placeOf(b)), ...sorted.filter((file) => placeOf(file) < 0)];
  }
}
