import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slow test files, slowest first. */
const LONG = [
  'authz/matrix',
  'commands/rotate-key',
  'commands/postgres',
  'fault-injection/slow',
  'authz/tampering',
  'commands/backup',
  'commands/restore',
  'fault-injection/postgres',
  'fault-injection/kill',
  'fault-injection/stop',
  'fault-injection/mail',
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
