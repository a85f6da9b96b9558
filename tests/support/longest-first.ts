import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slow test files, slowest first. */
const LONG = [
  'authz/matrix',
  'commands/rotate-key',
  'commands/postgres',
  'faults/slow',
  'authz/tampering',
  'commands/backup',
  'commands/restore',
  'faults/postgres',
  'faults/kill',
  'faults/stop',
  'faults/mail',
  'features/sharing/links',
  'features/uploads/uploads',
  'features/trash/trash',
  'fuzz/api',
];
const placeOf = ({ moduleId }: TestSpecification): number =>
  LONG.findIndex((name) => moduleId.includes(`/tests/${name}.`));

/** Starts slow files first: started last, one would occupy a single processor while the others are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter((file) => placeOf(file) >= 0).toSorted((a, b) => placeOf(a) - placeOf(b)),
      ...sorted.filter((file) => placeOf(file) < 0),
    ];
  }
}
